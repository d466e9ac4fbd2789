// SPDX-License-Identifier: Apache-2.0
// Rows of incomplete factors with fill, each computed independently from short paths in the matrix' graph.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/lanes.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// Graph of A(row_perm, col_perm), or of its upper triangle with both directions of each edge; neighbors in any order,
/// with or without the vertex itself.
template <class T>
struct FillGraph {
  Kokkos::View<typename T::offset const*, typename T::device> row_ptr;
  Kokkos::View<typename T::index const*, typename T::device> col_idx;
};

struct FillRule {
  int levels = 1;          ///< maximum number of vertices between the ends of a path
  bool symmetric = false;  ///< only entries right of the diagonal
  int lanes_of_vertex = 1;
};

/// Value greater than every column; marks an empty slot or a missing path.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr I no_column() {
  return Kokkos::Experimental::finite_max<I>::value;
}

/// Group of one lane, on a host.
struct OneLane {
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {}
};
/// Group of the lanes of a warp, which is a team.
struct LanesOfWarp {
  int lane, lanes;
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return lane; }
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return lanes; }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const { sync_warp(); }
};
/// Group of the threads of a team.
template <class Team>
struct ThreadsOfTeam {
  Team const& team;
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return team.team_rank(); }
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return team.team_size(); }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const { team.team_barrier(); }
};

enum FillCounter { reached_count, collected_count, overflow, diagonal_there, num_fill_counters };

// A FillTable or a FillArray holds, by column, the vertices that the paths of one row have reached. For a column left
// of the diagonal, `best` is the least bound of the paths to it; the bound of a path is its greatest vertex between the
// ends, or -1 for a path of one edge. Each step queues the columns left of the diagonal whose bound fell, with the new
// bound. Paths grow by one edge per step, so a bound that falls in a step must not count before the next step.

/// Hash table of the reached columns, with open addressing. A row that reaches too many columns overflows.
template <class I>
struct FillTable {
  int slots;  ///< a power of two; at least 256 for the lanes of a warp
  I *key, *best, *seen, *queue;
  int* counters;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int slots) {
    return static_cast<std::size_t>(slots) * 4 * sizeof(I) + num_fill_counters * sizeof(int);
  }
  KOKKOS_INLINE_FUNCTION FillTable(void* memory, int slots_)
      : slots(slots_),
        key(static_cast<I*>(memory)),
        best(key + slots_),
        seen(best + slots_),
        queue(seen + slots_),
        counters(reinterpret_cast<int*>(queue + slots_)) {}

  /// Returns the maximum number of columns. Once there are more, each lane may insert one more column before it notices
  /// the overflow; the remaining slots are for those.
  KOKKOS_FORCEINLINE_FUNCTION int most() const { return slots / 4 * 3; }

  template <class Group>
  KOKKOS_INLINE_FUNCTION void clear(Group const& group) const {
    for (int s = group.rank(); s < slots; s += group.size()) key[s] = best[s] = seen[s] = no_column<I>();
    if (group.rank() == 0)
      for (int c = 0; c < num_fill_counters; ++c) counters[c] = 0;
    group.sync();
  }
  /// Tells whether the row has overflowed; only a hint while lanes are inserting.
  KOKKOS_FORCEINLINE_FUNCTION bool overflows() const { return Kokkos::atomic_load(&counters[overflow]) != 0; }

  KOKKOS_INLINE_FUNCTION void reach(I, I column, I greatest) const {
    unsigned const mask = static_cast<unsigned>(slots) - 1;
    auto s = (static_cast<unsigned>(column) * 2654435761u >> 8) & mask;
    for (;; s = (s + 1) & mask) {
      I found = Kokkos::atomic_load(&key[s]);
      if (found == no_column<I>()) {
        if (overflows()) return;
        found = Kokkos::atomic_compare_exchange(&key[s], no_column<I>(), column);
        if (found == no_column<I>()) {
          if (Kokkos::atomic_fetch_add(&counters[reached_count], 1) >= most())
            Kokkos::atomic_store(&counters[overflow], 1);
          found = column;
        }
      }
      if (found == column) break;
    }
    if (greatest < Kokkos::atomic_load(&best[s])) Kokkos::atomic_min(&best[s], greatest);
  }
  template <class Group>
  KOKKOS_INLINE_FUNCTION int collect(Group const& group, I row) const {
    if (group.rank() == 0) counters[collected_count] = 0;
    group.sync();
    for (int s = group.rank(); s < slots; s += group.size())
      if (key[s] < row && best[s] < seen[s]) {
        seen[s] = best[s];
        queue[Kokkos::atomic_fetch_add(&counters[collected_count], 1)] = static_cast<I>(s);
      }
    group.sync();
    int const count = counters[overflow] ? 0 : counters[collected_count];
    group.sync();
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION I vertex(long long k) const { return key[queue[k]]; }
  KOKKOS_FORCEINLINE_FUNCTION I best_before(long long k) const { return seen[queue[k]]; }
  KOKKOS_FORCEINLINE_FUNCTION void find_diagonal() const { Kokkos::atomic_store(&counters[diagonal_there], 1); }

  /// Tells whether slot s has an entry of the factors.
  KOKKOS_FORCEINLINE_FUNCTION bool is_entry(int s, I row, bool symmetric) const {
    return key[s] == no_column<I>() ? false : key[s] > row || (!symmetric && best[s] < key[s]);
  }
};

