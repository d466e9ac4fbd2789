// SPDX-License-Identifier: Apache-2.0
// op(T) as 16x16 tiles: two levels of storage, rows of tiles in the order of their solution and the slots of their
// entries.
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <string>
#include <vector>

#include "sptrsv/algorithm/tiled/node_levels.hpp"
#include "sptrsv/algorithm/tiled/tile_formats.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

/// A row of tiles: its slots are those of the list of sparse entries, of its tiles, of its diagonal tile, in this
/// order.
template <class T>
struct TileRow {
  typename T::offset list = 0;        ///< first slot of the list
  typename T::offset position = 0;    ///< first column of the list
  typename T::offset diagonal = 0;    ///< first slot of the diagonal tile
  typename T::offset tile = 0;        ///< first tile
  typename T::offset list_width = 0;  ///< slots of a lane
  typename T::index tiles = 0;
  std::uint16_t most_lanes = 0;  ///< that a row has in the list
  detail::TileMask columns = 0;  ///< that any row of the diagonal tile has
};

/// An off-diagonal tile in ELL or dense format.
template <class T>
struct Tile {
  typename T::offset slot = 0;
  typename T::index column = 0;  ///< the row of tiles with its x
  int width = 0;                 ///< see tile_width()
};

/// op(T) in tiles. Rows of tiles are numbered in the order of tickets: by block level, that is by longest path among
/// rows of tiles. Position 16 q + r is row r of row of tiles q. Device-copyable.
template <class T>
struct TilePattern {
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  view<TileRow<T>> rows;
  view<typename T::index> row;           ///< of the matrix, by position; -1: none
  view<std::uint16_t> lanes;             ///< of the list, by position: first + 256 count
  view<detail::TileMask> diagonal_mask;  ///< by position
  view<Tile<T>> tiles;
  view<detail::TileMask> mask;       ///< 16 for each tile
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

/// Entries in a place that an entry before them has: the slot of that one, and where their own values are. Those of the
/// same slot follow each other.
template <class T>
struct RepeatedEntries {
  Kokkos::View<typename T::offset*, typename T::device> slot, source;

  std::size_t memory_bytes() const { return (slot.span() + source.span()) * sizeof(typename T::offset); }
};

namespace detail {

/// Finds the ELL and dense tiles of a row of tiles, and skips what cannot be one: a tile has entries in 8 rows or more,
/// so it is not left of the eighth smallest of the rows' next columns. A long row among short ones costs nothing so.
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
  /// Calls found(column of tiles, width) for each, in ascending order.
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

template <class V, class T>
Kokkos::View<V*, typename T::device> raw_view(typename T::exec_space const& exec, char const* label,
                                              std::size_t count) {
  return Kokkos::View<V*, typename T::device>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                                              count);
}

/// Slots outnumber entries, since formats leave some free, and are counted in Offset all the same.
/// @throws Unsupported if there are more than that counts.
template <class T>
void require_offsets_for(long long slots) {
  using offset = typename T::offset;
  if (slots <= static_cast<long long>(std::numeric_limits<offset>::max())) return;
  throw Unsupported("tiled",
                    std::to_string(slots) + " places for entries in tiles with offsets of " +
                        std::to_string(8 * sizeof(offset)) + " bits",
                    "use longer offsets, or choose another algorithm");
}

/// Lists the ELL and dense tiles. Until place_slots() a tile's column is in the order of the rows, and its slot counts
/// from the first tile of its row; `tile_row` is that row.
template <class T>
void list_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                TilePattern<T>& out, Kokkos::View<typename T::index*, typename T::device>& tile_row) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  auto const tile_rows = out.rows;
  auto const at = order.at;
  TileFinder<T> const find{rows};
  auto const count = order.num_tile_rows;
  long long all_slots = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::count", with_arguments_in_launch(policy(exec, 0, count)),
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
  exec.fence("sptrsv::tiles: whether offsets count the slots is decided on the host");
  require_offsets_for<T>(all_slots);
  offset all = 0;
  Kokkos::parallel_scan(
      "sptrsv::tiles::first", policy(exec, 0, count),
      KOKKOS_LAMBDA(index q, offset & sum, bool final) {
        if (final) tile_rows(q).tile = sum;
        sum += tile_rows(q).tiles;
      },
      all);
  exec.fence("sptrsv::tiles: the number of tiles is needed to allocate");
  out.tiles = raw_view<Tile<T>, T>(exec, "sptrsv::tiles::tiles", static_cast<std::size_t>(all));
  out.mask = raw_view<TileMask, T>(exec, "sptrsv::tiles::mask", static_cast<std::size_t>(all) * tile_size);
  tile_row = raw_view<index, T>(exec, "sptrsv::tiles::tile_row", static_cast<std::size_t>(all));
  if (all == 0) return;
  auto const tiles = out.tiles;
  auto const of_row = tile_row;
  Kokkos::parallel_for(
      "sptrsv::tiles::list", with_arguments_in_launch(policy(exec, 0, count)), KOKKOS_LAMBDA(index q) {
        offset next = tile_rows(q).tile, slots = 0;
        find(at(q), [&](index c, int width) {
          of_row(next) = q;
          tiles(next++) = Tile<T>{slots, c, width};
          slots += static_cast<offset>(tile_size * width);
        });
      });
}

