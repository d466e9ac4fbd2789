// SPDX-License-Identifier: Apache-2.0
// Level sets of op(T): the longest path to every row, and the rows grouped by level.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sptrsv/device/depth_sweep.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/stable_sort.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/grid_lines.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv {

/// Method to find levels: by a sweep over op(T)'s rows, or by root candidates over its columns.
enum class LevelMethod { automatic, sweep, root_candidates };

/// Rows grouped by level. Rows of one level do not depend on each other, and each depends on a row of the level before.
/// The sets are independent of the method and of the number of threads. Algorithms share them; an algorithm that needs
/// another order makes a copy.
template <class T>
struct LevelSets {
  using index = typename T::index;

  Kokkos::View<const index*, typename T::device> level_of;    ///< n, from 0
  Kokkos::View<const index*, typename T::device> level_rows;  ///< n, level by level, ascending within each
  std::vector<index> level_ptr;                               ///< num_levels+1, on the host
  std::size_t memory_bytes = 0;

  index num_levels() const { return level_ptr.empty() ? 0 : static_cast<index>(level_ptr.size() - 1); }
  index rows_in_level(index l) const { return level_ptr[l + 1] - level_ptr[l]; }
  index widest() const {
    index rows = 0;
    for (index l = 0; l < num_levels(); ++l) rows = std::max(rows, rows_in_level(l));
    return rows;
  }
  double mean_rows() const {
    return num_levels() == 0 ? 0.0 : static_cast<double>(level_ptr.back()) / static_cast<double>(num_levels());
  }
};

namespace detail {

template <class T>
struct LevelArrays {
  using index = typename T::index;

  Kokkos::View<index*, typename T::device> level_of, level_rows;  ///< see LevelSets
  std::vector<index> level_ptr;

  LevelSets<T> finished() const {
    return {level_of, level_rows, level_ptr, (level_of.span() + level_rows.span() + level_ptr.size()) * sizeof(index)};
  }
};

/// Minimum entries of the longest row for which, on a GPU, the sweep gives every row a warp. Not measured separately.
struct LevelSweepTuning {
  static constexpr long long row_for_warps = 256;
};

/// Kernel that computes level(i) = 1 + the maximum level among the rows that i needs. A row polls for these levels as a
/// sync-free solve polls for x, a batch at a time, nearest rows last. Reads op(T) by rows, once.
template <class T>
struct LevelSweep {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> rows;
  Kokkos::View<index*, typename T::device> level_of;  // -1: not known yet
  bool ascending;
  int lanes;

