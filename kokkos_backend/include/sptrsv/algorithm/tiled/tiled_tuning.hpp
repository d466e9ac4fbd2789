// SPDX-License-Identifier: Apache-2.0
// Constants of `tiled`. Constants of all algorithms on a GPU are in device/gpu_tuning.hpp.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/tiled.md) and used everywhere, so that tiles are equal on all devices.
struct TiledTuning {
  /// Mean rows per level above which the planner does not try tiles, which takes longer than several solves: on such
  /// matrices of docs/performance.md (GPU) tiles are at most 15 % faster than levels.
  static constexpr double most_level_rows = 400;
  /// Number of rows from which a level has a kernel with a thread per row; default of option wide_rows.
  static constexpr int wide_rows = GpuTuning::filling_rows;
  /// Cost of a block level in natural order, in block levels of rows sorted by level: it includes the solution of a
  /// diagonal tile instead of diagonals alone.
  static constexpr double own_order = 1.4;
  /// Mean rows of a chain from which scans are used. Shorter chains have few levels, which other types solve as fast.
  static constexpr double chain_length = 64;
  /// Rows that a team composes, and its threads. Not measured separately.
  static constexpr int chain_chunk = 1024, chain_threads = 256;
  /// Host: approximate tickets of each thread per kernel, and maximum tile rows of a ticket. Not measured separately.
  static constexpr long long host_tickets_per_thread = 16, host_tile_rows_per_ticket = 64;
  /// Nanoseconds of a solve by scans, fixed and per row, on an H200 (48.9 us for 1,000 rows, 305 us for 2,000,000).
  static constexpr double scan_nanoseconds = 48000, scan_row_nanoseconds = 0.128;
};

}  // namespace sptrsv::detail
