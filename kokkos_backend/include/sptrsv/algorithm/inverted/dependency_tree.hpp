// SPDX-License-Identifier: Apache-2.0
// The tree of dependencies of a complete factor: its elimination tree.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <vector>

#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/tile_lanes.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Tree of op(T)'s rows, nodes numbered in postorder: the subtree of node u has the nodes u - size + 1 to u.
template <class I>
struct DependencyTree {
  bool root_first = false;  ///< rows need rows of nodes above theirs, as in L^T; otherwise below theirs, as in L
  std::vector<I> parent;    ///< by node; -1 for a root
  std::vector<I> size;      ///< by node: nodes of its subtree
  std::vector<I> row;       ///< by node

  I num_nodes() const { return static_cast<I>(row.size()); }
};

/// Returns the policy of a kernel with a thread for each of n rows, whose lanes share the row's entries. The last
/// threads may have no row, see row_of().
/// @param scratch  bytes of scratch memory of each thread
template <class E>
auto thread_per_row(E const& exec, long long n, std::size_t scratch = 0) {
  constexpr int threads = is_gpu<E> ? 8 : 1;
  return team_policy(exec, static_cast<int>((n + threads - 1) / threads), threads, is_host_space<E> ? 1 : tile_lanes,
                     threads * scratch);
}
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION long long row_of(Team const& team) {
  return static_cast<long long>(team.league_rank()) * team.team_size() + team.team_rank();
}

/// Returns the nodes of a forest in postorder. The child with the largest subtree comes last, just before its parent;
/// the others keep their order.
/// @param parent  of each node, greater than the node; -1 for a root
template <class I>
DependencyTree<I> in_postorder(std::vector<I> const& parent) {
  auto const n = static_cast<I>(parent.size());
  std::vector<I> size(parent.size(), 1), end(parent.size() + 1), number(parent.size()), largest(parent.size(), -1);
  for (I j = 0; j < n; ++j) {
    I const p = parent[j];
    if (p < 0) continue;
    size[p] += size[j];
    if (largest[p] < 0 || size[j] >= size[largest[p]]) largest[p] = j;
  }
  end[n] = n;  // behind the last child of each node that is not numbered yet; of the roots at n
  for (I j = n - 1; j >= 0; --j) {
    I const p = parent[j];
    if (p >= 0 && largest[p] == j) {
      number[j] = number[p] - 1;
    } else {
      I& free = end[p < 0 ? n : p];
      number[j] = free - 1;
      free -= size[j];
    }
    end[j] = largest[j] < 0 ? number[j] : number[j] - size[largest[j]];
  }
  DependencyTree<I> tree;
  tree.parent.resize(parent.size());
  tree.size.resize(parent.size());
  tree.row.resize(parent.size());
  for (I j = 0; j < n; ++j) {
    tree.parent[number[j]] = parent[j] < 0 ? I(-1) : number[parent[j]];
    tree.size[number[j]] = size[j];
    tree.row[number[j]] = j;
  }
  return tree;
}

/// Kernel: refutes that op(T) has a tree, by a sample of rows: going from a row's first column to parents must lead to
/// the row, or, root first, from the row to the column. Rows are numbered in the order of the solve.
template <class T>
struct RefuteTree {
  using index = typename T::index;
  static constexpr int every = 16, steps = 64;
  Kokkos::View<index*, typename T::device> first_user, first_needed, last_needed;
  Kokkos::View<int*, typename T::device> refuted;  ///< whether the tree is refuted, leaves first and root first

  KOKKOS_FUNCTION void operator()(index sample) const {
    index const me = sample * every, column = first_needed(me);
    if (column < 0) return;
    index up = column, down = me;
    for (int step = 0; step < steps; ++step) {
      if (up < me) up = first_user(up);
      if (down > column) down = last_needed(down);
    }
    if (up > me) store_relaxed(&refuted(0), 1);
    if (down < column) store_relaxed(&refuted(1), 1);
  }
};

