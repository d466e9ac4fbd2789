// SPDX-License-Identifier: Apache-2.0
// op(T) as 16x16 tiles, in two levels of storage: tile rows in solve order, and the slots of their entries. Cutting
// finds the tiles of each tile row, counts and assigns slots, and fills them.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "sptrsv/algorithm/tiled/tile_formats.hpp"
#include "sptrsv/algorithm/tiled/tile_order.hpp"
#include "sptrsv/device/tile_lanes.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

/// Tile row. Its slots are those of the list of sparse entries, of its tiles, and of its diagonal tile, in this order.
template <class T>
struct TileRow {
  typename T::offset list = 0;        ///< first slot of the list
  typename T::offset position = 0;    ///< offset of the list's columns in TilePattern::position
  typename T::offset diagonal = 0;    ///< first slot of the diagonal tile
  typename T::offset tile = 0;        ///< offset of the row's first tile in TilePattern::tiles
  typename T::offset list_width = 0;  ///< slots of the list per lane
  typename T::index tiles = 0;
  std::uint16_t most_lanes = 0;  ///< maximum number of lanes of a row in the list
  detail::TileMask columns = 0;  ///< union of the columns in the diagonal tile
};

/// Off-diagonal tile in ELL or dense format.
template <class T>
struct Tile {
  typename T::offset slot = 0;
  typename T::index column = 0;  ///< tile row of the x that the tile multiplies
  int width = 0;                 ///< see tile_width()
};

/// op(T) in tiles. Tile rows are numbered in ticket order, by block level: the longest path of tile rows that they wait
/// for. Position 16 q + r is row r of tile row q. Device-copyable.
template <class T>
struct TilePattern {
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  view<TileRow<T>> rows;
  view<typename T::index> row;           ///< row of the matrix by position; -1: none
  view<std::uint16_t> lanes;             ///< by position, the row's lanes in the list: first + 256 * number
  view<detail::TileMask> diagonal_mask;  ///< by position
  view<Tile<T>> tiles;
  view<detail::TileMask> mask;       ///< 16 per tile
  view<typename T::index> position;  ///< columns of the lists; -1: free slot
  view<typename T::offset> source;   ///< by slot, in the caller's values; -1: free slot

  typename T::index num_tile_rows() const { return static_cast<typename T::index>(rows.extent(0)); }
  std::size_t memory_bytes() const {
    return rows.span() * sizeof(TileRow<T>) + tiles.span() * sizeof(Tile<T>) +
           (row.span() + position.span()) * sizeof(typename T::index) +
           (lanes.span() + diagonal_mask.span() + mask.span()) * sizeof(std::uint16_t) +
           source.span() * sizeof(typename T::offset);
  }
};

/// Duplicate entries: the slot of the first entry with their row and column, and the positions of their values in the
/// caller's array. Entries of one slot are consecutive.
template <class T>
struct RepeatedEntries {
  Kokkos::View<typename T::offset*, typename T::device> slot, source;

  std::size_t memory_bytes() const { return (slot.span() + source.span()) * sizeof(typename T::offset); }
};

namespace detail {

/// Finder of the ELL and dense tiles of a tile row. Such a tile has entries in at least 8 rows. So the next tile is not
/// left of the eighth smallest of the next columns of the 16 rows. A binary search skips all entries before that
/// column, so that a long row among short ones is not read entry by entry.
template <class T>
struct TileFinder {
  using index = typename T::index;
  using offset = typename T::offset;
  SortedRows<T> rows;

