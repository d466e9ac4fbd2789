// SPDX-License-Identifier: Apache-2.0
// Parts of the planner's measurements that are independent of types, and the measured plans of this process.
#include "sptrsv/planner/plan_measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>

namespace sptrsv {
namespace {

struct Memory {
  std::mutex mutex;
  std::deque<std::pair<detail::PlanKey, std::vector<PlanTiming>>> plans;  // oldest first

  auto find(detail::PlanKey const& key) {
    return std::find_if(plans.begin(), plans.end(), [&](auto const& plan) { return plan.first == key; });
  }
};

/// Returns the plans, which are never destroyed: solvers may be updated while the process ends.
Memory& memory() {
  static auto* const all = new Memory;
  return *all;
}

}  // namespace

void forget_plans() {
  std::lock_guard const lock(memory().mutex);
  memory().plans.clear();
}

namespace detail {

std::optional<std::vector<PlanTiming>> recall_plan(PlanKey const& key) {
  std::lock_guard const lock(memory().mutex);
  auto const found = memory().find(key);
  if (found == memory().plans.end()) return std::nullopt;
  return found->second;
}

void forget_plan(PlanKey const& key) {
  std::lock_guard const lock(memory().mutex);
  auto const found = memory().find(key);
  if (found != memory().plans.end()) memory().plans.erase(found);
}

void remember_plan(PlanKey const& key, std::vector<PlanTiming> const& timings) {
  forget_plan(key);
  std::lock_guard const lock(memory().mutex);
  memory().plans.emplace_back(key, timings);
  if (memory().plans.size() > remembered_plans) memory().plans.pop_front();
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PlanTiming time_candidate(std::string const& name, std::function<void(int)> const& solve, double best,
                          PlanClock const& clock, TrialLimits const& limits) {
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

void sort_timings(std::vector<PlanTiming>& timings, std::size_t fastest) {
  std::swap(timings[0], timings[fastest]);
  std::stable_sort(timings.begin() + 1, timings.end(), [](auto const& a, auto const& b) {
    auto const rank = [](PlanTiming const& t) { return t.seconds > 0 ? t.note.empty() ? 0 : 1 : 2; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.seconds < b.seconds;
  });
}

std::string reason_of(std::vector<PlanTiming> const& timings, bool recalled) {
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

}  // namespace detail
}  // namespace sptrsv