  /// Returns the level of a row from the entries of one of its lanes.
  KOKKOS_FUNCTION index level_of_part(index i, int lane) const {
    offset const first = ascending ? rows.begin(i) : rows.end(i) - 1, step = ascending ? 1 : -1;
    offset const count = rows.count(i);
    offset next = lane;
    index level = 0;
    await_depths(
        i, NeededRows<index>(), level_of, index(-1),
        [&](NeededRows<index>& batch) {
          if (batch.missed != 0) return true;
          for (int u = 0; u < batch.batch; ++u, next += lanes)
            if (next < count) batch.add(u, rows.col_idx(first + step * next));
          return batch.missed != 0;
        },
        [&](index, index needed) {
          if (needed >= level) level = needed + 1;
        },
        [&] {
          if (lanes == 1) store_relaxed(&level_of(i), level);
        });
    return level;
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    auto const row = [&](index s) { return ascending ? s : rows.num_rows - 1 - s; };
    publish_depths(
        team, first, last, lanes, [&](index s, int lane) { return level_of_part(row(s), lane); },
        [&](index s, index level) { store_relaxed(&level_of(row(s)), level); });
  }
};

template <class T>
void level_of_by_sweep(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending,
                       long long longest, LevelArrays<T> const& sets) {
  Kokkos::deep_copy(exec, sets.level_of, typename T::index(-1));
  Tickets<T> tickets(exec);
  auto const shape = depth_sweep_shape<T>(exec, rows.num_rows, longest >= LevelSweepTuning::row_for_warps);
  for_each_ticket<T>("sptrsv::level_sets::sweep", exec, tickets, shape, rows.num_rows,
                     LevelSweep<T>{rows, sets.level_of, ascending, shape.lanes});
}

/// Returns the maximum of level_of, -1 without rows. Fences.
template <class T>
typename T::index deepest_level(typename T::exec_space const& exec,
                                Kokkos::View<typename T::index*, typename T::device> const& level_of) {
  using index = typename T::index;
  return max_over_rows<T>(
      "sptrsv::level_sets::deepest", exec, static_cast<index>(level_of.extent(0)), index(-1),
      KOKKOS_LAMBDA(index i) { return level_of(i); });
}

/// Partition of the rows into consecutive parts of equal size.
template <class Index>
struct RowParts {
  Index rows, parts;
  KOKKOS_INLINE_FUNCTION Index first(Index part) const {
    return static_cast<Index>(static_cast<long long>(rows) * part / parts);
  }
};

/// Groups rows by level_of on a host, by a stable counting sort: counts the rows of each level in each part of the
/// rows, turns the counts into first positions by a scan, and stores the rows of each part there in order. Uses one
/// part per thread, but at most n / 4 counters for all parts. Where that limits the number of parts, levels are narrow,
/// and one part is as fast as several.
template <class T>
void count_rows_by_level(typename T::exec_space const& exec, LevelArrays<T>& sets, typename T::index levels) {
  using index = typename T::index;
  auto const level_of = sets.level_of;
  index const n = static_cast<index>(level_of.extent(0));
  auto const parts = static_cast<index>(
      levels == 0 ? 1 : std::clamp(static_cast<long long>(n) / (4LL * levels), 1LL, 1LL * exec.concurrency()));
  RowParts<index> const rows{n, parts};
  // per level and part: its number of rows, then the position of the next row
  Kokkos::View<index*, typename T::device> next("sptrsv::level_sets::next",
                                                static_cast<std::size_t>(levels) * static_cast<std::size_t>(parts));
  Kokkos::parallel_for(
      "sptrsv::level_sets::count", row_range<T>(exec, parts), KOKKOS_LAMBDA(index part) {
        index* const own = next.data() + part * levels;
        index const last = rows.first(part + 1);
        for (index i = rows.first(part); i < last; ++i) ++own[level_of(i)];
      });
  Kokkos::parallel_scan(
      "sptrsv::level_sets::scan", row_range<T>(exec, levels * parts), KOKKOS_LAMBDA(index g, index & sum, bool final) {
        index& mine = next(parts == 1 ? g : g % parts * levels + g / parts);
        index const count = mine;
        if (final) mine = sum;
        sum += count;
      });
  exec.fence("sptrsv::level_sets: level_ptr is used on the host");
  sets.level_ptr.assign(next.data(), next.data() + levels);
  sets.level_ptr.push_back(n);
  auto const level_rows = sets.level_rows;
  Kokkos::parallel_for(
      "sptrsv::level_sets::group", row_range<T>(exec, parts), KOKKOS_LAMBDA(index part) {
        index* const own = next.data() + part * levels;
        index const last = rows.first(part + 1);
        for (index i = rows.first(part); i < last; ++i) level_rows(own[level_of(i)]++) = i;
      });
}

/// Groups rows by level_of on a GPU by sorting, since threads would contend for the counters of a few levels.
template <class T>
void sort_rows_by_level(typename T::exec_space const& exec, Workspace<T>& work, LevelArrays<T>& sets,
                        typename T::index levels) {
  using index = typename T::index;
  using key_type = std::make_unsigned_t<index>;
  index const n = static_cast<index>(sets.level_rows.extent(0));
  typename Workspace<T>::Scope const scope(work);
  auto const keys = work.template take<key_type>(static_cast<std::size_t>(n));
  auto const level_ptr = work.template take<index>(static_cast<std::size_t>(levels) + 1);
  Kokkos::View<key_type*, typename T::device> const level_of(reinterpret_cast<key_type*>(sets.level_of.data()),
                                                             static_cast<std::size_t>(n));
  sort_positions<T, key_type>(exec, work, level_of, keys, sets.level_rows,
                              bits_for(static_cast<std::uint64_t>(levels)));
  Kokkos::parallel_for(
      "sptrsv::level_sets::bounds", row_range<T>(exec, n + 1), KOKKOS_LAMBDA(index p) {
        if (p == n) level_ptr(levels) = n;
        else if (p == 0 || keys(p) != keys(p - 1)) level_ptr(static_cast<index>(keys(p))) = p;
      });
  sets.level_ptr.resize(static_cast<std::size_t>(levels) + 1);
  Kokkos::deep_copy(exec, Kokkos::View<index*, Kokkos::HostSpace>(sets.level_ptr.data(), sets.level_ptr.size()),
                    level_ptr);
  exec.fence("sptrsv::level_sets: level_ptr is used on the host");
}

/// Groups rows by level; rows of a level keep their order.
/// @param levels  number of levels
template <class T>
void group_rows_by_level(typename T::exec_space const& exec, [[maybe_unused]] Workspace<T>& work, LevelArrays<T>& sets,
                         typename T::index levels) {
  if constexpr (is_host_space<typename T::exec_space>) count_rows_by_level<T>(exec, sets, levels);
  else sort_rows_by_level<T>(exec, work, sets, levels);
}

/// One step of Naumov's analysis: removes the roots of one level from the graph and appends the rows left without
/// dependencies, the candidates of the next level, to the list.
template <class T>
struct RemoveRoots {
  using index = typename T::index;
  OffDiagonals<T> columns;
  Kokkos::View<index*, typename T::device> level_of, level_rows, in_degree;
  Kokkos::View<index[3], typename T::device> state;  // first root, one past the last, level

