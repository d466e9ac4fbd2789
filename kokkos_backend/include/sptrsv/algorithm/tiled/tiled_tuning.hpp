// SPDX-License-Identifier: Apache-2.0
// Constants of `tiled`. Constants that algorithms share on a GPU are in device/gpu_tuning.hpp.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/tiled.md), and used on all devices, which thus have the same tiles.
struct TiledTuning {
  /// Mean number of rows per level above which the planner does not look for tiles. Looking takes longer than several
  /// solves, and on such matrices of docs/performance.md (GPU) tiles are at most 15 % faster than `levelset`.
  static constexpr double most_level_rows = 400;
  /// Nanoseconds for the planner to find tiles, fixed and per level (H100 and H200).
  static constexpr double sweep = 4e5, sweep_level = 1500;
  /// Number of rows from which a level has a kernel with a thread per row; default of option wide_rows.
  static constexpr int wide_rows = GpuTuning::filling_rows;
  /// (Cost of a block level in natural order) / (cost of a block level if rows are sorted by level). It is greater than
  /// 1, since in natural order diagonal tiles have entries below the diagonal.
  static constexpr double own_order = 1.4;
  /// Host: approximate tickets per thread and kernel, and maximum tile rows of a ticket. Not measured separately.
  static constexpr long long host_tickets_per_thread = 16, host_tile_rows_per_ticket = 64;
};

}  // namespace sptrsv::detail
