// SPDX-License-Identifier: Apache-2.0
// What keeps a GPU busy, for all algorithms: read by kernels' launches and by the planner's features.
#pragma once

#include <algorithm>

#include "sptrsv/device/lanes.hpp"

namespace sptrsv::detail {

/// Measured on an NVIDIA H200 (132 multiprocessors, 270,336 resident threads), with the grids, FEM meshes and networks
/// of docs/performance.md; used on every GPU.
struct GpuTuning {
  /// Rows. A level of more fills the GPU by itself, so that a kernel of its own, in which no row waits, costs less than
  /// to poll in a shared one.
  static constexpr int filling_rows = 65536;
  /// Levels. In a kernel of many levels as many teams work as so many levels have work for: with fewer the loads of T
  /// are waited for, with more their polling delays the values that are polled for.
  static constexpr double levels_in_flight = 12;
  /// Teams of such a kernel at least, of one warp each, however narrow its levels.
  static constexpr double least_teams = 32;
  /// Share of the resident warps that such a kernel may have at most.
  static constexpr double most_of_resident = 0.5;
  /// Off-diagonal entries. A row has as many lanes as leave each about so many of a mean row: their loads, or the polls
  /// for their x, are then in flight together.
  static constexpr int entries_per_lane = 4;
  /// Lanes of a warp of the GPUs that the planner's table is fitted to. Its features are computed with it on every
  /// device, so that a table can be fitted and tested on another one.
  static constexpr int table_warp_lanes = cuda_warp_lanes;
};

/// Vector lanes of a row, a power of two up to `most`.
inline int lanes_per_row(double mean_row, int most) {
  int lanes = 1;
  while (lanes * GpuTuning::entries_per_lane < mean_row && lanes < most) lanes *= 2;
  return lanes;
}

/// Teams of one warp each for a kernel of many levels, which take so many tickets in all.
/// @param share  of the resident warps at most
inline double teams_of_many_levels(double tickets, double levels, double resident_warps,
                                   double share = GpuTuning::most_of_resident) {
  double const most = resident_warps * share;
  return std::clamp(GpuTuning::levels_in_flight * tickets / levels, std::min(GpuTuning::least_teams, most), most);
}

}  // namespace sptrsv::detail
