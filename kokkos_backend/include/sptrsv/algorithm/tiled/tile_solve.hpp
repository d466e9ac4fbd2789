// SPDX-License-Identifier: Apache-2.0
// Solve by tiles: a warp per tile row, which waits for other tile rows, or, in a wide level, a thread per row of T.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/algorithm/tiled/tiles.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

/// Tells whether products with the value keep their relative accuracy: it is not zero, subnormal, infinite or NaN.
template <class S>
KOKKOS_INLINE_FUNCTION bool is_normal(S value) {
  using real = typename Parts<S>::real;
  real size = 0;  // the larger part
  bool is_number = true;
  for (int part = 0; part < Parts<S>::count; ++part) {
    real const v = Kokkos::abs(Parts<S>::get(value, part));
    is_number = is_number && v <= Kokkos::Experimental::finite_max_v<real> / 2;
    if (v > size) size = v;
  }
  return is_number && size >= 2 * Kokkos::Experimental::norm_min_v<real>;
}
/// Tells whether `product` may be stored instead of `factor`: the factor is zero, or both are normal.
template <class S>
KOKKOS_INLINE_FUNCTION bool is_safe_product(S factor, S product) {
  return factor == S(0) || (is_normal(factor) && is_normal(product));
}

/// Calls f(e, c) for the e-th entry of a row of a diagonal tile, in column c.
template <class F>
KOKKOS_INLINE_FUNCTION void each_column(unsigned mask, F const& f) {
  for (int e = 0; mask != 0; mask &= mask - 1u) f(e++, Kokkos::Experimental::countr_zero_builtin(mask));
}

/// Form in which a diagonal tile D with diagonal P is stored.
///   scaled     D P^-1 without its ones, and P^-1. Solved for P x, which is then multiplied by P^-1. No step divides.
///   The sums are those of substitution, so they overflow or underflow only where those of substitution do. (P^-1 D
///   would multiply b first: 1e10 by the reciprocal of 1e-300, before terms are subtracted that make it small.)
///   as_stored  D and P; used if the scaled form would have values that are not normal numbers. Each step then divides.
enum class DiagonalTile : std::uint8_t { scaled, as_stored };

/// Values of a TilePattern. Device-copyable.
template <class T>
struct TileValues {
  using scalar = typename T::scalar;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  view<scalar> at;          ///< by slot
  view<scalar> pivot;       ///< by position: P^-1, or the diagonal as the caller stores it
  view<DiagonalTile> kept;  ///< form of the diagonal tile, by tile row

  std::size_t memory_bytes() const { return (at.span() + pivot.span()) * sizeof(scalar) + kept.span(); }
};

template <class T>
TileValues<T> make_tile_values(typename T::exec_space const& exec, TilePattern<T> const& tiles) {
  auto const count = static_cast<std::size_t>(tiles.num_tile_rows());
  TileValues<T> out;
  out.at = raw_view<typename T::scalar, T>(exec, "sptrsv::tiled::values", tiles.source.extent(0));
  out.pivot = raw_view<typename T::scalar, T>(exec, "sptrsv::tiled::pivot", count * tile_size);
  out.kept = raw_view<DiagonalTile, T>(exec, "sptrsv::tiled::kept", count);
  return out;
}

/// Scales the diagonal tile of each tile row, if that is safe.
template <class T>
void scale_diagonal_tiles(typename T::exec_space const& exec, TilePattern<T> const& tiles,
                          TriangleValues<T> const& numbers, TileValues<T> const& to) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  Kokkos::parallel_for(
      "sptrsv::tiled::scale", with_arguments_in_launch(row_range<T>(exec, tiles.num_tile_rows())),
      KOKKOS_LAMBDA(index q) {
        scalar* const slots = to.at.data() + tiles.rows(q).diagonal;
        bool safe = true;
        scalar inverse[tile_size];
        for (int r = 0; r < tile_size; ++r) {
          index const p = q * tile_size + r, i = tiles.row(p);
          scalar const pivot = i < 0 || numbers.diagonal == Diagonal::unit ? scalar(1) : numbers.stored_diagonal(i);
          to.pivot(p) = pivot;
          inverse[r] = numbers.diagonal == Diagonal::stored ? scalar(1) / pivot : pivot;
          safe = safe && is_normal(inverse[r]) && is_normal(pivot);
          each_column(tiles.diagonal_mask(p), [&](int e, int c) {
            scalar const entry = slots[e * tile_size + r];
            safe = safe && is_safe_product(entry, entry * inverse[c]);
          });
        }
        to.kept(q) = safe ? DiagonalTile::scaled : DiagonalTile::as_stored;
        if (!safe) return;
        for (int r = 0; r < tile_size; ++r) {
          to.pivot(q * tile_size + r) = inverse[r];
          unsigned const mask = tiles.diagonal_mask(q * tile_size + r);
          each_column(mask, [&](int e, int c) { slots[e * tile_size + r] *= inverse[c]; });
        }
      });
}

