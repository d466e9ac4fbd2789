// SPDX-License-Identifier: Apache-2.0
// What the planner's model knows of a triangle. What takes a pass over the pattern is made when it is asked for; before,
// there is a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "sptrsv/analysis/analysis.hpp"
#include "sptrsv/detail/plan_model.hpp"

namespace sptrsv {

namespace detail {

/// Levels of nodes of `group` rows each; a node also waits for the one `window` nodes before it. A thread never spins on a
/// node of its own warp: it looks, and looks again.
template <class T>
struct NodeSweep {
  using index = typename T::index;
  OffDiagonals<T> rows;
  Kokkos::View<index*, typename T::device> level_of;  // of nodes; -1: not known yet
  bool ascending;
  index group, nodes, window;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) {
      index const node = ascending ? s : nodes - 1 - s;
      index row = node * group;
      index const behind = row + group < rows.num_rows ? row + group : rows.num_rows;
      auto k = rows.begin(row), end = rows.end(row);
      index awaited = s < window ? index(-1) : ascending ? s - window : node + window;
      index level = 0;
      Backoff wait;
      while (true) {
        if (awaited < 0) {
          while (k >= end && ++row < behind) {
            k = rows.begin(row);
            end = rows.end(row);
          }
          if (k >= end) {
            post(&level_of(node), level);
            break;
          }
          awaited = rows.col_idx(k++) / group;
          if (awaited == node) awaited = -1;
          if (awaited < 0) continue;
        }
        index const needed = peek(&level_of(awaited));
        if (needed < 0) {
          wait(row);
          continue;
        }
        if (needed >= level) level = needed + 1;
        awaited = -1;
      }
    });
  }
};

/// Levels of the graph of nodes of `group` rows in which at most `window` nodes are at work at once, 0 for any number.
/// Cost: one sweep over the rows; allocates a number per node, fences.
template <class T>
long long count_node_levels(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending, typename T::index group,
                            long long window) {
  using index = typename T::index;
  if (rows.num_rows == 0) return 0;
  index const nodes = (rows.num_rows - 1) / group + 1;
  Kokkos::View<index*, typename T::device> level_of(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::planner::level_of")),
                                                    static_cast<std::size_t>(nodes));
  Kokkos::deep_copy(exec, level_of, index(-1));
  Tickets<T> tickets(exec);
  index const at_once = window > 0 && window < nodes ? static_cast<index>(window) : nodes;
  for_each_ticket<T>("sptrsv::planner::node_sweep", exec, tickets, thread_per_row_shape<T>(exec, nodes, 0), nodes,
                     NodeSweep<T>{rows, level_of, ascending, group, nodes, at_once});
  index deepest = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::deepest", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, nodes),
      KOKKOS_LAMBDA(index i, index & most) { most = level_of(i) > most ? level_of(i) : most; }, Kokkos::Max<index>(deepest));
  exec.fence("sptrsv::planner: the sweep's memory goes");
  return static_cast<long long>(deepest) + 1;
}

/// How far before each row, in solve order, its nearest dependency lies, if rows are sorted by column; 0: it has none.
template <class T>
Kokkos::View<typename T::index*, typename T::device> nearest_dependencies(typename T::exec_space const& exec, OffDiagonals<T> const& rows,
                                                                          bool ascending) {
  using index = typename T::index;
  Kokkos::View<index*, typename T::device> behind(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::planner::nearest")),
                                                  static_cast<std::size_t>(rows.num_rows));
  Kokkos::parallel_for(
      "sptrsv::planner::nearest", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows), KOKKOS_LAMBDA(index i) {
        auto const begin = rows.begin(i), end = rows.end(i);
        index const j = begin == end ? i : rows.col_idx(ascending ? end - 1 : begin);
        behind(i) = ascending ? i - j : j - i;
      });
  return behind;
}

template <class T>
long long count_near_rows(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  auto const behind = nearest_dependencies<T>(exec, rows, ascending);
  long long near = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::near_rows", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum) { sum += behind(i) > 0 && behind(i) <= 32; }, near);
  exec.fence("sptrsv::planner: the distances go");
  return near;
}