  KOKKOS_FUNCTION static index in_the_middle(index const (&head)[tile_size]) {
    for (int r = 0; r < tile_size; ++r) {
      int before = 0;
      for (int s = 0; s < tile_size; ++s) before += head[s] < head[r] || (head[s] == head[r] && s < r);
      if (before == least_rows_of_tile - 1) return head[r];
    }
    return head[0];
  }
  /// Calls found(tile column, width) for each tile, by ascending column.
  template <class F>
  KOKKOS_FUNCTION void operator()(index t, F const& found) const {
    offset at[tile_size], end[tile_size];
    for (int r = 0; r < tile_size; ++r) {
      at[r] = rows.row_ptr(t * tile_size + r);
      end[r] = rows.row_ptr(t * tile_size + r + 1);
    }
    while (true) {
      index head[tile_size];
      for (int r = 0; r < tile_size; ++r) {
        head[r] = at[r] < end[r] ? rows.col_idx(at[r]) / tile_size : t;
        if (head[r] > t) head[r] = t;
      }
      index const c = in_the_middle(head);
      if (c >= t) return;
      int entries = 0, longest = 0;
      for (int r = 0; r < tile_size; ++r) {
        at[r] = rows.lower_bound(at[r], end[r], c * tile_size);
        int count = 0;
        for (; at[r] < end[r] && rows.col_idx(at[r]) < (c + 1) * tile_size; ++at[r]) ++count;
        entries += count;
        if (count > longest) longest = count;
      }
      if (int const width = tile_width(entries, longest)) found(c, width);
    }
  }
};

/// Checks that Offset can count the slots, which outnumber the entries, since formats leave some free.
/// @throws Unsupported if it cannot
template <class T>
void require_offsets_for(long long slots) {
  using offset = typename T::offset;
  if (slots <= static_cast<long long>(std::numeric_limits<offset>::max())) return;
  throw Unsupported("tiled",
                    std::to_string(slots) + " positions of entries in tiles with offsets of " +
                        std::to_string(8 * sizeof(offset)) + " bits",
                    "use longer offsets, or choose another algorithm");
}

/// ELL or dense tile before assign_slots().
template <class T>
struct FoundTile {
  typename T::offset slot = 0;   ///< counted from the first tile of its row
  typename T::index row = 0;     ///< its tile row, in ticket order
  typename T::index column = 0;  ///< tile row of the x that it multiplies, by positions as in SortedRows
  int width = 0;                 ///< see tile_width()
};
template <class T>
using FoundTiles = Kokkos::View<FoundTile<T>*, typename T::device>;

template <class T>
struct SlotCounts {
  typename T::offset list = 0, before_diagonal = 0, all = 0;
};
template <class T>
using AllSlotCounts = Kokkos::View<SlotCounts<T>*, typename T::device>;

/// Finds the ELL and dense tiles, and counts them in TileRow; allocates their masks.
template <class T>
FoundTiles<T> list_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                         TilePattern<T>& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const tile_rows = out.rows;
  auto const at = order.at;
  TileFinder<T> const find{rows};
  auto const count = order.num_tile_rows;
  long long all_slots = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::count", with_arguments_in_launch(row_range<T>(exec, count)),
      KOKKOS_LAMBDA(index q, long long& sum) {
        index tiles = 0;
        long long slots = 0;
        find(at(q), [&](index, int width) {
          ++tiles;
          slots += tile_size * width;
        });
        tile_rows(q).tiles = tiles;
        sum += slots;
      },
      all_slots);
  require_offsets_for<T>(all_slots);
  auto const all = scan_rows<T, offset>(
      "sptrsv::tiles::first", exec, count, KOKKOS_LAMBDA(index q) { return tile_rows(q).tiles; },
      KOKKOS_LAMBDA(index q, offset before) { tile_rows(q).tile = before; });
  out.mask = raw_view<TileMask, T>(exec, "sptrsv::tiles::mask", static_cast<std::size_t>(all) * tile_size);
  auto const tiles = raw_view<FoundTile<T>, T>(exec, "sptrsv::tiles::found", static_cast<std::size_t>(all));
  if (all == 0) return tiles;
  Kokkos::parallel_for(
      "sptrsv::tiles::list", with_arguments_in_launch(row_range<T>(exec, count)), KOKKOS_LAMBDA(index q) {
        offset next = tile_rows(q).tile, slots = 0;
        find(at(q), [&](index c, int width) {
          tiles(next++) = FoundTile<T>{slots, q, c, width};
          slots += static_cast<offset>(tile_size * width);
        });
      });
  return tiles;
}

/// Calls f(k, c) for each entry k of position p in tile column `column`; c is its column in the tile.
template <class T, class F>
KOKKOS_INLINE_FUNCTION void each_entry_of_tile(SortedRows<T> const& rows, typename T::index p, typename T::index column,
                                               F const& f) {
  auto const end = rows.row_ptr(p + 1);
  auto const first = column * tile_size;
  for (auto k = rows.lower_bound(rows.row_ptr(p), end, first); k < end && rows.col_idx(k) < first + tile_size; ++k)
    f(k, static_cast<int>(rows.col_idx(k) - first));
}

