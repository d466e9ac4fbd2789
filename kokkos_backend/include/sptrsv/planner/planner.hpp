// SPDX-License-Identifier: Apache-2.0
// The planner behind the name `sptrsv`: chooses an algorithm from the structure, on a host by a fixed rule, on a GPU by
// a model of each algorithm's time.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/options.hpp"
#include "sptrsv/planner/host_plan.hpp"
#include "sptrsv/planner/plan_features.hpp"
#include "sptrsv/planner/plan_table.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/storage.hpp"

namespace sptrsv {

/// Method by which `sptrsv` chooses.
enum class PlanMethod {
  automatic,  ///< device: `estimate`; host: one thread until the solves would pay for an analysis (DeferredPlan)
  estimate,   ///< at analysis, from the structure and, on a host, from the measured speed of rows and kernels
  measure,    ///< at the first update, by timing all candidates; may differ from run to run
};

/// Options of the planner and of all algorithms, `sptrsv_<name>` in OptionValues.
struct PlanOptions {
  PlanMethod plan = PlanMethod::automatic;
  CommonOptions common;
  template <class V>
  void visit(V& v) {
    v.choice(
        "plan", plan, {"automatic", "estimate", "measure"},
        "choose the algorithm by the structure (automatic: on a host once solves have taken as long as an analysis), "
        "or by timing all at the first numeric phase");
    common.visit(v);
  }
};

namespace detail {

/// Returns the models of this device or, if the table lacks it, of the table's first device, whose ratios between types
/// are a better guide than no model.
inline PlanDevice const& plan_device(std::string_view name) {
  for (auto const& device : plan_devices)
    if (device.name == name) return device;
  return plan_devices[0];
}

/// Returns a lower bound of the nanoseconds of a solve, from the known features.
/// @param unknown  the first feature with a positive price that is not exact, or none
template <class T>
double least_time(PlanCost const& cost, PlanFeatures<T> const& features, Feature& unknown) {
  double sum = 0;
  unknown = Feature();
  for (auto const& term : cost.terms) {
    sum += term.nanoseconds * features.value(term.feature);
    if (!unknown && term.nanoseconds > 0 && !features.exact(term.feature)) unknown = term.feature;
  }
  return sum;
}

/// Returns the nanoseconds of a solve, after finding all features with a positive price.
template <class T>
double exact_time(PlanCost const& cost, PlanFeatures<T>& features) {
  Feature unknown;
  double time = least_time(cost, features, unknown);
  for (; unknown; time = least_time(cost, features, unknown)) features.find(unknown);
  return time;
}

/// Returns the approximate nanoseconds of the sweep over `levels` levels that finds a feature, divided by the expected
/// number of solves with a factor; 0 without a sweep. The planner sweeps only if a candidate could gain that much.
inline double sweep_share(Feature f, double levels) {
  return (f.info().sweep + f.info().sweep_level * levels) / solves_per_sweep;
}

/// Tells whether finding the feature takes less than a solve. For `sets` it may take more: one team finds the sets one
/// after another.
inline bool is_cheap(Feature f) { return !(f == "sets") && f.info().sweep == 0; }

/// Returns the nanoseconds per unit of a feature in a model.
inline double price_of(PlanCost const& cost, Feature f) {
  double price = 0;
  for (auto const& term : cost.terms)
    if (term.feature == f) price += term.nanoseconds;
  return price;
}

/// Tells whether the features known so far rule the algorithm out.
template <class F, class... A>
bool ruled_out(std::string_view name, F const& features, TypeList<A...>) {
  return ((name == A::name && !A::pays(features)) || ...);
}

/// Returns the candidate with the least time by the table; candidates without a model are not chosen. Prices are not
/// negative, so a lower bound can rule a candidate out before all its features are found.
template <class T>
Plan choose_by_table(PlanDevice const& device, std::vector<std::string> const& candidates, PlanFeatures<T>& features) {
  std::vector<PlanCost const*> costs;
  for (auto const* cost = device.costs; cost != device.costs + device.num_costs; ++cost)
    if (std::find(candidates.begin(), candidates.end(), cost->algorithm) != candidates.end()) costs.push_back(cost);
  if (costs.empty()) return {candidates.front(), "no model for this device"};
  bool const of_sets =
      std::any_of(costs.begin(), costs.end(), [](auto const* cost) { return price_of(*cost, "sets") > 0; });
  if (!of_sets || !features.take_sets_for_levels())
    for (auto const* cost : costs)  // first the features that are cheap for all candidates
      for (auto const& term : cost->terms)
        if (term.nanoseconds > 0 && is_cheap(term.feature)) features.of(cost->algorithm).find(term.feature);
  std::vector<PlanCost const*> rest;
  for (auto const* cost : costs)
    if (!ruled_out(cost->algorithm, features, Algorithms<T>{})) rest.push_back(cost);
  if (!rest.empty()) costs = std::move(rest);
  while (true) {
    PlanCost const *best = nullptr, *second = nullptr;
    double least = 0, next = 0;
    Feature missing, unknown;
    for (auto const* cost : costs) {
      double const least_known = least_time(*cost, features.of(cost->algorithm), unknown);
      double const time = least_known + sweep_share(unknown, features.value("levels"));
      if (!best || time < least) {
        second = best, next = least;
        best = cost, least = time, missing = unknown;
      } else if (!second || time < next) {
        second = cost, next = time;
      }
    }
    if (missing) {
      features.of(best->algorithm).find(missing);
      if (costs.size() > 1 && ruled_out(best->algorithm, features, Algorithms<T>{}))
        costs.erase(std::find(costs.begin(), costs.end(), best));
      continue;
    }
    char text[200];
    char const* const fixed = 2 * price_of(*best, "solve") > least ? ", most of it independent of the size" : "";
    int const written = std::snprintf(text, sizeof text, "estimated %.4g us%s", 1e-3 * least, fixed);
    if (second)
      std::snprintf(text + written, sizeof text - static_cast<std::size_t>(written), ", at least %.4g us for %s",
                    1e-3 * least_time(*second, features.of(second->algorithm), unknown),
                    std::string(second->algorithm).c_str());
    return {std::string(best->algorithm), text};
  }
}

}  // namespace detail

/// Chooses the algorithm that is estimated to be the fastest on a GPU: one with an estimate() of its own, otherwise the
/// one with the least time by its model in planner/plan_table.hpp. If the table lacks this device, its models are those
/// of another.
/// Cost: mostly the level sets, which most types need anyway; up to three more sweeps if times are close.
template <class T>
Plan choose_on_device(typename T::exec_space const& exec, Analysis<T> const& analysis,
                      std::vector<Candidate> const& candidates) {
  std::vector<std::string> names;
  for (auto const& candidate : candidates) {
    if (candidate.nanoseconds) {  // the features of the others would take longer to find than many solves
      char text[80];
      std::snprintf(text, sizeof text, "its own estimate, %.4g us", 1e-3 * *candidate.nanoseconds);
      return {candidate.algorithm, text};
    }
    names.push_back(candidate.algorithm);
  }
  PlanFeatures<T> features(exec, analysis, exec.concurrency());
  return detail::choose_by_table<T>(detail::plan_device(device_name(exec)), names, features);
}

/// Returns the times that the choice is based on: see PlanInput::predicted.
template <class T>
std::vector<std::pair<std::string, double>> predict(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                                    [[maybe_unused]] std::vector<Candidate> const& candidates) {
  std::vector<std::pair<std::string, double>> seconds;
  if (analysis.num_rows() == 0) return seconds;
  if constexpr (is_host_space<typename T::exec_space>) {
    detail::HostTimes const times = detail::host_times<T>(detail::host_speed(exec), analysis);
    if (analysis.storage() == Storage::full)
      seconds.emplace_back(detail::one_thread_name(Algorithms<T>{}), 1e-9 * times.in_order.nanoseconds);
    for (auto const& candidate : detail::host_candidates<T>(Algorithms<T>{}))
      if (double const time = candidate.nanoseconds(times, exec, analysis); time < HUGE_VAL)
        seconds.emplace_back(candidate.name, 1e-9 * time);
  } else {
    PlanFeatures<T> features(exec, analysis, exec.concurrency());
    auto const& device = detail::plan_device(device_name(exec));
    for (auto const* cost = device.costs; cost != device.costs + device.num_costs; ++cost)
      seconds.emplace_back(cost->algorithm, 1e-9 * detail::exact_time<T>(*cost, features.of(cost->algorithm)));
    for (auto const& candidate : candidates)
      if (candidate.nanoseconds) seconds.emplace_back(candidate.algorithm, 1e-9 * *candidate.nanoseconds);
  }
  return seconds;
}

}  // namespace sptrsv