  KOKKOS_FUNCTION void remove(index position, index level) const {
    index const j = level_rows(position);
    level_of(j) = level;
    for (auto k = columns.begin(j); k < columns.end(j); ++k) {
      index const i = columns.col_idx(k);
      if (Kokkos::atomic_fetch_sub(&in_degree(i), index(1)) == 1)
        level_rows(Kokkos::atomic_fetch_add(&state(1), index(1))) = i;
    }
  }
  KOKKOS_FUNCTION void operator()(index position) const { remove(position, state(2)); }
};

/// Kernel that removes several levels by one team, until a level has more than `limit` rows or none.
template <class T>
struct RemoveRootsOneTeam {
  using index = typename T::index;
  RemoveRoots<T> step;
  index limit;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    index first = step.state(0), last = step.state(1), level = step.state(2);
    team.team_barrier();
    while (last > first && last - first <= limit) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index p) { step.remove(p, level); });
      team.team_barrier();
      first = last;
      last = load_acquire(&step.state(1));
      ++level;
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      step.state(0) = first;
      step.state(2) = level;
    });
  }
};

/// Limits of the root candidates: one team takes levels of at most `host_rows` or `gpu_rows` rows one after another; a
/// wider level gets a kernel of its own. On a host a team is one thread. Not measured separately.
struct RootCandidatesTuning {
  static constexpr int host_rows = 2000, gpu_rows = 1024, gpu_team_threads = 256;
};

/// Counts the off-diagonal entries of each row of op(T), from op(T) by columns.
template <class T>
Kokkos::View<typename T::index*, typename T::device> count_in_degrees(typename T::exec_space const& exec,
                                                                      OffDiagonals<T> const& columns) {
  using index = typename T::index;
  Kokkos::View<index*, typename T::device> in_degree(Kokkos::view_alloc(exec, std::string("sptrsv::in_degree")),
                                                     columns.num_rows);
  Kokkos::parallel_for(
      "sptrsv::in_degree", row_range<T>(exec, columns.num_rows), KOKKOS_LAMBDA(index j) {
        for (auto k = columns.begin(j); k < columns.end(j); ++k) Kokkos::atomic_inc(&in_degree(columns.col_idx(k)));
      });
  return in_degree;
}

