// SPDX-License-Identifier: Apache-2.0
// What the planner's models say a solve takes.
#pragma once

#include <map>
#include <string>

#include <sptrsv/planner/planner.hpp>
#include <sptrsv/solver.hpp>

#include "bench/contender.hpp"

namespace sptrsv::tools {

/// Seconds of a solve with one right-hand side by type, for those types that have a model on this space. On a host these
/// are the two that the planner's rule compares, on a GPU those of the table, of this device or else of another one.
template <class Space>
std::map<std::string, double> predictions(bench::Problem<Space> const& problem) {
  std::map<std::string, double> seconds;
  if constexpr (detail::is_host_space<Space>) {
    using T = typename bench::Problem<Space>::types;
    if (problem.num_rows() == 0) return seconds;
    Analysis<T> const analysis(problem.exec, problem.pattern(), problem.system.shape);
    detail::HostCost const cost(problem.exec.concurrency(), static_cast<double>(problem.num_rows()), analysis.mean_row());
    auto const alone = detail::cost_in_order<T>(problem.exec, analysis.stored(), analysis.shape(), cost);
    auto const& sets = analysis.levels(problem.exec);
    double levels = 0;
    for (int l = 0; l < sets.num_levels(); ++l) levels += cost.level(static_cast<double>(sets.rows_in_level(l)), alone.wait, alone.irregular);
    seconds["sequential"] = 1e-9 * alone.nanoseconds;
    seconds["levelset"] = 1e-9 * levels;
  } else {
    TriangularSolver<double, int, int, Space> const any("sequential", problem.exec, problem.pattern(), problem.system.shape);
    auto const features = any.plan_input(problem.exec).features;
    auto const& device = detail::plan_device(detail::device_name(problem.exec));
    for (auto const* cost = device.costs; cost != device.costs + device.num_costs; ++cost)
      for (auto const& term : cost->terms)
        for (auto const& [name, value] : features)
          if (name == detail::feature_names[static_cast<std::size_t>(term.feature)]) seconds[std::string(cost->algorithm)] += 1e-9 * term.nanoseconds * value;
  }
  return seconds;
}

}  // namespace sptrsv::tools
