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
/// The same where `pivot` is 1 for a unit diagonal: on a GPU real numbers then need no choice.
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
