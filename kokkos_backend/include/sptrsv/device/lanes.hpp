// SPDX-License-Identifier: Apache-2.0
// Sums and right-hand sides (columns) on the vector lanes of a thread. Kokkos' reductions shuffle with a mask of one
// thread's lanes, so CUDA runs the threads of a warp one after another; here all lanes of a warp shuffle together.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/gpu_code.hpp"
#include "sptrsv/device/row_io.hpp"

namespace sptrsv::detail {

inline constexpr int cuda_warp_lanes = 32;

/// Number of lanes of a warp of E (a wavefront on AMD).
template <class E>
inline constexpr int warp_lanes = cuda_warp_lanes;
#if defined(KOKKOS_ENABLE_HIP)
template <>
inline constexpr int warp_lanes<Kokkos::HIP> = 64;
#endif

#if defined(SPTRSV_GPU_CODE)
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R from_lane(R value, int distance) {
  return gpu::shuffle_xor(value, distance);
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> from_lane(Kokkos::complex<R> value, int distance) {
  return {from_lane(value.real(), distance), from_lane(value.imag(), distance)};
}
#endif

/// Returns the number of the calling lane in its thread; 0 where a thread has one lane or Kokkos loops over the lanes.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION int lane_of(Team const&) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::lane();
#else
  return 0;
#endif
}

/// Sums part(lane, sums) over the `lanes` / columns.lanes() parts of a row in a fixed order, for all lanes.
/// @pre On a GPU all threads of the team's warp call it.
template <class Team, class S, int K, class Part>
KOKKOS_FORCEINLINE_FUNCTION void sum_over_parts([[maybe_unused]] Team const& team, int lanes,
                                                [[maybe_unused]] ColumnBlock const& columns, ColumnSums<S, K>& sums,
                                                Part const& part) {
#if defined(SPTRSV_GPU_CODE)
  part(gpu::lane(), sums);
  for (int distance = lanes >> 1; distance >= columns.lanes(); distance >>= 1)
    for (int c = 0; c < K; ++c) sums.value[c] += from_lane(sums.value[c], distance);
#else
  Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, lanes), part, Kokkos::Sum<ColumnSums<S, K>>(sums));
#endif
}

/// Returns the maximum of of(lane) over a thread's lanes, on all of them.
/// @pre On a GPU all threads of the team's warp call it.
template <class I, class Team, class F>
KOKKOS_FORCEINLINE_FUNCTION I max_over_lanes([[maybe_unused]] Team const& team, int lanes, F const& of) {
#if defined(SPTRSV_GPU_CODE)
  I most = of(gpu::lane());
  for (int distance = lanes >> 1; distance > 0; distance >>= 1) {
    I const other = from_lane(most, distance);
    most = other > most ? other : most;
  }
  return most;
#else
  I most = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, lanes),
      [&](int lane, I& mine) {
        I const own = of(lane);
        mine = own > mine ? own : mine;
      },
      Kokkos::Max<I>(most));
  return most;
#endif
}

/// Runs f(column) on one lane per column, which has the first part of the row; the other lanes do nothing.
template <class Team, class F>
KOKKOS_FORCEINLINE_FUNCTION void on_first_part([[maybe_unused]] Team const& team,
                                               [[maybe_unused]] ColumnBlock const& columns, F const& f) {
#if defined(SPTRSV_GPU_CODE)
  if (gpu::lane() < columns.count) f(gpu::lane());
  gpu::rejoin();
#else
  Kokkos::single(Kokkos::PerThread(team), [&]() { f(0); });
#endif
}

/// Runs f(lane) on each lane of a thread. Where Kokkos loops over lanes, f must not wait for another lane.
template <class Team, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_lane([[maybe_unused]] Team const& team, [[maybe_unused]] int lanes,
                                               F const& f) {
#if defined(SPTRSV_GPU_CODE)
  f(gpu::lane());
#else
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), f);
#endif
}

/// Tells whether `value` holds on any lane of the calling team's warp. On a host a team is one thread.
/// @pre On a GPU all lanes of the warp call it.
KOKKOS_FORCEINLINE_FUNCTION bool any_in_warp(bool value) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::any(value);
#else
  return value;
#endif
}

/// Makes the lanes' earlier writes to memory visible to all lanes of the warp.
/// @pre On a GPU all lanes of the warp call it.
KOKKOS_FORCEINLINE_FUNCTION void sync_warp() {
#if defined(SPTRSV_GPU_CODE)
  gpu::sync();
#endif
}

/// Ends a branch in which some lanes of a warp publish: no lane goes on to wait before those lanes have published.
KOKKOS_FORCEINLINE_FUNCTION void rejoin_lanes() {
#if defined(SPTRSV_GPU_CODE)
  gpu::rejoin();
#endif
}

/// Tells whether lanes may share rows and exchange values by sync_warp(); otherwise a thread has one lane.
template <class E>
inline constexpr bool lanes_share_rows = is_gpu<E>;

}  // namespace sptrsv::detail
