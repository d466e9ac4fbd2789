// SPDX-License-Identifier: Apache-2.0
// HIP implementation of the interface in gpu_code.hpp for AMD's CDNA: wavefronts of 64 lanes in lockstep. Compiled, but
// not yet run on such a GPU (docs/amd.md).
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#if defined(__HIP_DEVICE_COMPILE__)
namespace sptrsv::detail::gpu {

__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ bool first_of_team() { return threadIdx.x == 0 && threadIdx.y == 0; }
template <class R>
__device__ __forceinline__ R shuffle(R value, int lane) {
  return __shfl(value, lane);
}
template <class R>
__device__ __forceinline__ R shuffle_xor(R value, int distance) {
  return __shfl_xor(value, distance);
}
/// Returns a mask with one bit per lane; 0 for inactive lanes.
__device__ __forceinline__ unsigned long long ballot(bool value) { return __ballot(value); }
__device__ __forceinline__ bool any(bool value) { return ballot(value) != 0; }
/// Keeps the compiler from moving memory accesses across this call; lanes in lockstep need no instruction.
__device__ __forceinline__ void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
/// Calls turn() on each lane until it returns true. All lanes vote in each turn and leave the loop together; a lane
/// publishes within its turns. If it published after the loop, that code would run only once the last lane has left the
/// loop, and the last lane may be waiting for the published value.
template <class Turn>
__device__ __forceinline__ void take_turns(Turn const& turn) {
  bool done = false;
  do {
    if (!done) done = turn();
  } while (ballot(!done) != 0);
}
__device__ __forceinline__ void rejoin() { __builtin_amdgcn_wave_barrier(); }
struct WaitingLoop {
  __device__ __forceinline__ void pause() const { __builtin_amdgcn_s_sleep(1); }  // 64 cycles
};

template <class T>
__device__ __forceinline__ T load_acquire(T const* address) {
  return __hip_atomic_load(const_cast<T*>(address), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ T load_relaxed(T const* address) {
  return __hip_atomic_load(const_cast<T*>(address), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ void store_relaxed(T* address, T value) {
  __hip_atomic_store(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ T fetch_add(T* address, T value) {
  return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
__device__ __forceinline__ void release_increment(T* address) {
  __hip_atomic_fetch_add(address, T(1), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
template <class Bits>
__device__ __forceinline__ Bits load_from_scratch(Bits* address, Bits) {
  return __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
template <class Bits>
__device__ __forceinline__ void store_to_scratch(Bits* address, Bits value) {
  __hip_atomic_store(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
__device__ __forceinline__ void prefetch(void const*) {}
template <class R>
__device__ __forceinline__ R computed_here(R value) {
  asm volatile("" : "+v"(value));
  return value;
}

}  // namespace sptrsv::detail::gpu
#endif
