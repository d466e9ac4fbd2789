// SPDX-License-Identifier: Apache-2.0
// Publishing a value to other threads and polling for it: atomic loads and stores for each kind of processor.
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda/atomic>
#endif
#include <thread>
#include <type_traits>

namespace sptrsv::detail {

/// Loads what arrive() or another atomic wrote; everything written before that arrive() is then visible.
/// Kokkos::atomic_load is a compare-and-swap in Kokkos 4.x, far too expensive for polling.
template <class T>
KOKKOS_INLINE_FUNCTION T load_acquire(T const* address) {
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(address)).load(cuda::memory_order_acquire);
#else
  KOKKOS_IF_ON_HOST((return __atomic_load_n(address, __ATOMIC_ACQUIRE);))
  KOKKOS_IF_ON_DEVICE((T const value = *const_cast<T const volatile*>(address); Kokkos::memory_fence(); return value;))
#endif
}

/// Loads what store_relaxed() wrote to the same address; orders nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_relaxed(T const* address) {
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(address)).load(cuda::memory_order_relaxed);
#else
  KOKKOS_IF_ON_HOST((T value; __atomic_load(address, &value, __ATOMIC_RELAXED); return value;))
  KOKKOS_IF_ON_DEVICE((return *const_cast<T const volatile*>(address);))
#endif
}

/// Publishes `value` to load_relaxed() of the same address; orders nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_relaxed(T* address, T value) {
#if defined(__CUDA_ARCH__)
  cuda::atomic_ref<T, cuda::thread_scope_device>(*address).store(value, cuda::memory_order_relaxed);
#else
  KOKKOS_IF_ON_HOST((__atomic_store(address, &value, __ATOMIC_RELAXED);))
  KOKKOS_IF_ON_DEVICE((*const_cast<T volatile*>(address) = value;))
#endif
}

/// *address += value, returning the old value; orders nothing else. Kokkos::atomic_fetch_add of `unsigned long long` is
/// a loop of compare-and-swap in Kokkos 4.7 with CUDA: 12 ms instead of 13 us for 10,000 tickets on an H200.
template <class T>
KOKKOS_INLINE_FUNCTION T fetch_add(T* address, T value) {
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*address).fetch_add(value, cuda::memory_order_relaxed);
#else
  return Kokkos::atomic_fetch_add(address, value);
#endif
}

/// Loads what store_to_scratch() wrote to the scratch memory of the caller's team. On a GPU by a compare-and-swap that
/// changes nothing, since it replaces the sentinel by itself: polling is faster so than by loads (104 instead of 139 ns
/// from a row to the next on an H200), and race checkers take it as atomic.
/// @param address  the beginning of the scratch memory plus an offset. Not from computed_here(): of two such calls with
///                 the same address nvcc then removes all code after the second as unreachable.
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION Bits load_from_scratch(Bits* address, Bits sentinel) {
#if defined(__CUDA_ARCH__)
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  return atomicCAS(reinterpret_cast<word*>(address), static_cast<word>(sentinel), static_cast<word>(sentinel));
#else
  return Kokkos::atomic_compare_exchange(address, sentinel, sentinel);
#endif
}
/// Stores for load_from_scratch() of other threads of the team; the address as there.
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION void store_to_scratch(Bits* address, Bits value) {
#if defined(__CUDA_ARCH__)
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  atomicExch(reinterpret_cast<word*>(address), static_cast<word>(value));
#else
  Kokkos::atomic_exchange(address, value);
#endif
}

/// The value, computed here: a compiler may otherwise move the computation after a wait, where all later rows wait for
/// it too.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R computed_here(R value) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_pointer_v<R>) asm volatile("" : "+l"(value));
  else if constexpr (sizeof(R) == 8) asm volatile("" : "+d"(value));
  else asm volatile("" : "+f"(value));
#endif
  return value;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> computed_here(Kokkos::complex<R> value) {
  return {computed_here(value.real()), computed_here(value.imag())};
}

/// Adds 1 to the counter with release order: a thread whose load_acquire() returns the new count sees all earlier
/// writes of the threads that have arrived.
template <class T>
KOKKOS_INLINE_FUNCTION void arrive(T* address) {
  KOKKOS_IF_ON_HOST((__atomic_fetch_add(address, T(1), __ATOMIC_RELEASE);))
  KOKKOS_IF_ON_DEVICE((Kokkos::memory_fence(); Kokkos::atomic_inc(address);))
}

/// What a waiting thread does between two polls. On a host it yields its core after a few, since the
/// thread that it waits for may need it. With SPTRSV_BOUNDED_WAITS (debug builds) a wait that cannot end
/// stops the program with the row instead of hanging.
class Backoff {
 public:
  template <class Index>
  KOKKOS_INLINE_FUNCTION void operator()([[maybe_unused]] Index row) {
    ++polls_;
#if defined(SPTRSV_BOUNDED_WAITS)
    if (polls_ > 2000000000u) {
      Kokkos::printf("sptrsv: row %lld waits for a row that is never solved\n", static_cast<long long>(row));
      Kokkos::abort("sptrsv: a wait did not end");
    }
#endif
    KOKKOS_IF_ON_HOST((if (polls_ > 64u && polls_ % 16u == 0u) std::this_thread::yield();))
  }

 private:
  unsigned polls_ = 0;
};

}  // namespace sptrsv::detail
