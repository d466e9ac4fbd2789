// SPDX-License-Identifier: Apache-2.0
// Sets of consecutive independent rows, counted and listed on the device.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Partition of the rows in solve order: a new set begins at the first row that needs a row of the current set.
template <class T>
struct ConsecutiveSets {
  /// Maximum number of sets that the first search looks for, and that any search does.
  static constexpr int many = 100, most_listed = 4096;
  long long count = 0;    ///< limit + 1 if there are more sets than the limit
  bool adjacent = false;  ///< whether some row needs the row directly before it
  // per set, unless there are more sets than the limit; `first` and `before` end with the totals
  std::vector<typename T::index> first;    ///< first position in solve order
  std::vector<typename T::offset> before;  ///< entries of the rows before the set
  std::vector<typename T::index> longest;  ///< upper bound of the entries of a row, from the chunks that contain the
                                           ///< set
};

/// Kernel with a team per chunk of positions: finds the last position that each row needs, the maximum of these in the
/// chunk, and the number of entries of the chunk's longest row. The whole team works on a long row.
template <class T>
struct LastNeeded {
  using index = typename T::index;
  static constexpr index chunk = 1024;
  static constexpr int gpu_threads = 256;
  static constexpr index long_row = is_host_space<typename T::exec_space> ? std::numeric_limits<index>::max() : 256;
  OffDiagonals<T> rows;
  bool ascending;
  Kokkos::View<index*, typename T::device> last;      // out, by position; -1: none
  Kokkos::View<index*, typename T::device> greatest;  // out, of each chunk
  Kokkos::View<index*, typename T::device> adjacent;  // out, of each chunk: rows that need the row directly before
  Kokkos::View<index*, typename T::device> longest;   // out, of each chunk

  KOKKOS_FORCEINLINE_FUNCTION index row(index p) const { return ascending ? p : rows.num_rows - 1 - p; }
  /// Returns the last position needed by the entries of row i that one of several threads reads.
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

/// Kernel of one team that cuts the positions into sets: the set that starts at `first` ends before the first row that
/// depends on the set.
template <class T>
struct CutIntoSets {
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr index chunk = LastNeeded<T>::chunk;
  LastNeeded<T> needed;
  long long limit;  ///< maximum number of sets to look for
  /// Output: the number of sets, whether a row needs the row directly before it, then `numbers` values per set: its
  /// first position, the entries before it, the entries of its longest row.
  Kokkos::View<long long*, typename T::device> sets;
  static constexpr std::size_t head = 2, numbers = 3;

  /// Returns the first position in [from, to) whose row needs `first` or a later position; otherwise `none`.
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
  /// Returns the number of entries of the rows of all positions before p.
  KOKKOS_FUNCTION offset entries_before(index p) const {
    auto const& rows = needed.rows;
    index const n = rows.num_rows;
    offset const diagonals = static_cast<offset>(p) * (rows.front + rows.back);
    if (needed.ascending != rows.reversed) return rows.row_ptr(p) - rows.row_ptr(0) - diagonals;
    return rows.row_ptr(n) - rows.row_ptr(n - p) - diagonals;
  }
  /// Stores set number `which`, the positions from `first` to `next`.
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

/// Finds the sets of consecutive independent rows.
/// @param entries  off-diagonals of all rows
/// @param limit    maximum number of sets to look for, at most most_listed
/// Cost: one pass over the pattern, then one team reads one number per row, which takes 6 microseconds per set on an
/// NVIDIA H200; fences.
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
  std::vector<long long> found(cut.sets.extent(0));
  Kokkos::deep_copy(
      exec, Kokkos::View<long long*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(found.data(), found.size()), cut.sets);
  exec.fence("sptrsv::color_sets: the sets are listed on the host");
  out.count = found[0];
  out.adjacent = found[1] > 0;
  if (out.count > limit) return out;
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

/// Returns the result of find_consecutive_sets(), which the planner and `colorset` share.
template <class T>
ConsecutiveSets<T> const& consecutive_sets_of(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                              long long limit = ConsecutiveSets<T>::most_listed) {
  auto const find = [&](long long most) -> ConsecutiveSets<T> const& {
    return analysis.template keep<ConsecutiveSets<T>>("consecutive sets, " + std::to_string(most), [&] {
      return find_consecutive_sets<T>(exec, analysis.workspace(), analysis.rows(exec), analysis.shape().ascending(),
                                      analysis.num_off_diagonals(), most);
    });
  };
  constexpr long long many = ConsecutiveSets<T>::many;
  auto const& few = find(many);
  return few.count <= many || limit <= many ? few : find(limit);
}

}  // namespace sptrsv::detail
