// SPDX-License-Identifier: Apache-2.0
// Sets of consecutive rows that do not need each other, counted and listed on the device.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/algorithm/colorset/colorset_tuning.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// The order of the solve, cut where a row needs one of its set.
template <class T>
struct ConsecutiveSets {
  static constexpr int most_listed = 4096, listed_at_once = 64;
  long long count = 0;    ///< one more than were looked for where there are more
  bool adjacent = false;  ///< some row needs the one right before it
  // where there are no more than were looked for, by set, and at the end of all:
  std::vector<typename T::index> first;    ///< place in the order of the solve
  std::vector<typename T::offset> before;  ///< entries of the rows before it
  std::vector<typename T::index> longest;  ///< entries of its longest row, or of one near to its bounds
};

/// A chunk of places to a team: the last place that the row of each needs, the greatest of them, and how many entries
/// the longest row has. Rows that are long have the whole team.
template <class T>
struct LastNeeded {
  using index = typename T::index;
  static constexpr index chunk = 1024;
  static constexpr int gpu_threads = 256;
  static constexpr index long_row = is_host_space<typename T::exec_space> ? std::numeric_limits<index>::max() : 256;
  OffDiagonals<T> rows;
  bool ascending;
  Kokkos::View<index*, typename T::device> last;      // out, by place; -1: none
  Kokkos::View<index*, typename T::device> greatest;  // out, of each chunk
  Kokkos::View<index*, typename T::device> adjacent;  // out, of each chunk: rows that need the one right before
  Kokkos::View<index*, typename T::device> longest;   // out, of each chunk

  KOKKOS_FORCEINLINE_FUNCTION index row(index p) const { return ascending ? p : rows.num_rows - 1 - p; }
  /// Of the entries of row i that a thread of several has.
  KOKKOS_FORCEINLINE_FUNCTION index last_of(index i, int thread, int threads) const {
    index most = -1;
    for (auto k = rows.begin(i) + thread; k < rows.end(i); k += threads) {
      index const needed = row(rows.col_idx(k));
      if (needed > most) most = needed;
    }
    return most;
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const c = static_cast<index>(team.league_rank());
    index const first = c * chunk, end = rows.num_rows - first < chunk ? rows.num_rows : first + chunk;
    index most_entries = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, first, end),
        [&](index p, index& most) {
          auto const count = static_cast<index>(rows.count(row(p)));
          if (count > most) most = count;
          if (count <= long_row) last(p) = last_of(row(p), 0, 1);
        },
        Kokkos::Max<index>(most_entries));
    for (index p = first; most_entries > long_row && p < end; ++p) {
      if (static_cast<index>(rows.count(row(p))) <= long_row) continue;
      index most = -1;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, team.team_size()),
          [&](int thread, index& mine) {
            index const needed = last_of(row(p), thread, team.team_size());
            mine = needed > mine ? needed : mine;
          },
          Kokkos::Max<index>(most));
      Kokkos::single(Kokkos::PerTeam(team), [&]() { last(p) = most; });
    }
    team.team_barrier();
    index of_chunk = -1, near = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, first, end),
        [&](index p, index& mine) { mine = last(p) > mine ? last(p) : mine; }, Kokkos::Max<index>(of_chunk));
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, first, end), [&](index p, index& sum) { sum += p > 0 && last(p) == p - 1; },
        near);
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      greatest(c) = of_chunk;
      adjacent(c) = near;
      longest(c) = most_entries;
    });
  }
};

/// By one team: the set that begins at `first` ends at the first row after it that needs one from `first` on.
template <class T>
struct CutIntoSets {
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr index chunk = LastNeeded<T>::chunk;
  LastNeeded<T> needed;
  long long limit;  ///< looks for so many
  /// Out: how many sets, whether a row needs the one right before it, and of each set its first place, the entries
  /// before it, and those of its longest row.
  Kokkos::View<long long*, typename T::device> sets;
  static constexpr std::size_t head = 2, numbers = 3;

