// SPDX-License-Identifier: Apache-2.0
// The planner's measurements: candidates take turns at solving, and the fastest stays.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/planner/plan_memory.hpp"

namespace sptrsv::detail {

double steady_seconds();

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
PlanTiming time_candidate(std::string const& name, std::function<void(int)> const& solve, double best,
                          PlanClock const& clock, TrialLimits const& limits);

/// Puts timings[fastest] first, and the others behind it, by time; those given up and those without a time last.
void sort_timings(std::vector<PlanTiming>& timings, std::size_t fastest);

std::string reason_of(std::vector<PlanTiming> const& timings, bool recalled);

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
  sort_timings(timings, fastest);
  return timings;
}

}  // namespace sptrsv::detail
