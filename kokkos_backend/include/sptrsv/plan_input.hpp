// SPDX-License-Identifier: Apache-2.0
// Inputs and measurements of the planner as data for people and scripts. Needs no Kokkos.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sptrsv {

/// Measurement of one candidate by sptrsv_plan=measure.
struct PlanTiming {
  std::string algorithm;
  double seconds = 0;  ///< per solve with one right-hand side; 0: not timed
  std::string note;    ///< why it was not timed, or that it was dropped after a slow first solve; otherwise empty
};

/// Inputs of the estimate, for the script that fits its prices.
struct PlanInput {
  std::vector<std::pair<std::string, double>> features;
  std::vector<std::string> candidates;
  /// Predicted seconds of a solve with one right-hand side, for the types that the planner models: on a host those that
  /// its rule compares, on a GPU those in the table for this device or, without one, for another device.
  std::vector<std::pair<std::string, double>> predicted;
};

}  // namespace sptrsv