/// Computes the masks of the tiles, and removes their entries from the list.
template <class T>
void mask_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                FoundTiles<T> const& found, TilePattern<T> const& out) {
  using offset = typename T::offset;
  auto const at = order.at;
  auto const mask = out.mask;
  Kokkos::parallel_for(
      "sptrsv::tiles::mask", with_arguments_in_launch(range_of<offset>(exec, mask.extent(0))), KOKKOS_LAMBDA(offset m) {
        unsigned columns = 0;
        FoundTile<T> const tile = found(m / tile_size);
        each_entry_of_tile<T>(rows, at(tile.row) * tile_size + static_cast<typename T::index>(m % tile_size),
                              tile.column, [&](offset k, int c) {
                                columns |= 1u << c;
                                rows.listed(k) = 0;
                              });
        mask(m) = static_cast<TileMask>(columns);
      });
}

/// Returns, for each entry, the number of listed entries before it.
template <class T>
Kokkos::View<typename T::offset*, typename T::device> number_listed(typename T::exec_space const& exec,
                                                                    SortedRows<T> const& rows) {
  using offset = typename T::offset;
  auto const listed = rows.listed;
  auto const count = static_cast<offset>(listed.extent(0));
  auto const before = raw_view<offset, T>(exec, "sptrsv::tiles::listed_before", static_cast<std::size_t>(count) + 1);
  Kokkos::parallel_scan(
      "sptrsv::tiles::number", range_of<offset>(exec, count + 1), KOKKOS_LAMBDA(offset k, offset & sum, bool final) {
        if (final) before(k) = sum;
        if (k < count) sum += listed(k);
      });
  return before;
}

/// Computes masks, lanes and widths of lists and diagonal tiles, and counts the slots of each tile row.
/// @throws Unsupported if Offset cannot count all slots
template <class T>
void shape_rows(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                Kokkos::View<typename T::offset*, typename T::device> const& before, FoundTiles<T> const& found,
                TilePattern<T> const& out, AllSlotCounts<T> const& counts) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const at = order.at;
  auto const tile_rows = out.rows;
  auto const lanes = out.lanes;
  auto const diagonal_mask = out.diagonal_mask;
  long long all_slots = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::shape", with_arguments_in_launch(row_range<T>(exec, order.num_tile_rows)),
      KOKKOS_LAMBDA(index q, long long& sum) {
        index const t = at(q);
        TileRow<T> row = tile_rows(q);
        offset count[tile_size];
        int widest = 0;
        unsigned columns = 0;
        for (int r = 0; r < tile_size; ++r) {
          offset const begin = rows.row_ptr(t * tile_size + r), end = rows.row_ptr(t * tile_size + r + 1);
          count[r] = before(end) - before(begin);
          unsigned mask = 0;
          for (offset k = end; k > begin && rows.col_idx(k - 1) >= t * tile_size; --k)
            mask |= 1u << (rows.col_idx(k - 1) - t * tile_size);
          diagonal_mask(q * tile_size + r) = static_cast<TileMask>(mask);
          columns |= mask;
          if (count_columns(mask) > widest) widest = count_columns(mask);
        }
        row.columns = static_cast<TileMask>(columns);
        row.list_width = SparseList::width(count);
        int first = 0;
        row.most_lanes = 0;
        for (int r = 0; r < tile_size; ++r) {
          int const mine = count[r] == 0 ? 0 : SparseList::lanes_of<offset>(count[r], row.list_width);
          lanes(q * tile_size + r) = static_cast<std::uint16_t>(first + 256 * mine);
          first += mine;
          if (mine > row.most_lanes) row.most_lanes = static_cast<std::uint16_t>(mine);
        }
        long long const list = SparseList::slots(row.list_width);
        long long before_diagonal = list;
        if (row.tiles > 0) {
          auto const& last = found(row.tile + row.tiles - 1);
          before_diagonal += static_cast<long long>(last.slot) + tile_size * last.width;
        }
        long long const all = before_diagonal + TriangleTile::slots(widest);
        tile_rows(q) = row;
        counts(q) = {static_cast<offset>(list), static_cast<offset>(before_diagonal), static_cast<offset>(all)};
        sum += all;
      },
      all_slots);
  require_offsets_for<T>(all_slots);
}

