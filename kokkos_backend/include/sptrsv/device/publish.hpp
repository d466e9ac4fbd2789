// SPDX-License-Identifier: Apache-2.0
// Publishing a value to other threads and waiting for it: the one place with backend-specific code.
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda/atomic>
#endif
#include <thread>
#include <type_traits>

namespace sptrsv::detail {

/// Reads what arrive() or another atomic wrote; everything written before that arrive() is then visible.
/// Kokkos::atomic_load is a compare-and-swap in Kokkos 4.x, far too dear for polling.
template <class T>
KOKKOS_INLINE_FUNCTION T observe(T const* address) {
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(address)).load(cuda::memory_order_acquire);
#else
  KOKKOS_IF_ON_HOST((return __atomic_load_n(address, __ATOMIC_ACQUIRE);))
  KOKKOS_IF_ON_DEVICE((T const value = *const_cast<T const volatile*>(address); Kokkos::memory_fence(); return value;))
#endif
}

/// Reads what post() wrote to the same address; orders nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T peek(T const* address) {
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*const_cast<T*>(address)).load(cuda::memory_order_relaxed);
#else
  KOKKOS_IF_ON_HOST((T value; __atomic_load(address, &value, __ATOMIC_RELAXED); return value;))
  KOKKOS_IF_ON_DEVICE((return *const_cast<T const volatile*>(address);))
#endif
}

/// Shows `value` to those who peek at the address, and nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void post(T* address, T value) {
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

/// Looks at a value in the scratch memory of the caller's team, at an address that is an offset from where that begins
/// (nvcc takes all behind the second of two looks or posts as unreachable where the address has gone through
/// computed_here()), written by post_in_scratch(): by an atomic exchange of nothing, which is quicker there than
/// polling by loads (104 instead of 139 ns from row to row on an H200), and known to race checkers.
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION Bits peek_in_scratch(Bits* address, Bits marker) {
#if defined(__CUDA_ARCH__)
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  return atomicCAS(reinterpret_cast<word*>(address), static_cast<word>(marker), static_cast<word>(marker));
#else
  return Kokkos::atomic_compare_exchange(address, marker, marker);
#endif
}
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION void post_in_scratch(Bits* address, Bits value) {
#if defined(__CUDA_ARCH__)
  using word = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  __builtin_assume(__isShared(address));
  atomicExch(reinterpret_cast<word*>(address), static_cast<word>(value));
#else
  Kokkos::atomic_exchange(address, value);
#endif
}

/// The value, computed at this place: a compiler may else put it off until behind a wait, where all others wait for it.
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

/// Counts one more arrival at `address`; whoever observes the count sees all earlier writes of those who arrived.
template <class T>
KOKKOS_INLINE_FUNCTION void arrive(T* address) {
  KOKKOS_IF_ON_HOST((__atomic_fetch_add(address, T(1), __ATOMIC_RELEASE);))
  KOKKOS_IF_ON_DEVICE((Kokkos::memory_fence(); Kokkos::atomic_inc(address);))
}

/// What a waiting thread does between two looks. On a host it soon gives its core away, since the
/// thread it waits for may need it. With SPTRSV_BOUNDED_WAITS (debug builds) a wait that cannot end
/// stops the program with the row instead of hanging.
class Backoff {
 public:
  template <class Index>
  KOKKOS_INLINE_FUNCTION void operator()([[maybe_unused]] Index row) {
    ++looks_;
#if defined(SPTRSV_BOUNDED_WAITS)
    if (looks_ > 2000000000u) {
      Kokkos::printf("sptrsv: row %lld waits for a row that is never solved\n", static_cast<long long>(row));
      Kokkos::abort("sptrsv: a wait did not end");
    }
#endif
    KOKKOS_IF_ON_HOST((if (looks_ > 64u && looks_ % 16u == 0u) std::this_thread::yield();))
  }

 private:
  unsigned looks_ = 0;
};

}  // namespace sptrsv::detail
