// SPDX-License-Identifier: Apache-2.0
// The constants of `tiled`. Those that hold for all algorithms on a GPU are in device/gpu_tuning.hpp.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"

namespace sptrsv::detail {

/// Measured on an NVIDIA H200 (docs/tiled.md) and used everywhere, so that tiles are the same on all devices.
struct TiledTuning {
  /// Rows. Where levels have more on average the planner does not look at tiles, which takes longer than several
  /// solves: on such matrices of docs/performance.md (GPU) tiles are at most 15 % ahead of levels.
  static constexpr double most_level_rows = 400;
  /// Rows; default of option wide_rows. A level of so many rows has a kernel with a thread per row.
  static constexpr int wide_rows = GpuTuning::filling_rows;
  /// What a block level costs with rows in their own order, in block levels of rows sorted by level: each has the
  /// solution of a diagonal tile in it, or with inverses a product, against diagonals alone.
  static constexpr double own_order_solved = 1.4, own_order_inverted = 1.15;
  /// Rows in the mean. Shorter chains have few levels, which other types pass as quickly.
  static constexpr double chain_length = 64;
  /// Rows that a team composes, and its threads. Not measured apart.
  static constexpr int chain_chunk = 1024, chain_threads = 256;
  /// Host: tickets that each thread takes of a kernel, about, and the most tile rows of a ticket. Not measured apart.
  static constexpr long long host_tickets_per_thread = 16, host_tile_rows_per_ticket = 64;
  /// Nanoseconds of a solve by scans and of each row in it, on an NVIDIA H200 (48.9 us for 1,000 rows, 305 for
  /// 2,000,000).
  static constexpr double scan_nanoseconds = 48000, scan_row_nanoseconds = 0.128;
};

}  // namespace sptrsv::detail
