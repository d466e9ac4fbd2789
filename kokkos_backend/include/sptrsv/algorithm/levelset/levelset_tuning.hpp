// SPDX-License-Identifier: Apache-2.0
// The constants of `levelset`: read by its launches and by the planner's features. Those that hold for all algorithms
// on a GPU are in device/gpu_tuning.hpp, those of a host in device/host_cost.hpp.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/host_cost.hpp"

namespace sptrsv::detail {

/// GPU: measured on an NVIDIA H200 (docs/design.md, "levelset on a GPU").
struct LevelSetTuning {
  /// Rows; default of option wide_rows. A level of more rows has a kernel of its own.
  static constexpr int wide_rows = GpuTuning::filling_rows;
  /// Warps' work (slices). A level of at most so many is quicker in one team, whose warps hinder each other when there
  /// are more.
  static constexpr int narrow_slices = 4;
  /// Share of the resident warps that a kernel of many levels has at most where rows have one lane: with half of them
  /// lap3d:100 in blocks of colors (28 levels of 36,000 rows) takes 173 us L and U together, with a fourth 156, with a
  /// sixth 192. Where rows have several lanes, and a warp fewer of them, half is better: fem3:32,color 64 us, 87 with a
  /// fourth.
  static constexpr double most_of_resident = 0.25;
  /// Levels. Fewer narrow ones in a row, beside a kernel of many levels, join that: a launch costs more than one team
  /// saves.
  static constexpr int least_narrow_levels = 32;
  /// Warps of that team: 16 are better than 32, which hinder each other.
  static constexpr int one_team_warps = 16;
  /// Columns of a pass up to which one team takes narrow levels: with more its ring buffer holds too few rows.
  static constexpr int one_team_columns = 4;
  /// Bytes of scratch memory for half of that team's ring buffer: 40 kB in all.
  static constexpr int one_team_half_bytes = 20480;
  /// Warps of a team in a kernel of one level, and where columns are staged in scratch memory. Not measured apart.
  static constexpr int wide_team_warps = 4, staged_team_warps = 2;
  /// Columns of a pass from which b and x of a wide level are staged in scratch memory: two are a little quicker where
  /// they lie.
  static constexpr int staged_columns = 4;

  /// GPU: more entries of a row than this are copied by a team, and the team's threads.
  static constexpr int long_row = 512, long_row_threads = 128;

  /// Host: rows of a level from which they are sorted by length.
  static constexpr double sorted_from = HostCost::sorted_from;
  /// Host: rows with so many entries or more are sorted as equally long.
  static constexpr int sorted_lengths = 64;
};

}  // namespace sptrsv::detail