/// Array with an element per column, for the reached columns.
/// @tparam Shared  whether several lanes use it
template <class I, bool Shared>
struct FillArray {
  I* best;                                ///< n; all are no_column() before and after each row
  I *left, *seen, *queue;                 ///< n each: the columns reached left of the diagonal, with their data
  long long* counters;                    ///< num_fill_counters
  I* right = nullptr;                     ///< n, columns right of the diagonal, or null
  long long num_left = 0, num_right = 0;  ///< lengths of `left` and `right`, unless Shared

  template <class Group>
  KOKKOS_INLINE_FUNCTION void clear(Group const& group) {
    if (group.rank() == 0)
      for (int c = 0; c < num_fill_counters; ++c) counters[c] = 0;
    num_left = num_right = 0;
    group.sync();
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool overflows() { return false; }
  KOKKOS_FORCEINLINE_FUNCTION static long long next(long long* counter) {
    if constexpr (Shared) return Kokkos::atomic_fetch_add(counter, 1LL);
    else return (*counter)++;
  }
  KOKKOS_FORCEINLINE_FUNCTION void reach(I row, I column, I greatest) {
    I before = best[column];
    if (before <= greatest) return;
    if constexpr (Shared) before = Kokkos::atomic_fetch_min(&best[column], greatest);
    else best[column] = greatest;
    if (before != no_column<I>()) return;
    if (column < row) {
      auto const at = Shared ? next(&counters[reached_count]) : num_left++;
      left[at] = column;
      seen[at] = no_column<I>();
    } else if constexpr (!Shared) {
      right[num_right++] = column;
    }
  }
  template <class Group>
  KOKKOS_INLINE_FUNCTION long long collect(Group const& group, I) const {
    if (group.rank() == 0) counters[collected_count] = 0;
    group.sync();
    long long const reached = Shared ? counters[reached_count] : num_left;
    for (long long k = group.rank(); k < reached; k += group.size()) {
      I const now = best[left[k]];
      if (now < seen[k]) {
        seen[k] = now;
        queue[next(&counters[collected_count])] = static_cast<I>(k);
      }
    }
    group.sync();
    auto const count = counters[collected_count];
    group.sync();
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION I vertex(long long k) const { return left[queue[k]]; }
  KOKKOS_FORCEINLINE_FUNCTION I best_before(long long k) const { return seen[queue[k]]; }
  KOKKOS_FORCEINLINE_FUNCTION void find_diagonal() const {
    if constexpr (Shared) Kokkos::atomic_store(&counters[diagonal_there], 1LL);
    else counters[diagonal_there] = 1;
  }
};

/// Finds the entries of row i of the factors with fill of level `rule.levels`: entry (i, j) exists if a path leads from
/// i to j with at most `levels` vertices in between, all less than i and j. No row waits for another row, and one
/// search finds the row of L and the row of U. Of several paths of equal length, the one whose greatest vertex in
/// between is least decides whether j is an entry. The diagonal entry exists if A has it or, unless symmetric, if such
/// a path leads from i back to i.
/// @param group  lanes that share the row; all of them call
/// @param store  cleared; incomplete if it overflows
///
/// Source: D. J. Rose and R. E. Tarjan, SIAM J. Appl. Math. 34 (1978), for complete factors; D. Hysom and A. Pothen,
/// Lawrence Livermore National Laboratory UCRL-JC-150789 (2002), for levels lev(i, j) = min over k of lev(i, k) +
/// lev(k, j) + 1. Difference: the search carries the greatest vertex of each path, so no second search in the
/// transposed graph is needed.
template <class T, class Group, class Store>
KOKKOS_INLINE_FUNCTION void follow_paths(Group const& group, FillGraph<T> const& graph, FillRule const rule,
                                         typename T::index i, Store& store) {
  using index = typename T::index;
  using offset = typename T::offset;
  bool diagonal = false;
  for (offset k = graph.row_ptr(i) + group.rank(); k < graph.row_ptr(i + 1) && !store.overflows(); k += group.size()) {
    index const j = graph.col_idx(k);
    if (j == i) diagonal = true;
    else store.reach(i, j, index(-1));
  }
  group.sync();
  int const lanes = rule.lanes_of_vertex < group.size() ? rule.lanes_of_vertex : group.size();
  for (int step = 1; step <= rule.levels; ++step) {
    auto const count = store.collect(group, i);
    if (count == 0) break;
    bool const last = step == rule.levels;
    for (long long f = group.rank() / lanes; f < count; f += group.size() / lanes) {
      index const v = store.vertex(f), before = store.best_before(f);
      index const greatest = rule.symmetric ? index(-1) : before > v ? before : v;
      offset const end = graph.row_ptr(v + 1);
      for (offset k = graph.row_ptr(v) + group.rank() % lanes; k < end && !store.overflows(); k += lanes) {
        index const j = graph.col_idx(k);
        if (j == i) diagonal = diagonal || !rule.symmetric;
        else if (j > i) store.reach(i, j, index(-1));
        else if (!last || (greatest < j && !rule.symmetric)) store.reach(i, j, greatest);
      }
    }
    group.sync();
  }
  if (diagonal) store.find_diagonal();
  group.sync();
}

/// Sorts v[0..size), size a power of two, by a sorting network, whose work the lanes share.
template <class I, class Group>
KOKKOS_INLINE_FUNCTION void sort_by_lanes(Group const& group, I* v, int size) {
  for (int run = 2; run <= size; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int t = group.rank(); t < size / 2; t += group.size()) {
        int const a = 2 * t - (t & (distance - 1)), b = a + distance;
        I const first = v[a], second = v[b];
        if ((first > second) == ((a & run) == 0)) {
          v[a] = second;
          v[b] = first;
        }
      }
      group.sync();
    }
}

}  // namespace sptrsv::detail
