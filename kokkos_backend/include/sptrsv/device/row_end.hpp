// SPDX-License-Identifier: Apache-2.0
// The last step of a row, its division by the pivot: on a GPU a multiplication by the reciprocal.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// What a row is divided by, ready for finish_row(): on a GPU its reciprocal, computed before the row waits. A division
/// after the wait costs as much as half the time from a row to the next (65 ns on an H200).
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S divisor(S pivot) {
  KOKKOS_IF_ON_HOST((return pivot;))
  KOKKOS_IF_ON_DEVICE((return computed_here(quotient(S(1), pivot));))
}
/// The last step of a row: multiplies, divides or leaves as it is.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S finish_row(Diagonal diagonal, S sum, S pivot) {
  if (diagonal == Diagonal::unit) return sum;
  KOKKOS_IF_ON_HOST((return diagonal == Diagonal::inverted ? sum * pivot : quotient(sum, pivot);))
  KOKKOS_IF_ON_DEVICE((return sum * pivot;))
}
/// On a GPU: the last step of a row with a pivot from divisor(), or 1 for a unit diagonal. Real numbers need no choice.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S times_pivot(Diagonal, S sum, S pivot) {
  return sum * pivot;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> times_pivot(Diagonal diagonal, Kokkos::complex<R> sum,
                                                           Kokkos::complex<R> pivot) {
  return diagonal == Diagonal::unit ? sum : sum * pivot;
}

}  // namespace sptrsv::detail