/// Adds the values of duplicate entries, in their order.
template <class T>
void add_repeated(typename T::exec_space const& exec, RepeatedEntries<T> const& repeated,
                  TriangleValues<T> const& numbers, TileValues<T> const& to) {
  using offset = typename T::offset;
  auto const count = static_cast<offset>(repeated.slot.extent(0));
  Kokkos::parallel_for(
      "sptrsv::tiled::add_repeated", with_arguments_in_launch(range_of<offset>(exec, count)),
      KOKKOS_LAMBDA(offset first) {
        auto const slot = repeated.slot(first);
        if (first > 0 && repeated.slot(first - 1) == slot) return;
        for (offset r = first; r < count && repeated.slot(r) == slot; ++r)
          to.at(slot) += conjugate_if(numbers.all(repeated.source(r)), numbers.conj);
      });
}

/// Gathers new values by slot, then scales the diagonal tiles.
template <class T>
void update_tiles(typename T::exec_space const& exec, TilePattern<T> const& tiles, RepeatedEntries<T> const& repeated,
                  TriangleValues<T> const& numbers, TileValues<T> const& to) {
  using offset = typename T::offset;
  auto const source = tiles.source;
  auto const at = to.at;
  Kokkos::parallel_for(
      "sptrsv::tiled::gather", with_arguments_in_launch(range_of<offset>(exec, at.extent(0))),
      KOKKOS_LAMBDA(offset slot) {
        at(slot) = source(slot) < 0 ? typename T::scalar(0) : conjugate_if(numbers.all(source(slot)), numbers.conj);
      });
  if (repeated.slot.extent(0) > 0) add_repeated<T>(exec, repeated, numbers, to);
  scale_diagonal_tiles<T>(exec, tiles, numbers, to);
}

/// Arrays that both kernels read and write, for K right-hand sides per ticket or thread.
template <class T, int K>
struct TileSystem {
  TilePattern<T> tiles;
  TileValues<T> values;
  RowIO<T> io;
  SolvedSlots<typename T::scalar, K> slots;
  Diagonal diagonal;

  /// Performs the last step of a row whose diagonal tile is as_stored.
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar finish(typename T::scalar sum, typename T::scalar pivot) const {
    return diagonal == Diagonal::unit ? sum : diagonal == Diagonal::inverted ? sum * pivot : quotient(sum, pivot);
  }
  /// Publishes x of row i, stores it to the caller's x, and resets the slot for the next solve.
  /// @param own  slot of the row's position
  /// @param i    row; -1: the position has no row
  KOKKOS_FORCEINLINE_FUNCTION void write(SolvedSlots<typename T::scalar, K> const& own, typename T::index i, int column,
                                         ColumnValues<typename T::scalar, K> const& x) const {
    own.publish(0, x.at);
    if (i >= 0)
      for (int c = 0; c < K; ++c) io.store(i, column + c, x.at[c]);
    own.reset_next(0);
  }
};

/// Kernel at warp level: the lanes share a tile row. Each round polls together for the x of a batch of list entries and
/// of two tiles. These x are solved at about the same time: list and tiles are both in the order in which their x are
/// solved, and end in the same round. A lane waits only for other warps.
template <class T, int K>
struct TileRowPerWarp {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using sums = ColumnValues<scalar, K>;
  using real = typename SolvedSlots<scalar, K>::real;
  using slots_type = SolvedSlots<scalar, K>;
  static constexpr int entries_per_batch = Terms<scalar, K>::batch, tiles_per_batch = 2,
                       steps = TileProduct<EllTile>::steps;

  TileSystem<T, K> system;
  index first_tile_row;
  int columns;  ///< tickets per tile row, one for each column

  /// Tiles of a round, distributed over lanes.
  struct Round {
    Tile<T> tile[tiles_per_batch];
    PerLane<unsigned> mask[tiles_per_batch];
    PerLane<scalar[steps]> a[tiles_per_batch];
    PerLane<sums> x[tiles_per_batch];
  };

