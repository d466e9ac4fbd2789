// SPDX-License-Identifier: Apache-2.0
// Lanes that share a row of tiles: on a GPU a warp, or half of a warp of 64. On a host one thread does the work of all
// lanes, one after another, so that the same kernel runs everywhere.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/device/compiler.hpp"
#include "sptrsv/device/lanes.hpp"

namespace sptrsv {

inline constexpr int tile_size = 16;  ///< rows and columns of a tile

namespace detail {

inline constexpr int tile_lanes = 2 * tile_size;  ///< two per row: lane l works on row l % tile_size
static_assert(tile_lanes == cuda_warp_lanes,
              "on a GPU the lanes of a tile row are a team of their own, which shuffles among them all");

/// Value of each lane; on a GPU an object holds only that of the calling lane. `{}` sets zeros. For local variables,
/// since the size on a host differs from that on a device.
template <class V>
class PerLane {
 public:
#if defined(SPTRSV_GPU_CODE)
  KOKKOS_FORCEINLINE_FUNCTION V& operator[](int) { return value_; }
  KOKKOS_FORCEINLINE_FUNCTION V const& operator[](int) const { return value_; }

 private:
  V value_;
#else
  KOKKOS_FORCEINLINE_FUNCTION V& operator[](int lane) { return value_[lane]; }
  KOKKOS_FORCEINLINE_FUNCTION V const& operator[](int lane) const { return value_[lane]; }

 private:
  V value_[tile_lanes];
#endif
};

/// Runs f(lane) for all lanes. On a GPU they run f together, so f may load values of other lanes if all lanes do;
/// values that other lanes load must not change in the same f.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void each_lane(F const& f) {
#if defined(SPTRSV_GPU_CODE)
  f(gpu::lane());
#else
  for (int lane = 0; lane < tile_lanes; ++lane) f(lane);
#endif
}

#if defined(SPTRSV_GPU_CODE)
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R of_lane(R value, int lane) {
  return gpu::shuffle(value, lane);
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> of_lane(Kokkos::complex<R> value, int lane) {
  return {of_lane(value.real(), lane), of_lane(value.imag(), lane)};
}
#endif

template <class S, int K>
struct ColumnValues {
  S at[K];
};

/// Returns the K values of another lane.
template <class S, int K>
KOKKOS_FORCEINLINE_FUNCTION ColumnValues<S, K> from(PerLane<ColumnValues<S, K>> const& values, int lane) {
#if defined(SPTRSV_GPU_CODE)
  ColumnValues<S, K> out;
  for (int c = 0; c < K; ++c) out.at[c] = of_lane(values[lane].at[c], lane);
  return out;
#else
  return values[lane];
#endif
}

/// Subtracts a x from the sum if `mine`. Branch-free, since a GPU has few predicate registers.
template <class S, int K>
KOKKOS_FORCEINLINE_FUNCTION void subtract_if(bool mine, S a, ColumnValues<S, K> const& x, ColumnValues<S, K>& sum) {
  for (int c = 0; c < K; ++c) sum.at[c] -= a * (mine ? x.at[c] : S(0));
}

/// Mask of the columns of a row of a tile, one bit each.
using TileMask = std::uint16_t;

KOKKOS_FORCEINLINE_FUNCTION bool has_column(unsigned mask, int c) { return (mask >> c & 1u) != 0; }
KOKKOS_FORCEINLINE_FUNCTION int count_columns(unsigned mask) { return Kokkos::Experimental::popcount_builtin(mask); }
/// Returns the number of columns of the mask before column c.
KOKKOS_FORCEINLINE_FUNCTION int columns_before(unsigned mask, int c) { return count_columns(mask & ((1u << c) - 1u)); }

}  // namespace detail
}  // namespace sptrsv
