// SPDX-License-Identifier: Apache-2.0
// How many threads run at once: a host may be asked for more threads than it has cores for.
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif
#include <algorithm>
#include <thread>
#include <type_traits>

namespace sptrsv::detail {

/// Cores that this process may use.
inline int host_cores() {
#if defined(KOKKOS_ENABLE_OPENMP)
  static int const cores = std::max(1, omp_get_num_procs());  // those that the process is bound to
#else
  static int const cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
  return cores;
}

/// Threads of `exec` that can run at the same time, so that none of them waits for one without a core.
template <class E>
int threads_at_once(E const& exec) {
  if constexpr (std::is_same_v<typename E::memory_space, Kokkos::HostSpace>)
    return std::min(exec.concurrency(), host_cores());
  else return exec.concurrency();
}

}  // namespace sptrsv::detail
