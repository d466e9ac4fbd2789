// SPDX-License-Identifier: Apache-2.0
// Arithmetic that reproduces PETSc's rounding: subtracted products with or without contraction, whatever the compiler's
// default, and reciprocals of pivots.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "sptrsv/device/row_io.hpp"

namespace sptrsv::detail {

/// Returns the product l u, rounded: a compiler must not fuse it with a subtraction that follows.
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

/// Returns x - l u.
/// @param contract  true: one fused operation with one rounding. false: rounds the product first; on a host that needs
/// a compiler flag against contraction, which the library's own files are compiled with.
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
/// Returns x - l u for complex numbers: several roundings, in an order that the compiler chooses.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> subtract_product(Kokkos::complex<R> x, Kokkos::complex<R> l,
                                                                Kokkos::complex<R> u, bool) {
  return x - l * u;
}

/// Returns 1 / b; for complex b as C defines it: 0 for an infinite b and infinite for b = 0, never NaN for these.
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
