// SPDX-License-Identifier: Apache-2.0
// The planner behind the name `sptrsv`: chooses an algorithm from the structure, by a stated rule on a host and by a
// model of each algorithm's time on a GPU.
#pragma once

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/algorithm/tiled/chain_order.hpp"
#include "sptrsv/algorithm/tiled/tiled_tuning.hpp"
#include "sptrsv/options.hpp"
#include "sptrsv/planner/host_plan.hpp"
#include "sptrsv/planner/plan_features.hpp"
#include "sptrsv/planner/plan_table.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/storage.hpp"

namespace sptrsv {

/// How `sptrsv` chooses.
enum class PlanMethod {
  automatic,  ///< on a device `estimate`; on a host `sequential`, until solves have taken as long as an analysis would
  estimate,   ///< at analysis, by the structure and on a host by what rows and kernels cost in this process
  measure,    ///< by the times of all candidates at the first update, which may differ from run to run
};

/// The planner's own options and those of all algorithms, `sptrsv_<name>` among OptionValues.
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

/// The models of this device, or where it has none those of the first in the table: its times are then those of another
/// device, but their ratios are a better guide than no model.
inline PlanDevice const& plan_device(std::string_view name) {
  for (auto const& device : plan_devices)
    if (device.name == name) return device;
  return plan_devices[0];
}

/// Nanoseconds of a solve, at least, as far as the features are known.
/// @param unknown  the first feature that counts and is not exact, or none.
template <class T>
double least_time(PlanCost const& cost, PlanFeatures<T> const& features, Feature& unknown) {
  double sum = 0;
  unknown = Feature::none;
  for (auto const& term : cost.terms) {
    sum += term.nanoseconds * features.value(term.feature);
    if (unknown == Feature::none && term.nanoseconds > 0 && !features.exact(term.feature)) unknown = term.feature;
  }
  return sum;
}

/// Nanoseconds of a solve, with all features that count found.
template <class T>
double exact_time(PlanCost const& cost, PlanFeatures<T>& features) {
  Feature unknown;
  double time = least_time(cost, features, unknown);
  for (; unknown != Feature::none; time = least_time(cost, features, unknown)) features.find(unknown);
  return time;
}

inline bool is_of_tiles(Feature f) { return f == Feature::tile_levels || f == Feature::tile_entries; }
inline bool is_window(Feature f) { return f == Feature::warp_window || f == Feature::thread_window; }

/// Returns about how many nanoseconds it takes to find a feature by a sweep over so many levels, divided among the
/// solves that a factor is expected to make; 0 for other features. A sweep is made only where its candidate could gain
/// that much: of the 92 systems that docs/planner.md lists, the same types are chosen as if all sweeps were made.
inline double sweep_share(Feature f, double levels) {
  if (is_of_tiles(f)) return (SweepCost::tiles + SweepCost::tiles_level * levels) / SweepCost::solves;
  return is_window(f) ? (SweepCost::window + SweepCost::window_level * levels) / SweepCost::solves : 0;
}

/// Whether to find it takes less than a solve: sets may be many, and one team cuts them.
inline bool is_cheap(Feature f) { return f != Feature::sets && !is_of_tiles(f) && !is_window(f); }

inline bool uses(PlanCost const& cost, Feature f) {
  return std::any_of(cost.terms.begin(), cost.terms.end(),
                     [=](PlanTerm const& term) { return term.feature == f && term.nanoseconds > 0; });
}
/// Whether it is the model of a type that is a candidate only where sets may be few.
inline bool uses_sets(PlanCost const& cost) { return uses(cost, Feature::sets); }
/// Whether it is the model of a type that does not pay where levels are wide.
inline bool uses_tiles(PlanCost const& cost) {
  return uses(cost, Feature::tile_levels) || uses(cost, Feature::tile_entries);
}

/// The candidate that takes least by the table; candidates without a model there are not chosen. Prices are not
/// negative, so a bound from below rules a candidate out without finding the rest of its features.
template <class T>
Plan choose_by_table(PlanDevice const& device, std::vector<std::string> const& candidates, PlanFeatures<T>& features) {
  std::vector<PlanCost const*> costs;
  for (auto const* cost = device.costs; cost != device.costs + device.num_costs; ++cost)
    if (std::find(candidates.begin(), candidates.end(), cost->algorithm) != candidates.end()) costs.push_back(cost);
  if (costs.empty()) return {"levelset", "no model for this device"};
  bool const of_sets = std::any_of(costs.begin(), costs.end(), [](auto const* cost) { return uses_sets(*cost); });
  if (!of_sets || !features.take_sets_for_levels())
    for (auto const* cost : costs)  // first what is cheap to know of all
      for (auto const& term : cost->terms)
        if (term.nanoseconds > 0 && is_cheap(term.feature)) features.find(term.feature);
  auto const leave_out = [&](bool (*which)(PlanCost const&)) {
    std::vector<PlanCost const*> rest;
    std::copy_if(costs.begin(), costs.end(), std::back_inserter(rest), [&](auto const* cost) { return !which(*cost); });
    if (!rest.empty()) costs = std::move(rest);
  };
  if (features.has_wide_levels()) leave_out(uses_tiles);
  if (of_sets && features.has_many_sets()) leave_out(uses_sets);
  while (true) {
    PlanCost const *best = nullptr, *second = nullptr;
    double least = 0, next = 0;
    Feature missing = Feature::none, unknown;
    for (auto const* cost : costs) {
      double const least_known = least_time(*cost, features, unknown);
      double const time = least_known + sweep_share(unknown, features.value(Feature::levels));
      if (!best || time < least) {
        second = best, next = least;
        best = cost, least = time, missing = unknown;
      } else if (!second || time < next) {
        second = cost, next = time;
      }
    }
    if (missing != Feature::none) {
      features.find(missing);
      continue;
    }
    char text[200];
    int const written = std::snprintf(text, sizeof text, "estimated %.4g us", 1e-3 * least);
    if (second)
      std::snprintf(text + written, sizeof text - static_cast<std::size_t>(written), ", at least %.4g us for %s",
                    1e-3 * least_time(*second, features, unknown), std::string(second->algorithm).c_str());
    return {std::string(best->algorithm), text};
  }
}

}  // namespace detail

