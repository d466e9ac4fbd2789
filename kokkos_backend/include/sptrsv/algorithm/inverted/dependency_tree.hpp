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

/// Returns the policy of a kernel with a thread for each of n rows, whose lanes share the row's entries.
template <class E>
auto thread_per_row(E const& exec, long long n) {
  return team_policy(exec, static_cast<int>(n), 1, is_host_space<E> ? 1 : tile_lanes);
}

/// Returns the nodes of a forest in postorder, in which children keep their order.
/// @param parent  of each node, greater than the node; -1 for a root
template <class I>
DependencyTree<I> in_postorder(std::vector<I> const& parent) {
  auto const n = static_cast<I>(parent.size());
  std::vector<I> size(parent.size(), 1), end(parent.size() + 1), number(parent.size());
  for (I j = 0; j < n; ++j)
    if (parent[j] >= 0) size[parent[j]] += size[j];
  end[n] = n;  // behind the last child of each node that is not numbered yet; of the roots at n
  for (I j = n - 1; j >= 0; --j) {
    I& free = end[parent[j] < 0 ? n : parent[j]];
    number[j] = free - 1;
    end[j] = free - 1;
    free -= size[j];
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

/// Returns the tree if op(T) has the pattern of a complete factor: each row needs only rows of its subtree, or only
/// rows of nodes above it. Fences.
/// Cost: two passes over op(T), and n numbers copied to the host and back.
template <class T>
std::optional<DependencyTree<typename T::index>> find_tree(typename T::exec_space const& exec,
                                                           Analysis<T> const& analysis) {
  using index = typename T::index;
  auto const rows = analysis.rows(exec);
  index const n = rows.num_rows;
  bool const ascending = analysis.shape().ascending();
  typename Workspace<T>::Scope const scope(analysis.workspace());
  auto const first_user = analysis.workspace().template take<index>(static_cast<std::size_t>(n));
  auto const last_needed = analysis.workspace().template take<index>(static_cast<std::size_t>(n));
  auto const incomplete = analysis.workspace().template take<int>(1);
  Kokkos::deep_copy(exec, first_user, n);
  auto const turn = KOKKOS_LAMBDA(index i)->index { return ascending ? i : n - 1 - i; };
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  using offset = typename T::offset;
  Kokkos::parallel_for(
      "sptrsv::inverted::parents", thread_per_row(exec, n), KOKKOS_LAMBDA(member const& team) {
        auto const i = static_cast<index>(team.league_rank());
        index const me = turn(i);
        index last = -1;
        offset const begin = rows.begin(i);
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, rows.end(i) - begin),
            [&](offset e, index& most) {
              index const j = turn(rows.col_idx(begin + e));
              if (j > most) most = j;
              if (load_relaxed(&first_user(j)) > me) Kokkos::atomic_min(&first_user(j), me);
            },
            Kokkos::Max<index>(last));
        Kokkos::single(Kokkos::PerThread(team), [&]() { last_needed(me) = last < 0 ? index(-1) : last; });
      });
  auto const users = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first_user);
  auto const needed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), last_needed);
  for (bool const root_first : {false, true}) {
    std::vector<index> parent(static_cast<std::size_t>(n), -1);
    for (index q = 0; q < n; ++q) {
      if (!root_first && users(q) < n) parent[q] = users(q);
      if (root_first && needed(q) >= 0) parent[n - 1 - q] = n - 1 - needed(q);
    }
    auto tree = in_postorder(parent);
    tree.root_first = root_first;
    for (index& row : tree.row) row = (root_first == ascending) ? n - 1 - row : row;
    std::vector<index> node_of(static_cast<std::size_t>(n));
    for (index u = 0; u < n; ++u) node_of[tree.row[u]] = u;
    auto const node = copy_to_device<T>(exec, "sptrsv::inverted::nodes", node_of);
    auto const size = copy_to_device<T>(exec, "sptrsv::inverted::sizes", tree.size);
    Kokkos::deep_copy(exec, incomplete, 0);
    Kokkos::parallel_for(
        "sptrsv::inverted::complete", thread_per_row(exec, n), KOKKOS_LAMBDA(member const& team) {
          auto const i = static_cast<index>(team.league_rank());
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
