// SPDX-License-Identifier: Apache-2.0
// Which rows share a tile: positions of rows, 16 per tile row, and the order of tile rows by block level.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <vector>

#include "sptrsv/algorithm/tiled/tiled_tuning.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/tile_lanes.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/node_levels.hpp"

namespace sptrsv {

/// Off-diagonal entries of op(T) by position. Columns are positions too, and ascend in each row. Device-copyable.
template <class T>
struct SortedRows {
  using index = typename T::index;
  using offset = typename T::offset;

  Kokkos::View<index*, typename T::device> row;  ///< row of the matrix by position; -1: none
  Kokkos::View<offset*, typename T::device> row_ptr;
  Kokkos::View<index*, typename T::device> col_idx;
  Kokkos::View<offset*, typename T::device> source;        ///< position of the value in the caller's array
  Kokkos::View<std::uint8_t*, typename T::device> listed;  ///< 1: in the list of sparse entries
  /// Duplicate entries, which the other arrays lack: positions, in the caller's array, of their values, and of the
  /// value of the first entry with the same row and column.
  Kokkos::View<offset*, typename T::device> repeated, repeated_of;

  index num_positions() const { return static_cast<index>(row.extent(0)); }
  /// Returns the first entry of [at, end) with a column of at least `column`.
  KOKKOS_FUNCTION offset lower_bound(offset at, offset end, index column) const {
    return at < end && col_idx(at) >= column ? at : detail::first_at_least(col_idx, at, end, column);
  }
};

/// Tile rows sorted by block level: at(q) is the q-th in that order, rank(at(q)) is q. Tile row t begins at position 16
/// t.
template <class T>
struct BlockOrder {
  typename T::index num_tile_rows = 0;
  Kokkos::View<typename T::index*, typename T::device> at, rank;
  std::vector<typename T::index> level_ptr;  ///< tile rows by level, on the host

  typename T::index num_levels() const { return static_cast<typename T::index>(level_ptr.size()) - 1; }
};

namespace detail {

template <class T>
RowPositions<T> make_positions(typename T::exec_space const& exec, typename T::index n, std::size_t positions) {
  RowPositions<T> out;
  out.position = raw_view<decltype(out.position)>(exec, "sptrsv::tiles::position_of", static_cast<std::size_t>(n));
  out.row =
      raw_view<decltype(out.row)>(exec, "sptrsv::tiles::row_of", (positions + tile_size - 1) / tile_size * tile_size);
  Kokkos::deep_copy(exec, out.row, typename T::index(-1));
  return out;
}

/// Predicate that tells whether a tile has to start at position s of the solve order: the row at s needs none of the 15
/// rows before it, but the row at s - 1 or s + 1 needs one of the 15 before itself. The first row of a grid line is
/// such a row; in a tile with the 15 rows before it, it would wait for all x that they wait for. Successive rows
/// without such dependencies may share a tile.
template <class T>
struct SegmentStarts {
  using index = typename T::index;
  OffDiagonals<T> rows;
  bool ascending;