/// The estimate. Host: detail::choose_on_host(). GPU: the least time by the model of planner/plan_table.hpp, fitted to
/// the device, or to another one where it is not in the table.
/// @param candidates  names of algorithms that can do it.
/// @param scans       whether `tiled` may solve chains by scans, as its options are
/// Cost on a GPU: mostly the level sets, which most types need anyhow; up to three more sweeps where it is close.
template <class T>
Plan choose_algorithm(typename T::exec_space const& exec, Analysis<T> const& analysis,
                      std::vector<std::string> const& candidates, [[maybe_unused]] bool scans) {
  if constexpr (is_host_space<typename T::exec_space>) {
    return detail::choose_on_host<T>(exec, analysis);
  } else {
    if (scans && std::find(candidates.begin(), candidates.end(), "tiled") != candidates.end() &&
        detail::chains_of<T>(exec, analysis, detail::TiledTuning::chain_length).found)
      return {"tiled", "chains, which it solves by scans"};
    PlanFeatures<T> features(exec, analysis, exec.concurrency());
    return detail::choose_by_table<T>(detail::plan_device(device_name(exec)), candidates, features);
  }
}

/// The times that the choice is made by: see PlanInput::predicted.
template <class T>
std::vector<std::pair<std::string, double>> predict(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  std::vector<std::pair<std::string, double>> seconds;
  if (analysis.num_rows() == 0) return seconds;
  if constexpr (is_host_space<typename T::exec_space>) {
    detail::HostTimes const times = detail::host_times<T>(detail::host_speed(exec), analysis);
    if (analysis.storage() == Storage::full) seconds.emplace_back("sequential", 1e-9 * times.in_order.nanoseconds);
    seconds.emplace_back("levelset", 1e-9 * times.by_level(exec, analysis));
    if (times.cost.threads > 1) seconds.emplace_back("blocked", 1e-9 * times.by_block(exec, analysis));
  } else {
    PlanFeatures<T> features(exec, analysis, exec.concurrency());
    auto const& device = detail::plan_device(device_name(exec));
    using Tiled = detail::TiledTuning;
    bool const scans = detail::chains_of<T>(exec, analysis, Tiled::chain_length).found;
    for (auto const* cost = device.costs; cost != device.costs + device.num_costs; ++cost) {
      double const time = scans && cost->algorithm == "tiled"
                              ? Tiled::scan_nanoseconds + Tiled::scan_row_nanoseconds * double(analysis.num_rows())
                              : detail::exact_time<T>(*cost, features);
      seconds.emplace_back(cost->algorithm, 1e-9 * time);
    }
  }
  return seconds;
}

}  // namespace sptrsv
