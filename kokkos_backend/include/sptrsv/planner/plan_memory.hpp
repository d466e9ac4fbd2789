// SPDX-License-Identifier: Apache-2.0
// What `measure` found, kept for the process: a pattern that comes again is not measured again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sptrsv/plan_input.hpp"

namespace sptrsv::detail {

using PlanClock = std::function<double()>;  ///< seconds since some moment

/// A pattern by its hash, and all else that a choice depends on. Patterns that differ and have the same hash, rows and
/// entries share a choice, which is right for any, and at worst slower for one of them.
struct PlanKey {
  std::uint64_t pattern = 0;
  long long rows = 0, entries = 0;
  std::string what;  ///< shape, types, space, device, options

  friend bool operator==(PlanKey const& a, PlanKey const& b) {
    return std::tie(a.pattern, a.rows, a.entries, a.what) == std::tie(b.pattern, b.rows, b.entries, b.what);
  }
};

/// At most so many are kept; the oldest is dropped.
inline constexpr std::size_t remembered_plans = 64;

/// Timings, the chosen algorithm first. All may be called by several threads at once.
std::optional<std::vector<PlanTiming>> recall_plan(PlanKey const& key);
void remember_plan(PlanKey const& key, std::vector<PlanTiming> const& timings);
void forget_plan(PlanKey const& key);

}  // namespace sptrsv::detail
