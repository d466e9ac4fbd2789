// SPDX-License-Identifier: Apache-2.0
// Levels of nodes, which are single rows or tile rows, optionally if only a limited number of nodes runs at a time.
#pragma once

#include <algorithm>

#include "sptrsv/device/depth_sweep.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/level_sets.hpp"

namespace sptrsv::detail {

/// Position of each row, and row at each position (-1: none).
template <class T>
struct RowPositions {
  Kokkos::View<typename T::index*, typename T::device> position, row;
};

/// Rows of op(T) in solve order, `group` positions per node. A node needs only earlier nodes.
template <class T>
struct Nodes {
  using index = typename T::index;
  OffDiagonals<T> rows;
  RowPositions<T> order;  ///< empty: natural order
  bool ascending;
  index group = 1;
  double mean_row = 0;  ///< mean number of entries

  index count() const {
    index const positions = order.row.data() ? static_cast<index>(order.row.extent(0)) : rows.num_rows;
    return positions == 0 ? 0 : (positions - 1) / group + 1;
  }
  /// Returns the row of a position, -1 for none.
  KOKKOS_FUNCTION index row(index position) const {
    if (order.row.data()) return order.row(position);
    if (position >= rows.num_rows) return -1;
    return ascending ? position : rows.num_rows - 1 - position;
  }
  KOKKOS_FUNCTION index node_of(index row) const {
    return (order.row.data() ? order.position(row) : ascending ? row : rows.num_rows - 1 - row) / group;
  }
};

/// Kernel that computes the level of each node. A node also waits for the node `window` nodes before it. With several
/// lanes per node, a row that is far longer than others gets all lanes. Other rows get a few lanes each, so that the
/// node polls for several rows at a time.
template <class T>
struct NodeSweep {
  using index = typename T::index;
  using offset = typename T::offset;
  Nodes<T> nodes;
  Kokkos::View<index*, typename T::device> level_of;  // level of each node; -1: not known yet
  Kokkos::View<int, typename T::device> over;         // 1: there are more levels than the limit, and all threads stop
  index window, limit;
  offset long_row;
  int lanes;

  /// Cursor over a lane's entries of a node, row after row.
  struct Entries {
    index r = 0;
    offset k = 0, end = 0, step = 1;
  };
  KOKKOS_FUNCTION void start_row(index node, int lane, Entries& e) const {
    int const r = static_cast<int>(e.r++);
    index const row = nodes.row(node * nodes.group + r);
    if (row < 0) return;
    int const rows_side_by_side = lanes < static_cast<int>(nodes.group) ? lanes : static_cast<int>(nodes.group);
    bool const by_all = nodes.rows.count(row) > long_row;
    if (!by_all && r % rows_side_by_side != lane % rows_side_by_side) return;
    e.k = nodes.rows.begin(row) + (by_all ? lane : lane / rows_side_by_side);
    e.end = nodes.rows.end(row);
    e.step = by_all ? lanes : lanes / rows_side_by_side;
  }
  /// Fills an empty batch with the other nodes that the next entries need.
  KOKKOS_FUNCTION void next_nodes(index node, int lane, Entries& e, NeededRows<index>& batch) const {
    unsigned have = 0;
    for (int u = 0; u < batch.batch; ++u) {
      while (e.k >= e.end && e.r < nodes.group) start_row(node, lane, e);
      batch.row[u] = 0;  // saves three registers, which would cost a quarter of the warps
      if (e.k >= e.end) continue;
      batch.row[u] = nodes.rows.col_idx(e.k);
      e.k += e.step;
      have |= 1u << u;
    }
    for (int u = 0; u < batch.batch; ++u)
      if (have & (1u << u)) {
        index const needed = nodes.node_of(batch.row[u]);
        if (needed != node) batch.add(u, needed);
      }
  }
  KOKKOS_FUNCTION bool at_end(Entries const& e) const { return e.k >= e.end && e.r >= nodes.group; }

  KOKKOS_FUNCTION index level_of_part(index node, int lane) const {
    index level = 0;
    NeededRows<index> first;
    if (node >= window) first.add(0, static_cast<index>(node - window));
    Entries entries;
    await_depths(
        node, first, level_of, index(-1),
        [&](NeededRows<index>& batch) {
          while (batch.missed == 0 && !at_end(entries)) next_nodes(node, lane, entries, batch);
          return batch.missed != 0 && (limit == 0 || load_relaxed(over.data()) == 0);
        },
        [&](index, index below) {
          if (below >= level) level = below + 1;
        },
        [&] {
          if (lanes == 1) store_level(node, level);
        });
    return level;
  }
  KOKKOS_FUNCTION void store_level(index node, index level) const {
    if (limit > 0 && level >= limit) store_relaxed(over.data(), 1);
    store_relaxed(&level_of(node), level);
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    publish_depths(
        team, first, last, lanes, [&](index node, int lane) { return level_of_part(node, lane); },
        [&](index node, index level) { store_level(node, level); });
  }
};

template <class T>
struct NodeLevels {
  Kokkos::View<typename T::index*, typename T::device> level_of;
  long long levels = 0;
};

/// Computes levels of nodes. Cost: one sweep over the rows; allocates a number per node, fences.
/// @param window    maximum number of nodes that run at a time; 0: unlimited
/// @param by_warps  on a GPU a warp per node, otherwise a thread: better for nodes with many entries
/// @param limit     if not 0, the search stops once there are more levels: `levels` is then some number greater than
/// `limit`, and `level_of` is incomplete
template <class T>
NodeLevels<T> find_node_levels(typename T::exec_space const& exec, Nodes<T> const& nodes, long long window,
                               bool by_warps, long long limit = 0) {
  using index = typename T::index;
  index const count = nodes.count();
  NodeLevels<T> out;
  if (count == 0) return out;
  out.level_of =
      raw_view<decltype(out.level_of)>(exec, "sptrsv::node_levels::level_of", static_cast<std::size_t>(count));
  Kokkos::deep_copy(exec, out.level_of, index(-1));
  Kokkos::View<int, typename T::device> const over("sptrsv::node_levels::over");
  Tickets<T> tickets(exec);
  auto const shape = depth_sweep_shape<T>(exec, count, by_warps);
  index const most_working = window > 0 && window < count ? static_cast<index>(window) : count;
  index const most_levels = limit > 0 && limit < count ? static_cast<index>(limit) : index(0);
  auto const long_row = static_cast<typename T::offset>(std::max(4.0 * shape.lanes, 8 * nodes.mean_row));
  for_each_ticket<T>("sptrsv::node_levels::sweep", exec, tickets, shape, count,
                     NodeSweep<T>{nodes, out.level_of, over, most_working, most_levels, long_row, shape.lanes});
  out.levels = static_cast<long long>(deepest_level<T>(exec, out.level_of)) + 1;
  return out;
}

}  // namespace sptrsv::detail
