// SPDX-License-Identifier: Apache-2.0
// Sets of consecutive rows that do not need each other, counted and listed on the device.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// The order of the solve, cut where a row needs one of its set.
template <class T>
struct ConsecutiveSets {
  static constexpr int most_listed = 4096;
  long long count = 0;
  bool adjacent = false;  ///< some row needs the one right before it
  // where there are at most `most_listed` sets, by set, and at the end of all:
  std::vector<typename T::index> first;    ///< place in the order of the solve
  std::vector<typename T::offset> before;  ///< entries of the rows before it
};

/// By one team: the set that begins at `first` ends at the first row after it that needs one from `first` on.
template <class T>
struct CutIntoSets {
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr index chunk = 1024;
  static constexpr int gpu_threads = 256;
  OffDiagonals<T> rows;
  bool ascending;
  Kokkos::View<index*, typename T::device> last;      // by place the last place that its row needs, -1: none
  Kokkos::View<index*, typename T::device> greatest;  // of each chunk of them
  Kokkos::View<index*, typename T::device> list;      // out: first places
  Kokkos::View<offset*, typename T::device> before;   // out
  Kokkos::View<long long*, typename T::device> sets;  // out: one

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
    index const n = rows.num_rows;
    offset const diagonals = static_cast<offset>(p) * (rows.front + rows.back);
    if (ascending != rows.reversed) return rows.row_ptr(p) - rows.row_ptr(0) - diagonals;
    return rows.row_ptr(n) - rows.row_ptr(n - p) - diagonals;
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const n = static_cast<index>(last.extent(0)), chunks = static_cast<index>(greatest.extent(0));
    auto const end_of = [&](index c) { return c == chunks - 1 ? n : (c + 1) * chunk; };
    index const width = chunk;
    long long count = 0;
    for (index first = 0; first < n; ++count) {
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        if (count >= static_cast<long long>(list.extent(0))) return;
        list(count) = first;
        before(count) = entries_before(first);
      });
      index next = find(team, last, first + 1, end_of(first / chunk), first, n);
      for (index c = first / chunk + 1; next == n && c<chunks; c = chunks - c> width ? c + width : chunks) {
        index const to = chunks - c > width ? c + width : chunks, in = find(team, greatest, c, to, first, chunks);
        if (in < chunks) next = find(team, last, in * chunk, end_of(in), first, n);
      }
      first = next;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { sets(0) = count; });
  }
};

/// @param entries  off-diagonals of all rows. Cost: a pass over the pattern, and one team's over a number for each row;
/// fences.
template <class T>
ConsecutiveSets<T> find_consecutive_sets(typename T::exec_space const& exec, Workspace<T>& work,
                                         OffDiagonals<T> const& rows, bool ascending, long long entries) {
  using index = typename T::index;
  using offset = typename T::offset;
  ConsecutiveSets<T> out;
  index const n = rows.num_rows;
  if (n == 0) return out;
  constexpr index chunk = CutIntoSets<T>::chunk;
  constexpr bool host = is_host_space<typename T::exec_space>;
  index const chunks = (n - 1) / chunk + 1;
  typename Workspace<T>::Scope const scope(work);
  std::size_t const most = static_cast<std::size_t>(ConsecutiveSets<T>::most_listed) + 1;
  CutIntoSets<T> const cut{rows,
                           ascending,
                           work.template take<index>(static_cast<std::size_t>(n)),
                           work.template take<index>(static_cast<std::size_t>(chunks)),
                           work.template take<index>(most),
                           work.template take<offset>(most),
                           work.template take<long long>(1)};
  auto const last = cut.last, greatest = cut.greatest;
  long long adjacent = 0;
  Kokkos::parallel_reduce(
      "sptrsv::color_sets::last_needed", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index p, long long& sum) {
        index const i = ascending ? p : n - 1 - p;
        index most_needed = -1;
        for (auto k = rows.begin(i); k < rows.end(i); ++k) {
          index const needed = ascending ? rows.col_idx(k) : n - 1 - rows.col_idx(k);
          if (needed > most_needed) most_needed = needed;
        }
        last(p) = most_needed;
        sum += p > 0 && most_needed == p - 1;
      },
      adjacent);
  out.adjacent = adjacent > 0;
  int const threads = host ? 1 : CutIntoSets<T>::gpu_threads;
  Kokkos::parallel_for(
      "sptrsv::color_sets::greatest", team_policy(exec, static_cast<int>(chunks), threads, 1),
      KOKKOS_LAMBDA(typename Kokkos::TeamPolicy<typename T::exec_space>::member_type const& team) {
        auto const c = static_cast<index>(team.league_rank());
        index const first = c * chunk, end = n - first < chunk ? n : first + chunk;
        index of_chunk = -1;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, first, end),
            [&](index p, index& mine) { mine = last(p) > mine ? last(p) : mine; }, Kokkos::Max<index>(of_chunk));
        Kokkos::single(Kokkos::PerTeam(team), [&]() { greatest(c) = of_chunk; });
      });
  Kokkos::parallel_for("sptrsv::color_sets::cut_into_sets", team_policy(exec, 1, threads, 1), cut);
  Kokkos::deep_copy(exec, out.count, Kokkos::subview(cut.sets, 0));
  exec.fence("sptrsv::color_sets: the number of sets is used on the host");
  if (out.count > ConsecutiveSets<T>::most_listed) return out;
  auto const listed = static_cast<std::size_t>(out.count);
  out.first.resize(listed + 1, n);
  out.before.resize(listed + 1, static_cast<offset>(entries));
  auto const to_host = [&](auto& to, auto const& from) {
    using value = typename std::remove_reference_t<decltype(to)>::value_type;
    Kokkos::deep_copy(exec, Kokkos::View<value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to.data(), listed),
                      Kokkos::subview(from, std::make_pair(std::size_t(0), listed)));
  };
  to_host(out.first, cut.list);
  to_host(out.before, cut.before);
  exec.fence("sptrsv::color_sets: the sets are listed on the host");
  return out;
}

/// The same, found once for the planner and for `colorset`.
template <class T>
ConsecutiveSets<T> const& consecutive_sets_of(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  return analysis.template keep<ConsecutiveSets<T>>("consecutive sets", [&] {
    return find_consecutive_sets<T>(exec, analysis.workspace(), analysis.rows(exec), analysis.shape().ascending(),
                                    analysis.num_off_diagonals());
  });
}

}  // namespace sptrsv::detail
