// SPDX-License-Identifier: Apache-2.0
// A host's execution spaces: how many threads run at once (there may be more than cores), and how kernels are called.
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
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

/// Cores that this process may use.
inline int host_cores() {
#if defined(KOKKOS_ENABLE_OPENMP)
  static int const cores = std::max(1, omp_get_num_procs());  // those that the process is bound to
#else
  static int const cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
  return cores;
}

/// Threads of `exec` that have a core each, so that none of them waits for one that is not running.
template <class E>
int concurrent_threads(E const& exec) {
  if constexpr (is_host_space<E>) return std::min(exec.concurrency(), host_cores());
  else return exec.concurrency();
}

}  // namespace sptrsv::detail
