// SPDX-License-Identifier: Apache-2.0
// Publication of a value to other threads and polling for it: atomic loads and stores per kind of processor.
#pragma once

#include <Kokkos_Core.hpp>

#include <thread>

#include "sptrsv/device/gpu_code.hpp"

namespace sptrsv::detail {

/// Loads a value that release_increment() or another atomic wrote; everything written before that release_increment()
/// is then visible. Kokkos::atomic_load is a compare-and-swap in Kokkos 4.x, far too expensive for polling.
template <class T>
KOKKOS_INLINE_FUNCTION T load_acquire(T const* address) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::load_acquire(address);
#else
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
#endif
}

/// Loads a value that store_relaxed() wrote to the same address; orders nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_relaxed(T const* address) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::load_relaxed(address);
#else
  T value;
  __atomic_load(address, &value, __ATOMIC_RELAXED);
  return value;
#endif
}

/// Publishes `value` to load_relaxed() of the same address; orders nothing else.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_relaxed(T* address, T value) {
#if defined(SPTRSV_GPU_CODE)
  gpu::store_relaxed(address, value);
#else
  __atomic_store(address, &value, __ATOMIC_RELAXED);
#endif
}

/// Adds `value` to `*address` and returns the old value; orders nothing else.
template <class T>
KOKKOS_INLINE_FUNCTION T fetch_add(T* address, T value) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::fetch_add(address, value);
#else
  return Kokkos::atomic_fetch_add(address, value);
#endif
}

/// Loads a value that store_to_scratch() wrote to the scratch memory of the caller's team.
/// @param address  the start of the scratch memory plus an offset; not from computed_here(), see cuda_code.hpp
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION Bits load_from_scratch(Bits* address, Bits sentinel) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::load_from_scratch(address, sentinel);
#else
  return Kokkos::atomic_compare_exchange(address, sentinel, sentinel);
#endif
}
/// Stores a value for load_from_scratch() by other threads of the team.
/// @param address  as in load_from_scratch()
template <class Bits>
KOKKOS_FORCEINLINE_FUNCTION void store_to_scratch(Bits* address, Bits value) {
#if defined(SPTRSV_GPU_CODE)
  gpu::store_to_scratch(address, value);
#else
  Kokkos::atomic_exchange(address, value);
#endif
}

/// Forces the value to be computed here. A compiler may otherwise compute it after a wait.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R computed_here(R value) {
#if defined(SPTRSV_GPU_CODE)
  return gpu::computed_here(value);
#else
  return value;
#endif
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> computed_here(Kokkos::complex<R> value) {
  return {computed_here(value.real()), computed_here(value.imag())};
}

/// Adds 1 to the counter with release order: a thread whose load_acquire() returns the new count sees all writes that
/// other threads made before they added 1.
template <class T>
KOKKOS_INLINE_FUNCTION void release_increment(T* address) {
#if defined(SPTRSV_GPU_CODE)
  gpu::release_increment(address);
#else
  __atomic_fetch_add(address, T(1), __ATOMIC_RELEASE);
#endif
}

/// Object that lives as long as a polling loop, and is called between two polls. On a host it yields the core after a
/// few polls, since the awaited thread may need it. With SPTRSV_BOUNDED_WAITS (debug builds) a wait that cannot end
/// stops the program and names the row.
class Backoff : private gpu::WaitingLoop {
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
#if defined(SPTRSV_GPU_CODE)
    pause();
#else
    if (polls_ > 64u && polls_ % 16u == 0u) std::this_thread::yield();
#endif
  }

 private:
  unsigned polls_ = 0;
};

/// Calls turn(wait) until it returns true, for lanes of a warp that need values published by each other. A turn polls
/// once, does what it can, and publishes before it returns. `wait` is a Backoff.
template <class Turn>
KOKKOS_FORCEINLINE_FUNCTION void take_turns(Turn const& turn) {
  Backoff wait;
#if defined(SPTRSV_GPU_CODE)
  gpu::take_turns([&] { return turn(wait); });
#else
  while (!turn(wait)) {
  }
#endif
}

}  // namespace sptrsv::detail
