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
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
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

/// Reads how many cores' time the control group of this process and those above it may use (version 2 of Linux'
/// control groups), rounded up; INT_MAX without a limit.
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

/// Cores that this process may use, whatever the calling thread is bound to: what is cut for them in one phase must fit
/// the next, which another thread may call. A control group's limit of time counts as so many cores: with more threads
/// all of them stand still for the rest of a period once its time is used up.
inline int host_cores() {
  static int const cores = std::clamp(
      [] {
#if defined(KOKKOS_ENABLE_OPENMP)
        if (omp_get_num_places() > 0) return omp_get_num_procs();  // the main thread is bound to one of the places
#endif
#if defined(__linux__)
        cpu_set_t set;
        if (sched_getaffinity(getpid(), sizeof set, &set) == 0)
          return CPU_COUNT(&set);  // not with more than 1,024 cores
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

/// Whether the caller is inside of a parallel region of the program's own, in which Kokkos must launch no kernel on E.
template <class E>
bool inside_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return omp_get_level() > 0;
#endif
  return false;
}

/// Number of the calling thread in the innermost parallel region of the program, 0 outside of one. Kokkos 4 looks up a
/// thread's memory by this number when a kernel is launched, and has memory for as many threads as it started.
template <class E>
int number_in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return omp_get_level() > 0 ? omp_get_thread_num() : 0;
#endif
  return 0;
}

/// Threads of `exec` that have a core each, so that none of them waits for one that is not running.
template <class E>
int concurrent_threads(E const& exec) {
  if constexpr (is_host_space<E>) return std::min(exec.concurrency(), host_cores());
  else return exec.concurrency();
}

}  // namespace sptrsv::detail
