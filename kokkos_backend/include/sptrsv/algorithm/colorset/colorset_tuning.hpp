// SPDX-License-Identifier: Apache-2.0
// The constants of `colorset`. Those that hold for all algorithms on a GPU are in device/gpu_tuning.hpp, those of a
// host in device/host_cost.hpp.
#pragma once

namespace sptrsv::detail {

/// GPU: set on an NVIDIA H200 (docs/colorset.md).
struct ColorSetTuning {
  /// Rows; default of option wide_rows. A set of at most so many is faster in one team, with a barrier after it, than
  /// by a launch of its own.
  static constexpr int small_rows = 512;
  /// Warps of the team that has the small sets, and of a team in a kernel of one set. Not measured apart.
  static constexpr int one_team_warps = 16, team_warps = 4;
  /// Entries. Rows of at most so many on average have one lane in sets that fill the GPU by themselves: lap3d:100,color
  /// takes 36.5 us, and 42.6 with two; of 13 entries (kkt2) four lanes are best.
  static constexpr double one_lane_entries = 8;
  /// Sets. The planner does not consider `colorset` for a matrix that cannot have so few.
  static constexpr int many_sets = 100;
  /// Sets up to which the difference between sets and levels is not worth finding levels.
  static constexpr int few_sets = 32;
  /// Rows of each part of a matrix that are looked at for this.
  static constexpr int rows_of_part = 256;
  /// Entries of a row that are looked at, more than rows_of_near_blocks: a thread takes milliseconds for a row of
  /// 93,276 (kkt_BOYD1).
  static constexpr int entries_of_row = 64;
  /// Threads of the team that looks at a part. Not measured apart.
  static constexpr int part_team_threads = 128;
  /// Rows per set. With more than `many_sets` sets of fewer rows than these the report advises another ordering.
  static constexpr double few_rows = 1000;
  /// Rows. How near before a row one may lie that it needs and that may be of its own block.
  static constexpr int rows_of_near_blocks = 32;
  /// Seconds that a row of a set costs in Suchoski's model, on a GPU.
  static constexpr double row_seconds = 3e-6;
};

}  // namespace sptrsv::detail
