// SPDX-License-Identifier: Apache-2.0
// Values of tiles: gathered by slot, with diagonal tiles scaled to unit diagonals.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/algorithm/tiled/tiles.hpp"
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
/// Tells whether a factor may be stored multiplied.
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
///   scaled     D P^-1 without its ones, and P^-1. Solved for P x, which is then multiplied by P^-1. No step divides,
///   and the sums are those of substitution, so that nothing overflows or underflows that does not in substitution.
///   (P^-1 D would multiply b first: 1e10 by the reciprocal of 1e-300, before terms are subtracted that make it small.)
///   as_stored  D and P, where the scaled form has values that are not normal; each step then divides
enum class DiagonalTile : std::uint8_t { scaled, as_stored };

/// Values of a TilePattern. Device-copyable.
template <class T>
struct TileValues {
  using scalar = typename T::scalar;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  view<scalar> at;          ///< by slot
  view<scalar> pivot;       ///< by position: P^-1, or what is stored for P
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

/// Takes new values: one gather by slot, then the diagonal tiles.
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

}  // namespace sptrsv::detail