/// Counted on the host, one row after the other.
template <class T>
long long count_sets(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  auto const behind = nearest_dependencies<T>(exec, rows, ascending);
  exec.fence("sptrsv::planner: the distances are read on the host");
  auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), behind);
  long long sets = rows.num_rows > 0;
  index first = 0;  // of the set at hand, in solve order
  for (index s = 0; s < rows.num_rows; ++s) {
    index const distance = on_host(ascending ? s : rows.num_rows - 1 - s);
    if (distance > 0 && s - distance >= first) {
      ++sets;
      first = s;
    }
  }
  return sets;
}

/// Stretches of entries in the same 16 columns, whichever rows they are of. Cost: one pass, fences.
template <class T>
long long count_row_tiles(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  if (rows.num_rows == 0) return 0;
  auto const row_ptr = rows.row_ptr;
  auto const col_idx = rows.col_idx;
  long long ends[2] = {0, 0};  // row_ptr is where the kernels run
  Kokkos::parallel_reduce(
      "sptrsv::planner::entries", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, 1),
      KOKKOS_LAMBDA(index, long long& first, long long& last) {
        first += row_ptr(0);
        last += row_ptr(rows.num_rows);
      },
      ends[0], ends[1]);
  exec.fence("sptrsv::planner: where the entries are");
  long long tiles = 0;
  auto const begin = static_cast<offset>(ends[0]);
  Kokkos::parallel_reduce(
      "sptrsv::planner::row_tiles", Kokkos::RangePolicy<typename T::exec_space, offset>(exec, begin, static_cast<offset>(ends[1])),
      KOKKOS_LAMBDA(offset k, long long& sum) { sum += k == begin || col_idx(k) / 16 != col_idx(k - 1) / 16; }, tiles);
  exec.fence("sptrsv::planner: row tiles are counted");
  return tiles;
}

/// The longest row of each level, on the host.
template <class T>
std::vector<typename T::index> longest_by_level(typename T::exec_space const& exec, OffDiagonals<T> const& rows, LevelSets<T> const& sets) {
  using index = typename T::index;
  constexpr index chunk = 64;  // rows of one thread, so that few of them meet at a level's number
  std::vector<index> out(static_cast<std::size_t>(sets.num_levels()));
  if (out.empty()) return out;
  Kokkos::View<index*, typename T::device> longest("sptrsv::planner::longest", out.size());
  auto const level_of = sets.level_of, level_rows = sets.level_rows;
  index const n = rows.num_rows;
  Kokkos::parallel_for(
      "sptrsv::planner::longest", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, (n - 1) / chunk + 1), KOKKOS_LAMBDA(index part) {
        index const first = part * chunk, last = n - first < chunk ? n : first + chunk;
        index level = level_of(level_rows(first)), most = 0;
        for (index p = first; p < last; ++p) {
          index const i = level_rows(p);
          if (level_of(i) != level) {
            Kokkos::atomic_max(&longest(level), most);
            level = level_of(i);
            most = 0;
          }
          auto const count = static_cast<index>(rows.count(i));
          most = count > most ? count : most;
        }
        Kokkos::atomic_max(&longest(level), most);
      });
  Kokkos::deep_copy(exec, Kokkos::View<index*, Kokkos::HostSpace>(out.data(), out.size()), longest);
  exec.fence("sptrsv::planner: rows per level are read on the host");
  return out;
}

}  // namespace detail

/// The features of one triangle. They are the same for every run and every number of threads.
template <class T>
class PlanFeatures {
 public:
  using Feature = detail::Feature;
  using exec_space = typename T::exec_space;

