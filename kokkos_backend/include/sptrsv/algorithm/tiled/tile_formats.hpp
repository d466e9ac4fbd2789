// SPDX-License-Identifier: Apache-2.0
// Storage formats and products of tiles. A format defines the number of slots of a tile, the slot of an entry, and the
// lanes' work. Slots are in the order in which lanes read them.
#pragma once

#include "sptrsv/device/tile_lanes.hpp"

namespace sptrsv {

/// Returns the format of an off-diagonal tile. 16: dense, if entries fill at least half of the slots. 1 to 8: ELL with
/// that number of slots per row, if entries fill at least half of them. 0, always for fewer than 16 entries: the list
/// of sparse entries.
KOKKOS_INLINE_FUNCTION int tile_width(int entries, int longest_row) {
  if (entries < tile_size) return 0;
  if (2 * entries >= tile_size * tile_size) return tile_size;
  return longest_row <= tile_size / 2 && 2 * entries >= tile_size * longest_row ? longest_row : 0;
}

namespace detail {

/// Minimum number of rows that have entries in an ELL or dense tile.
inline constexpr int least_rows_of_tile = tile_size / 2;

/// Entries of all sparse tiles of a tile row, by rows as in CSR. Each row is cut into equal segments, one per lane. A
/// long row gets many lanes, so that `width`, the slots of a lane, is as small as 32 lanes allow.
struct SparseList {
  /// Returns ceil(count / width); no intermediate result exceeds count.
  template <class Offset>
  KOKKOS_INLINE_FUNCTION static Offset parts_of(Offset count, Offset width) {
    return static_cast<Offset>(count / width + (count % width != 0));
  }
  template <class Offset>
  KOKKOS_INLINE_FUNCTION static int lanes_of(Offset count, Offset width) {
    return static_cast<int>(parts_of(count, width));
  }
  /// Returns the smallest width for which the rows fit the lanes; 0 if there is no entry.
  template <class Offset>
  KOKKOS_INLINE_FUNCTION static Offset width(Offset const (&count)[tile_size]) {
    Offset all = 0;
    for (auto const c : count) all += c;
    if (all == 0) return 0;
    Offset low = parts_of<Offset>(all, tile_lanes), high = parts_of<Offset>(all, tile_size);  // `high` always fits
    while (low < high) {
      Offset const middle = low + (high - low) / 2;
      long long lanes = 0;
      for (auto const c : count) lanes += parts_of<Offset>(c, middle);
      if (lanes <= tile_lanes) high = middle;
      else low = middle + 1;
    }
    return high;
  }
  KOKKOS_INLINE_FUNCTION static long long slots(long long width) { return tile_lanes * width; }
  /// Returns the slot of entry e of a row of `count` entries whose lanes start at `first`. Free slots come first, so
  /// that all rows end in the same step.
  /// @pre Offset can represent slots(width).
  template <class Offset>
  KOKKOS_INLINE_FUNCTION static Offset slot(Offset width, int first, Offset count, Offset e) {
    Offset const at = static_cast<Offset>(lanes_of(count, width) * width - count + e);
    return static_cast<Offset>(at % width * tile_lanes + first + at / width);
  }
};

/// Format that stores only the entries of each row, by column; a mask of 16 bits has the row's columns.
struct EllTile {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int slots(int width) { return tile_size * width; }
  KOKKOS_FORCEINLINE_FUNCTION static int slot(unsigned mask, int r, int c) {
    return columns_before(mask, c) * tile_size + r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(unsigned mask, int u) { return u < count_columns(mask); }

  /// Cursor over the columns of every other entry of a row, from entry `first` on.
  struct ColumnCursor {
    unsigned left;
    KOKKOS_FORCEINLINE_FUNCTION ColumnCursor(unsigned mask, int first) : left(first == 0 ? mask : mask & (mask - 1u)) {}
    KOKKOS_FORCEINLINE_FUNCTION int take(int) {
      int const c = Kokkos::Experimental::countr_zero_builtin(left);
      left &= left - 1u;
      left &= left - 1u;
      return c;
    }
  };
};

/// Format with a slot for each row and column. The mask tells which are entries, since 0 times an infinite x is NaN.
struct DenseTile {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int slots(int) { return tile_size * tile_size; }
  KOKKOS_FORCEINLINE_FUNCTION static int slot(unsigned, int r, int c) { return c * tile_size + r; }
  KOKKOS_FORCEINLINE_FUNCTION static bool has(unsigned mask, int u) { return has_column(mask, u); }

