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
  solve,          ///< 1: launches, and all else that a solve costs whatever its size
  rows,
  bytes,          ///< of T, b and x, each once
  longest_row,    ///< entries of the longest row, summed one after the other
  longest_lane,   ///< the same with as many lanes per row as a fourth of the mean row has entries, up to 32
  near_rows,      ///< rows with a dependency among the 32 rows before, so in the same warp where rows go by row order
  levels,         ///< each a hop from one processor to another
  narrow_levels,  ///< levels of up to 128 rows
  wide_levels,    ///< levels of more than 65,536 rows, each a kernel of its own in levelset
  level_rows,     ///< sum over levels of log2(rows): the wider a front, the later its last row
  level_entries,  ///< sum over levels of log2(1 + longest row of the level): steps of looking and of adding up
  level_longest,  ///< sum over levels of the longest row of the level
  level_lanes,    ///< the same with as many lanes as in longest_lane
  warp_window,    ///< levels if a row starts only when the one `resident warps` before it has ended: row order, a warp per row
  thread_window,  ///< likewise with the resident threads: row order, a thread per row
  block_levels,   ///< levels of the quotient graph by 16 rows
  row_tiles,      ///< stretches of entries, as they lie in memory, in the same 16 columns; mostly pairs of a row and a tile
  sets,           ///< sets of consecutive rows that do not depend on each other, cut when a row would
};

inline constexpr std::string_view feature_names[] = {
    "none",        "solve",      "rows",          "bytes",         "longest_row", "longest_lane",  "near_rows",    "levels",    "narrow_levels",
    "wide_levels", "level_rows", "level_entries", "level_longest", "level_lanes", "warp_window", "thread_window", "block_levels", "row_tiles", "sets"};
inline constexpr std::size_t num_features = std::size(feature_names);
static_assert(static_cast<std::size_t>(Feature::sets) + 1 == num_features, "each feature has its name");

/// One price, in nanoseconds per unit of the feature.
struct PlanTerm {
  Feature feature = Feature::none;
  double nanoseconds = 0;
};

/// An algorithm's model; terms behind the last are `none`.
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
