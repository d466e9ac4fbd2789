// SPDX-License-Identifier: Apache-2.0
// Arithmetic as PETSc's compiler does it: products that are rounded before they are subtracted or are not, whatever a
// compiler would contract, and reciprocals of pivots.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "sptrsv/device/row_io.hpp"

namespace sptrsv::detail {

/// l u, rounded whatever comes after it.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S rounded_product(S l, S u) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<S, double>) return __dmul_rn(l, u);
  else if constexpr (std::is_same_v<S, float>) return __fmul_rn(l, u);
#elif defined(__HIP_DEVICE_COMPILE__)
  S product = l * u;
  if constexpr (std::is_floating_point_v<S>) asm volatile("" : "+v"(product));  // hipcc contracts across statements
  return product;
#endif
  return l * u;
}

/// x - l u. @param contract  as one operation with one rounding; else the product is rounded first. On a host the
/// latter needs a compiler that is told not to contract: the library's own files are.
KOKKOS_FORCEINLINE_FUNCTION double subtract_product(double x, double l, double u, bool contract) {
  if (contract) return Kokkos::fma(-l, u, x);
#if defined(__CUDA_ARCH__)
  return __dsub_rn(x, __dmul_rn(l, u));
#else
  return x - rounded_product(l, u);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION float subtract_product(float x, float l, float u, bool contract) {
  if (contract) return Kokkos::fma(-l, u, x);
#if defined(__CUDA_ARCH__)
  return __fsub_rn(x, __fmul_rn(l, u));
#else
  return x - rounded_product(l, u);
#endif
}
/// Complex products are of several roundings, in an order that compilers choose.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> subtract_product(Kokkos::complex<R> x, Kokkos::complex<R> l,
                                                                Kokkos::complex<R> u, bool) {
  return x - l * u;
}

/// 1 / b. Of complex numbers as C defines it: that of an infinite one is 0, and that of 0 infinite, and neither NaN.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S reciprocal(S b) {
  return S(1) / b;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> reciprocal(Kokkos::complex<R> b) {
  constexpr R most = Kokkos::Experimental::finite_max_v<R>;
  if (b == Kokkos::complex<R>(0)) return {R(1) / b.real(), R(1) / b.real() * b.imag()};
  if (Kokkos::abs(b.real()) > most || Kokkos::abs(b.imag()) > most)
    return {Kokkos::copysign(R(0), b.real()), Kokkos::copysign(R(0), -b.imag())};
  return quotient(Kokkos::complex<R>(1), b);
}

}  // namespace sptrsv::detail
