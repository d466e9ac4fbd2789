// SPDX-License-Identifier: Apache-2.0
// Products that are rounded before they are subtracted, and such that are not, whatever a compiler would contract.
#pragma once

#include <Kokkos_Core.hpp>

namespace sptrsv::detail {

/// x - l u. @param contract  as one operation with one rounding; else the product is rounded first. On a host the
/// latter needs a compiler that is told not to contract: the library's own files are.
KOKKOS_FORCEINLINE_FUNCTION double subtract_product(double x, double l, double u, bool contract) {
  if (contract) return Kokkos::fma(-l, u, x);
#if defined(__CUDA_ARCH__)
  return __dsub_rn(x, __dmul_rn(l, u));
#else
  return x - l * u;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION float subtract_product(float x, float l, float u, bool contract) {
  if (contract) return Kokkos::fma(-l, u, x);
#if defined(__CUDA_ARCH__)
  return __fsub_rn(x, __fmul_rn(l, u));
#else
  return x - l * u;
#endif
}
/// Complex products are of several roundings, in an order that compilers choose.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> subtract_product(Kokkos::complex<R> x, Kokkos::complex<R> l,
                                                                Kokkos::complex<R> u, bool) {
  return x - l * u;
}

}  // namespace sptrsv::detail
