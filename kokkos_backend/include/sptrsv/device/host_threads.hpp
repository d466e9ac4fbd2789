// SPDX-License-Identifier: Apache-2.0
// Host execution spaces: how many threads run at a time, and how kernels are called.
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
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>

#include "sptrsv/space.hpp"

namespace sptrsv::detail {

/// Tells whether a launch on E returns after its kernel has ended, so that a plain function call can replace it.
template <class E>
inline constexpr bool runs_inline =
#if defined(KOKKOS_ENABLE_OPENMP)
    std::is_same_v<E, Kokkos::OpenMP> ||
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
    std::is_same_v<E, Kokkos::Serial> ||
#endif
    false;

/// Execution space with one thread in the memory space of E, for host work in a fixed order; E itself if there is none.
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

/// Returns the number of cores whose time the control groups of this process allow (Linux cgroups version 2), rounded
/// up; INT_MAX without a limit.
inline int cores_of_control_group() {
  double cores = std::numeric_limits<int>::max();
#if defined(__linux__)
  std::string path;
  std::ifstream own("/proc/self/cgroup");
  while (std::getline(own, path) && path.rfind("0::", 0) != 0) path.clear();
  path.erase(0, 3);
  while (true) {  // from the group of the process up to the root, whose path is empty here
    if (path == "/") path.clear();
    double quota = 0, period = 0;
    std::ifstream file("/sys/fs/cgroup" + path + "/cpu.max");
    if (file >> quota >> period && quota > 0 && period > 0) cores = std::min(cores, std::ceil(quota / period));
    if (path.empty()) break;
    path.erase(path.find_last_of('/'));
  }
#endif
  return static_cast<int>(cores);
}

/// Returns the number of cores that this process may use, whatever cores the calling thread is bound to: work that one
/// phase divides among threads must suit the next phase, which another thread may call. The CPU quota of a cgroup
/// counts as a number of cores, since more threads than that use up the quota before the end of a period, and are then
/// all stopped until the next one.
inline int host_cores() {
  static int const cores = std::clamp(
      [] {
#if defined(KOKKOS_ENABLE_OPENMP)
        if (omp_get_num_places() > 0) return omp_get_num_procs();  // OMP_PLACES binds the main thread
#endif
#if defined(__linux__)
        cpu_set_t set;
        if (sched_getaffinity(getpid(), sizeof set, &set) == 0)
          return CPU_COUNT(&set);  // fails with more than 1,024 cores
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
        return omp_get_num_procs();
#else
        return static_cast<int>(std::thread::hardware_concurrency());
#endif
      }(),
      1, std::max(1, cores_of_control_group()));
  return cores;
}

/// Tells whether the caller is in a parallel region of the program, where Kokkos must launch no kernel on E.
template <class E>
bool inside_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return omp_get_level() > 0;
#endif
  return false;
}

/// Returns the number of the calling thread in the program's innermost parallel region, or 0 outside of any. Kokkos 4
/// looks up a thread's memory by this number at a launch; only threads that Kokkos started have memory.
template <class E>
int number_in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return omp_get_level() > 0 ? omp_get_thread_num() : 0;
#endif
  return 0;
}

/// Returns the number of threads of `exec` that have a core each, so that no thread waits for one that is not running.
template <class E>
int concurrent_threads(E const& exec) {
  if constexpr (is_host_space<E>) return std::min(exec.concurrency(), host_cores());
  else return exec.concurrency();
}

}  // namespace sptrsv::detail
