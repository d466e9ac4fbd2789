// SPDX-License-Identifier: Apache-2.0
// The planner's model of a solve's time: for each algorithm a sum of features of the structure, each at a non-negative
// price in nanoseconds. plan_table.hpp has the prices.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace sptrsv::detail {

/// Feature of a solve's time. Rows are those of op(T); `longest` counts off-diagonal entries.
enum class Feature {
  none,
  solve,  ///< 1: launches and other costs that are independent of size
  rows,
  bytes,          ///< total bytes of T, b and x
  longest_row,    ///< entries of the longest row, summed one after another
  longest_lane,   ///< ceil(longest_row / lanes), lanes = mean_row / 4 rounded up to a power of two, at most 32
  levels,         ///< number of levels
  wide_longest,   ///< sum of the longest rows of levels with more than 65,536 rows, which have a kernel of their own,
                  ///< with few lanes per row
  narrow_steps,   ///< entries / lanes of levels with up to four warps' rows, which one team solves
  level_rows,     ///< sum over levels of log2(rows): the wider a front, the later its last row
  level_entries,  ///< sum over levels of log2(1 + longest row of the level): batches that are polled for and summed
  far_longest,    ///< sum over levels of the longest row, times the share of `bytes` beyond the L2 cache
  late_longest,   ///< if op(T) is upper, sum over levels of the longest row's entries but the first: entries are stored
                  ///< in ascending order, so that a row waits for its first one and sums all others after that; else 0
  long_levels,    ///< number of levels with a row so long that it is a block of its own in `blocked`
  level_lanes,    ///< sum over levels of ceil(longest row of the level / lanes)
  warp_window,    ///< levels if row i also needs row i - w, w = resident warps: natural order, a warp per row
  thread_window,  ///< levels if row i also needs row i - w, w = resident threads: natural order, a thread per row
  tile_levels,    ///< levels of tile rows, 16 rows each, ordered and cut as in `tiled`
  tile_entries,   ///< sum over tile levels of the maximum number of (row, tile) pairs of a tile row: the time to gather
  late_tiles,     ///< tile_entries if op(T) is upper, where a tile row gathers after it has waited; else 0
  block_levels,   ///< approximate number of blocks of rows on the critical path of `blocked`
  strip_bytes,    ///< bytes if strips are expected as blocks, whose rows need more values of other blocks; 0 for boxes
  sets,           ///< sets of consecutive independent rows, each as large as possible
};

inline constexpr std::string_view feature_names[] = {
    "none",         "solve",        "rows",         "bytes",       "longest_row",   "longest_lane",
    "levels",       "wide_longest", "narrow_steps", "level_rows",  "level_entries", "far_longest",
    "late_longest", "long_levels",  "level_lanes",  "warp_window", "thread_window", "tile_levels",
    "tile_entries", "late_tiles",   "block_levels", "strip_bytes", "sets"};
inline constexpr std::size_t num_features = std::size(feature_names);
inline constexpr bool is_of_tiles(Feature f) {
  return f == Feature::tile_levels || f == Feature::tile_entries || f == Feature::late_tiles;
}
static_assert(static_cast<std::size_t>(Feature::sets) + 1 == num_features, "each feature has its name");

/// Bytes of T, b and x of which all entries stay in the L2 cache from solve to solve: half of an H100's or H200's 50
/// MB.
inline constexpr double cached_bytes = 25e6;

/// Nanoseconds of sweeps for features (NVIDIA H100 and H200), and the number of solves that share their cost.
struct SweepCost {
  static constexpr double solves = 50, tiles = 4e5, tiles_level = 1500, window = 1e5, window_level = 700;
};

/// Price of a feature, in nanoseconds per unit.
struct PlanTerm {
  Feature feature = Feature::none;
  double nanoseconds = 0;
};

/// Model of an algorithm; terms after the last are `none`.
struct PlanCost {
  std::string_view algorithm;
  std::array<PlanTerm, num_features> terms;
};

/// Models of one device.
struct PlanDevice {
  std::string_view name;  ///< name by the vendor's runtime
  PlanCost const* costs;
  std::size_t num_costs;
};

}  // namespace sptrsv::detail
