// SPDX-License-Identifier: Apache-2.0
// Values in a team's scratch memory that its threads poll for: a slot holds the sentinel until its value is there.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "sptrsv/device/gpu_code.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

namespace scratch {

#if defined(__CUDA_ARCH__)
/// An address in shared memory in 32 bits: half the arithmetic of a pointer's.
using address = unsigned;
__device__ __forceinline__ address address_of(void* pointer) {
  return static_cast<address>(__cvta_generic_to_shared(pointer));
}
/// Relaxed loads and stores of the team: single instructions, which a compiler neither repeats nor removes.
__device__ __forceinline__ double load(address at, double) {
  double value;
  asm volatile("ld.relaxed.cta.shared.f64 %0, [%1];" : "=d"(value) : "r"(at) : "memory");
  return value;
}
__device__ __forceinline__ float load(address at, float) {
  float value;
  asm volatile("ld.relaxed.cta.shared.f32 %0, [%1];" : "=f"(value) : "r"(at) : "memory");
  return value;
}
__device__ __forceinline__ void store(address at, double value) {
  asm volatile("st.relaxed.cta.shared.f64 [%0], %1;" ::"r"(at), "d"(value) : "memory");
}
__device__ __forceinline__ void store(address at, float value) {
  asm volatile("st.relaxed.cta.shared.f32 [%0], %1;" ::"r"(at), "f"(value) : "memory");
}
__device__ __forceinline__ void load_bytes(address at, std::uint32_t& word) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
}
__device__ __forceinline__ void load_bytes(address at, std::uint64_t& word) {
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(at) : "memory");
}
struct alignas(16) TwoWords {
  std::uint64_t first, second;
};
__device__ __forceinline__ void load_bytes(address at, TwoWords& words) {
  asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(words.first), "=l"(words.second) : "r"(at) : "memory");
}
/// What the team has written there before a barrier; V of 4, 8, 16 or 32 bytes, aligned to as many, or 16.
template <class V>
__device__ __forceinline__ V load_staged(address at) {
  if constexpr (sizeof(V) == 32) {
    struct {
      TwoWords half[2];
    } both;
    load_bytes(at, both.half[0]);
    load_bytes(at + 16, both.half[1]);
    return Kokkos::bit_cast<V>(both);
  } else {
    std::conditional_t<sizeof(V) == 4, std::uint32_t, std::conditional_t<sizeof(V) == 8, std::uint64_t, TwoWords>>
        words;
    load_bytes(at, words);
    return Kokkos::bit_cast<V>(words);
  }
}
#else
using address = char*;
KOKKOS_FORCEINLINE_FUNCTION address address_of(void* pointer) { return static_cast<char*>(pointer); }
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R load(address at, R) {
  return load_relaxed(reinterpret_cast<R const*>(at));
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION void store(address at, R value) {
  store_relaxed(reinterpret_cast<R*>(at), value);
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V load_staged(address at) {
  return *reinterpret_cast<V const*>(at);
}
#endif

}  // namespace scratch

/// Slots of scalars, each of which is loaded and stored by its parts.
template <class S>
class ScratchSlots {
 public:
  using parts = Parts<S>;
  using real = typename parts::real;

  /// @param memory  of the team's scratch, aligned as S is
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchSlots(void* memory) : base_(scratch::address_of(memory)) {}

  KOKKOS_FORCEINLINE_FUNCTION S load(int slot) const {
    S value{};
    for (int w = 0; w < parts::count; ++w) parts::set(value, w, scratch::load(at(slot, w), real(0)));
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(int slot, S const& value) const {
    for (int w = 0; w < parts::count; ++w)
      scratch::store(at(slot, w), Sentinel<real>::publishable(parts::get(value, w)));
  }
  KOKKOS_FORCEINLINE_FUNCTION void reset(int slot) const {
    for (int w = 0; w < parts::count; ++w) scratch::store(at(slot, w), Sentinel<real>::value());
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool solved(S const& value) {
    bool all = true;
    for (int w = 0; w < parts::count; ++w) all &= !Sentinel<real>::is(parts::get(value, w));
    return all;
  }
  /// Whether a sum may have a sentinel among its terms: they are NaN, and so is then the sum.
  KOKKOS_FORCEINLINE_FUNCTION static bool doubtful(S const& sum) {
    bool nan = false;
    for (int w = 0; w < parts::count; ++w) nan |= parts::get(sum, w) != parts::get(sum, w);
    return nan;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION scratch::address at(int slot, int part) const {
    return base_ + static_cast<unsigned>(slot * parts::count + part) * static_cast<unsigned>(sizeof(real));
  }
  scratch::address base_;
};

}  // namespace sptrsv::detail
