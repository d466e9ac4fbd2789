// SPDX-License-Identifier: Apache-2.0
// Launch parameters that keep a GPU busy, shared by all algorithms' launches and by the planner's features.
#pragma once

#include <algorithm>

#include "sptrsv/device/lanes.hpp"

namespace sptrsv::detail {

/// Values measured on an NVIDIA H200 (132 multiprocessors, 270,336 resident threads) with the grids, FEM meshes and
/// networks of docs/performance.md; used on every GPU.
struct GpuTuning {
  /// Number of rows above which a level fills the GPU by itself. A kernel for that level alone, in which no row waits,
  /// then costs less than polling in a kernel that other levels share.
  static constexpr int filling_rows = 65536;
  /// Number of levels whose rows the teams of a kernel of many levels work on at a time. With fewer, loads of T stall;
  /// with more, polling delays the values that are polled for.
  static constexpr double levels_in_flight = 12;
  /// Minimum number of teams, of one warp each, of a kernel of many levels, however narrow the levels are.
  static constexpr double least_teams = 32;
  /// Maximum share of the resident warps that a kernel of many levels uses.
  static constexpr double most_of_resident = 0.5;
  /// Number of off-diagonal entries per lane in a row of mean length; a lane loads or polls for all of them at once.
  static constexpr int entries_per_lane = 4;
  /// Number of lanes of a warp of the GPUs that the planner's table is fitted to. The planner computes features with
  /// this number on every device, so that a table can be fitted and tested on a device other than its own.
  static constexpr int table_warp_lanes = cuda_warp_lanes;
};

/// Returns the number of vector lanes of a row, a power of two up to `most`.
inline int lanes_per_row(double mean_row, int most, double entries_per_lane = GpuTuning::entries_per_lane) {
  int lanes = 1;
  while (lanes * entries_per_lane < mean_row && lanes < most) lanes *= 2;
  return lanes;
}

/// Returns the number of teams, of one warp each, for a kernel of many levels.
/// @param tickets  total number of tickets
/// @param share  maximum share of the resident warps
inline double teams_of_many_levels(double tickets, double levels, double resident_warps,
                                   double share = GpuTuning::most_of_resident,
                                   double levels_in_flight = GpuTuning::levels_in_flight) {
  double const most = resident_warps * share;
  return std::clamp(levels_in_flight * tickets / levels, std::min(GpuTuning::least_teams, most), most);
}

}  // namespace sptrsv::detail
