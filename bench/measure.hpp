// SPDX-License-Identifier: Apache-2.0
// Times of repeated, fenced runs, and what is kept of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace sptrsv::bench {

/// Seconds of one run, over many runs.
struct Times {
  double median = 0, minimum = 0, lower_quartile = 0, upper_quartile = 0;
  int runs = 0;
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

/// Times `run` after a warm-up. Runs too short for the clock are timed several at once.
/// @param fence  waits for what `run` started.
template <class Run, class Fence>
Times measure(int repeat, Run const& run, Fence const& fence) {
  using clock = std::chrono::steady_clock;
  auto const seconds_of = [&](int inner) {
    fence();
    auto const start = clock::now();
    for (int k = 0; k < inner; ++k) run();
    fence();
    return std::chrono::duration<double>(clock::now() - start).count() / inner;
  };
  double const first = std::min(seconds_of(1), seconds_of(1));
  constexpr double enough = 2e-4;  // seconds
  int const inner = first < enough ? static_cast<int>(enough / std::max(first, 1e-8)) + 1 : 1;
  seconds_of(inner);
  std::vector<double> seconds;
  for (int k = 0; k < repeat; ++k) seconds.push_back(seconds_of(inner));
  return summarize(std::move(seconds));
}

}  // namespace sptrsv::bench
