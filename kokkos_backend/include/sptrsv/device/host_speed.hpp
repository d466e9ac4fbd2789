// SPDX-License-Identifier: Apache-2.0
// Measures the host in this process: dependent rows, and kernels on several threads.
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

/// Measured figures that HostCost uses.
struct HostSpeed {
  /// Nanoseconds assumed for a kernel on several spinning threads with a core each, where it cannot be measured.
  static constexpr double usual_launch = 2000;

  double chain = 5.4;  ///< nanoseconds from one row's x to that of a row that needs it, without additions
  double launch = 0;   ///< nanoseconds of an empty kernel on all threads with its barrier; 0 for one thread
  int threads = 1;     ///< number of threads that run at the same time
};

/// Figures that host_speed() returns instead of measured ones, for tests.
inline std::optional<HostSpeed>& assumed_host_speed() {
  static std::optional<HostSpeed> speed;
  return speed;
}

/// Returns HostSpeed::chain, measured at the first call in a process by substitution with a small chain. Cost: 0.05 ms.
double measured_chain();

/// Returns the median time of empty kernels on all threads of `exec`, in nanoseconds. Before each kernel the threads
/// wait as they do while one thread works: spinning or asleep, by the wait policy of the process. Cost: 0.2 to 2 ms.
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

/// Returns the speed of a host space without measuring its kernels, which would wake its threads.
template <class E>
HostSpeed core_speed(E const& exec) {
  HostSpeed speed;
  speed.chain = assumed_host_speed() ? assumed_host_speed()->chain : measured_chain();
  speed.threads = concurrent_threads(exec);
  return speed;
}

/// Returns the speed of a host space, measured at the first call per number of threads in this process. Thread-safe.
template <class E>
HostSpeed host_speed(E const& exec) {
  static std::mutex mutex;
  static std::map<int, double> launches;
  int const threads = exec.concurrency();
  HostSpeed speed = core_speed(exec);
  if (threads > 1 && assumed_host_speed()) speed.launch = assumed_host_speed()->launch;
  if (threads <= 1 || assumed_host_speed()) return speed;
  if (inside_parallel_region<E>()) {  // nothing can be measured here; kernels run on one thread
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
