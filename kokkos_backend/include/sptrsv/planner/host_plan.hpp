// SPDX-License-Identifier: Apache-2.0
// The planner's rule for hosts: substitution by one thread or level sets, by what detail::HostCost says of both.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "sptrsv/device/host_cost.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

/// A choice, and why it was made.
struct Plan {
  std::string algorithm;
  std::string reason;
};

namespace detail {

/// What the rows cost one thread of a host in their own order; the share of rows whose length differs from the
/// one before; and what a row adds to the last one that it waits for.
struct InOrder {
  double nanoseconds = 0, irregular = 0, wait = 0;
};

/// Simulates a core that starts a row every few cycles, adds each term when its x is solved, and has a limited number
/// of instructions in flight. Chunks of rows are simulated independently.
template <class T>
InOrder cost_in_order(typename T::exec_space const& exec, OffDiagonals<T> const& rows, Shape shape,
                      HostCost const& cost) {
  using index = typename T::index;
  constexpr index chunk = 4096, recent = 64;
  index const n = rows.num_rows;
  bool const ascending = shape.ascending(), scattered = shape.transposed();
  InOrder out;
  double waiting = 0;
  if (n == 0) return out;
  Kokkos::parallel_reduce(
      "sptrsv::planner::in_order", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, (n + chunk - 1) / chunk),
      [=](index part, double& nanoseconds, double& irregular, double& wait, double& waits) {
        double done[recent] = {};  // of the rows before, by their position
        double start = 0;
        double length = 0;
        for (index s = part * chunk; s < n && s < (part + 1) * chunk; ++s) {
          index const i = ascending ? s : n - 1 - s;
          double const count = static_cast<double>(rows.count(i));
          auto const held = static_cast<index>(HostCost::in_flight / (12 + 6 * count)) + 1;
          if (held < recent) start = std::max(start, done[(s - held + recent) % recent]);
          double at = start, waited = 0;
          typename T::offset k = rows.first(i);
          for (double left = count; left > 0; --left, k += rows.step()) {
            index const behind = ascending ? i - rows.col_idx(k) : rows.col_idx(k) - i;
            double const there = behind > 0 && behind < recent && s - behind >= part * chunk
                                     ? done[(s - behind) % recent] + HostCost::chain
                                     : 0;
            if (there > at) {
              at = there;
              waited = HostCost::chain + HostCost::addition * left;
            }
            at += HostCost::addition;
          }
          done[s % recent] = at;
          bool const differs = s > part * chunk && count != length;
          length = count;
          irregular += differs;
          waits += waited > 0;
          wait += waited;
          start += std::max(HostCost::row(count, scattered), cost.least_row) + differs * cost.miss;
        }
        nanoseconds += start;
      },
      out.nanoseconds, out.irregular, out.wait, waiting);
  out.irregular /= static_cast<double>(n);
  out.wait = waiting > 0 ? out.wait / waiting : 0;
  return out;
}

/// What a solve takes on a host, in rows' own order and by level.
struct HostTimes {
  HostCost cost;
  InOrder in_order;

  /// Nanoseconds of a solve by level sets. Cost: the level sets, where they are not known.
  template <class T>
  double by_level(typename T::exec_space const& exec, Analysis<T> const& analysis) const {
    auto const& sets = analysis.levels(exec);
    double sum = 0;
    for (typename T::index l = 0; l < sets.num_levels(); ++l)
      sum += cost.level(static_cast<double>(sets.rows_in_level(l)), in_order.wait, in_order.irregular);
    return sum;
  }
};

/// Cost: a pass over the pattern.
template <class T>
HostTimes host_times(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  HostCost const cost(exec.concurrency(), static_cast<double>(analysis.num_rows()), analysis.mean_row());
  return {cost, cost_in_order<T>(exec, analysis.stored(), analysis.shape(), cost)};
}

/// Sequential for fewer than 500 rows, and where the level sets would not pay by a seventh; else levelset, which pays
/// on one thread too where rows wait for each other or are of irregular length. Cost: a pass over the pattern, and the
/// level sets unless not even the best case of them would pay.
template <class T>
Plan choose_on_host(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  double const rows = static_cast<double>(analysis.num_rows());
  double const mean_row = analysis.mean_row();
  char text[160];
  constexpr double pays = 1.15, least_rows = 500;  // set on one kind of machine, as HostCost
  if (rows < least_rows) return {"sequential", "fewer than 500 rows"};
  HostTimes const times = host_times<T>(exec, analysis);
  HostCost const& cost = times.cost;
  char const* const plural = cost.threads == 1 ? "" : "s";
  // not even the best case of level sets pays, whatever they are: they need not be found
  if (times.in_order.nanoseconds < pays * rows * cost.level_row / cost.threads) {
    std::snprintf(text, sizeof text, "rows of %.1f entries on %d thread%s: no gain in level order", mean_row,
                  cost.threads, plural);
    return {"sequential", text};
  }
  double const gain = times.in_order.nanoseconds / times.by_level(exec, analysis);
  std::snprintf(text, sizeof text, "%.0f rows per level on %d thread%s, estimated gain %.2f",
                analysis.levels(exec).mean_rows(), cost.threads, plural, gain);
  return {gain > pays ? "levelset" : "sequential", text};
}

}  // namespace detail
}  // namespace sptrsv
