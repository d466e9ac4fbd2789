// SPDX-License-Identifier: Apache-2.0
// Values in a team's scratch memory that its threads poll for: a slot holds the sentinel until its value is stored.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "sptrsv/device/compiler.hpp"
#include "sptrsv/device/gpu_code.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

namespace scratch {

#if defined(__CUDA_ARCH__)
/// Address in shared memory, in 32 bits: half the arithmetic of a 64-bit pointer.
using address = unsigned;
__device__ __forceinline__ address address_of(void* pointer) {
  return static_cast<address>(__cvta_generic_to_shared(pointer));
}
/// Returns the upper 32 bits, which are all ones in the sentinel alone.
__device__ __forceinline__ unsigned upper_bits(double value) { return static_cast<unsigned>(__double2hiint(value)); }
__device__ __forceinline__ unsigned upper_bits(float value) { return __float_as_uint(value); }
/// Loads with relaxed order at team scope, by a single instruction that the compiler neither repeats nor removes.
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
__device__ __forceinline__ void load_bytes(address at, std::uint16_t& word) {
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word) : "r"(at) : "memory");
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
/// Loads a value that the team wrote before a barrier.
/// @tparam V  2, 4, 8, 16 or 32 bytes, aligned to min(sizeof(V), 16)
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
    using small = std::conditional_t<sizeof(V) == 2, std::uint16_t, std::uint32_t>;
    std::conditional_t<sizeof(V) <= 4, small, std::conditional_t<sizeof(V) == 8, std::uint64_t, TwoWords>> words;
    load_bytes(at, words);
    return Kokkos::bit_cast<V>(words);
  }
}
/// Starts a copy from global memory (compute capability 8.0 and later; earlier GPUs copy at once).
/// @tparam V  4, 8 or a multiple of 16 bytes
template <class V>
__device__ __forceinline__ void copy_async(V* to, V const* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(V) == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
  else if constexpr (sizeof(V) == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address_of(to)), "l"(from) : "memory");
  else {
    for (unsigned k = 0; k < sizeof(V); k += 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to) + k),
                   "l"(reinterpret_cast<char const*>(from) + k)
                   : "memory");
  }
#else
  *to = *from;
#endif
}
/// Waits for this thread's copies; a barrier then makes them visible to the team.
__device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
#else
using address = char*;
KOKKOS_FORCEINLINE_FUNCTION address address_of(void* pointer) { return static_cast<char*>(pointer); }
template <class R>
KOKKOS_FORCEINLINE_FUNCTION unsigned upper_bits(R value) {
  using bits = typename Sentinel<R>::bits;
  return static_cast<unsigned>(Kokkos::bit_cast<bits>(value) >> (8 * (sizeof(bits) - sizeof(std::uint32_t))));
}
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
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void copy_async(V* to, V const* from) {
  *to = *from;
}
KOKKOS_FORCEINLINE_FUNCTION void await_copies() {}
#endif

}  // namespace scratch

/// Sentinel that is recognized by its upper 32 bits alone.
template <class R>
struct ScratchSentinel {
  KOKKOS_FORCEINLINE_FUNCTION static bool is(R value) { return scratch::upper_bits(value) == ~0u; }
  /// Returns the value, without its sign bit if it counts as the sentinel.
  KOKKOS_FORCEINLINE_FUNCTION static R publishable(R value) {
    using bits = typename Sentinel<R>::bits;
    return is(value) ? Kokkos::bit_cast<R>(Kokkos::bit_cast<bits>(value) & (Sentinel<R>::pattern() >> 1)) : value;
  }
};

/// Access to a Flagged value in the team's scratch memory, where the team sees it.
struct ScratchMemory {
  template <class R>
  using sentinel = ScratchSentinel<R>;
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static R load(scratch::address at, int part) {
    return scratch::load(at + part * static_cast<unsigned>(sizeof(R)), R(0));
  }
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static void store(scratch::address at, int part, R value) {
    scratch::store(at + part * static_cast<unsigned>(sizeof(R)), value);
  }
};

/// Array of Flagged values in scratch memory.
template <class S>
class ScratchSlots : public Flagged<S, ScratchMemory> {
 public:
  /// @param memory  scratch memory of the team, aligned as S
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchSlots(void* memory) : base_(scratch::address_of(memory)) {}

  /// Tells whether any of `Count` values is missing: the maximum of their upper bits is found in fewer dependent steps
  /// than a chain of comparisons has.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static bool any_missing(S const (&values)[Count]) {
    constexpr int words = Count * Parts<S>::count;
    unsigned bits[words];
    SPTRSV_UNROLL for (int w = 0; w < words; ++w) {
      bits[w] = scratch::upper_bits(Parts<S>::get(values[w / Parts<S>::count], w % Parts<S>::count));
    }
    SPTRSV_UNROLL for (int step = 1; step < words; step *= 2) {
      SPTRSV_UNROLL for (int w = 0; w + step < words; w += 2 * step) {
        bits[w] = bits[w] > bits[w + step] ? bits[w] : bits[w + step];
      }
    }
    return bits[0] == ~0u;
  }

  KOKKOS_FORCEINLINE_FUNCTION scratch::address at(int slot) const {
    return base_ + static_cast<unsigned>(slot) * static_cast<unsigned>(sizeof(S));
  }

 private:
  scratch::address base_;
};

}  // namespace sptrsv::detail