  /// @param resident_threads  that the device holds at once; what a window is made of.
  PlanFeatures(exec_space const& exec, Analysis<T> const& analysis, long long resident_threads)
      : exec_(exec), analysis_(analysis), resident_(std::max(1LL, resident_threads)) {
    double const n = static_cast<double>(analysis.num_rows()), entries = static_cast<double>(analysis.num_off_diagonals());
    auto const longest = static_cast<double>(analysis.longest_row());
    set(Feature::none, 0);
    set(Feature::solve, 1);
    set(Feature::rows, n);
    set(Feature::bytes, entries * (sizeof(typename T::scalar) + sizeof(typename T::index)) + n * (sizeof(typename T::offset) + 3 * sizeof(typename T::scalar)));
    set(Feature::longest_row, longest);
    while (lanes_ * 4 < analysis.mean_row() && lanes_ < 32) lanes_ *= 2;
    set(Feature::longest_lane, std::ceil(longest / lanes_));
    bound(Feature::levels, n > 0);
    for (auto f : {Feature::block_levels, Feature::sets, Feature::warp_window, Feature::thread_window}) bound(f, n > 0);
  }

  /// The feature, or while it is not exact a lower bound.
  double value(Feature f) const { return value_[at(f)]; }
  bool exact(Feature f) const { return exact_[at(f)]; }

  /// Makes f exact, and what comes with it. Cost: a pass or a sweep over the pattern, unless it is exact already; fences.
  void find(Feature f) {
    if (exact(f)) return;
    auto const& rows = analysis_.rows(exec_);
    bool const ascending = analysis_.shape().ascending();
    constexpr typename T::index one = 1, tile = 16;
    if (f == Feature::near_rows) set(f, detail::count_near_rows<T>(exec_, rows, ascending));
    else if (f == Feature::warp_window) set(f, detail::count_node_levels<T>(exec_, rows, ascending, one, std::max(1LL, resident_ / 32)));
    else if (f == Feature::thread_window) set(f, detail::count_node_levels<T>(exec_, rows, ascending, one, resident_));
    else if (f == Feature::block_levels) set(f, detail::count_node_levels<T>(exec_, rows, ascending, tile, 0));
    else if (f == Feature::row_tiles) set(f, detail::count_row_tiles<T>(exec_, rows));
    else if (f == Feature::sets) set(f, detail::count_sets<T>(exec_, rows, ascending));
    else find_levels(rows);
  }

 private:
  static std::size_t at(Feature f) { return static_cast<std::size_t>(f); }
  template <class Number>
  void set(Feature f, Number value) {
    value_[at(f)] = static_cast<double>(value);
    exact_[at(f)] = true;
  }
  void bound(Feature f, double least) {
    if (!exact(f)) value_[at(f)] = std::max(value_[at(f)], least);
  }

  void find_levels(OffDiagonals<T> const& rows) {
    auto const& sets = analysis_.levels(exec_);
    auto const longest = detail::longest_by_level<T>(exec_, rows, sets);
    double narrow = 0, wide = 0, log_rows = 0, log_entries = 0, sum = 0, lanes = 0;
    for (std::size_t l = 0; l < longest.size(); ++l) {
      auto const width = static_cast<double>(sets.rows_in_level(static_cast<typename T::index>(l)));
      narrow += width <= 128;
      wide += width > 65536;
      log_rows += std::log2(width);
      log_entries += std::log2(1 + static_cast<double>(longest[l]));
      sum += static_cast<double>(longest[l]);
      lanes += std::ceil(static_cast<double>(longest[l]) / lanes_);
    }
    auto const levels = static_cast<double>(longest.size());
    set(Feature::levels, levels);
    set(Feature::narrow_levels, narrow);
    set(Feature::wide_levels, wide);
    set(Feature::level_rows, log_rows);
    set(Feature::level_entries, log_entries);
    set(Feature::level_longest, sum);
    set(Feature::level_lanes, lanes);
    bound(Feature::block_levels, std::ceil(levels / 16));
    for (auto f : {Feature::sets, Feature::warp_window, Feature::thread_window}) bound(f, levels);
  }

  exec_space exec_;
  Analysis<T> const& analysis_;
  long long resident_;
  double lanes_ = 1;  // to a row, as levelset has them
  std::array<double, detail::num_features> value_{};
  std::array<bool, detail::num_features> exact_{};
};

}  // namespace sptrsv
