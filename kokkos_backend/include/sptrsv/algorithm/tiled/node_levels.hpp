// SPDX-License-Identifier: Apache-2.0
// Levels of nodes of several rows each, such as tile rows, or of rows of which only a window is at work: what the
// planner counts, and the order in which tile rows are solved.
#pragma once

#include <algorithm>
#include <string>

#include "sptrsv/algorithm/tiled/tile_order.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/tickets.hpp"

namespace sptrsv {

/// Tile rows by block level: at(q) is the q-th to be solved, by its positions (16 of each); rank(at(q)) is q.
template <class T>
struct BlockOrder {
  typename T::index num_tile_rows = 0;
  Kokkos::View<typename T::index*, typename T::device> at, rank;
  std::vector<typename T::index> level_ptr;  ///< tile rows by level, on the host

  typename T::index num_levels() const { return static_cast<typename T::index>(level_ptr.size()) - 1; }
};

namespace detail {

/// Rows of op(T) in the order of their solution, `group` positions to a node; a node needs nodes before it alone.
template <class T>
struct Nodes {
  using index = typename T::index;
  OffDiagonals<T> rows;
  RowPositions<T> order;  ///< or nothing: rows in their own order
  bool ascending;
  index group = 1;
  double mean_row = 0;  ///< entries

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

/// A node also waits for the one `window` nodes before it. With one lane to a node, threads of the same warp have other
/// nodes that this one may need, so a lane never loops on one level alone: it polls a batch of needed nodes, takes
/// those that are known, and goes on. With more lanes the entries of a row far longer than others are shared by all of
/// them, those of any other row by a few, so that several rows are polled for together.
template <class T>
struct NodeSweep {
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr int batch = 4;
  Nodes<T> nodes;
  Kokkos::View<index*, typename T::device> level_of;  // of nodes; -1: not known yet
  Kokkos::View<int, typename T::device> over;         // 1: there are levels beyond the limit, and all stop
  index window, limit;
  offset long_row;
  int lanes;

  /// The entries of a node that are one lane's, row after row.
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
  /// The nodes of the next entries; a bit for each that is another node.
  KOKKOS_FUNCTION unsigned next_nodes(index node, int lane, Entries& e, index (&needed)[batch]) const {
    unsigned have = 0, others = 0;
    for (int u = 0; u < batch; ++u) {
      while (e.k >= e.end && e.r < nodes.group) start_row(node, lane, e);
      needed[u] = 0;
      if (e.k >= e.end) continue;
      needed[u] = nodes.rows.col_idx(e.k);
      e.k += e.step;
      have |= 1u << u;
    }
    for (int u = 0; u < batch; ++u)
      if (have & (1u << u)) {
        needed[u] = nodes.node_of(needed[u]);
        if (needed[u] != node) others |= 1u << u;
      }
    return others;
  }
  KOKKOS_FUNCTION bool at_end(Entries const& e) const { return e.k >= e.end && e.r >= nodes.group; }