  struct ColumnCursor {
    KOKKOS_FORCEINLINE_FUNCTION ColumnCursor(unsigned, int) {}
    KOKKOS_FORCEINLINE_FUNCTION int take(int u) const { return u; }
  };
};

/// Product of an EllTile or DenseTile with x: lanes r and r + 16 take alternate slots of row r.
template <class Format>
struct TileProduct {
  static constexpr int steps = tile_size / 2;

  /// Loads a lane's part of the tile; called before the wait for x.
  template <class S>
  KOKKOS_FORCEINLINE_FUNCTION static void load(S const* values, int width, unsigned mask, int lane, S (&a)[steps]) {
    SPTRSV_UNROLL
    for (int v = 0; v < steps; ++v)
      a[v] = 2 * v < width && Format::has(mask, 2 * v + lane / tile_size) ? values[v * tile_lanes + lane] : S(0);
  }
  /// Subtracts the lane's terms from `sum`, in their order; called in each_lane().
  /// @param x  x of column c is in lanes c and c + 16
  template <class S, int K>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract(int width, unsigned mask, int lane, S const (&a)[steps],
                                                   PerLane<ColumnValues<S, K>> const& x, ColumnValues<S, K>& sum) {
    typename Format::ColumnCursor columns(mask, lane / tile_size);
    SPTRSV_UNROLL
    for (int v = 0; v < steps; ++v) {
      if (2 * v >= width) break;
      int const u = 2 * v + lane / tile_size;
      bool const mine = Format::has(mask, u);
      subtract_if(mine, a[v], from(x, mine ? columns.take(u) : 0), sum);
    }
  }
};

/// Entries below the diagonal of a diagonal tile, in slots as in an EllTile. A lane holds its whole row.
struct TriangleTile : EllTile {
  static constexpr int most = tile_size - 1;

  template <class S>
  KOKKOS_FORCEINLINE_FUNCTION static void load(S const* values, unsigned mask, int lane, S (&a)[most]) {
    SPTRSV_UNROLL
    for (int c = 0; c < most; ++c) a[c] = has_column(mask, c) ? values[slot(mask, lane % tile_size, c)] : S(0);
  }
  /// Solves a tile with a unit diagonal, in place.
  /// @param columns  union of the rows' masks
  template <class S, int K>
  KOKKOS_FORCEINLINE_FUNCTION static void solve(unsigned columns, PerLane<unsigned> const& mask,
                                                PerLane<S[most]> const& a, PerLane<ColumnValues<S, K>>& x) {
    SPTRSV_UNROLL
    for (int four = 0; four < tile_size; four += 4)
      if ((columns >> four & 15u) != 0) {
        SPTRSV_UNROLL
        for (int c = four; c < four + 4; ++c) {
          if (c == most) break;
          auto const xc = from(x, c);
          each_lane([&](int l) { subtract_if(has_column(mask[l], c), a[l][c < most ? c : 0], xc, x[l]); });
        }
      }
  }
  /// Solves a tile with any diagonal, in place: each row ends with finish(sum, pivot).
  template <class S, int K, class Finish>
  KOKKOS_FORCEINLINE_FUNCTION static void solve_with_pivots(PerLane<unsigned> const& mask, PerLane<S[most]> const& a,
                                                            PerLane<S> const& pivot, Finish const& finish,
                                                            PerLane<ColumnValues<S, K>>& x) {
    SPTRSV_UNROLL
    for (int c = 0; c < tile_size; ++c) {
      each_lane([&](int l) {
        if (l % tile_size == c)
          for (int k = 0; k < K; ++k) x[l].at[k] = finish(x[l].at[k], pivot[l]);
      });
      if (c == most) break;
      auto const xc = from(x, c);
      each_lane([&](int l) { subtract_if(has_column(mask[l], c), a[l][c < most ? c : 0], xc, x[l]); });
    }
  }
};

}  // namespace detail
}  // namespace sptrsv
