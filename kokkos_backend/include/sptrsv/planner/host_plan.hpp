// SPDX-License-Identifier: Apache-2.0
// The planner's rule for hosts: substitution by one thread or an algorithm with an estimate for hosts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "sptrsv/device/host_cost.hpp"
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/row_blocks.hpp"

namespace sptrsv {

/// Choice of an algorithm, and its reason.
struct Plan {
  std::string algorithm;
  std::string reason;
};

namespace detail {

/// Estimates for one host thread in natural order.
struct InOrder {
  double nanoseconds = 0;  ///< time of all rows
  double irregular = 0;    ///< share of rows whose length differs from that of the row before
  double wait = 0;         ///< mean delay of a row after the last row that it waits for, in nanoseconds
  double near = 0;         ///< share of rows that wait for one of the rows shortly before them
};

/// Sample of the rows: up to most_chunks chunks of successive rows in solve order; all rows if they are few.
template <class Index>
struct SampledRows {
  static constexpr Index chunk = 4096, most_chunks = 8;
  Index rows, chunks, parts, stride;

  explicit SampledRows(Index n)
      : rows(n),
        chunks(n / chunk + (n % chunk > 0)),
        parts(std::min(chunks, most_chunks)),
        stride(parts > 0 ? chunks / parts : 1) {}
  Index first(Index part) const { return part * stride * chunk; }
  Index last(Index part) const { return rows - first(part) < chunk ? rows : first(part) + chunk; }
};

/// Tells from a sample whether substitution by one thread solves rows with the same columns together.
template <class T>
bool has_row_blocks(OffDiagonals<T> const& rows, Shape shape) {
  using index = typename T::index;
  if (shape.transposed()) return false;
  bool const ascending = shape.ascending();
  SampledRows<index> const sample(rows.num_rows);
  long long together = 0, looked_at = 0;
  for (index part = 0; part < sample.parts; ++part) {
    for (index s = sample.first(part) + 1; s < sample.last(part); ++s) {
      index const i = ascending ? s : rows.num_rows - 1 - s, before = ascending ? i - 1 : i + 1;
      together += added_columns(rows, before, i, ascending) >= 0;
      ++looked_at;
    }
  }
  return static_cast<double>(looked_at) >= RowBlocks::rows_per_block * static_cast<double>(looked_at - together);
}

/// Adds the cost of the rows at positions first to last - 1 to `out`; returns how many of them wait for another row.
template <class T>
long long cost_of_chunk(OffDiagonals<T> const& rows, Shape shape, HostCost const& cost, bool has_blocks,
                        typename T::index first, typename T::index last, InOrder& out) {
  using index = typename T::index;
  constexpr index recent = 64;
  index const n = rows.num_rows;
  bool const ascending = shape.ascending(), scattered = shape.transposed();
  double done[recent] = {};  // when each of the last rows ends, by position modulo `recent`
  double start = 0, length = 0;
  int together = 0;  // rows of this row's block that precede it
  long long waits = 0;
  for (index s = first; s < last; ++s) {
    index const i = ascending ? s : n - 1 - s;
    double const count = static_cast<double>(rows.count(i));
    auto const held = static_cast<index>(HostCost::in_flight / (12 + 6 * count)) + 1;
    if (held < recent) start = std::max(start, done[(s - held + recent) % recent]);
    index const before = ascending ? i - 1 : i + 1;
    bool const more = has_blocks && s > first && together < RowBlocks::block_rows - 1 &&
                      added_columns(rows, before, i, ascending) >= 0;
    together = more ? together + 1 : 0;
    double const part_of_row = more ? HostCost::repeated_row : 1;
    double at = start, waited = 0;
    typename T::offset k = rows.first(i);
    for (double left = count; left > 0; --left, k += rows.step()) {
      index const behind = ascending ? i - rows.col_idx(k) : rows.col_idx(k) - i;
      double const there =
          behind > 0 && behind < recent && s - behind >= first ? done[(s - behind) % recent] + cost.chain : 0;
      if (there > at) {
        at = there;
        waited = cost.chain + HostCost::addition * left;
      }
      at += part_of_row * HostCost::addition;
    }
    done[s % recent] = at;
    bool const differs = s > first && count != length;
    length = count;
    out.irregular += differs;
    waits += waited > 0;
    out.wait += waited;
    start += part_of_row * std::max(HostCost::row(count, scattered), cost.least_row) + (more ? 0 : differs * cost.miss);
  }
  out.nanoseconds += start;
  return waits;
}

/// Simulates a core that starts a row every few cycles, adds each term when its x is solved, and has a limited number
/// of instructions in flight. The calling thread simulates a sample of the rows, each chunk independently of the
/// others.
template <class T>
InOrder cost_in_order(OffDiagonals<T> const& rows, Shape shape, HostCost const& cost) {
  using index = typename T::index;
  InOrder out;
  if (rows.num_rows == 0) return out;
  bool const has_blocks = has_row_blocks<T>(rows, shape);
  SampledRows<index> const sample(rows.num_rows);
  double waiting = 0, looked_at = 0;
  for (index part = 0; part < sample.parts; ++part) {
    waiting += static_cast<double>(
        cost_of_chunk<T>(rows, shape, cost, has_blocks, sample.first(part), sample.last(part), out));
    looked_at += static_cast<double>(sample.last(part) - sample.first(part));
  }
  out.nanoseconds *= static_cast<double>(rows.num_rows) / looked_at;
  out.irregular /= looked_at;
  out.wait = waiting > 0 ? out.wait / waiting : 0;
  out.near = waiting / looked_at;
  return out;
}

/// Inputs of the estimates of a solve's time on a host.
struct HostTimes {
  static constexpr double pays = 1.15, least_rows = 500;  ///< measured on one kind of machine, like HostCost

