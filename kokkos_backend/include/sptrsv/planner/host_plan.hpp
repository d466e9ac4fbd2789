// SPDX-License-Identifier: Apache-2.0
// The planner's rule for hosts: substitution by one thread, level sets or blocks of rows, by what detail::HostCost says
// of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "sptrsv/algorithm/blocked/block_estimate.hpp"
#include "sptrsv/algorithm/sequential/row_blocks.hpp"
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
/// one before; what a row adds to the last one that it waits for; and the share of rows that need one shortly before.
struct InOrder {
  double nanoseconds = 0, irregular = 0, wait = 0, near = 0;
};

/// Whether `sequential` solves rows with the same columns together. Cost: a pass over the pattern.
template <class T>
bool has_row_blocks(typename T::exec_space const& exec, OffDiagonals<T> const& rows, Shape shape) {
  using index = typename T::index;
  if (shape.transposed()) return false;
  bool const ascending = shape.ascending();
  index const n = rows.num_rows;
  long long together = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::row_blocks", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 1, n),
      [=](index s, long long& sum) {
        sum += continues_block(rows, ascending ? s - 1 : n - s, ascending ? s : n - 1 - s, ascending);
      },
      together);
  return static_cast<double>(n) >= SequentialTuning::rows_per_block * static_cast<double>(n - together);
}

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
  bool const has_blocks = has_row_blocks<T>(exec, rows, shape);
  Kokkos::parallel_reduce(
      "sptrsv::planner::in_order", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, (n + chunk - 1) / chunk),
      [=](index part, double& nanoseconds, double& irregular, double& wait, double& waits) {
        double done[recent] = {};  // of the rows before, by their position
        double start = 0;
        double length = 0;
        int together = 0;  // rows of a block before this one
        for (index s = part * chunk; s < n && s < (part + 1) * chunk; ++s) {
          index const i = ascending ? s : n - 1 - s;
          double const count = static_cast<double>(rows.count(i));
          auto const held = static_cast<index>(HostCost::in_flight / (12 + 6 * count)) + 1;
          if (held < recent) start = std::max(start, done[(s - held + recent) % recent]);
          index const before = ascending ? i - 1 : i + 1;
          bool const more = has_blocks && s > part * chunk && together < SequentialTuning::block_rows - 1 &&
                            continues_block(rows, before, i, ascending);
          together = more ? together + 1 : 0;
          double const part_of_row = more ? HostCost::repeated_row : 1;
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
            at += part_of_row * HostCost::addition;
          }
          done[s % recent] = at;
          bool const differs = s > part * chunk && count != length;
          length = count;
          irregular += differs;
          waits += waited > 0;
          wait += waited;
          start += part_of_row * std::max(HostCost::row(count, scattered), cost.least_row) +
                   (more ? 0 : differs * cost.miss);
        }
        nanoseconds += start;
      },
      out.nanoseconds, out.irregular, out.wait, waiting);
  out.irregular /= static_cast<double>(n);
  out.wait = waiting > 0 ? out.wait / waiting : 0;
  out.near = waiting / static_cast<double>(n);
  return out;
}

/// What a solve takes on a host: in rows' own order, by level, and by blocks of rows.
struct HostTimes {
  HostCost cost;
  InOrder in_order;
  double rows = 0, mean_row = 0;

  /// Nanoseconds of a solve by level sets. Cost: the level sets, where they are not known.
  template <class T>
  double by_level(typename T::exec_space const& exec, Analysis<T> const& analysis) const {
    auto const& sets = analysis.levels(exec);
    double sum = 0;
    for (typename T::index l = 0; l < sets.num_levels(); ++l)
      sum += cost.level(static_cast<double>(sets.rows_in_level(l)), in_order.wait, in_order.irregular);
    return sum;
  }
  /// Not even the best case takes less, whatever the level sets are.
  double least_by_level() const { return rows * cost.level_row / cost.threads; }

  /// The same by blocks. Cost: the level sets, and passes over samples of the rows.
  template <class T>
  double by_block(typename T::exec_space const& exec, Analysis<T> const& analysis) const {
    double const path = estimate_host_path<T>(exec, analysis, cost.threads), share = 1.0 / cost.threads;
    return cost.launch + blocks_by_one_thread() * (share + (1 - share) * path);
  }
  double least_by_block() const { return cost.launch + blocks_by_one_thread() / cost.threads; }

 private:
  double blocks_by_one_thread() const {
    double const row = std::max(HostCost::block_row * HostCost::row(mean_row), cost.least_row);
    double const blocks = rows / static_cast<double>(host_block_rows(static_cast<long long>(rows), cost.threads));
    return std::max(in_order.nanoseconds, rows * row) + HostCost::block * blocks;
  }
};

/// Cost: a pass over the pattern.
template <class T>
HostTimes host_times(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  auto const rows = static_cast<double>(analysis.num_rows());
  HostCost cost(exec.concurrency(), rows, analysis.mean_row());
  InOrder const in_order = cost_in_order<T>(exec, analysis.stored(), analysis.shape(), cost);
  if (in_order.near < HostCost::near_rows) cost.level_row = cost.scattered_row(analysis.mean_row());
  return {cost, in_order, rows, analysis.mean_row()};
}

/// Sequential for fewer than 500 rows, and where nothing else would pay by a seventh. Else levelset, which pays on one
/// thread too where rows wait for each other or are of irregular length, or blocked, which takes more to analyze and
/// has to be ahead of levelset by as much. Cost: a pass over the pattern, and the level sets unless not even the best
/// case of the others would pay.
template <class T>
Plan choose_on_host(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  double const rows = static_cast<double>(analysis.num_rows());
  bool const one_thread_can = analysis.storage() == Storage::full;
  char text[200];
  constexpr double pays = 1.15, least_rows = 500;  // set on one kind of machine, as HostCost
  if (one_thread_can && rows < least_rows) return {"sequential", "fewer than 500 rows"};
  if (rows == 0) return {"levelset", "no rows"};
  HostTimes const times = host_times<T>(exec, analysis);
  int const threads = times.cost.threads;
  char const* const plural = threads == 1 ? "" : "s";
  double const alone = times.in_order.nanoseconds;
  bool const blocks_may_pay = threads > 1 && pays * times.least_by_block() < alone;
  if (one_thread_can && alone < pays * times.least_by_level() && !blocks_may_pay) {
    std::snprintf(text, sizeof text, "rows of %.1f entries on %d thread%s: no gain in another order",
                  analysis.mean_row(), threads, plural);
    return {"sequential", text};
  }
  double const by_level = times.by_level(exec, analysis);
  double const by_block =
      threads > 1 && pays * times.least_by_block() < by_level ? times.by_block(exec, analysis) : HUGE_VAL;
  bool const blocks = pays * by_block < by_level;
  double const gain = alone / (blocks ? by_block : by_level);
  int const written = std::snprintf(text, sizeof text, "%.0f rows per level on %d thread%s, estimated gain %.2f",
                                    analysis.levels(exec).mean_rows(), threads, plural, gain);
  if (blocks)
    std::snprintf(text + written, sizeof text - static_cast<std::size_t>(written), " by blocks, %.2f by levels",
                  alone / by_level);
  return {gain <= pays && one_thread_can ? "sequential" : blocks ? "blocked" : "levelset", text};
}

}  // namespace detail
}  // namespace sptrsv