/// Assigns slots from their counts; allocates `tiles`, and `position` and `source` with all slots free.
template <class T>
void assign_slots(typename T::exec_space const& exec, BlockOrder<T> const& order, FoundTiles<T> const& found,
                  AllSlotCounts<T> const& counts, TilePattern<T>& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const tile_rows = out.rows;
  auto const count = order.num_tile_rows;
  auto const slots = scan_rows<T, offset>(
      "sptrsv::tiles::slots", exec, count, KOKKOS_LAMBDA(index q) { return counts(q).all; },
      KOKKOS_LAMBDA(index q, offset before) {
        tile_rows(q).list = before;
        tile_rows(q).diagonal = before + counts(q).before_diagonal;
      });
  auto const positions = scan_rows<T, offset>(
      "sptrsv::tiles::positions", exec, count, KOKKOS_LAMBDA(index q) { return counts(q).list; },
      KOKKOS_LAMBDA(index q, offset before) { tile_rows(q).position = before; });
  out.tiles = raw_view<Tile<T>, T>(exec, "sptrsv::tiles::tiles", found.extent(0));
  auto const tiles = out.tiles;
  auto const rank = order.rank;
  Kokkos::parallel_for(
      "sptrsv::tiles::assign_slots", range_of<offset>(exec, tiles.extent(0)), KOKKOS_LAMBDA(offset m) {
        FoundTile<T> const tile = found(m);
        offset const first = tile_rows(tile.row).list + counts(tile.row).list;
        tiles(m) = Tile<T>{static_cast<offset>(first + tile.slot), rank(tile.column), tile.width};
      });
  out.position = raw_view<index, T>(exec, "sptrsv::tiles::position", static_cast<std::size_t>(positions));
  out.source = raw_view<offset, T>(exec, "sptrsv::tiles::source", static_cast<std::size_t>(slots));
  Kokkos::deep_copy(exec, out.position, index(-1));
  Kokkos::deep_copy(exec, out.source, offset(-1));
}

/// Fills the sources of the tiles' slots.
template <class T>
void fill_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                FoundTiles<T> const& found, TilePattern<T> const& out) {
  using offset = typename T::offset;
  auto const at = order.at;
  auto const tiles = out.tiles;
  auto const all_masks = out.mask;
  auto const source = out.source;
  Kokkos::parallel_for(
      "sptrsv::tiles::fill", with_arguments_in_launch(range_of<offset>(exec, all_masks.extent(0))),
      KOKKOS_LAMBDA(offset m) {
        Tile<T> const tile = tiles(m / tile_size);
        FoundTile<T> const as_found = found(m / tile_size);
        int const r = static_cast<int>(m % tile_size);
        unsigned const mask = all_masks(m);
        each_entry_of_tile<T>(rows, at(as_found.row) * tile_size + r, as_found.column, [&](offset k, int c) {
          source(tile.slot + (tile.width == tile_size ? DenseTile::slot(mask, r, c) : EllTile::slot(mask, r, c))) =
              rows.source(k);
        });
      });
}

/// Fills the sources of lists and diagonal tiles: a thread per row, whose lanes share the entries.
template <class T>
void fill_rows(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
               Kokkos::View<typename T::offset*, typename T::device> const& before, TilePattern<T> const& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  constexpr int threads = is_host_space<typename T::exec_space> ? 1 : tile_size,
                lanes_of_row = is_host_space<typename T::exec_space> ? 1 : 8;
  auto const at = order.at, rank = order.rank;
  auto const tile_rows = out.rows;
  auto const lanes = out.lanes;
  auto const diagonal_mask = out.diagonal_mask;
  auto const position = out.position;
  auto const source = out.source;
  Kokkos::parallel_for(
      "sptrsv::tiles::fill_rows", team_policy(exec, static_cast<int>(order.num_tile_rows), threads, lanes_of_row),
      KOKKOS_LAMBDA(member const& team) {
        auto const q = static_cast<index>(team.league_rank());
        index const t = at(q);
        TileRow<T> const row = tile_rows(q);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_size), [&](int r) {
          offset const begin = rows.row_ptr(t * tile_size + r), end = rows.row_ptr(t * tile_size + r + 1);
          offset const count = before(end) - before(begin);
          int const first = lanes(q * tile_size + r) % 256;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin, end), [&](offset k) {
            index const p = rows.col_idx(k);
            if (p >= t * tile_size) {
              source(row.diagonal + TriangleTile::slot(diagonal_mask(q * tile_size + r), r,
                                                       static_cast<int>(p - t * tile_size))) = rows.source(k);
            } else if (rows.listed(k)) {
              offset const slot = SparseList::slot<offset>(row.list_width, first, count, before(k) - before(begin));
              position(row.position + slot) = rank(p / tile_size) * tile_size + p % tile_size;
              source(row.list + slot) = rows.source(k);
            }
          });
        });
      });
}