  /// Waits for a lane's x of a round: loads those of `count` tiles, and subtracts the terms of the list's slots
  /// first..last.
  KOKKOS_FORCEINLINE_FUNCTION void wait_and_subtract(TileRow<T> const& row, slots_type const& slots, offset first,
                                                     offset last, int count, int lane, Round& round, sums& sum) const {
    Terms<scalar, K> terms;
    real const* x_at[tiles_per_batch] = {};
    for (int u = 0; u < entries_per_batch; ++u)
      if (first + u >= 0 && first + u < last) {
        offset const slot = (first + u) * tile_lanes + lane;
        index const p = system.tiles.position(row.position + slot);
        if (p < 0) continue;
        terms.at[u] = slots.at(p);
        terms.value[u] = system.values.at(row.list + slot);
      }
    for (int v = 0; v < tiles_per_batch; ++v)
      if (v < count) x_at[v] = slots.at(static_cast<std::size_t>(round.tile[v].column) * tile_size + lane % tile_size);
    bool solved = false;
    for (Backoff wait; !solved; wait(row.list)) {  // all are loaded before any is compared, so that loads overlap
      terms.poll_all([](real const* at, scalar(&x)[K]) { slots_type::poll(at, x); });
      for (int v = 0; v < tiles_per_batch; ++v)
        if (x_at[v]) slots_type::poll(x_at[v], round.x[v][lane].at);
      solved = true;
      for (int u = 0; u < entries_per_batch; ++u) solved &= slots_type::all_solved(terms.x[u]);
      for (int v = 0; v < tiles_per_batch; ++v)
        if (x_at[v]) solved &= slots_type::all_solved(round.x[v][lane].at);
    }
    terms.subtract(sum.at);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load_tiles(offset first, int count, Round& round) const {
    auto const& tiles = system.tiles;
    for (int v = 0; v < tiles_per_batch; ++v) {
      if (v >= count) break;
      round.tile[v] = tiles.tiles(first + v);
      scalar const* const values = system.values.at.data() + round.tile[v].slot;
      int const width = round.tile[v].width;
      each_lane([&](int l) {
        round.mask[v][l] = tiles.mask((first + v) * tile_size + l % tile_size);
        if (width == tile_size) TileProduct<DenseTile>::load(values, width, round.mask[v][l], l, round.a[v][l]);
        else TileProduct<EllTile>::load(values, width, round.mask[v][l], l, round.a[v][l]);
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_tiles(int count, Round const& round, PerLane<sums>& sum) {
    for (int v = 0; v < tiles_per_batch; ++v) {
      if (v >= count) break;
      int const width = round.tile[v].width;
      if (width == tile_size)
        each_lane([&](int l) {
          TileProduct<DenseTile>::subtract(width, round.mask[v][l], l, round.a[v][l], round.x[v], sum[l]);
        });
      else
        each_lane([&](int l) {
          TileProduct<EllTile>::subtract(width, round.mask[v][l], l, round.a[v][l], round.x[v], sum[l]);
        });
    }
  }

  /// Subtracts the terms of the list and of all off-diagonal tiles from `rest`, which is equal in both lanes of a row.
  KOKKOS_FORCEINLINE_FUNCTION void subtract_off_diagonals(TileRow<T> const& row, slots_type const& slots,
                                                          PerLane<int> const& list_lanes, PerLane<sums>& rest) const {
    auto const ceil = [](auto count, int size) { return static_cast<long long>((count + size - 1) / size); };
    long long const of_list = ceil(row.list_width, entries_per_batch), of_tiles = ceil(row.tiles, tiles_per_batch);
    PerLane<sums> from_list{}, from_tiles{};
    for (long long left = of_list > of_tiles ? of_list : of_tiles; left > 0; --left) {
      Round round;
      int const count = left > of_tiles    ? 0
                        : left == of_tiles ? static_cast<int>(row.tiles - (of_tiles - 1) * tiles_per_batch)
                                           : tiles_per_batch;
      offset const first_tile = row.tile + row.tiles - static_cast<offset>((left - 1) * tiles_per_batch) - count;
      offset const last = row.list_width - static_cast<offset>((left - 1) * entries_per_batch);
      load_tiles(first_tile, count, round);
      each_lane(
          [&](int l) { wait_and_subtract(row, slots, last - entries_per_batch, last, count, l, round, from_list[l]); });
      subtract_tiles(count, round, from_tiles);
    }
    if (row.list_width > 0)
      each_lane([&](int l) {
        int const first = list_lanes[l] % 256, mine = list_lanes[l] / 256;
        for (int u = 0; u < row.most_lanes; ++u) {
          auto const part = from(from_list, u < mine ? first + u : 0);
          if (u < mine)
            for (int c = 0; c < K; ++c) rest[l].at[c] += part.at[c];
        }
      });
    if (row.tiles > 0)
      each_lane([&](int l) {
        auto const other = from(from_tiles, l ^ tile_size);
        for (int c = 0; c < K; ++c) rest[l].at[c] += from_tiles[l].at[c] + other.at[c];
      });
  }

  KOKKOS_FORCEINLINE_FUNCTION void solve(index q, int column) const {
    auto const& tiles = system.tiles;
    TileRow<T> const row = tiles.rows(q);
    DiagonalTile const kept = system.values.kept(q);
    PerLane<index> i;
    PerLane<int> list_lanes;
    PerLane<unsigned> mask;
    PerLane<scalar> pivot;
    PerLane<scalar[TriangleTile::most]> a;
    PerLane<sums> x{};
    PerLane<slots_type> own;
    auto const slots = system.slots.column(column);
    each_lane([&](int l) {  // loads all operands of the last step before any wait
      index const p = q * tile_size + l % tile_size;
      i[l] = tiles.row(p);
      own[l] = slots.from(static_cast<std::size_t>(p));
      list_lanes[l] = tiles.lanes(p);
      pivot[l] = system.values.pivot(p);
      mask[l] = tiles.diagonal_mask(p);
      if (i[l] >= 0)
        for (int c = 0; c < K; ++c) x[l].at[c] = system.io.load(i[l], column + c);
      TriangleTile::load(system.values.at.data() + row.diagonal, mask[l], l, a[l]);
    });
    subtract_off_diagonals(row, slots, list_lanes, x);
    if (kept == DiagonalTile::as_stored) {
      TriangleTile::solve_with_pivots(mask, a, pivot, [&](scalar sum, scalar p) { return system.finish(sum, p); }, x);
    } else {
      TriangleTile::solve(row.columns, mask, a, x);
      each_lane([&](int l) {
        for (int c = 0; c < K; ++c) x[l].at[c] *= pivot[l];
      });
    }
    each_lane([&](int l) {
      if (l < tile_size) system.write(own[l], i[l], column, x[l]);
    });
    rejoin_lanes();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const&, index first, index last) const {
    for (index s = first; s < last; ++s) solve(first_tile_row + s / columns, static_cast<int>(s % columns));
  }
};

/// Kernel at thread level: a thread per row of T, in a level whose rows need only x of earlier kernels.
template <class T, int K>
struct TileRowByThreads {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  TileSystem<T, K> system;
  index first;  ///< first position of the level
  int columns;  ///< threads per row, one for each column

  KOKKOS_FORCEINLINE_FUNCTION static void subtract(scalar a, SolvedSlots<scalar, K> const& slots, index p,
                                                   ColumnValues<scalar, K>& sum) {
    scalar x[K];
    SolvedSlots<scalar, K>::load(slots.at(p), x);
    for (int c = 0; c < K; ++c) sum.at[c] -= a * x[c];
  }
  KOKKOS_FUNCTION void operator()(long long s) const {
    index const p = first + static_cast<index>(s / columns);
    int const column = static_cast<int>(s % columns);
    auto const slots = system.slots.column(column);
    auto const& tiles = system.tiles;
    auto const& values = system.values;
    index const i = tiles.row(p), q = p / tile_size;
    int const r = static_cast<int>(p % tile_size), lanes = tiles.lanes(p);
    TileRow<T> const row = tiles.rows(q);
    ColumnValues<scalar, K> x{};
    if (i >= 0)
      for (int c = 0; c < K; ++c) x.at[c] = system.io.load(i, column + c);
    for (int lane = lanes % 256; lane < lanes % 256 + lanes / 256; ++lane)
      for (offset u = 0; u < row.list_width; ++u) {
        index const at = tiles.position(row.position + u * tile_lanes + lane);
        if (at >= 0) subtract(values.at(row.list + u * tile_lanes + lane), slots, at, x);
      }
    for (offset m = row.tile; m < row.tile + row.tiles; ++m) {
      Tile<T> const tile = tiles.tiles(m);
      unsigned const mask = tiles.mask(m * tile_size + r);
      for (unsigned left = mask; left != 0; left &= left - 1) {
        int const c = Kokkos::Experimental::countr_zero_builtin(left);
        int const slot = tile.width == tile_size ? DenseTile::slot(mask, r, c) : EllTile::slot(mask, r, c);
        subtract(values.at(tile.slot + slot), slots, tile.column * tile_size + c, x);
      }
    }
    for (int c = 0; c < K; ++c)
      x.at[c] = values.kept(q) == DiagonalTile::as_stored ? system.finish(x.at[c], values.pivot(p))
                                                          : x.at[c] * values.pivot(p);
    system.write(slots.from(static_cast<std::size_t>(p)), i, column, x);
  }
};

}  // namespace sptrsv::detail
