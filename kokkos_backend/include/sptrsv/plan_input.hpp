// SPDX-License-Identifier: Apache-2.0
// Inputs and measurements of the planner as plain data, for reports and scripts. Needs no Kokkos.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sptrsv {

/// Measurement of one candidate by sptrsv_plan=measure.
struct PlanTiming {
  std::string algorithm;
  double seconds = 0;  ///< per solve with one right-hand side; 0: not timed
  std::string note;    ///< why it was not timed, or that it was dropped after a slow first solve; otherwise empty
};

/// Feature of a triangle in the planner's model of a solve's time. The `model` of an algorithm lists its features.
struct FeatureInfo {
  std::string_view name;
  double sweep = 0, sweep_level = 0;  ///< nanoseconds of the sweep that finds it, fixed and per level; 0: no sweep
};

/// Returns the features of a model. (nvcc takes no array of unknown length as a member of a class template.)
template <std::size_t N>
constexpr std::array<FeatureInfo, N> features_of(FeatureInfo const (&list)[N]) {
  std::array<FeatureInfo, N> out{};
  for (std::size_t k = 0; k < N; ++k) out[k] = list[k];
  return out;
}

/// Algorithm that supports the solve and is worth planning.
struct Candidate {
  std::string algorithm;
  std::optional<double> nanoseconds;  ///< the algorithm's own estimate for a GPU; empty: the table's
};

/// Inputs of the planner's estimate, for tools/fit_planner.py, which fits the coefficients of the model.
struct PlanInput {
  std::vector<std::pair<std::string, double>> features;
  std::vector<std::string> candidates;
  /// Predicted seconds of a solve with one right-hand side, for the types that the planner models. On a host, its rule
  /// compares these types. On a GPU, plan_table.hpp has them for this device or, if it is not listed, another one.
  std::vector<std::pair<std::string, double>> predicted;
};

}  // namespace sptrsv