/// Returns the tree if op(T) has the pattern of a complete factor: each row needs only rows of its subtree, or only
/// rows of nodes above it. Fences.
/// Cost: a pass over op(T); if there is a tree, another one, and n numbers copied to the host and back.
template <class T>
std::optional<DependencyTree<typename T::index>> find_tree(typename T::exec_space const& exec,
                                                           Analysis<T> const& analysis) {
  using index = typename T::index;
  auto const rows = analysis.rows(exec);
  index const n = rows.num_rows;
  bool const ascending = analysis.shape().ascending();
  auto& work = analysis.workspace();
  typename Workspace<T>::Scope const scope(work);
  auto const first_user = work.template take<index>(static_cast<std::size_t>(n));
  auto const first_needed = work.template take<index>(static_cast<std::size_t>(n));
  auto const last_needed = work.template take<index>(static_cast<std::size_t>(n));
  auto const incomplete = work.template take<int>(2);
  Kokkos::deep_copy(exec, first_user, n);
  Kokkos::deep_copy(exec, incomplete, 0);
  auto const turn = KOKKOS_LAMBDA(index i)->index { return ascending ? i : n - 1 - i; };
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  using offset = typename T::offset;
  Kokkos::parallel_for(
      "sptrsv::inverted::parents", thread_per_row(exec, n), KOKKOS_LAMBDA(member const& team) {
        auto const i = static_cast<index>(row_of(team));
        if (i >= n) return;
        index const me = turn(i);
        Kokkos::MinMaxScalar<index> needed;
        offset const begin = rows.begin(i), count = rows.end(i) - begin;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, count),
            [&](offset e, Kokkos::MinMaxScalar<index>& range) {
              index const j = turn(rows.col_idx(begin + e));
              range.min_val = j < range.min_val ? j : range.min_val;
              range.max_val = j > range.max_val ? j : range.max_val;
              if (load_relaxed(&first_user(j)) > me) Kokkos::atomic_min(&first_user(j), me);
            },
            Kokkos::MinMax<index>(needed));
        Kokkos::single(Kokkos::PerThread(team), [&]() {
          first_needed(me) = count > 0 ? needed.min_val : index(-1);
          last_needed(me) = count > 0 ? needed.max_val : index(-1);
        });
      });
  Kokkos::parallel_for("sptrsv::inverted::refute", row_range<T>(exec, n / RefuteTree<T>::every),
                       RefuteTree<T>{first_user, first_needed, last_needed, incomplete});
  auto const refuted = copy_to_host(exec, incomplete);
  for (bool const root_first : {false, true}) {
    if (refuted[root_first]) continue;
    std::vector<index> parent(static_cast<std::size_t>(n), -1);
    auto const next = copy_to_host(exec, root_first ? last_needed : first_user);
    for (index q = 0; q < n; ++q) {
      if (!root_first && next[q] < n) parent[q] = next[q];
      if (root_first && next[q] >= 0) parent[n - 1 - q] = n - 1 - next[q];
    }
    auto tree = in_postorder(parent);
    tree.root_first = root_first;
    if (root_first == ascending)
      for (index& row : tree.row) row = n - 1 - row;
    auto const row = copy_to_device<T>(exec, "sptrsv::inverted::rows", tree.row);
    auto const node = work.template take<index>(static_cast<std::size_t>(n));
    Kokkos::parallel_for(
        "sptrsv::inverted::nodes", row_range<T>(exec, n), KOKKOS_LAMBDA(index u) { node(row(u)) = u; });
    auto const size = copy_to_device<T>(exec, "sptrsv::inverted::sizes", tree.size);
    Kokkos::deep_copy(exec, incomplete, 0);
    Kokkos::parallel_for(
        "sptrsv::inverted::complete", thread_per_row(exec, n), KOKKOS_LAMBDA(member const& team) {
          auto const i = static_cast<index>(row_of(team));
          if (i >= n) return;
          index const mine = node(i);
          offset const begin = rows.begin(i);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows.end(i) - begin), [&](offset e) {
            index const other = node(rows.col_idx(begin + e)), top = root_first ? other : mine,
                        below = root_first ? mine : other;
            if (below >= top || below <= top - size(top)) Kokkos::atomic_store(&incomplete(0), 1);
          });
        });
    int any = 0;
    Kokkos::deep_copy(exec, any, Kokkos::subview(incomplete, 0));
    exec.fence("sptrsv::inverted: whether the factor is complete is needed on the host");
    if (any == 0) return tree;
  }
  return {};
}

}  // namespace sptrsv::detail
