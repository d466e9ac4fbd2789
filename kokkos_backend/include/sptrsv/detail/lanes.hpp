// SPDX-License-Identifier: Apache-2.0
// Sums over the vector lanes of a thread. Kokkos names only a thread's own lanes to CUDA, which then lets the threads of
// a warp pass one after the other; here all of a warp pass at once.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/detail/row_io.hpp"

namespace sptrsv::detail {

#if defined(__CUDA_ARCH__)
template <class R>
__device__ __forceinline__ R from_lane(R value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}
template <class R>
__device__ __forceinline__ Kokkos::complex<R> from_lane(Kokkos::complex<R> value, int distance) {
  return {from_lane(value.real(), distance), from_lane(value.imag(), distance)};
}
#endif

/// The sum of part(lane, sums) over `lanes` lanes, a power of two, in a fixed order, for all of them.
/// @pre on a GPU all threads of the team's warp call it.
template <class Team, class S, int K, class Part>
KOKKOS_FORCEINLINE_FUNCTION void sum_over_lanes([[maybe_unused]] Team const& team, int lanes, ColumnSums<S, K>& sums, Part const& part) {
#if defined(__CUDA_ARCH__)
  part(static_cast<int>(threadIdx.x), sums);
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    for (int c = 0; c < K; ++c) sums.value[c] += from_lane(sums.value[c], distance);
#else
  Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, lanes), part, Kokkos::Sum<ColumnSums<S, K>>(sums));
#endif
}

/// Runs f on the first lane of each thread; the others do not wait for it.
template <class Team, class F>
KOKKOS_FORCEINLINE_FUNCTION void on_first_lane([[maybe_unused]] Team const& team, F const& f) {
#if defined(__CUDA_ARCH__)
  if (threadIdx.x == 0) f();
#else
  Kokkos::single(Kokkos::PerThread(team), f);
#endif
}

}  // namespace sptrsv::detail
