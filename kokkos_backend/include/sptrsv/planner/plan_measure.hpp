// SPDX-License-Identifier: Apache-2.0
// Measurements of the planner: candidates take turns at solving, and the fastest stays. Results are kept for the
// process, so that the same pattern is not measured again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sptrsv/plan_input.hpp"

namespace sptrsv::detail {

using PlanClock = std::function<double()>;  ///< returns seconds since a fixed moment

/// Hash of a pattern, and all else that a choice depends on. Different patterns with the same hash and the same numbers
/// of rows and entries share a choice: any choice gives right answers, at worst more slowly.
struct PlanKey {
  std::uint64_t pattern = 0;
  long long rows = 0, entries = 0;
  std::string what;  ///< shape, types, space, device, options

  friend bool operator==(PlanKey const& a, PlanKey const& b) {
    return std::tie(a.pattern, a.rows, a.entries, a.what) == std::tie(b.pattern, b.rows, b.entries, b.what);
  }
};

/// Maximum number of remembered plans; the oldest is dropped.
inline constexpr std::size_t remembered_plans = 64;

/// Returns the timings under the key, the chosen algorithm first. Thread-safe, like the functions below.
std::optional<std::vector<PlanTiming>> recall_plan(PlanKey const& key);
void remember_plan(PlanKey const& key, std::vector<PlanTiming> const& timings);
void forget_plan(PlanKey const& key);

double steady_seconds();

struct TrialLimits {
  double cut_ratio = 3;     ///< a candidate is dropped when a solve takes this multiple of the best time
  double cut_first = 0.02;  ///< seconds above which cut_ratio applies to a first solve, which may load kernels
  double sample = 2e-4;     ///< minimum seconds of a sample
  double candidate = 0.25;  ///< seconds of samples after which no further sample is taken
  double all = 3;           ///< seconds after which no further candidate is tried
  int samples = 5;
  double margin = 0.02;  ///< minimum relative gain over an earlier candidate
};

/// Returns the seconds of one solve: the median of a few samples after a warm-up.
/// @param solve  solve(k) performs k solves and waits for them
/// @param best   seconds of the best earlier candidate, or 0
PlanTiming time_candidate(std::string const& name, std::function<void(int)> const& solve, double best,
                          PlanClock const& clock, TrialLimits const& limits);

/// Sorts by time, with timings[fastest] first, and dropped candidates and those without a time last.
void sort_timings(std::vector<PlanTiming>& timings, std::size_t fastest);

std::string reason_of(std::vector<PlanTiming> const& timings, bool recalled);

/// Tries all candidates, with at most two in memory: the best one so far and the current one.
/// @param names  names[0] is that of `best` on entry
/// @param best   ready to solve; on return the fastest candidate
/// @param make   make(name) returns a candidate ready to solve; if it throws, the message is noted and the name skipped
/// @param solve  solve(candidate, k) performs k solves and waits for them
/// @return a timing for each name, the fastest first, those without a time last
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
