// SPDX-License-Identifier: Apache-2.0
// Constants of `colorset`. Constants that algorithms share are in device/gpu_tuning.hpp and device/host_cost.hpp.
#pragma once

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/colorset.md).
struct ColorSetTuning {
  /// Maximum rows of a small set; default of option wide_rows. For such a set a barrier is faster than a launch.
  static constexpr int small_rows = 512;
  /// Warps of the one team that solves small sets, and of each team of a kernel of one set. Not measured separately.
  static constexpr int one_team_warps = 16, team_warps = 4;
  /// Sets that fill the GPU by themselves have one lane per row up to this mean number of entries per row.
  /// lap3d:100,color takes 36.5 us, and with two lanes 42.6 us; with 13 entries (kkt2) four lanes are best.
  static constexpr double one_lane_entries = 8;
  /// Number of sets above which the planner does not consider `colorset`.
  static constexpr int many_sets = 100;
  /// Number of rows per set below which the planner does not consider `colorset`: dense:8 and dense:16 take 11.8
  /// and 23.1 us, one thread (`sequential`) 7.4 and 17.7, `tiled` 6.9.
  static constexpr double least_rows_per_set = 4;
  /// Number of rows that may_have_few_color_sets() samples in each part.
  static constexpr int rows_of_part = 256;
  /// Maximum number of entries of a row that may_have_few_color_sets() reads, more than rows_of_near_blocks. To read a
  /// whole row of 93,276 entries (kkt_BOYD1) would take a thread milliseconds.
  static constexpr int entries_of_row = 64;
  /// Number of threads of the team that samples a part. Not measured separately.
  static constexpr int part_team_threads = 128;
  /// If there are more than `many_sets` sets, and fewer rows per set than this, the report advises another ordering.
  static constexpr double few_rows = 1000;
  /// Maximum distance in rows of a dependency that may be within a block of rows.
  static constexpr int rows_of_near_blocks = 32;
  /// Seconds for a row of a set on a GPU, in Suchoski's model.
  static constexpr double row_seconds = 3e-6;
};

}  // namespace sptrsv::detail
