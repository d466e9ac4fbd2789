// SPDX-License-Identifier: Apache-2.0
// op(T) as 16x16 tiles, in two levels of storage: tile rows in solve order, and the slots of their entries.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/device/tile_lanes.hpp"

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

/// op(T) in tiles. Tile rows are numbered in ticket order, by block level, the longest path among tile rows. Position
/// 16 q + r is row r of tile row q. Device-copyable.
template <class T>
struct TilePattern {
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  view<TileRow<T>> rows;
  view<typename T::index> row;           ///< row of the matrix by position; -1: none
  view<std::uint16_t> lanes;             ///< lanes in the list by position: first + 256 count
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

}  // namespace sptrsv
