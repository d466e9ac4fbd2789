// SPDX-License-Identifier: Apache-2.0
// The last step of a row: division by the pivot, which on a GPU is a multiplication by its reciprocal.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// Returns the pivot in the form that finish_row() takes. On a GPU that is its reciprocal, computed before the row
/// waits: a division after the wait costs half the time from a row to the next (65 ns on an H200).
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S divisor(S pivot) {
  KOKKOS_IF_ON_HOST((return pivot;))
  KOKKOS_IF_ON_DEVICE((return computed_here(quotient(S(1), pivot));))
}
/// Performs the last step of a row: multiplies, divides or returns the sum unchanged.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S finish_row(Diagonal diagonal, S sum, S pivot) {
  if (diagonal == Diagonal::unit) return sum;
  KOKKOS_IF_ON_HOST((return diagonal == Diagonal::inverted ? sum * pivot : quotient(sum, pivot);))
  KOKKOS_IF_ON_DEVICE((return sum * pivot;))
}
/// Performs the last step of a row where `pivot` is 1 for a unit diagonal: without a branch for real numbers on a GPU.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S finish_row_by_pivot(Diagonal diagonal, S sum, S pivot) {
  KOKKOS_IF_ON_HOST((return finish_row(diagonal, sum, pivot);))
  KOKKOS_IF_ON_DEVICE((return sum * pivot;))
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> finish_row_by_pivot(Diagonal diagonal, Kokkos::complex<R> sum,
                                                                   Kokkos::complex<R> pivot) {
  return finish_row(diagonal, sum, pivot);  // a product with (1, 0) may be NaN
}

}  // namespace sptrsv::detail