  KOKKOS_FUNCTION index level_of_part(index node, int lane) const {
    index level = 0, needed[batch] = {static_cast<index>(node - window)};
    unsigned missed = node >= window;
    Entries entries;
    take_turns([&](Backoff& wait) {
      while (missed == 0 && !at_end(entries)) missed = next_nodes(node, lane, entries, needed);
      if (missed == 0 || (limit > 0 && load_relaxed(over.data()) != 0)) {
        if (lanes == 1) store_level(node, level);  // here, since threads of the same warp may still poll for it
        return true;
      }
      bool found = false;
      for (int u = 0; u < batch; ++u)
        if (missed & (1u << u)) {
          index const below = load_relaxed(&level_of(needed[u]));
          if (below < 0) continue;
          found = true;
          missed &= ~(1u << u);
          if (below >= level) level = below + 1;
        }
      if (!found) wait(node);
      return false;
    });
    return level;
  }
  KOKKOS_FUNCTION void store_level(index node, index level) const {
    if (limit > 0 && level >= limit) store_relaxed(over.data(), 1);
    store_relaxed(&level_of(node), level);
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index node) {
      if (lanes == 1) {
        level_of_part(node, 0);
        return;
      }
      index const level = max_over_lanes<index>(team, lanes, [&](int lane) { return level_of_part(node, lane); });
      if (lane_of(team) == 0) store_level(node, level);
      rejoin_lanes();
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
/// @param limit     if not 0: where there are more levels, the search stops with some number above it, and `level_of`
/// is not
///                  complete. Cost: one sweep over the rows; allocates a number per node, fences.
template <class T>
NodeLevels<T> find_node_levels(typename T::exec_space const& exec, Nodes<T> const& nodes, long long window,
                               bool by_warps, long long limit = 0) {
  using index = typename T::index;
  index const count = nodes.count();
  NodeLevels<T> out;
  if (count == 0) return out;
  out.level_of = decltype(out.level_of)(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::node_levels::level_of")),
      static_cast<std::size_t>(count));
  auto const level_of = out.level_of;
  Kokkos::deep_copy(exec, level_of, index(-1));
  Kokkos::View<int, typename T::device> const over("sptrsv::node_levels::over");
  Tickets<T> tickets(exec);
  auto shape = thread_per_row_shape<T>(exec, count, 0);
  if (by_warps && !is_host_space<typename T::exec_space>) {
    shape = {1, 1, Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(), 1};
    shape.teams = number_of_teams<T>(exec, count, shape);
  }
  index const most_working = window > 0 && window < count ? static_cast<index>(window) : count;
  index const most_levels = limit > 0 && limit < count ? static_cast<index>(limit) : index(0);
  auto const long_row = static_cast<typename T::offset>(std::max(4.0 * shape.lanes, 8 * nodes.mean_row));
  for_each_ticket<T>("sptrsv::node_levels::sweep", exec, tickets, shape, count,
                     NodeSweep<T>{nodes, level_of, over, most_working, most_levels, long_row, shape.lanes});
  index deepest = 0;
  Kokkos::parallel_reduce(
      "sptrsv::node_levels::deepest", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, count),
      KOKKOS_LAMBDA(index i, index & most) { most = level_of(i) > most ? level_of(i) : most; },
      Kokkos::Max<index>(deepest));
  exec.fence("sptrsv::node_levels: the number of levels is needed");
  out.levels = static_cast<long long>(deepest) + 1;
  return out;
}

/// The sum over levels of the greatest number of runs that a node of the level has. A run: consecutive entries of a
/// row, as stored, in the same other node. Cost: a pass over the rows; allocates two numbers per node, fences.
template <class T>
long long sum_of_most_runs(typename T::exec_space const& exec, Nodes<T> const& nodes, NodeLevels<T> const& levels) {
  using index = typename T::index;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  if (levels.levels == 0) return 0;
  index const count = nodes.count();
  using counter = unsigned long long;  // of 16 rows' entries
  Kokkos::View<counter*, typename T::device> runs("sptrsv::planner::runs", static_cast<std::size_t>(count));
  Kokkos::View<counter*, typename T::device> most("sptrsv::planner::most", static_cast<std::size_t>(levels.levels));
  auto const level_of = levels.level_of;
  Kokkos::parallel_for(
      "sptrsv::planner::runs", policy(exec, 0, nodes.rows.num_rows), KOKKOS_LAMBDA(index row) {
        index const own = nodes.node_of(row);
        index last = own;
        counter found = 0;
        for (auto k = nodes.rows.begin(row); k < nodes.rows.end(row); ++k) {
          index const node = nodes.node_of(nodes.rows.col_idx(k));
          found += node != last && node != own;
          last = node;
        }
        if (found > 0) fetch_add(&runs(own), found);
      });
  Kokkos::parallel_for(
      "sptrsv::planner::most", policy(exec, 0, count),
      KOKKOS_LAMBDA(index node) { Kokkos::atomic_max(&most(level_of(node)), runs(node)); });
  long long sum = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::sum_of_most", policy(exec, 0, static_cast<index>(levels.levels)),
      KOKKOS_LAMBDA(index l, long long& all) { all += static_cast<long long>(most(l)); }, sum);
  exec.fence("sptrsv::planner: the runs are freed");
  return sum;
}

/// @param levels  of all tile rows
template <class T>
BlockOrder<T> order_by_block_level(typename T::exec_space const& exec, Workspace<T>& work,
                                   NodeLevels<T> const& levels) {
  using index = typename T::index;
  BlockOrder<T> out;
  out.num_tile_rows = static_cast<index>(levels.level_of.extent(0));
  auto sets = allocate_level_sets<T>(exec, out.num_tile_rows);
  Kokkos::deep_copy(exec, sets.level_of, levels.level_of);
  group_rows_by_level<T>(exec, work, sets, static_cast<index>(levels.levels));
  out.level_ptr = sets.level_ptr;
  out.at = sets.level_rows;
  out.rank = sets.level_of;  // whose contents are not needed any more
  auto const at = out.at, rank = out.rank;
  Kokkos::parallel_for(
      "sptrsv::tiles::rank", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, out.num_tile_rows),
      KOKKOS_LAMBDA(index q) { rank(at(q)) = q; });
  return out;
}

/// Rows in positions, 16 to a tile row, and the block levels that this makes.
template <class T>
struct TileOrder {
  bool own_order = true;  ///< rows in their own order, else by level
  RowPositions<T> positions;
  NodeLevels<T> levels;
};

/// @param limit  of block levels, see find_node_levels()
template <class T>
TileOrder<T> make_tile_order(typename T::exec_space const& exec, Analysis<T> const& analysis, bool own_order,
                             long long limit = 0) {
  auto const& rows = analysis.rows(exec);
  bool const ascending = analysis.shape().ascending();
  TileOrder<T> out{
      own_order,
      own_order ? positions_in_order<T>(exec, rows, ascending) : positions_by_level<T>(exec, analysis.levels(exec)),
      {}};
  out.levels = find_node_levels<T>(exec, Nodes<T>{rows, out.positions, ascending, tile_size, analysis.mean_row()}, 0,
                                   true, limit);
  return out;
}

/// The order that pays, see own_order_pays().
template <class T>
TileOrder<T> choose_tile_order(typename T::exec_space const& exec, Analysis<T> const& analysis, bool inverted = false) {
  analysis.rows(exec);  // first, since they are needed: levels are then found by them
  auto const by_level = plan_positions_by_level<T>(analysis.levels(exec)).block_levels;
  auto const most = std::max(1LL, static_cast<long long>(static_cast<double>(by_level) / cost_of_own_order(inverted)));
  auto const own = make_tile_order<T>(exec, analysis, true, most);
  return own_order_pays(own.levels.levels, by_level, inverted) ? own : make_tile_order<T>(exec, analysis, false);
}

/// The same, found once for the planner's features and for `tiled` itself, until Analysis::drop_kept().
template <class T>
TileOrder<T> const& chosen_tile_order(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                      bool inverted = false) {
  return analysis.template keep<TileOrder<T>>(
      inverted ? "tile order, diagonal tiles inverted" : "tile order, diagonal tiles solved",
      [&] { return choose_tile_order<T>(exec, analysis, inverted); });
}

}  // namespace detail
}  // namespace sptrsv
