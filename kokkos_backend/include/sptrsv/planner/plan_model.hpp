// SPDX-License-Identifier: Apache-2.0
// The planner's model of a solve's time: for each algorithm a sum of features of the structure, each at a price in
// nanoseconds that is never negative. Which prices: plan_table.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace sptrsv::detail {

/// What a solve's time is made of. Rows are those of op(T), `longest` counts off-diagonal entries.
enum class Feature {
  none,
  solve,  ///< 1: launches, and all else that a solve costs whatever its size
  rows,
  bytes,         ///< of T, b and x, each once
  longest_row,   ///< entries of the longest row, summed one after the other
  longest_lane,  ///< the same with as many lanes per row as a fourth of the mean row has entries, up to 32
  levels,        ///< each a hop from one processor to another
  wide_longest,  ///< longest row of each level of more than 65,536 rows, summed: such a level has a kernel of its own,
                 ///< with few lanes to a row
  narrow_steps,  ///< entries in levels of up to four warps' rows, divided by the lanes as in longest_lane: one team has
                 ///< them all
  level_rows,    ///< sum over levels of log2(rows): the wider a front, the later its last row
  level_entries,  ///< sum over levels of log2(1 + longest row of the level): batches that are polled for and added up
  level_longest,  ///< sum over levels of the longest row of the level
  level_lanes,    ///< the same with as many lanes as in longest_lane
  warp_window,    ///< levels if a row starts only when the one `resident warps` before it has ended: row order, a warp
                  ///< per row
  thread_window,  ///< likewise with the resident threads: row order, a thread per row
  tile_levels,    ///< levels of tile rows, 16 rows each, ordered and cut as `tiled` does
  tile_entries,   ///< sum over these levels of the most (row, tile) pairs that a tile row has: how long it takes to
                  ///< gather
  block_levels,   ///< about how many blocks of `blocked` follow each other on the longest path
  sets,           ///< sets of consecutive rows that do not depend on each other, cut when a row would
};

inline constexpr std::string_view feature_names[] = {
    "none",          "solve",        "rows",         "bytes",         "longest_row",   "longest_lane", "levels",
    "wide_longest",  "narrow_steps", "level_rows",   "level_entries", "level_longest", "level_lanes",  "warp_window",
    "thread_window", "tile_levels",  "tile_entries", "block_levels",  "sets"};
inline constexpr std::size_t num_features = std::size(feature_names);
static_assert(static_cast<std::size_t>(Feature::sets) + 1 == num_features, "each feature has its name");

/// What sweeps for features cost, in nanoseconds (NVIDIA H100 and H200), and among how many solves that is divided.
struct SweepCost {
  static constexpr double solves = 50, tiles = 4e5, tiles_level = 1500, window = 1e5, window_level = 700;
};

/// One price, in nanoseconds per unit of the feature.
struct PlanTerm {
  Feature feature = Feature::none;
  double nanoseconds = 0;
};

/// An algorithm's model; terms after the last are `none`.
struct PlanCost {
  std::string_view algorithm;
  std::array<PlanTerm, num_features> terms;
};

/// The models of one device.
struct PlanDevice {
  std::string_view name;  ///< as the vendor's runtime has it
  PlanCost const* costs;
  std::size_t num_costs;
};

}  // namespace sptrsv::detail