/// Computes level_of by a list of root candidates per level. Leaves level_rows unsorted within a level.
/// Source: M. Naumov, NVR-2011-001, section 3; differs in that both of his buffers share one array, level_rows.
template <class T>
void level_of_by_root_candidates(typename T::exec_space const& exec, OffDiagonals<T> const& columns,
                                 LevelArrays<T> const& sets) {
  using index = typename T::index;
  index const n = columns.num_rows;
  RemoveRoots<T> step{columns, sets.level_of, sets.level_rows, count_in_degrees<T>(exec, columns), {}};
  step.state = decltype(step.state)("sptrsv::level_sets::state");
  Kokkos::parallel_for(
      "sptrsv::level_sets::first_roots", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        if (step.in_degree(i) == 0) step.level_rows(Kokkos::atomic_fetch_add(&step.state(1), index(1))) = i;
      });

  bool const one_thread = exec.concurrency() == 1;
  constexpr bool host = is_host_space<typename T::exec_space>;
  index const limit = one_thread ? n : host ? RootCandidatesTuning::host_rows : RootCandidatesTuning::gpu_rows;
  int const team_size = host ? 1 : RootCandidatesTuning::gpu_team_threads;
  Kokkos::View<index[3], Kokkos::HostSpace> state("sptrsv::level_sets::state_on_host");
  while (true) {
    Kokkos::parallel_for("sptrsv::level_sets::remove_roots_one_team", team_policy(exec, 1, team_size, 1),
                         RemoveRootsOneTeam<T>{step, limit});
    Kokkos::deep_copy(exec, state, step.state);
    exec.fence("sptrsv::level_sets: the width of the next level decides its launch");
    if (state(0) == state(1)) break;
    Kokkos::parallel_for("sptrsv::level_sets::remove_roots",
                         Kokkos::RangePolicy<typename T::exec_space, index>(exec, state(0), state(1)), step);
    index const level = state(2) + 1;
    state(0) = state(1);
    state(2) = level;
    Kokkos::deep_copy(exec, Kokkos::subview(step.state, 0), state(0));
    Kokkos::deep_copy(exec, Kokkos::subview(step.state, 2), level);
  }
}

template <class T>
LevelArrays<T> allocate_level_sets(typename T::exec_space const& exec, typename T::index n) {
  LevelArrays<T> sets;
  auto const count = static_cast<std::size_t>(n);
  // one allocation: each costs about 50 microseconds on a GPU, as much as reading 200 MB
  auto const all = raw_view<decltype(sets.level_of)>(exec, "sptrsv::level_sets", 2 * count);
  auto const part = [&](std::size_t which) {
    return Kokkos::subview(all, std::make_pair(which * count, (which + 1) * count));
  };
  sets.level_of = part(0);
  sets.level_rows = part(1);
  sets.level_ptr.assign(1, 0);
  return sets;
}

}  // namespace detail

/// Returns level sets from op(T) by rows: one sweep, about the cost of one solve. Fences.
/// @param grid  grid that the rows probably form, if any; the levels that its row numbers give are checked.
template <class T>
LevelSets<T> level_sets_from_rows(typename T::exec_space const& exec, detail::Workspace<T>& work,
                                  OffDiagonals<T> const& rows, bool ascending, long long longest,
                                  detail::GridLines const& grid = {}) {
  auto sets = detail::allocate_level_sets<T>(exec, rows.num_rows);
  if (rows.num_rows == 0) return sets.finished();
  typename T::index deepest = -1;
  if (grid.found()) deepest = detail::level_of_by_grid<T>(exec, rows, ascending, grid, sets.level_of);
  if (deepest < 0) {
    detail::level_of_by_sweep<T>(exec, rows, ascending, longest, sets);
    deepest = detail::deepest_level<T>(exec, sets.level_of);
  }
  detail::group_rows_by_level<T>(exec, work, sets, deepest + 1);
  return sets.finished();
}

/// Returns level sets from op(T) by columns, with Naumov's root candidates. For a transposed solve these columns are
/// the stored rows. Fences.
template <class T>
LevelSets<T> level_sets_from_columns(typename T::exec_space const& exec, detail::Workspace<T>& work,
                                     OffDiagonals<T> const& columns) {
  auto sets = detail::allocate_level_sets<T>(exec, columns.num_rows);
  if (columns.num_rows == 0) return sets.finished();
  detail::level_of_by_root_candidates<T>(exec, columns, sets);
  detail::group_rows_by_level<T>(exec, work, sets, detail::deepest_level<T>(exec, sets.level_of) + 1);
  return sets.finished();
}

}  // namespace sptrsv
