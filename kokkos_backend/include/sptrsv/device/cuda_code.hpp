// SPDX-License-Identifier: Apache-2.0
// CUDA implementation of gpu_code.hpp: warps of 32 lanes, scheduled independently (compute capability 7.0 and later).
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda/atomic>
#endif
#include <type_traits>

#if defined(__CUDA_ARCH__)
namespace sptrsv::detail::gpu {

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ bool first_of_team() { return threadIdx.x == 0 && threadIdx.y == 0; }
template <class R>
__device__ __forceinline__ R shuffle(R value, int lane) {
  return __shfl_sync(all_lanes, value, lane);
}
template <class R>
__device__ __forceinline__ R shuffle_xor(R value, int distance) {
  return __shfl_xor_sync(all_lanes, value, distance);
}
__device__ __forceinline__ bool any(bool value) { return __any_sync(all_lanes, value) != 0; }
__device__ __forceinline__ void sync() { __syncwarp(all_lanes); }
// lanes that have left a loop or a branch proceed, and publish, while others are still in it
template <class Turn>
__device__ __forceinline__ void take_turns(Turn const& turn) {
  while (!turn()) {
  }
}
__device__ __forceinline__ void rejoin() {}
struct WaitingLoop {
  __device__ __forceinline__ void pause() const {}
};

template <class T>
__device__ __forceinline__ auto atomic(T const* address) {
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(address));
}
template <class T>
__device__ __forceinline__ T load_acquire(T const* address) {
  return atomic(address).load(cuda::memory_order_acquire);
}
template <class T>
__device__ __forceinline__ T load_relaxed(T const* address) {
  return atomic(address).load(cuda::memory_order_relaxed);
}
template <class T>
__device__ __forceinline__ void store_relaxed(T* address, T value) {
  atomic(address).store(value, cuda::memory_order_relaxed);
}
/// Adds with one instruction. With CUDA, Kokkos::atomic_fetch_add of `unsigned long long` in Kokkos 4.7 is a loop of
/// compare-and-swap: 12 ms instead of 13 us for 10,000 tickets on an H200.
template <class T>
__device__ __forceinline__ T fetch_add(T* address, T value) {
  return atomic(address).fetch_add(value, cuda::memory_order_relaxed);
}
template <class T>
__device__ __forceinline__ void release_increment(T* address) {
  Kokkos::memory_fence();
  Kokkos::atomic_inc(address);
}
/// Loads by a compare-and-swap that changes nothing: it replaces the sentinel by the sentinel. Polling is faster this
/// way than by loads (104 instead of 139 ns from a row to the next on an H200), and race checkers see an atomic.
/// @param address  not from computed_here(): after two such calls with one address, nvcc removes all later code.
template <class Bits>
__device__ __forceinline__ Bits load_from_scratch(Bits* address, Bits sentinel) {
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  return atomicCAS(reinterpret_cast<word*>(address), static_cast<word>(sentinel), static_cast<word>(sentinel));
}
template <class Bits>
__device__ __forceinline__ void store_to_scratch(Bits* address, Bits value) {
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  atomicExch(reinterpret_cast<word*>(address), static_cast<word>(value));
}
__device__ __forceinline__ void prefetch(void const* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}
template <class R>
__device__ __forceinline__ R computed_here(R value) {
  if constexpr (std::is_pointer_v<R>) asm volatile("" : "+l"(value));
  else if constexpr (std::is_integral_v<R>) asm volatile("" : "+r"(value));
  else if constexpr (sizeof(R) == 8) asm volatile("" : "+d"(value));
  else asm volatile("" : "+f"(value));
  return value;
}

}  // namespace sptrsv::detail::gpu
#endif
