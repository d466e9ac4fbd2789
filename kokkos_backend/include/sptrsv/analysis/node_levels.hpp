// SPDX-License-Identifier: Apache-2.0
// Levels of nodes of several rows each, or of rows of which only a window is at work: what the planner counts.
#pragma once

#include <algorithm>
#include <string>

#include "sptrsv/analysis/tile_order.hpp"
#include "sptrsv/detail/lanes.hpp"
#include "sptrsv/detail/publish.hpp"
#include "sptrsv/detail/tickets.hpp"

namespace sptrsv::detail {

/// Rows of op(T) in the order of their solution, `group` positions to a node; a node needs nodes before it alone.
template <class T>
struct Nodes {
  using index = typename T::index;
  OffDiagonals<T> rows;
  RowPositions<T> order;  ///< or nothing: rows in their own order
  bool ascending;
  index group = 1;

  index count() const {
    index const positions = order.row.data() ? static_cast<index>(order.row.extent(0)) : rows.num_rows;
    return positions == 0 ? 0 : (positions - 1) / group + 1;
  }
  /// The row of a position, -1 for none.
  KOKKOS_FUNCTION index row(index position) const {
    if (order.row.data()) return order.row(position);
    if (position >= rows.num_rows) return -1;
    return ascending ? position : rows.num_rows - 1 - position;
  }
  KOKKOS_FUNCTION index node_of(index row) const {
    return (order.row.data() ? order.position(row) : ascending ? row : rows.num_rows - 1 - row) / group;
  }
};

/// A node also waits for the one `window` nodes before it. A lane never spins on a node, since with one lane to a node the
/// other threads of its warp may have what it needs: it looks, and looks again. With more lanes a long row goes to all of
/// them, any other to a few.
template <class T>
struct NodeSweep {
  using index = typename T::index;
  using offset = typename T::offset;
  Nodes<T> nodes;
  Kokkos::View<index*, typename T::device> level_of;  // of nodes; -1: not known yet
  index window;
  int lanes;

  /// The entries k, k + step .. end of row r of a node that are this lane's.
  KOKKOS_FUNCTION void start_row(index node, index r, int lane, offset& k, offset& end, offset& step) const {
    index const row = nodes.row(node * nodes.group + r);
    if (row < 0) return;
    int const rows_at_once = lanes < static_cast<int>(nodes.group) ? lanes : static_cast<int>(nodes.group);
    bool const by_all = nodes.rows.count(row) > 4 * lanes;
    if (!by_all && static_cast<int>(r) % rows_at_once != lane % rows_at_once) return;
    k = nodes.rows.begin(row) + (by_all ? lane : lane / rows_at_once);
    end = nodes.rows.end(row);
    step = by_all ? lanes : lanes / rows_at_once;
  }
  KOKKOS_FUNCTION index level_of_part(index node, int lane) const {
    index r = 0, level = 0, awaited = node - window;
    offset k = 0, end = 0, step = 1;
    Backoff wait;
    while (true) {
      if (awaited < 0) {
        while (k >= end && r < nodes.group) start_row(node, r++, lane, k, end, step);
        if (k >= end) {
          if (lanes == 1) post(&level_of(node), level);  // here, where threads of the same warp may still look for it
          return level;
        }
        awaited = nodes.node_of(nodes.rows.col_idx(k));
        k += step;
        if (awaited == node) awaited = -1;
        if (awaited < 0) continue;
      }
      index const needed = peek(&level_of(awaited));
      if (needed < 0) {
        wait(node);
        continue;
      }
      if (needed >= level) level = needed + 1;
      awaited = -1;
    }
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index node) {
      if (lanes == 1) {
        level_of_part(node, 0);
        return;
      }
      index const level = max_over_lanes<index>(team, lanes, [&](int lane) { return level_of_part(node, lane); });
      if (lane_of(team) == 0) post(&level_of(node), level);
    });
  }
};

template <class T>
struct NodeLevels {
  Kokkos::View<typename T::index*, typename T::device> level_of;
  long long levels = 0;
};

/// Levels of nodes of which at most `window` are at work at once, 0 for any number.
/// @param by_warps  on a GPU a warp has a node, else a thread: better where nodes have many entries.
/// Cost: one sweep over the rows; allocates a number per node, fences.
template <class T>
NodeLevels<T> find_node_levels(typename T::exec_space const& exec, Nodes<T> const& nodes, long long window, bool by_warps) {
  using index = typename T::index;
  index const count = nodes.count();
  NodeLevels<T> out;
  if (count == 0) return out;
  out.level_of = decltype(out.level_of)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::planner::level_of")),
                                        static_cast<std::size_t>(count));
  auto const level_of = out.level_of;
  Kokkos::deep_copy(exec, level_of, index(-1));
  Tickets<T> tickets(exec);
  auto shape = thread_per_row_shape<T>(exec, count, 0);
  if (by_warps && !is_host_space<typename T::exec_space>) {
    shape = {1, 1, Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(), 1};
    shape.teams = number_of_teams<T>(exec, count, shape);
  }
  index const at_once = window > 0 && window < count ? static_cast<index>(window) : count;
  for_each_ticket<T>("sptrsv::planner::node_sweep", exec, tickets, shape, count, NodeSweep<T>{nodes, level_of, at_once, shape.lanes});
  index deepest = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::deepest", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, count),
      KOKKOS_LAMBDA(index i, index & most) { most = level_of(i) > most ? level_of(i) : most; }, Kokkos::Max<index>(deepest));
  exec.fence("sptrsv::planner: the number of levels is needed");
  out.levels = static_cast<long long>(deepest) + 1;
  return out;
}

/// The sum over levels of the most stretches that a node of the level has: entries of a row, as they lie in memory, in the
/// same node, not its own. Cost: a pass over the rows; allocates two numbers per node, fences.
template <class T>
long long sum_of_most_stretches(typename T::exec_space const& exec, Nodes<T> const& nodes, NodeLevels<T> const& levels) {
  using index = typename T::index;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  if (levels.levels == 0) return 0;
  index const count = nodes.count();
  Kokkos::View<index*, typename T::device> stretches("sptrsv::planner::stretches", static_cast<std::size_t>(count));
  Kokkos::View<index*, typename T::device> most("sptrsv::planner::most", static_cast<std::size_t>(levels.levels));
  auto const level_of = levels.level_of;
  Kokkos::parallel_for(
      "sptrsv::planner::stretches", policy(exec, 0, nodes.rows.num_rows), KOKKOS_LAMBDA(index row) {
        index const own = nodes.node_of(row);
        index last = own, found = 0;
        for (auto k = nodes.rows.begin(row); k < nodes.rows.end(row); ++k) {
          index const node = nodes.node_of(nodes.rows.col_idx(k));
          found += node != last && node != own;
          last = node;
        }
        if (found > 0) Kokkos::atomic_add(&stretches(own), found);
      });
  Kokkos::parallel_for(
      "sptrsv::planner::most", policy(exec, 0, count), KOKKOS_LAMBDA(index node) { Kokkos::atomic_max(&most(level_of(node)), stretches(node)); });
  long long sum = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::sum_of_most", policy(exec, 0, static_cast<index>(levels.levels)), KOKKOS_LAMBDA(index l, long long& all) { all += most(l); }, sum);
  exec.fence("sptrsv::planner: the stretches go");
  return sum;
}

}  // namespace sptrsv::detail