/// Row r of a tile: its entries are k.. while the columns are the tile's.
template <class T, class F>
KOKKOS_INLINE_FUNCTION void each_entry_of_tile(SortedRows<T> const& rows, typename T::index p, typename T::index column,
                                               F const& f) {
  auto const end = rows.row_ptr(p + 1);
  auto const first = column * tile_size;
  for (auto k = rows.lower_bound(rows.row_ptr(p), end, first); k < end && rows.col_idx(k) < first + tile_size; ++k)
    f(k, static_cast<int>(rows.col_idx(k) - first));
}

/// Masks of the tiles; takes their entries off the list.
template <class T>
void mask_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                TilePattern<T> const& out, Kokkos::View<typename T::index*, typename T::device> const& tile_row) {
  using offset = typename T::offset;
  auto const at = order.at;
  auto const tiles = out.tiles;
  auto const mask = out.mask;
  Kokkos::parallel_for(
      "sptrsv::tiles::mask",
      with_arguments_in_launch(
          Kokkos::RangePolicy<typename T::exec_space, offset>(exec, 0, static_cast<offset>(mask.extent(0)))),
      KOKKOS_LAMBDA(offset m) {
        unsigned columns = 0;
        offset const tile = m / tile_size;
        each_entry_of_tile<T>(rows, at(tile_row(tile)) * tile_size + static_cast<typename T::index>(m % tile_size),
                              tiles(tile).column, [&](offset k, int c) {
                                columns |= 1u << c;
                                rows.listed(k) = 0;
                              });
        mask(m) = static_cast<TileMask>(columns);
      });
}

/// Numbers the entries that are left for the lists: how many come before each.
template <class T>
Kokkos::View<typename T::offset*, typename T::device> number_listed(typename T::exec_space const& exec,
                                                                    SortedRows<T> const& rows) {
  using offset = typename T::offset;
  auto const listed = rows.listed;
  auto const count = static_cast<offset>(listed.extent(0));
  auto const before = raw_view<offset, T>(exec, "sptrsv::tiles::listed_before", static_cast<std::size_t>(count) + 1);
  Kokkos::parallel_scan(
      "sptrsv::tiles::number", Kokkos::RangePolicy<typename T::exec_space, offset>(exec, 0, count + 1),
      KOKKOS_LAMBDA(offset k, offset & sum, bool final) {
        if (final) before(k) = sum;
        if (k < count) sum += listed(k);
      });
  return before;
}

/// Lists and diagonal tiles: masks, lanes and widths; the slots of each row of tiles in TileRow::diagonal, of its list
/// in TileRow::position, both to be summed up: Offset counts all of them.
template <class T>
void shape_rows(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                Kokkos::View<typename T::offset*, typename T::device> const& before, TilePattern<T> const& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const at = order.at;
  auto const tile_rows = out.rows;
  auto const tiles = out.tiles;
  auto const lanes = out.lanes;
  auto const diagonal_mask = out.diagonal_mask;
  long long all_slots = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::shape",
      with_arguments_in_launch(Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, order.num_tile_rows)),
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
        long long before_diagonal = SparseList::slots(row.list_width);
        row.position = static_cast<offset>(before_diagonal);
        if (row.tiles > 0) {
          auto const& last = tiles(row.tile + row.tiles - 1);
          before_diagonal += static_cast<long long>(last.slot) + tile_size * last.width;
        }
        long long const slots = before_diagonal + TriangleTile::slots(widest);
        row.list = static_cast<offset>(before_diagonal);
        row.diagonal = static_cast<offset>(slots);
        tile_rows(q) = row;
        sum += slots;
      },
      all_slots);
  exec.fence("sptrsv::tiles: whether offsets count the slots is decided on the host");
  require_offsets_for<T>(all_slots);
}

