// SPDX-License-Identifier: Apache-2.0
// Constants of `levelset`, read by its launches and by the planner's features. Constants that algorithms share are in
// device/gpu_tuning.hpp and device/host_cost.hpp.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/host_cost.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/design.md, "levelset on a GPU").
struct LevelSetTuning {
  /// Number of rows above which a level has a kernel of its own; default of option wide_rows.
  static constexpr int wide_rows = GpuTuning::filling_rows;
  /// Maximum number of slices of a narrow level. One team solves such a level faster than many teams; with more slices,
  /// the warps of the team hinder each other.
  static constexpr int narrow_slices = 4;
  /// Maximum of teams / resident warps in a kernel of many levels (a team is one warp), if rows have one lane.
  /// lap3d:100 in blocks of colors (28 levels of 36,000 rows) takes 173 us for L and U with 1/2, 156 us with 1/4, 192
  /// us with 1/6. If rows have several lanes, and a warp fewer rows, 1/2 is better: fem3:32,color 64 instead of 87 us.
  static constexpr double most_of_resident = 0.25;
  /// Minimum number of successive narrow levels for a kernel of one team. Fewer of them join a neighboring kernel of
  /// many levels, since a launch costs more than one team saves.
  static constexpr int least_narrow_levels = 32;
  /// Number of warps of the one-team kernel; 32 would hinder each other.
  static constexpr int one_team_warps = 16;
  /// Maximum number of right-hand sides in the one-team kernel; with more its ring buffer would hold too few rows.
  static constexpr int one_team_columns = 4;
  /// Bytes of scratch memory for half of the one-team kernel's ring buffer: 40 kB in all.
  static constexpr int one_team_half_bytes = 20480;
  /// Warps of a team in a kernel of one level, without and with columns in scratch memory. Not measured separately.
  static constexpr int wide_team_warps = 4, staged_team_warps = 2;
  /// Minimum number of columns of a pass for which b and x of a wide level are staged in scratch memory.
  static constexpr int staged_columns = 4;

  /// Host: minimum number of rows of a level whose rows are sorted by length.
  static constexpr double sorted_from = HostCost::sorted_from;
  /// Host: rows of at least sorted_lengths - 1 entries count as equally long.
  static constexpr int sorted_lengths = 64;
};

}  // namespace sptrsv::detail
