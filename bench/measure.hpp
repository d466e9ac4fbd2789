// SPDX-License-Identifier: Apache-2.0
// Times repeated, fenced runs and summarizes them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace sptrsv::bench {

/// Statistics of the seconds of a run, over many runs.
struct Times {
  double median = 0, minimum = 0, lower_quartile = 0, upper_quartile = 0;
  int runs = 0;
};

/// Limits at which a measurement stops.
struct Limits {
  int runs = 20;         ///< maximum number of runs
  double seconds = 5;    ///< seconds of one phase after which no run is started
  double cut_short = 1;  ///< seconds of a first run above which no further run is made
};

inline Times summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  auto const at = [&](double part) {
    double const position = part * static_cast<double>(seconds.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (position - std::floor(position)) * (seconds[above] - seconds[below]);
  };
  return {at(0.5), seconds.front(), at(0.25), at(0.75), static_cast<int>(seconds.size())};
}

/// Returns the seconds per call of `run`, fenced before and after.
template <class Run, class Fence>
double seconds_of(Run const& run, Fence const& fence, int calls = 1) {
  using clock = std::chrono::steady_clock;
  fence();
  auto const start = clock::now();
  for (int k = 0; k < calls; ++k) run();
  fence();
  return std::chrono::duration<double>(clock::now() - start).count() / calls;
}

/// Times `run`, which has run before and took `first` seconds. Runs too short for the clock are timed in batches.
/// @param fence  waits for the work that `run` started.
template <class Run, class Fence>
Times measure(Limits const& limits, double first, Run const& run, Fence const& fence) {
  if (first > limits.cut_short) return summarize({first});
  constexpr double enough = 2e-4, long_run = 0.05;  // seconds
  int calls = 1;
  if (first < long_run) {
    double const warm = std::min(seconds_of(run, fence), seconds_of(run, fence));
    if (warm < enough) calls = static_cast<int>(enough / std::max(warm, 1e-8)) + 1;
    seconds_of(run, fence, calls);
  }
  std::vector<double> samples;
  double total = 0;
  do {
    samples.push_back(seconds_of(run, fence, calls));
    total += samples.back() * calls;
  } while (static_cast<int>(samples.size()) < limits.runs && total < limits.seconds);
  return summarize(std::move(samples));
}

/// Times a phase as measure() does, but calls `prepare` before each run; its time does not count.
template <class Prepare, class Run, class Fence>
Times measure_prepared(Limits const& limits, double first, Prepare const& prepare, Run const& run, Fence const& fence) {
  if (first > limits.cut_short) return summarize({first});
  std::vector<double> samples;
  double total = 0;
  do {
    prepare();
    samples.push_back(seconds_of(run, fence));
    total += samples.back();
  } while (static_cast<int>(samples.size()) < limits.runs && total < limits.seconds);
  return summarize(std::move(samples));
}

}  // namespace sptrsv::bench
