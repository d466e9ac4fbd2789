// SPDX-License-Identifier: Apache-2.0
// Estimates about a triangle's blocks of rows before they are cut, for the planner.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/algorithm/blocked/blocked_options.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/host_cost.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Returns how the kernels split the rows of op(T), or the nodes of a graph of nodes, among lanes.
/// @param warp         lanes of a warp; 1 on a host
/// @param may_be_deferred  whether rows may have deferred entries
template <class T>
RowShape row_shape(typename T::exec_space const& exec, Analysis<T> const& analysis, int warp,
                   bool may_be_deferred = true) {
  if (analysis.unknowns() > 1) {
    int const lanes = std::max(lanes_per_row(analysis.mean_row(), warp),
                               std::min(BlockedTuning::least_node_lanes(analysis.unknowns()), warp));
    return RowShape::of_nodes(analysis.unknowns(), warp / lanes, sizeof(typename T::scalar));
  }
  return RowShape::of(analysis.mean_row(), analysis.longest_row(exec), warp,
                      stored_bytes<typename T::scalar>(analysis.storage()), may_be_deferred);
}

/// Returns the bytes of scratch memory that blocks of rows are cut to fill; the rest is a reserve, since the number of
/// halo values is only estimated at that time.
/// @param most_bytes  maximum bytes of a block
inline std::size_t bytes_to_cut_for(std::size_t most_bytes) {
  return static_cast<std::size_t>(static_cast<double>(most_bytes) * BlockedTuning::cut_for);
}
/// Returns the mean number of rows of a block that fills its scratch memory.
template <class T>
double rows_that_fit(RowShape const& shape, double mean_row, std::size_t most_rows, std::size_t most_bytes) {
  auto const slots = shape.slots(shape.unknowns > 1 ? static_cast<std::uint64_t>(std::ceil(mean_row)) : 0);
  auto const row_bytes = static_cast<double>(row_scratch_bytes<T>(shape, slots, mean_row));
  return std::min(static_cast<double>(most_rows), static_cast<double>(bytes_to_cut_for(most_bytes)) / row_bytes);
}

/// Returns the mean of greatest - least + 1 over the levels of `rows` successive rows, from a sample. It is small where
/// rows are numbered by level, as after reverse Cuthill-McKee, and bounds the number of levels of a block.
/// Cost: a kernel; fences.
template <class T>
double levels_of_successive_rows(typename T::exec_space const& exec, LevelSets<T> const& sets, double rows) {
  using index = typename T::index;
  constexpr std::uint64_t most_windows = 256, looked_at = 64;
  auto const n = static_cast<std::uint64_t>(sets.level_of.extent(0));
  std::uint64_t const width = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rows), 1, n);
  std::uint64_t const windows = std::min(most_windows, n / width), step = n / windows,
                      stride = (width + looked_at - 1) / looked_at;
  auto const level_of = sets.level_of;
  double sum = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::levels_of_rows", row_range<T>(exec, windows),
      KOKKOS_LAMBDA(index w, double& mine) {
        std::uint64_t const first = static_cast<std::uint64_t>(w) * step;
        index least = level_of(first), greatest = least;
        for (std::uint64_t k = 0; k < width; k += stride) {
          index const level = level_of(first + k);
          if (level < least) least = level;
          if (level > greatest) greatest = level;
        }
        mine += static_cast<double>(greatest - least + 1);
      },
      sum);
  return sum / static_cast<double>(windows);
}

/// Returns the sides of boxes of `rows` rows in a grid of the given extents.
inline std::array<int, Directions::most> estimate_sides(std::array<double, Directions::most> const& extent,
                                                        double rows) {
  std::array<int, Directions::most> rounded{};
  for (int d = 0; d < Directions::most; ++d) rounded[d] = static_cast<int>(extent[d]);
  return sides_of_boxes(rounded, rows, {});
}

/// Tells whether blocks are expected to be strips of levels, not boxes. Cost: a pass over a sample of the rows; fences.
template <class T>
bool expects_strips(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  return analysis.directions(exec).count() < 2;
}

/// Estimates the number of blocks of rows on the critical path: the number of levels divided by the mean number of
/// levels that a block adds to the path. For boxes that mean is taken along the grid diagonal; for strips it is the
/// number of levels of a strip or, if that is less, of a run of successive rows of a block's size. Blocks of about one
/// level count more. Cost: passes over samples of the rows; fences.
template <class T>
double estimate_block_levels(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  auto const& sets = analysis.levels(exec);
  auto const levels = static_cast<double>(sets.num_levels());
  auto const shape = row_shape<T>(exec, analysis, GpuTuning::table_warp_lanes);
  double const rows =
      rows_that_fit<T>(shape, analysis.mean_row(), BlockedTuning::block_rows, BlockedTuning::table_scratch_bytes);
  auto const& directions = analysis.directions(exec);
  double thickness = 0;
  if (!expects_strips<T>(exec, analysis)) {
    auto const extent = directions.extents(static_cast<double>(analysis.num_rows()));
    auto const side = estimate_sides(extent, rows);
    double steps = 0, boxes = 0;
    for (int d = 0; d < directions.count(); ++d) {
      steps += extent[d];
      boxes += extent[d] / side[d];
    }
    thickness = steps / boxes;
  } else {
    // minus 1, since a block begins and ends within a level
    thickness = std::min<double>(levels_of_strip(rows, sets.mean_rows(), BlockedTuning::strip_levels),
                                 levels_of_successive_rows<T>(exec, sets, rows) - 1);
  }
  // if blocks have one level each, all wait for the slowest block of the level before (measured: 3 times as slow)
  bool const thin = thickness < 2 && levels > BlockedTuning::thin_levels;
  return std::ceil(levels / std::max(1.0, thickness)) * (thin ? BlockedTuning::thin_block : 1);
}

