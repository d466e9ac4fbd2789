// SPDX-License-Identifier: Apache-2.0
// A host's execution spaces: how many threads run at once (there may be more than cores), and how kernels are called.
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif
#include <algorithm>
#include <thread>
#include <type_traits>

#include "sptrsv/space.hpp"

namespace sptrsv::detail {

/// Whether kernels of E may as well be called as plain functions: launches return when they have ended.
template <class E>
inline constexpr bool runs_inline =
#if defined(KOKKOS_ENABLE_OPENMP)
    std::is_same_v<E, Kokkos::OpenMP> ||
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
    std::is_same_v<E, Kokkos::Serial> ||
#endif
    false;

/// For what a host does in a fixed order: the space with one thread beside E, or E itself.
template <class E>
struct SingleThread {
  using type = E;
};
#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
template <>
struct SingleThread<Kokkos::OpenMP> {
  using type = Kokkos::Serial;
};
#endif

/// Cores that this process may use, whatever the calling thread is bound to: what is cut for them in one phase must fit
/// the next, which another thread may call.
inline int host_cores() {
  static int const cores = std::max(1, [] {
#if defined(KOKKOS_ENABLE_OPENMP)
    if (omp_get_num_places() > 0) return omp_get_num_procs();  // the main thread is bound to one of the places
#endif
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof set, &set) == 0) return CPU_COUNT(&set);  // not with more than 1,024 cores
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
    return omp_get_num_procs();
#else
    return static_cast<int>(std::thread::hardware_concurrency());
#endif
  }());
  return cores;
}

/// Threads of `exec` that have a core each, so that none of them waits for one that is not running.
template <class E>
int concurrent_threads(E const& exec) {
  if constexpr (is_host_space<E>) return std::min(exec.concurrency(), host_cores());
  else return exec.concurrency();
}

}  // namespace sptrsv::detail