/// Tells whether the diagonal tiles of tile rows first..last have nothing below the diagonal.
template <class T>
bool has_diagonals_alone(typename T::exec_space const& exec, TilePattern<T> const& tiles, typename T::index first,
                         typename T::index last) {
  auto const rows = tiles.rows;
  int more = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::diagonals_alone",
      Kokkos::RangePolicy<typename T::exec_space, typename T::index>(exec, first, last),
      KOKKOS_LAMBDA(typename T::index q, int& sum) { sum += rows(q).columns != 0; }, more);
  return more == 0;
}

}  // namespace detail

/// Finds the slots of duplicate entries, which are rare; allocates and fences if there are any.
template <class T>
RepeatedEntries<T> find_repeated(typename T::exec_space const& exec, SortedRows<T> const& rows,
                                 TilePattern<T> const& tiles) {
  using offset = typename T::offset;
  RepeatedEntries<T> out;
  auto const count = static_cast<offset>(rows.repeated.extent(0));
  if (count == 0) return out;
  out.source = rows.repeated;
  out.slot = detail::raw_view<offset, T>(exec, "sptrsv::tiles::repeated_slot", rows.repeated.extent(0));
  auto const of = rows.repeated_of;
  offset last = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::last_repeated", detail::range_of<offset>(exec, count),
      KOKKOS_LAMBDA(offset r, offset & most) { most = of(r) > most ? of(r) : most; }, Kokkos::Max<offset>(last));
  auto const slot_of = detail::raw_view<offset, T>(exec, "sptrsv::tiles::slot_of", static_cast<std::size_t>(last) + 1);
  auto const source = tiles.source;
  Kokkos::parallel_for(
      "sptrsv::tiles::slots_of", detail::range_of<offset>(exec, source.extent(0)), KOKKOS_LAMBDA(offset s) {
        if (source(s) >= 0 && source(s) <= last) slot_of(source(s)) = s;
      });
  auto const slot = out.slot;
  Kokkos::parallel_for(
      "sptrsv::tiles::repeated_slots", detail::range_of<offset>(exec, count),
      KOKKOS_LAMBDA(offset r) { slot(r) = slot_of(of(r)); });
  exec.fence("sptrsv::tiles: the slots by source are freed");
  return out;
}

/// Cuts op(T) into tiles; allocates and fences.
/// @param rows   op(T)'s rows by position, sorted
/// @param order  of the tile rows
/// @throws Unsupported if Offset cannot count the slots.
template <class T>
TilePattern<T> make_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order) {
  using index = typename T::index;
  TilePattern<T> out;
  auto const positions = static_cast<std::size_t>(order.num_tile_rows) * tile_size;
  out.rows = Kokkos::View<TileRow<T>*, typename T::device>(Kokkos::view_alloc(exec, std::string("sptrsv::tiles::rows")),
                                                           static_cast<std::size_t>(order.num_tile_rows));
  out.row = detail::raw_view<index, T>(exec, "sptrsv::tiles::row", positions);
  out.lanes = detail::raw_view<std::uint16_t, T>(exec, "sptrsv::tiles::lanes", positions);
  out.diagonal_mask = detail::raw_view<detail::TileMask, T>(exec, "sptrsv::tiles::diagonal_mask", positions);
  auto const found = detail::list_tiles<T>(exec, rows, order, out);
  detail::mask_tiles<T>(exec, rows, order, found, out);
  auto const before = detail::number_listed<T>(exec, rows);
  auto const counts = detail::raw_view<detail::AllSlotCounts<T>>(exec, "sptrsv::tiles::counts", out.rows.extent(0));
  detail::shape_rows<T>(exec, rows, order, before, found, out, counts);
  detail::assign_slots<T>(exec, order, found, counts, out);
  detail::fill_tiles<T>(exec, rows, order, found, out);
  detail::fill_rows<T>(exec, rows, order, before, out);
  auto const row = out.row;
  auto const at = order.at;
  auto const of_position = rows.row;
  Kokkos::parallel_for(
      "sptrsv::tiles::row", detail::row_range<T>(exec, positions),
      KOKKOS_LAMBDA(index p) { row(p) = of_position(at(p / tile_size) * tile_size + p % tile_size); });
  exec.fence("sptrsv::tiles: what was needed to make them is freed");
  return out;
}

}  // namespace sptrsv