  KOKKOS_FUNCTION index row(index s) const { return ascending ? s : rows.num_rows - 1 - s; }
  /// Tells whether the row at position s needs one of the 15 rows before it.
  KOKKOS_FUNCTION bool follows(index s) const {
    if (s >= rows.num_rows) return false;
    index const i = row(s);
    auto const end = rows.end(i);
    bool found = false;
    for (auto k = rows.begin(i); k < end && !found; k += tile_size)
      for (int u = 0; u < tile_size && k + u < end; ++u) {  // independent loads: rows may be long
        index const j = rows.col_idx(k + u);
        found |= (ascending ? i - j : j - i) < tile_size;
      }
    return found;
  }
  KOKKOS_FUNCTION bool operator()(index s) const {
    if (s == 0) return true;
    return !follows(s) && (follows(s + 1) || follows(s - 1));
  }
};

/// Returns positions in natural order, so that chains of successive rows lie within tiles. A segment (see
/// SegmentStarts) starts a new tile, unless that would leave more than half of all positions empty.
template <class T>
RowPositions<T> positions_in_order(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  index const n = rows.num_rows;
  auto const segment = raw_view<index, T>(exec, "sptrsv::tiles::segment", static_cast<std::size_t>(n));
  SegmentStarts<T> const starts{rows, ascending};
  Kokkos::parallel_for(
      "sptrsv::tiles::starts", with_arguments_in_launch(row_range<T>(exec, n)),
      KOKKOS_LAMBDA(index s) { segment(s) = starts(s); });
  auto const segments = scan_rows<T, index>(
      "sptrsv::tiles::segments", exec, n, KOKKOS_LAMBDA(index s) { return segment(s); },
      KOKKOS_LAMBDA(index s, index before) { segment(s) += before - 1; });
  auto const first = raw_view<index, T>(exec, "sptrsv::tiles::first", static_cast<std::size_t>(segments) + 1);
  auto const tile = raw_view<index, T>(exec, "sptrsv::tiles::tile", static_cast<std::size_t>(segments));
  Kokkos::parallel_for(
      "sptrsv::tiles::first_rows", row_range<T>(exec, n + 1), KOKKOS_LAMBDA(index s) {
        if (s == n || s == 0 || segment(s) != segment(s - 1)) first(s == n ? segments : segment(s)) = s;
      });
  auto const tiles = scan_rows<T, index>(
      "sptrsv::tiles::tiles_of_segments", exec, segments,
      KOKKOS_LAMBDA(index g) { return (first(g + 1) - first(g) + tile_size - 1) / tile_size; },
      KOKKOS_LAMBDA(index g, index before) { tile(g) = before; });
  bool const apart = tiles / 2 <= n / tile_size && static_cast<long long>(tiles) * tile_size <= most_counted<index>();
  auto const out =
      make_positions<T>(exec, n, apart ? static_cast<std::size_t>(tiles) * tile_size : static_cast<std::size_t>(n));
  Kokkos::parallel_for(
      "sptrsv::tiles::in_order", row_range<T>(exec, n), KOKKOS_LAMBDA(index s) {
        index const i = ascending ? s : n - 1 - s;
        index const p = apart ? tile(segment(s)) * tile_size + (s - first(segment(s))) : s;
        out.position(i) = p;
        out.row(p) = i;
      });
  exec.fence("sptrsv::tiles: the segments are freed");
  return out;
}

/// Positions of rows sorted by level. A level of at least 16 rows starts a new tile, and so does the level after it, so
/// that diagonal tiles of the wide level contain only their diagonals. Narrower levels share tiles.
template <class T>
struct PositionsByLevel {
  std::vector<typename T::index> shift;  ///< by level: position of its rows, minus their position without empty ones
  typename T::index positions = 0;
  long long block_levels = 0;  ///< approximate
};

template <class T>
PositionsByLevel<T> plan_positions_by_level(LevelSets<T> const& sets) {
  using index = typename T::index;
  long long apart = 0;  // number of positions if all these levels start tiles: up to 2.7 times the rows
  for (index l = 0, before = 0; l < sets.num_levels(); before = sets.rows_in_level(l++)) {
    index const rows = sets.rows_in_level(l);
    if (std::max(before, rows) >= tile_size) apart = (apart + tile_size - 1) / tile_size * tile_size;
    apart += rows;
  }
  bool const counted = apart <= most_counted<index>();
  PositionsByLevel<T> out;
  index& next = out.positions;
  index narrow = 0;  // rows of successive narrow levels
  for (index l = 0, before = 0; l < sets.num_levels(); before = sets.rows_in_level(l++)) {
    index const rows = sets.rows_in_level(l);
    if (counted && std::max(before, rows) >= tile_size) next = (next + tile_size - 1) / tile_size * tile_size;
    out.shift.push_back(next - sets.level_ptr[l]);
    next += rows;
    if (rows >= tile_size) {
      out.block_levels += 1 + (narrow + tile_size - 1) / tile_size;
      narrow = 0;
    } else {
      narrow += rows;
    }
  }
  out.block_levels += (narrow + tile_size - 1) / tile_size;
  return out;
}

/// Tells whether natural order is expected to be faster than sorting by level.
inline bool own_order_pays(long long block_levels, long long block_levels_by_level) {
  return TiledTuning::own_order * static_cast<double>(block_levels) <= static_cast<double>(block_levels_by_level);
}

template <class T>
RowPositions<T> positions_by_level(typename T::exec_space const& exec, LevelSets<T> const& sets) {
  using index = typename T::index;
  auto const n = static_cast<index>(sets.level_rows.extent(0));
  auto const plan = plan_positions_by_level<T>(sets);
  auto const out = make_positions<T>(exec, n, static_cast<std::size_t>(plan.positions));
  auto const level_rows = sets.level_rows;
  auto const level_of = sets.level_of;
  auto const by = copy_to_device<T>(exec, "sptrsv::tiles::shift", plan.shift);
  Kokkos::parallel_for(
      "sptrsv::tiles::by_level", row_range<T>(exec, n), KOKKOS_LAMBDA(index s) {
        index const i = level_rows(s), p = s + by(level_of(i));
        out.position(i) = p;
        out.row(p) = i;
      });
  exec.fence("sptrsv::tiles: the levels' shifts have been read, and are freed");
  return out;
}

/// Sorts each row by column. On a GPU sorts all entries at once: a team per row would take 137 ms in powerlaw:1000000.
template <class T>
void sort_columns(typename T::exec_space const& exec, SortedRows<T> const& rows) {
  if constexpr (is_host_space<typename T::exec_space>) {
    KokkosSparse::sort_crs_matrix(exec, rows.row_ptr, rows.col_idx, rows.source);
  } else {
    using index = typename T::index;
    auto const row_ptr = rows.row_ptr;
    auto const col_idx = rows.col_idx;
    index const count = rows.num_positions();
    auto const positions = static_cast<std::uint64_t>(count);  // fewer than 2^32 in a GPU's memory: keys fit 64 bits
    auto const key = raw_view<std::uint64_t, T>(exec, "sptrsv::tiles::keys", col_idx.extent(0));
    Kokkos::parallel_for(
        "sptrsv::tiles::keys", row_range<T>(exec, count), KOKKOS_LAMBDA(index p) {
          for (auto k = row_ptr(p); k < row_ptr(p + 1); ++k)
            key(k) = static_cast<std::uint64_t>(p) * positions + static_cast<std::uint64_t>(col_idx(k));
        });
    Kokkos::Experimental::sort_by_key(exec, key, rows.source);
    Kokkos::parallel_for(
        "sptrsv::tiles::sorted_columns", range_of<std::size_t>(exec, key.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { col_idx(k) = static_cast<index>(key(k) % positions); });
    exec.fence("sptrsv::tiles: the keys are freed");
  }
}

/// Moves duplicate entries of sorted rows to `repeated`.
template <class T>
void set_repeated_apart(typename T::exec_space const& exec, SortedRows<T>& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  using view = Kokkos::View<offset*, typename T::device>;
  auto const count = rows.num_positions();
  auto const row_ptr = rows.row_ptr, source = rows.source;
  auto const col_idx = rows.col_idx;
  auto const kept_ptr = raw_view<view>(exec, "sptrsv::tiles::row_ptr", static_cast<std::size_t>(count) + 1);
  auto const kept = scan_rows<T, offset>(
      "sptrsv::tiles::kept", exec, count + 1,
      KOKKOS_LAMBDA(index p) {
        offset sum = 0;
        for (offset k = row_ptr(p); p < count && k < row_ptr(p + 1); ++k)
          sum += k == row_ptr(p) || col_idx(k) != col_idx(k - 1);
        return sum;
      },
      KOKKOS_LAMBDA(index p, offset before) { kept_ptr(p) = before; });
  auto const again = source.extent(0) - static_cast<std::size_t>(kept);
  if (again == 0) return;
  rows.row_ptr = kept_ptr;
  rows.col_idx = raw_view<decltype(rows.col_idx)>(exec, "sptrsv::tiles::col_idx", static_cast<std::size_t>(kept));
  rows.source = raw_view<view>(exec, "sptrsv::tiles::sources", static_cast<std::size_t>(kept));
  rows.repeated = raw_view<view>(exec, "sptrsv::tiles::repeated", again);
  rows.repeated_of = raw_view<view>(exec, "sptrsv::tiles::repeated_of", again);
  auto const out = rows;
  Kokkos::parallel_for(
      "sptrsv::tiles::set_apart", with_arguments_in_launch(row_range<T>(exec, count)), KOKKOS_LAMBDA(index p) {
        offset to = out.row_ptr(p), next_repeated = row_ptr(p) - to;
        for (offset k = row_ptr(p); k < row_ptr(p + 1); ++k)
          if (k == row_ptr(p) || col_idx(k) != col_idx(k - 1)) {
            out.col_idx(to) = col_idx(k);
            out.source(to++) = source(k);
          } else {
            out.repeated(next_repeated) = source(k);
            out.repeated_of(next_repeated++) = out.source(to - 1);
          }
      });
  exec.fence("sptrsv::tiles: the rows with repeated entries are freed");
}

/// Returns op(T) by position, sorted. Marks all entries as listed except those in diagonal tiles.
template <class T>
SortedRows<T> sort_rows(typename T::exec_space const& exec, OffDiagonals<T> const& rows, RowPositions<T> const& order,
                        bool ascending) {
  using index = typename T::index;
  using offset = typename T::offset;
  SortedRows<T> out;
  out.row = order.row;
  auto const count = out.num_positions();
  out.row_ptr = raw_view<offset, T>(exec, "sptrsv::tiles::row_ptr", static_cast<std::size_t>(count) + 1);
  auto const row = out.row;
  auto const row_ptr = out.row_ptr;
  auto const entries = scan_rows<T, offset>(
      "sptrsv::tiles::entries", exec, count + 1,
      KOKKOS_LAMBDA(index p) { return p < count && row(p) >= 0 ? rows.count(row(p)) : offset(0); },
      KOKKOS_LAMBDA(index p, offset before) { row_ptr(p) = before; });
  out.col_idx = raw_view<decltype(out.col_idx)>(exec, "sptrsv::tiles::col_idx", static_cast<std::size_t>(entries));
  out.source = raw_view<decltype(out.source)>(exec, "sptrsv::tiles::sources", static_cast<std::size_t>(entries));
  auto const entry_columns = out.col_idx;
  auto const source = out.source;
  auto const position = order.position;
  long long descents = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::to_positions", with_arguments_in_launch(row_range<T>(exec, count)),
      KOKKOS_LAMBDA(index p, long long& sum) {
        if (row(p) < 0) return;
        offset k = ascending ? rows.begin(row(p)) : rows.end(row(p)) - 1;
        for (offset to = row_ptr(p); to < row_ptr(p + 1); ++to, k += ascending ? 1 : -1) {
          entry_columns(to) = position(rows.col_idx(k));
          source(to) = rows.source_of(k);
          sum += to > row_ptr(p) && entry_columns(to) <= entry_columns(to - 1);
        }
      },
      descents);
  if (descents > 0) {
    sort_columns<T>(exec, out);
    set_repeated_apart<T>(exec, out);
  }
  out.listed = raw_view<decltype(out.listed)>(exec, "sptrsv::tiles::listed", out.col_idx.extent(0));
  auto const sorted = out;
  Kokkos::parallel_for(
      "sptrsv::tiles::list_all", with_arguments_in_launch(row_range<T>(exec, count)), KOKKOS_LAMBDA(index p) {
        for (offset k = sorted.row_ptr(p); k < sorted.row_ptr(p + 1); ++k)
          sorted.listed(k) = sorted.col_idx(k) / tile_size < p / tile_size;
      });
  return out;
}

/// Returns the sum over levels of the maximum number of runs per node. A run is a maximal sequence of stored entries of
/// a row that lie in the same other node. Cost: one pass over the rows; allocates two numbers per node, fences.
template <class T>
long long sum_of_most_runs(typename T::exec_space const& exec, Nodes<T> const& nodes, NodeLevels<T> const& levels) {
  using index = typename T::index;
  if (levels.levels == 0) return 0;
  index const count = nodes.count();
  using counter = unsigned long long;  // wide enough for the entries of 16 rows
  Kokkos::View<counter*, typename T::device> runs("sptrsv::planner::runs", static_cast<std::size_t>(count));
  Kokkos::View<counter*, typename T::device> most("sptrsv::planner::most", static_cast<std::size_t>(levels.levels));
  auto const level_of = levels.level_of;
  Kokkos::parallel_for(
      "sptrsv::planner::runs", row_range<T>(exec, nodes.rows.num_rows), KOKKOS_LAMBDA(index row) {
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
      "sptrsv::planner::most", row_range<T>(exec, count),
      KOKKOS_LAMBDA(index node) { Kokkos::atomic_max(&most(level_of(node)), runs(node)); });
  return sum_over_rows<T, long long>(
      "sptrsv::planner::sum_of_most", exec, static_cast<index>(levels.levels),
      KOKKOS_LAMBDA(index l) { return static_cast<long long>(most(l)); });
}

/// Sorts tile rows by block level.
/// @param levels  levels of all tile rows
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
  out.rank = sets.level_of;  // its contents are no longer needed
  auto const at = out.at, rank = out.rank;
  Kokkos::parallel_for(
      "sptrsv::tiles::rank", row_range<T>(exec, out.num_tile_rows), KOKKOS_LAMBDA(index q) { rank(at(q)) = q; });
  return out;
}

/// Positions of rows, 16 per tile row, with the resulting block levels.
template <class T>
struct TileOrder {
  bool own_order = true;  ///< whether rows are in natural order; otherwise by level
  RowPositions<T> positions;
  NodeLevels<T> levels;
};

/// Computes positions and block levels.
/// @param limit  maximum number of block levels to look for; 0: unlimited; see find_node_levels()
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

/// Returns the tile order that own_order_pays() expects to be faster.
template <class T>
TileOrder<T> choose_tile_order(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  analysis.rows(exec);  // first, so that levels are found from these rows
  auto const by_level = plan_positions_by_level<T>(analysis.levels(exec)).block_levels;
  auto const most = std::max(1LL, static_cast<long long>(static_cast<double>(by_level) / TiledTuning::own_order));
  auto const own = make_tile_order<T>(exec, analysis, true, most);
  return own_order_pays(own.levels.levels, by_level) ? own : make_tile_order<T>(exec, analysis, false);
}

/// Returns the result of choose_tile_order(), which the planner's features and `tiled` share until
/// Analysis::drop_kept().
template <class T>
TileOrder<T> const& chosen_tile_order(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  return analysis.template keep<TileOrder<T>>("tile order", [&] { return choose_tile_order<T>(exec, analysis); });
}

}  // namespace detail
}  // namespace sptrsv
