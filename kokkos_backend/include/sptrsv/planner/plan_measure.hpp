// SPDX-License-Identifier: Apache-2.0
// The planner's measurements: candidates take turns at solving, and the fastest stays.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/planner/plan_memory.hpp"

namespace sptrsv::detail {

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct TrialLimits {
  double cut_ratio = 3;     ///< a candidate is given up when a solve takes so many times the best one's,
  double cut_first = 0.02;  ///< and its first solve, which may have to load kernels, only from so many seconds on
  double sample = 2e-4;     ///< seconds that a sample lasts at least
  double candidate = 0.25;  ///< seconds of samples
  double all = 3;           ///< seconds after which no further candidate is tried
  int samples = 5;
  double margin = 0.02;  ///< how much faster a candidate has to be than one before it
};

/// Seconds of one solve: the median of a few samples after a warm-up.
/// @param solve  solve(k) does k solves and waits for them.
/// @param best   of the candidates before, or 0.
template <class Solve>
PlanTiming time_candidate(std::string const& name, Solve const& solve, double best, PlanClock const& clock,
                          TrialLimits const& limits) {
  auto const seconds = [&](int calls) {
    double const start = clock();
    solve(calls);
    return (clock() - start) / calls;
  };
  auto const hopeless = [&](double time) { return best > 0 && time > limits.cut_ratio * best; };
  double const first = seconds(1);
  if (first > limits.cut_first && hopeless(first)) return {name, first, "cut short"};
  double const warm = seconds(1);
  if (hopeless(warm)) return {name, warm, "cut short"};
  int const calls = static_cast<int>(std::clamp(limits.sample / std::max(warm, 1e-7), 1.0, 1000.0));
  std::vector<double> samples;
  double spent = 0;
  while (static_cast<int>(samples.size()) < limits.samples && (samples.empty() || spent < limits.candidate)) {
    samples.push_back(seconds(calls));
    spent += samples.back() * calls;
  }
  std::sort(samples.begin(), samples.end());
  return {name, samples[samples.size() / 2], ""};
}

/// Tries all candidates, of which the best one so far and one other are in memory at a time.
/// @param names  the first one is `best` on entry.
/// @param best   ready to solve; on return the fastest candidate.
/// @param make   make(name): a candidate ready to solve. What throws is noted and passed over.
/// @param solve  solve(candidate, k) does k solves and waits for them.
/// @return a timing for each name, the fastest first, those without a time last.
template <class Candidate, class Make, class Solve>
std::vector<PlanTiming> measure_candidates(std::vector<std::string> const& names, Candidate& best, Make const& make,
                                           Solve const& solve, PlanClock const& clock, TrialLimits const& limits = {}) {
  double const start = clock();
  std::vector<PlanTiming> timings{
      time_candidate(names.front(), [&](int calls) { solve(best, calls); }, 0, clock, limits)};
  double least = timings.front().seconds;
  std::size_t fastest = 0;
  for (std::size_t c = 1; c < names.size(); ++c) {
    if (clock() - start > limits.all) {
      timings.push_back({names[c], 0, "not tried: out of time"});
      continue;
    }
    try {
      Candidate other = make(names[c]);
      timings.push_back(time_candidate(names[c], [&](int calls) { solve(other, calls); }, least, clock, limits));
      if (!timings.back().note.empty() || timings.back().seconds > (1 - limits.margin) * least) continue;
      least = timings.back().seconds;
      fastest = c;
      best = std::move(other);
    } catch (std::exception const& e) {
      timings.push_back({names[c], 0, e.what()});
    }
  }
  std::swap(timings[0], timings[fastest]);
  std::stable_sort(timings.begin() + 1, timings.end(), [](auto const& a, auto const& b) {
    auto const rank = [](PlanTiming const& t) { return t.seconds > 0 ? t.note.empty() ? 0 : 1 : 2; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.seconds < b.seconds;
  });
  return timings;
}

inline std::string reason_of(std::vector<PlanTiming> const& timings, bool recalled) {
  char text[160];
  auto const timed = std::count_if(timings.begin(), timings.end(), [](auto const& t) { return t.seconds > 0; });
  int const written =
      std::snprintf(text, sizeof text, "fastest of %d timed%s, %.4g us", static_cast<int>(timed),
                    recalled ? " for an earlier solver of this pattern" : "", 1e6 * timings.front().seconds);
  if (timed > 1)
    std::snprintf(text + written, sizeof text - static_cast<std::size_t>(written), ", then %s %.4g us",
                  timings[1].algorithm.c_str(), 1e6 * timings[1].seconds);
  return text;
}

}  // namespace sptrsv::detail
