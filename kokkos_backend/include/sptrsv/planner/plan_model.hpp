// SPDX-License-Identifier: Apache-2.0
// The planner's model of a solve's time: for each algorithm a sum of features of the structure, each at a non-negative
// price in nanoseconds. plan_table.hpp has the prices.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "sptrsv/plan_input.hpp"
#include "sptrsv/planner/algorithm_list.hpp"

namespace sptrsv::detail {

/// Features that PlanFeatures finds; the others are found by the algorithm whose `model` has them. Rows are those of
/// op(T); `longest` counts off-diagonal entries.
inline constexpr FeatureInfo common_features[] = {
    {"none"},
    {"solve"},  // 1: launches and other costs that are independent of size
    {"rows"},
    {"bytes"},          // total bytes of T, b and x
    {"longest_row"},    // entries of the longest row, summed one after another
    {"longest_lane"},   // ceil(longest_row / lanes), lanes = mean_row / 4 rounded up to a power of two, at most 32
    {"levels"},         // number of levels
    {"level_rows"},     // sum over levels of log2(rows): the wider a front, the later its last row
    {"level_entries"},  // sum over levels of log2(1 + longest row of the level): batches that are polled for and summed
    {"far_longest"},    // sum over levels of the longest row, times the share of `bytes` beyond the L2 cache
    {"late_longest"},   // if op(T) is upper, sum over levels of the longest row's entries but the first: entries are
                        // stored in ascending order, so a row waits for its first one and sums all others after that
    {"level_lanes"},    // sum over levels of ceil(longest row of the level / lanes)
    // levels if row i also needs row i - w, in natural order; w = resident warps or threads
    {"warp_window", 1e5, 700},
    {"thread_window", 1e5, 700},
    {"sets"},  // sets of consecutive independent rows, each as large as possible
};

/// The features above and those of all models, each once.
struct FeatureList {
  FeatureInfo at[64] = {};
  std::size_t count = 0;

  template <class... A>
  constexpr explicit FeatureList(TypeList<A...>) {
    add_all(common_features);
    (add_all(A::model), ...);
  }
  constexpr std::size_t find(std::string_view name) const {
    std::size_t k = 0;
    while (k < count && at[k].name != name) ++k;
    return k;
  }
  constexpr void add(FeatureInfo const& feature) {
    if (find(feature.name) == count) at[count++] = feature;
  }
  template <class Features>
  constexpr void add_all(Features const& features) {
    for (auto const& feature : features) add(feature);
  }
};
inline constexpr FeatureList all_features(Algorithms<Types<double, int, int, Kokkos::DefaultHostExecutionSpace>>{});
inline constexpr std::size_t num_features = all_features.count;

/// Feature, by its name.
struct Feature {
  std::size_t number = 0;

  /// @throws std::invalid_argument, and does not compile where a constant is needed.
  constexpr Feature(char const* name) : number(all_features.find(name)) {
    if (number == num_features) throw std::invalid_argument(name);
  }
  constexpr explicit Feature(std::size_t k = 0) : number(k) {}
  constexpr FeatureInfo const& info() const { return all_features.at[number]; }
  constexpr std::string_view name() const { return info().name; }
  constexpr explicit operator bool() const { return number > 0; }
  friend constexpr bool operator==(Feature a, Feature b) { return a.number == b.number; }
};

/// Bytes of T, b and x of which all entries stay in the L2 cache from solve to solve: half of an H100's or H200's 50
/// MB.
inline constexpr double cached_bytes = 25e6;

/// Number of solves that share the cost of the sweeps for features.
inline constexpr double solves_per_sweep = 50;

/// Price of a feature, in nanoseconds per unit.
struct PlanTerm {
  Feature feature{};
  double nanoseconds = 0;
};

/// Model of an algorithm; terms after the last are `none`.
struct PlanCost {
  std::string_view algorithm;
  std::array<PlanTerm, num_features> terms;
};

/// Models of one device.
struct PlanDevice {
  std::string_view name;  ///< name by the vendor's runtime
  PlanCost const* costs;
  std::size_t num_costs;
};

}  // namespace sptrsv::detail
