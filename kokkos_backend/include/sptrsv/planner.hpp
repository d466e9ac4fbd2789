// SPDX-License-Identifier: Apache-2.0
// The planner behind the name `sptrsv`: chooses an algorithm by a stated rule from the structure.
#pragma once

#include <cstdio>
#include <string>

#include "sptrsv/analysis/analysis.hpp"

namespace sptrsv {

struct Plan {
  std::string algorithm;
  std::string reason;
};

namespace detail {

/// Cost of a level-set solve in rows of a sequential one: a launch per wide level, and rows that are
/// visited out of their order in memory.
template <class T>
double level_set_cost(LevelSets<T> const& sets, int threads) {
  constexpr double launch_rows = 500, out_of_order = 1.3;
  double cost = 0;
  for (typename T::index l = 0; l < sets.num_levels(); ++l) {
    double const rows = out_of_order * static_cast<double>(sets.rows_in_level(l));
    cost += rows > launch_rows ? rows / threads + launch_rows : rows;
  }
  return cost;
}

}  // namespace detail

/// The rule. Host: sequential for one thread, for fewer than 10,000 rows, and where the level sets
/// would not pay by a fifth; else levelset. Device: levelset for up to 64 levels, threadlevel for
/// rows of up to 8 entries, else syncfree.
template <class T>
Plan choose_algorithm(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  int const threads = exec.concurrency();
  double const rows = static_cast<double>(analysis.num_rows());
  char text[160];
  if constexpr (detail::is_host_space<typename T::exec_space>) {
    if (threads == 1) return {"sequential", "one thread"};
    if (rows < 10000) return {"sequential", "fewer than 10000 rows"};
    auto const& sets = analysis.levels(exec);
    double const gain = rows / detail::level_set_cost<T>(sets, threads);
    std::snprintf(text, sizeof text, "%.0f rows per level on %d threads, estimated gain %.2f", sets.mean_rows(), threads, gain);
    return {gain > 1.25 ? "levelset" : "sequential", text};
  } else {
    auto const& sets = analysis.levels(exec);
    double const mean_row = rows > 0 ? static_cast<double>(analysis.num_off_diagonals()) / rows : 0;
    std::snprintf(text, sizeof text, "%lld levels, %.1f off-diagonal entries per row",
                  static_cast<long long>(sets.num_levels()), mean_row);
    return {sets.num_levels() <= 64 ? "levelset" : mean_row <= 8 ? "threadlevel" : "syncfree", text};
  }
}

}  // namespace sptrsv
