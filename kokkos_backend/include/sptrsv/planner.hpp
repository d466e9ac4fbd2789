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

namespace detail {

/// Share of rows that need the row solved right before them, by the entry nearest to the diagonal.
template <class T>
double share_of_chained_rows(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  long long chained = 0;
  if (rows.num_rows == 0) return 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::chained", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum) {
        auto const begin = rows.begin(i), end = rows.end(i);
        sum += begin < end && (rows.col_idx(end - 1) == i - 1 || rows.col_idx(begin) == i + 1);
      },
      chained);
  return static_cast<double>(chained) / static_cast<double>(rows.num_rows);
}

}  // namespace detail

/// The rule. Host: sequential for fewer than 1000 rows, and where the level sets would not pay by a
/// fourth as detail::HostCost has it; else levelset, which can pay on one thread too. Device: levelset
/// for up to 64 levels, threadlevel for rows of up to 8 entries, else syncfree.
template <class T>
Plan choose_algorithm(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  double const rows = static_cast<double>(analysis.num_rows());
  double const mean_row = analysis.mean_row();
  char text[160];
  if constexpr (detail::is_host_space<typename T::exec_space>) {
    if (rows < 1000) return {"sequential", "fewer than 1000 rows"};
    detail::HostCost const cost(exec.concurrency(), rows, mean_row);
    double const chained = detail::share_of_chained_rows<T>(exec, analysis.stored());
    double const alone = cost.sequential(rows, chained);
    // whatever the levels are, not even the best case pays: spares finding them
    if (alone < 1.25 * rows * cost.level_row / cost.threads) {
      std::snprintf(text, sizeof text, "rows of %.1f entries on %d thread%s: no gain in level order", mean_row, cost.threads,
                    cost.threads == 1 ? "" : "s");
      return {"sequential", text};
    }
    auto const& sets = analysis.levels(exec);
    double sum = 0;
    for (typename T::index l = 0; l < sets.num_levels(); ++l) sum += cost.level(static_cast<double>(sets.rows_in_level(l)));
    double const gain = alone / sum;
    std::snprintf(text, sizeof text, "%.0f rows per level on %d thread%s, estimated gain %.2f", sets.mean_rows(), cost.threads,
                  cost.threads == 1 ? "" : "s", gain);
    return {gain > 1.25 ? "levelset" : "sequential", text};
  } else {
    auto const& sets = analysis.levels(exec);
    std::snprintf(text, sizeof text, "%lld levels, %.1f off-diagonal entries per row",
                  static_cast<long long>(sets.num_levels()), mean_row);
    return {sets.num_levels() <= 64 ? "levelset" : mean_row <= 8 ? "threadlevel" : "syncfree", text};
  }
}

}  // namespace sptrsv
