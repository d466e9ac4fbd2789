// SPDX-License-Identifier: Apache-2.0
// Results of `measure`, kept for the process, so that the same pattern is not measured again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sptrsv/plan_input.hpp"

namespace sptrsv::detail {

using PlanClock = std::function<double()>;  ///< returns seconds since a fixed moment

/// Hash of a pattern, and all else that a choice depends on. Different patterns with equal hash, rows and entries share
/// a choice, which is correct for any pattern, and at worst slower.
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

}  // namespace sptrsv::detail