  HostCost cost;
  InOrder in_order;  ///< by one thread in natural order
  double rows = 0, mean_row = 0;
};

/// Estimates the time by one thread. Cost: one pass over a sample of the pattern by the calling thread.
/// @param speed  host_speed(), or core_speed() for lower bounds, in which kernels cost nothing
template <class T>
HostTimes host_times(HostSpeed const& speed, Analysis<T> const& analysis) {
  auto const rows = static_cast<double>(analysis.num_rows());
  HostCost cost(speed, rows, analysis.mean_row());
  InOrder const in_order = cost_in_order<T>(analysis.stored(), analysis.shape(), cost);
  if (in_order.near < HostCost::near_rows) cost.level_row = cost.scattered_row(analysis.mean_row());
  return {cost, in_order, rows, analysis.mean_row()};
}

/// Algorithm that the planner may choose on a host instead of substitution by one thread, with its estimates.
template <class T>
struct HostCandidate {
  std::string name;
  double (*bound)(HostTimes const&);
  double (*nanoseconds)(HostTimes const&, typename T::exec_space const&, Analysis<T> const&);
};

/// Returns the algorithms with estimates for hosts, in the order of the list.
template <class T, class... A>
std::vector<HostCandidate<T>> host_candidates(TypeList<A...>) {
  std::vector<HostCandidate<T>> out;
  auto const add = [&](auto* type) {
    using algorithm = std::remove_pointer_t<decltype(type)>;
    if constexpr (algorithm::planned_on_host)
      out.push_back({std::string(algorithm::name), algorithm::host_bound, algorithm::host_nanoseconds});
  };
  (add(static_cast<A*>(nullptr)), ...);
  return out;
}

/// Returns a lower bound of the nanoseconds of a solve by any algorithm of host_candidates().
template <class T>
double least_on_host(HostTimes const& times) {
  double least = HUGE_VAL;
  for (auto const& candidate : host_candidates<T>(Algorithms<T>{})) least = std::min(least, candidate.bound(times));
  return least;
}

/// Returns the name of substitution by one thread.
template <class... A>
std::string one_thread_name(TypeList<A...>) {
  std::string name;
  ((name += A::capabilities.one_thread ? A::name : std::string_view()), ...);
  return name;
}

/// Chooses substitution by one thread if there are fewer than 500 rows, or if no other algorithm is 1.15 times as fast.
/// An algorithm replaces an earlier one of the list only if it is 1.15 times as fast. Other algorithms may pay even on
/// one thread, if rows wait for each other or have irregular lengths. Cost: one pass over a sample of the pattern, and
/// the level sets if another algorithm may pay by its lower bound.
/// @param measured  nanoseconds of a solve by one thread; 0: not timed, and then estimated
template <class T>
Plan choose_on_host(typename T::exec_space const& exec, Analysis<T> const& analysis, double measured = 0) {
  auto const candidates = host_candidates<T>(Algorithms<T>{});
  std::string const one_thread = one_thread_name(Algorithms<T>{});
  bool const one_thread_can = analysis.storage() == Storage::full;
  constexpr double pays = HostTimes::pays;
  if (one_thread_can && static_cast<double>(analysis.num_rows()) < HostTimes::least_rows)
    return {one_thread, "fewer than 500 rows"};
  if (analysis.num_rows() == 0) return {candidates.front().name, "no rows"};
  HostTimes times = host_times<T>(host_speed(exec), analysis);
  if (measured > 0) times.in_order.nanoseconds = measured;
  double const alone = times.in_order.nanoseconds;
  char text[200];
  char const* const plural = times.cost.threads == 1 ? "" : "s";
  if (one_thread_can && alone < pays * least_on_host<T>(times)) {
    std::snprintf(text, sizeof text, "rows of %.1f entries on %d thread%s: no gain in another order",
                  analysis.mean_row(), times.cost.threads, plural);
    return {one_thread, text};
  }
  HostCandidate<T> const *best = nullptr, *second = nullptr;
  double least = HUGE_VAL, next = HUGE_VAL;
  for (auto const& candidate : candidates) {
    if (best && pays * candidate.bound(times) >= least) continue;
    double const time = candidate.nanoseconds(times, exec, analysis);
    if (best && pays * time >= least) continue;
    second = best, next = least;
    best = &candidate, least = time;
  }
  double const gain = alone / least;
  int const written = std::snprintf(text, sizeof text, "%.0f rows per level on %d thread%s, estimated gain %.2f",
                                    analysis.levels(exec).mean_rows(), times.cost.threads, plural, gain);
  if (second)
    std::snprintf(text + written, sizeof text - static_cast<std::size_t>(written), " by %s, %.2f by %s",
                  best->name.c_str(), alone / next, second->name.c_str());
  return {gain <= pays && one_thread_can ? one_thread : best->name, text};
}

}  // namespace detail
}  // namespace sptrsv
