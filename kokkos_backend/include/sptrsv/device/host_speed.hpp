// SPDX-License-Identifier: Apache-2.0
// Measures the host in this process: rows that wait for the one before, and kernels on several threads.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sptrsv/device/host_threads.hpp"

namespace sptrsv::detail {

/// The measured figures behind HostCost.
struct HostSpeed {
  /// Nanoseconds of a kernel on several threads that spin, each on a core of its own, where it cannot be measured.
  static constexpr double usual_launch = 2000;

  double chain = 5.4;  ///< nanoseconds from one row's x to that of a row that needs it, without its additions
  double launch = 0;   ///< nanoseconds of an empty kernel on all threads, with its barrier; 0 for one thread
  int threads = 1;     ///< that run at once
};

/// The figures that host_speed() returns instead of measured ones, for tests.
inline std::optional<HostSpeed>& assumed_host_speed() {
  static std::optional<HostSpeed> speed;
  return speed;
}

/// Returns HostSpeed::chain, measured at the first call in a process by substitution with a small chain. Cost: 0.05 ms.
double measured_chain();

/// Measures empty kernels on all threads of `exec`, each after a pause in which its threads wait as they do while one
/// of them works: actively or asleep, by the wait policy of the process. Returns the median in nanoseconds. Cost: some
/// 0.2 ms, 2 ms at most.
template <class E>
double measure_host_launch(E const& exec) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t most_samples = 12;
  constexpr double pause = 1e-5, most = 2e-3;  // seconds
  auto const seconds_since = [](clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  auto const begin = clock::now();
  std::vector<double> samples;
  for (bool first = true; samples.size() < most_samples && (samples.size() < 3 || seconds_since(begin) < most);
       first = false) {
    for (auto const start = clock::now(); seconds_since(start) < pause;) {
    }
    auto const start = clock::now();
    Kokkos::parallel_for("sptrsv::host_launch", Kokkos::RangePolicy<E, int>(exec, 0, exec.concurrency()), [](int) {});
    double const taken = seconds_since(start);
    if (!first) samples.push_back(taken);  // the first one may start the threads
  }
  std::sort(samples.begin(), samples.end());
  return 1e9 * samples[samples.size() / 2];
}

/// Returns the speed of a host space but for its kernels, whose threads are left to wait as they do.
template <class E>
HostSpeed core_speed(E const& exec) {
  HostSpeed speed;
  speed.chain = assumed_host_speed() ? assumed_host_speed()->chain : measured_chain();
  speed.threads = concurrent_threads(exec);
  return speed;
}

/// Returns the speed of a host space, measured at the first call with as many threads in this process. Several threads
/// may call it at once.
template <class E>
HostSpeed host_speed(E const& exec) {
  static std::mutex mutex;
  static std::map<int, double> launches;
  int const threads = exec.concurrency();
  HostSpeed speed = core_speed(exec);
  if (threads > 1 && assumed_host_speed()) speed.launch = assumed_host_speed()->launch;
  if (threads <= 1 || assumed_host_speed()) return speed;
  if (inside_parallel_region<E>()) {  // where nothing can be measured; kernels then run on one thread
    speed.launch = HostSpeed::usual_launch;
    return speed;
  }
  std::lock_guard const lock(mutex);
  auto const [at, is_new] = launches.try_emplace(threads, 0.0);
  if (is_new) at->second = measure_host_launch(exec);
  speed.launch = at->second;
  return speed;
}

}  // namespace sptrsv::detail
