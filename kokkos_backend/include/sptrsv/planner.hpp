// SPDX-License-Identifier: Apache-2.0
// The planner behind the name `sptrsv`: chooses an algorithm by a stated rule from the structure.
#pragma once

#include <cstdio>
#include <string>

#include "sptrsv/analysis/analysis.hpp"
#include "sptrsv/detail/host_cost.hpp"

namespace sptrsv {

struct Plan {
  std::string algorithm;
  std::string reason;
};

/// The rule. Host: sequential for fewer than 1000 rows, and where the level sets would not pay by a
/// fifth as detail::HostCost has it; else levelset. Device: levelset for up to 64 levels, threadlevel
/// for rows of up to 8 entries, else syncfree.
template <class T>
Plan choose_algorithm(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  double const rows = static_cast<double>(analysis.num_rows());
  double const mean_row = rows > 0 ? static_cast<double>(analysis.num_off_diagonals()) / rows : 0;
  char text[160];
  if constexpr (detail::is_host_space<typename T::exec_space>) {
    if (rows < 1000) return {"sequential", "fewer than 1000 rows"};
    detail::HostCost const cost(exec.concurrency(), rows, mean_row);
    // whatever the levels are, not even the best case pays on one thread
    if (cost.threads == 1 && cost.per_row >= 1) return {"sequential", "one thread, long rows or many of them"};
    auto const& sets = analysis.levels(exec);
    double sum = 0;
    for (typename T::index l = 0; l < sets.num_levels(); ++l) sum += cost.level(static_cast<double>(sets.rows_in_level(l)));
    double const gain = rows / sum;
    std::snprintf(text, sizeof text, "%.0f rows per level on %d threads, estimated gain %.2f", sets.mean_rows(), cost.threads, gain);
    return {gain > 1.25 ? "levelset" : "sequential", text};
  } else {
    auto const& sets = analysis.levels(exec);
    std::snprintf(text, sizeof text, "%lld levels, %.1f off-diagonal entries per row",
                  static_cast<long long>(sets.num_levels()), mean_row);
    return {sets.num_levels() <= 64 ? "levelset" : mean_row <= 8 ? "threadlevel" : "syncfree", text};
  }
}

}  // namespace sptrsv