/// Turns numbers of slots into first slots; allocates `position` and `source`, all free.
template <class T>
void place_slots(typename T::exec_space const& exec, BlockOrder<T> const& order,
                 Kokkos::View<typename T::index*, typename T::device> const& tile_row, TilePattern<T>& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  auto const tile_rows = out.rows;
  auto const count = order.num_tile_rows;
  offset positions = 0, slots = 0;
  Kokkos::parallel_scan(
      "sptrsv::tiles::slots", policy(exec, 0, count),
      KOKKOS_LAMBDA(index q, offset & sum, bool final) {
        offset const all = tile_rows(q).diagonal, before_diagonal = tile_rows(q).list;
        if (final) {
          tile_rows(q).list = sum;
          tile_rows(q).diagonal = sum + before_diagonal;
        }
        sum += all;
      },
      slots);
  Kokkos::parallel_scan(
      "sptrsv::tiles::positions", policy(exec, 0, count),
      KOKKOS_LAMBDA(index q, offset & sum, bool final) {
        offset const mine = tile_rows(q).position;
        if (final) tile_rows(q).position = sum;
        sum += mine;
      },
      positions);
  exec.fence("sptrsv::tiles: the number of slots is needed to allocate");
  auto const tiles = out.tiles;
  auto const place = order.place;
  auto const of_row = tile_row;
  Kokkos::parallel_for(
      "sptrsv::tiles::place",
      Kokkos::RangePolicy<typename T::exec_space, offset>(exec, 0, static_cast<offset>(tiles.extent(0))),
      KOKKOS_LAMBDA(offset m) {
        auto const& row = tile_rows(of_row(m));
        tiles(m).slot += row.list + static_cast<offset>(SparseList::slots(row.list_width));
      });
  out.position = raw_view<index, T>(exec, "sptrsv::tiles::position", static_cast<std::size_t>(positions));
  out.source = raw_view<offset, T>(exec, "sptrsv::tiles::source", static_cast<std::size_t>(slots));
  Kokkos::deep_copy(exec, out.position, index(-1));
  Kokkos::deep_copy(exec, out.source, offset(-1));
}

/// Where the value of each slot is, tiles first; then renumbers their columns.
template <class T>
void fill_tiles(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
                TilePattern<T> const& out, Kokkos::View<typename T::index*, typename T::device> const& tile_row) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, offset>;
  auto const at = order.at, place = order.place;
  auto const tiles = out.tiles;
  auto const all_masks = out.mask;
  auto const source = out.source;
  Kokkos::parallel_for(
      "sptrsv::tiles::fill", with_arguments_in_launch(policy(exec, 0, static_cast<offset>(all_masks.extent(0)))),
      KOKKOS_LAMBDA(offset m) {
        Tile<T> const tile = tiles(m / tile_size);
        int const r = static_cast<int>(m % tile_size);
        unsigned const mask = all_masks(m);
        each_entry_of_tile<T>(rows, at(tile_row(m / tile_size)) * tile_size + r, tile.column, [&](offset k, int c) {
          source(tile.slot + (tile.width == tile_size ? DenseTile::place(mask, r, c) : EllTile::place(mask, r, c))) =
              rows.source(k);
        });
      });
  Kokkos::parallel_for(
      "sptrsv::tiles::columns", policy(exec, 0, static_cast<offset>(tiles.extent(0))),
      KOKKOS_LAMBDA(offset m) { tiles(m).column = place(static_cast<index>(tiles(m).column)); });
}

