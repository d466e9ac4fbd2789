// SPDX-License-Identifier: Apache-2.0
// The measured plans of this process.
#include "sptrsv/planner/plan_memory.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

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

}  // namespace detail
}  // namespace sptrsv