/// Returns the maximum number of rows of a block on a host, for n rows and `threads` threads.
inline long long host_block_rows(long long n, long long threads) {
  using Tuning = BlockedTuning;
  return std::clamp(n / (Tuning::host_blocks_per_thread * threads), Tuning::least_host_rows, Tuning::most_host_rows);
}

/// Estimates the share of a host's blocks of rows that are on the critical path; 1 if each block waits for the block
/// before it. For boxes the path is the grid diagonal. For strips its length is 2 strips + blocks / strips, since a
/// block waits for the block before it and for one or two blocks of the strip before. If rows are numbered by level, it
/// is levels / (levels of a block) if that is more. Cost: passes over samples of the rows; the level sets.
template <class T>
double estimate_host_path(typename T::exec_space const& exec, Analysis<T> const& analysis, long long threads) {
  auto const n = static_cast<double>(analysis.num_rows());
  auto const rows = static_cast<double>(host_block_rows(analysis.num_rows(), threads));
  double const blocks = std::ceil(n / rows);
  auto const& directions = analysis.directions(exec);
  double steps = 0;
  if (directions.count() >= 2) {
    auto const extent = directions.extents(n);
    auto const side = estimate_sides(extent, rows);
    steps = 1;
    for (int d = 0; d < directions.count(); ++d) steps += std::ceil(extent[d] / side[d]) - 1;
  } else {
    auto const& sets = analysis.levels(exec);
    double const strips = std::ceil(static_cast<double>(sets.num_levels()) /
                                    levels_of_strip(rows, sets.mean_rows(), BlockedTuning::host_strip_levels));
    double const levels_of_block = levels_of_successive_rows<T>(exec, sets, rows);
    steps = std::max(2 * strips + std::ceil(blocks / strips), static_cast<double>(sets.num_levels()) / levels_of_block);
  }
  return std::min(1.0, steps / blocks);
}

/// Model of the planner for `blocked`, the same on hosts and GPUs.
struct BlockedModel : BlockedDescription {
  template <class F, class Levels>
  static void derive_features(F& features, Levels const& levels) {
    features.set("long_levels", std::count_if(levels.begin(), levels.end(), [](auto const& level) {
                   return level.longest > BlockedTuning::long_row;
                 }));
    features.bound("block_levels", std::ceil(static_cast<double>(levels.size()) / BlockedTuning::block_rows));
  }
  template <class F>
  static void find_feature(F& features, std::string_view name) {
    if (name == "strip_bytes") {  // a dense block needs `unknowns` halo values for unknowns^2 entries
      bool const strips = expects_strips(features.exec(), features.analysis());
      features.set("strip_bytes", strips ? features.value("bytes") / features.analysis().unknowns() : 0);
    }
    if (name == "block_levels")
      features.set("block_levels", estimate_block_levels(features.exec(), features.analysis()));
  }

  static constexpr bool planned_on_host = true;
  /// Returns a lower bound of the nanoseconds of a solve on a host.
  template <class H>
  static double host_bound(H const& host) {
    return host.cost.threads > 1 ? host.cost.launch + by_one_thread(host) / host.cost.threads : HUGE_VAL;
  }
  /// Returns the nanoseconds of a solve on a host. Cost: the level sets, and passes over samples of the rows.
  template <class H, class T>
  static double host_nanoseconds(H const& host, typename T::exec_space const& exec, Analysis<T> const& analysis) {
    if (host.cost.threads <= 1) return HUGE_VAL;
    double const path = estimate_host_path<T>(exec, analysis, host.cost.threads), share = 1.0 / host.cost.threads;
    return host.cost.launch + by_one_thread(host) * (share + (1 - share) * path);
  }

 private:
  template <class H>
  static double by_one_thread(H const& host) {
    double const row = std::max(HostCost::block_row * host.cost.row(host.mean_row), host.cost.least_row);
    double const blocks =
        host.rows / static_cast<double>(host_block_rows(static_cast<long long>(host.rows), host.cost.threads));
    return std::max(host.in_order.nanoseconds, host.rows * row) + HostCost::block * blocks;
  }
};

}  // namespace sptrsv::detail
