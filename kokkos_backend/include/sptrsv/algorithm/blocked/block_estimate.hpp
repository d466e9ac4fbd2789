// SPDX-License-Identifier: Apache-2.0
// What is known of a triangle's blocks before they are cut: all that the planner looks at.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Bytes of scratch memory that blocks are cut for, before it is known how many values they need of others.
inline std::size_t bytes_to_cut_for() {
  return static_cast<std::size_t>(BlockedTuning::scratch_bytes * BlockedTuning::cut_for);
}
/// Mean rows of a block that fills its scratch memory.
template <class T>
double rows_that_fit(RowShape const& shape, double mean_row, std::size_t most_rows) {
  auto const row_bytes = static_cast<double>(row_scratch_bytes<T>(static_cast<std::uint64_t>(shape.width()), mean_row));
  return std::min(static_cast<double>(most_rows), static_cast<double>(bytes_to_cut_for()) / row_bytes);
}
/// Levels of a strip. @param mean_level  rows
inline int levels_of_strip(double rows, double mean_level) {
  return static_cast<int>(std::max<double>(BlockedTuning::strip_levels, rows / std::max(1.0, mean_level)));
}

/// About how many blocks follow each other on the longest path: with boxes of a grid levels / side, else as many as
/// strips.
/// Cost: a pass over a sample of the rows; fences.
template <class T>
double estimate_block_levels(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  auto const& sets = analysis.levels(exec);
  constexpr int warp = GpuTuning::table_warp_lanes;
  auto const shape = RowShape::of(analysis.mean_row(), analysis.longest_row(), warp);
  double const rows = rows_that_fit<T>(shape, analysis.mean_row(), BlockedTuning::block_rows);
  int const directions = find_directions<T>(exec, analysis.rows(exec)).count();
  double const levels = static_cast<double>(sets.num_levels());
  double const thickness = directions >= 2 ? std::pow(rows, 1.0 / directions) : levels_of_strip(rows, sets.mean_rows());
  return std::ceil(levels / std::max(1.0, thickness));
}

/// Rows that are blocks of their own.
template <class T>
long long count_long_rows(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  using index = typename T::index;
  if (analysis.longest_row() <= BlockedTuning::long_row) return 0;
  auto const rows = analysis.rows(exec);
  long long count = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::long_rows", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum) { sum += rows.count(i) > BlockedTuning::long_row; }, count);
  exec.fence("sptrsv::blocked: candidates are chosen on the host");
  return count;
}

}  // namespace sptrsv::detail