  /// The first place from `from` on, before `to`, of a row that needs `first` or one after it; else `none`.
  template <class Team>
  KOKKOS_FUNCTION static index find(Team const& team, Kokkos::View<index*, typename T::device> const& needed,
                                    index from, index to, index first, index none) {
    index at = none;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, from, to),
        [&](index s, index& least) {
          if (s < least && needed(s) >= first) least = s;
        },
        Kokkos::Min<index>(at));
    return at < none ? at : none;
  }
  /// Entries of the rows of all places before p.
  KOKKOS_FUNCTION offset entries_before(index p) const {
    auto const& rows = needed.rows;
    index const n = rows.num_rows;
    offset const diagonals = static_cast<offset>(p) * (rows.front + rows.back);
    if (needed.ascending != rows.reversed) return rows.row_ptr(p) - rows.row_ptr(0) - diagonals;
    return rows.row_ptr(n) - rows.row_ptr(n - p) - diagonals;
  }
  /// Set number `which`, of the places from first to next.
  template <class Team>
  KOKKOS_FUNCTION void list(Team const& team, long long which, index first, index next) const {
    std::size_t const at = head + numbers * static_cast<std::size_t>(which);
    if (at + numbers > sets.extent(0)) return;
    index most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, first / chunk, (next - 1) / chunk + 1),
        [&](index c, index& mine) { mine = needed.longest(c) > mine ? needed.longest(c) : mine; },
        Kokkos::Max<index>(most));
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      sets(at) = first;
      sets(at + 1) = entries_before(first);
      sets(at + 2) = most;
    });
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const &last = needed.last, &greatest = needed.greatest, &adjacent = needed.adjacent;
    auto const n = static_cast<index>(last.extent(0)), chunks = static_cast<index>(greatest.extent(0));
    auto const end_of = [&](index c) { return c == chunks - 1 ? n : (c + 1) * chunk; };
    index const width = chunk;
    long long count = 0, near = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, chunks), [&](index c, long long& sum) { sum += adjacent(c); }, near);
    for (index first = 0; first < n && count <= limit; ++count) {
      index next = find(team, last, first + 1, end_of(first / chunk), first, n);
      for (index c = first / chunk + 1; next == n && c<chunks; c = chunks - c> width ? c + width : chunks) {
        index const to = chunks - c > width ? c + width : chunks, in = find(team, greatest, c, to, first, chunks);
        if (in < chunks) next = find(team, last, in * chunk, end_of(in), first, n);
      }
      list(team, count, first, next);
      first = next;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      sets(0) = count;
      sets(1) = near;
    });
  }
};

/// @param entries  off-diagonals of all rows
/// @param limit    looks for so many sets, most_listed at most
/// Cost: a pass over the pattern, and one team's over a number for each row, 6 microseconds a set on an NVIDIA H200;
/// fences.
template <class T>
ConsecutiveSets<T> find_consecutive_sets(typename T::exec_space const& exec, Workspace<T>& work,
                                         OffDiagonals<T> const& rows, bool ascending, long long entries,
                                         long long limit) {
  using index = typename T::index;
  using offset = typename T::offset;
  using Cut = CutIntoSets<T>;
  using Needed = LastNeeded<T>;
  ConsecutiveSets<T> out;
  index const n = rows.num_rows;
  if (n == 0) return out;
  auto const chunks = static_cast<std::size_t>((n - 1) / Needed::chunk + 1);
  auto const most = static_cast<std::size_t>(limit);
  typename Workspace<T>::Scope const scope(work);
  auto const take = [&](std::size_t count) { return work.template take<index>(count); };
  Cut const cut{{rows, ascending, take(static_cast<std::size_t>(n)), take(chunks), take(chunks), take(chunks)},
                limit,
                work.template take<long long>(Cut::head + Cut::numbers * most)};
  int const threads = is_host_space<typename T::exec_space> ? 1 : Needed::gpu_threads;
  Kokkos::parallel_for("sptrsv::color_sets::last_needed", team_policy(exec, static_cast<int>(chunks), threads, 1),
                       cut.needed);
  Kokkos::parallel_for("sptrsv::color_sets::cut_into_sets", team_policy(exec, 1, threads, 1), cut);
  std::vector<long long> found;
  // the first ones at once, since there are few where it matters how long this takes
  for (std::size_t listed = std::min<std::size_t>(ConsecutiveSets<T>::listed_at_once, most), done = 0;;) {
    std::size_t const end = Cut::head + Cut::numbers * listed;
    found.resize(end);
    Kokkos::deep_copy(
        exec, Kokkos::View<long long*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(found.data() + done, end - done),
        Kokkos::subview(cut.sets, std::make_pair(done, end)));
    exec.fence("sptrsv::color_sets: the sets are listed on the host");
    out.count = found[0];
    out.adjacent = found[1] > 0;
    auto const count = static_cast<std::size_t>(out.count);
    if (count > most) return out;
    if (count <= listed) break;
    done = end;
    listed = count;
  }
  for (std::size_t s = 0; s < static_cast<std::size_t>(out.count); ++s) {
    auto const* const numbers = found.data() + Cut::head + Cut::numbers * s;
    out.first.push_back(static_cast<index>(numbers[0]));
    out.before.push_back(static_cast<offset>(numbers[1]));
    out.longest.push_back(static_cast<index>(numbers[2]));
  }
  out.first.push_back(n);
  out.before.push_back(static_cast<offset>(entries));
  return out;
}

/// The same, found once for the planner and for `colorset`.
template <class T>
ConsecutiveSets<T> const& consecutive_sets_of(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                              long long limit = ConsecutiveSets<T>::most_listed) {
  auto const find = [&](long long most) -> ConsecutiveSets<T> const& {
    return analysis.template keep<ConsecutiveSets<T>>("consecutive sets, " + std::to_string(most), [&] {
      return find_consecutive_sets<T>(exec, analysis.workspace(), analysis.rows(exec), analysis.shape().ascending(),
                                      analysis.num_off_diagonals(), most);
    });
  };
  auto const& few = find(ColorSetTuning::many_sets);
  return few.count <= ColorSetTuning::many_sets || limit <= ColorSetTuning::many_sets ? few : find(limit);
}

}  // namespace sptrsv::detail