/// The same for lists and diagonal tiles: a thread per row, its lanes share the entries.
template <class T>
void fill_rows(typename T::exec_space const& exec, SortedRows<T> const& rows, BlockOrder<T> const& order,
               Kokkos::View<typename T::offset*, typename T::device> const& before, TilePattern<T> const& out) {
  using index = typename T::index;
  using offset = typename T::offset;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  constexpr int threads = is_host_space<typename T::exec_space> ? 1 : tile_size,
                lanes_of_row = is_host_space<typename T::exec_space> ? 1 : 8;
  auto const at = order.at, place = order.place;
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
              source(row.diagonal + TriangleTile::place(diagonal_mask(q * tile_size + r), r,
                                                        static_cast<int>(p - t * tile_size))) = rows.source(k);
            } else if (rows.listed(k)) {
              offset const slot = SparseList::place<offset>(row.list_width, first, count, before(k) - before(begin));
              position(row.position + slot) = place(p / tile_size) * tile_size + p % tile_size;
              source(row.list + slot) = rows.source(k);
            }
          });
        });
      });
}

/// Whether rows first..last of tiles have nothing below the diagonal in their diagonal tiles.
template <class T>
bool has_diagonals_alone(typename T::exec_space const& exec, TilePattern<T> const& tiles, typename T::index first,
                         typename T::index last) {
  auto const rows = tiles.rows;
  int more = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::diagonals_alone",
      Kokkos::RangePolicy<typename T::exec_space, typename T::index>(exec, first, last),
      KOKKOS_LAMBDA(typename T::index q, int& sum) { sum += rows(q).columns != 0; }, more);
  exec.fence("sptrsv::tiles: which kernel takes a level is decided on the host");
  return more == 0;
}

}  // namespace detail

/// Finds the slots of repeated entries, of which there are seldom any; allocates and fences if there are.
template <class T>
RepeatedEntries<T> find_repeated(typename T::exec_space const& exec, SortedRows<T> const& rows,
                                 TilePattern<T> const& tiles) {
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, offset>;
  RepeatedEntries<T> out;
  auto const count = static_cast<offset>(rows.repeated.extent(0));
  if (count == 0) return out;
  out.source = rows.repeated;
  out.slot = detail::raw_view<offset, T>(exec, "sptrsv::tiles::repeated_slot", rows.repeated.extent(0));
  auto const of = rows.repeated_of;
  offset last = 0;
  Kokkos::parallel_reduce(
      "sptrsv::tiles::last_repeated", policy(exec, 0, count),
      KOKKOS_LAMBDA(offset r, offset & most) { most = of(r) > most ? of(r) : most; }, Kokkos::Max<offset>(last));
  exec.fence("sptrsv::tiles: the last source is needed to allocate");
  auto const slot_of = detail::raw_view<offset, T>(exec, "sptrsv::tiles::slot_of", static_cast<std::size_t>(last) + 1);
  auto const source = tiles.source;
  Kokkos::parallel_for(
      "sptrsv::tiles::slots_of", policy(exec, 0, static_cast<offset>(source.extent(0))), KOKKOS_LAMBDA(offset s) {
        if (source(s) >= 0 && source(s) <= last) slot_of(source(s)) = s;
      });
  auto const slot = out.slot;
  Kokkos::parallel_for(
      "sptrsv::tiles::repeated_slots", policy(exec, 0, count), KOKKOS_LAMBDA(offset r) { slot(r) = slot_of(of(r)); });
  exec.fence("sptrsv::tiles: the slots by source go");
  return out;
}

/// Cuts op(T) into tiles, where the kernels run; allocates and fences.
/// @param rows   op(T)'s rows by position, sorted
/// @param order  of the rows of tiles
/// @throws Unsupported where offsets do not count the slots.
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
  Kokkos::View<index*, typename T::device> tile_row;
  detail::list_tiles<T>(exec, rows, order, out, tile_row);
  detail::mask_tiles<T>(exec, rows, order, out, tile_row);
  auto const before = detail::number_listed<T>(exec, rows);
  detail::shape_rows<T>(exec, rows, order, before, out);
  detail::place_slots<T>(exec, order, tile_row, out);
  detail::fill_tiles<T>(exec, rows, order, out, tile_row);
  detail::fill_rows<T>(exec, rows, order, before, out);
  auto const row = out.row;
  auto const at = order.at;
  auto const of_position = rows.row;
  Kokkos::parallel_for(
      "sptrsv::tiles::row", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(positions)),
      KOKKOS_LAMBDA(index p) { row(p) = of_position(at(p / tile_size) * tile_size + p % tile_size); });
  exec.fence("sptrsv::tiles: what was needed to make them goes");
  return out;
}

}  // namespace sptrsv
