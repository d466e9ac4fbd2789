// SPDX-License-Identifier: Apache-2.0
// What the planner goes by and what it measured, as data for people and scripts. Needs no Kokkos.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sptrsv {

/// What `sptrsv` with sptrsv_plan=measure saw of one candidate.
struct PlanTiming {
  std::string algorithm;
  double seconds = 0;  ///< of one solve with one right-hand side; 0: it was not timed
  std::string note;    ///< why it was not timed, or that it was given up after a slow first solve; else empty
};

/// What the estimate goes by, for the script that fits its prices.
struct PlanInput {
  std::vector<std::pair<std::string, double>> features;
  std::vector<std::string> candidates;
  /// Seconds of a solve with one right-hand side that the planner expects, for the types that it has a model of on this
  /// space: on a host the two that its rule compares, on a GPU those of the table, of this device or else of another
  /// one.
  std::vector<std::pair<std::string, double>> predicted;
};

}  // namespace sptrsv
