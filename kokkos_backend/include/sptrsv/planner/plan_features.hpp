// SPDX-License-Identifier: Apache-2.0
// The planner's model of a solve's time: for each algorithm a sum of features of the structure, each times a
// non-negative price in nanoseconds (plan_table.hpp). A feature that takes a pass over the pattern is computed on
// request; until then it has a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "sptrsv/plan_input.hpp"
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/consecutive_sets.hpp"
#include "sptrsv/triangle/node_levels.hpp"

namespace sptrsv {

namespace detail {

/// Features that PlanFeatures computes itself; any other feature is computed by the algorithm whose `model` has it.
/// Rows are those of op(T), and `longest` counts off-diagonal entries.
inline constexpr FeatureInfo common_features[] = {
    {"none"},
    {"solve"},  // 1: launches and other costs that are independent of size
    {"rows"},
    {"bytes"},          // total bytes of T, b and x
    {"longest_row"},    // entries of the longest row, summed one after another
    {"longest_lane"},   // ceil(longest_row / lanes), lanes = mean_row / 4 rounded up to a power of two, at most 32
    {"levels"},         // number of levels
    {"level_rows"},     // sum over levels of log2(rows): the wider a level, the later its last row
    {"level_entries"},  // sum over levels of log2(1 + longest row of the level): batches that are polled for and summed
    {"far_longest"},    // sum over levels of the longest row, times the share of `bytes` beyond the L2 cache
    {"late_longest"},   // if op(T) is upper, sum over levels of (longest row - 1): columns ascend, so a row waits
                        // for its first entry, and sums all others after that
    {"level_lanes"},    // sum over levels of ceil(longest row of the level / lanes)
    // levels if the row at position s of the solve order also needed that at s - w; w = resident warps or threads
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

/// Feature, made from its name.
struct Feature {
  std::size_t number = 0;

  /// @throws std::invalid_argument for an unknown name; constant expressions do not compile then.
  constexpr Feature(char const* name) : number(all_features.find(name)) {
    if (number == num_features) throw std::invalid_argument(name);
  }
  constexpr explicit Feature(std::size_t k = 0) : number(k) {}
  constexpr FeatureInfo const& info() const { return all_features.at[number]; }
  constexpr std::string_view name() const { return info().name; }
  constexpr explicit operator bool() const { return number > 0; }
  friend constexpr bool operator==(Feature a, Feature b) { return a.number == b.number; }
};

/// Maximum bytes of T, b and x that stay in the L2 cache from solve to solve: half of the 50 MB of an H100 or H200.
inline constexpr double cached_bytes = 25e6;

/// Number of solves by which the cost of a sweep for a feature is divided.
inline constexpr double solves_per_sweep = 50;

/// Price of a feature, in nanoseconds per unit.
struct PlanTerm {
  Feature feature{};
  double nanoseconds = 0;
};

/// Model of an algorithm; unused terms have the feature `none`.
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

/// Longest row and number of entries of each level, on the host.
struct LevelEntries {
  std::vector<unsigned long long> longest, all;
};
template <class T>
LevelEntries entries_by_level(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows,
                              LevelSets<T> const& sets) {
  using index = typename T::index;
  constexpr index chunk = 512;  // rows of one team, so that few teams update the same level's numbers
  constexpr int chunk_team_threads = 128;
  auto const levels = static_cast<std::size_t>(sets.num_levels());
  LevelEntries out{std::vector<unsigned long long>(levels), std::vector<unsigned long long>(levels)};
  if (levels == 0) return out;
  typename Workspace<T>::Scope const scope(work);
  auto const both = work.template take<unsigned long long>(2 * levels);
  Kokkos::deep_copy(exec, both, 0ull);
  auto const level_of = sets.level_of, level_rows = sets.level_rows;
  index const n = rows.num_rows;
  constexpr bool host = is_host_space<typename T::exec_space>;
  using teams = Kokkos::TeamPolicy<typename T::exec_space>;
  Kokkos::parallel_for(
      "sptrsv::planner::longest",
      team_policy(exec, static_cast<int>((n - 1) / chunk + 1), host ? 1 : chunk_team_threads, 1),
      KOKKOS_LAMBDA(typename teams::member_type const& team) {
        auto const first = static_cast<index>(static_cast<index>(team.league_rank()) * chunk);
        index const last = n - first < chunk ? n : first + chunk, level = level_of(level_rows(first));
        auto const count = [&](index p) { return static_cast<unsigned long long>(rows.count(level_rows(p))); };
        auto const add = [&](index to, unsigned long long most, unsigned long long sum) {
          auto* const longest = both.data() + 2 * static_cast<std::size_t>(to);
          if (most > load_relaxed(longest)) Kokkos::atomic_max(longest, most);
          fetch_add(longest + 1, sum);
        };
        if (level != level_of(level_rows(last - 1))) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last),
                               [&](index p) { add(level_of(level_rows(p)), count(p), count(p)); });
          return;
        }
        unsigned long long most = 0, sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, first, last),
            [&](index p, unsigned long long& mine) { mine = count(p) > mine ? count(p) : mine; },
            Kokkos::Max<unsigned long long>(most));
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, first, last), [&](index p, unsigned long long& mine) { mine += count(p); },
            sum);
        Kokkos::single(Kokkos::PerTeam(team), [&]() { add(level, most, sum); });
      });
  std::vector<unsigned long long> found(2 * levels);
  Kokkos::deep_copy(exec, Kokkos::View<unsigned long long*, Kokkos::HostSpace>(found.data(), found.size()), both);
  exec.fence("sptrsv::planner: entries per level are read on the host");
  for (std::size_t l = 0; l < levels; ++l) {
    out.longest[l] = found[2 * l];
    out.all[l] = found[2 * l + 1];
  }
  return out;
}

}  // namespace detail

/// Features of one triangle, independent of the run and of the number of threads.
template <class T>
class PlanFeatures {
 public:
  using Feature = detail::Feature;
  using exec_space = typename T::exec_space;

  /// @param resident_threads  number of threads that the device runs at a time: the size of a window of rows
  PlanFeatures(exec_space const& exec, Analysis<T> const& analysis, long long resident_threads)
      : exec_(exec), analysis_(analysis), resident_(std::max(1LL, resident_threads)) {
    double const n = static_cast<double>(analysis.num_rows()),
                 entries = static_cast<double>(analysis.num_off_diagonals());
    auto const longest = static_cast<double>(analysis.longest_row(exec));
    set("none", 0);
    set("solve", 1);
    set("rows", n);
    double const unknowns = analysis.unknowns();
    set("bytes", entries * (unknowns * unknowns * sizeof(typename T::scalar) + sizeof(typename T::index)) +
                     n * (sizeof(typename T::offset) + 3 * unknowns * sizeof(typename T::scalar)));
    set("longest_row", longest);
    lanes_ = detail::lanes_per_row(analysis.mean_row(), warp_lanes);
    set("longest_lane", std::ceil(longest / lanes_));
    for (auto f : {"levels", "sets"}) bound(f, n > 0);
    // each window's rows wait for those of the window before
    bound("warp_window", std::ceil(n / static_cast<double>(warps())));
    bound("thread_window", std::ceil(n / static_cast<double>(resident_)));
  }

  /// Returns the feature, or a lower bound while it is not exact.
  double value(Feature f) const { return value_[f.number]; }
  bool exact(Feature f) const { return exact_[f.number]; }
  template <class Number>
  void set(Feature f, Number value) {
    value_[f.number] = static_cast<double>(value);
    exact_[f.number] = true;
  }
  template <class Number>
  void bound(Feature f, Number least) {
    if (!exact(f)) value_[f.number] = std::max(value_[f.number], static_cast<double>(least));
  }

  /// Returns the features that the model of an algorithm takes: these, or those of the graph that it solves.
  PlanFeatures& of(std::string_view algorithm) {
    Analysis<T> const* const graph = graph_of(algorithm, Algorithms<T>{});
    if (!graph) return *this;
    auto& features = of_graph_[graph];
    if (!features) features = std::make_unique<PlanFeatures>(exec_, *graph, resident_);
    return *features;
  }

  exec_space const& exec() const { return exec_; }
  Analysis<T> const& analysis() const { return analysis_; }
  /// Returns the lanes per row of a kernel that chooses them by the mean row length.
  double lanes() const { return lanes_; }

  /// Computes f exactly, with related features. Cost: a pass or a sweep over the pattern, unless f is exact; fences.
  void find(Feature f) {
    if (exact(f)) return;
    if (analysis_.num_rows() == 0) return set(f, 0);
    analysis_.rows(exec_);  // first, so that levels are found from these rows
    constexpr Feature warp_window = "warp_window", thread_window = "thread_window", sets = "sets";
    if (f == warp_window) find_window(f, warps());
    else if (f == thread_window) find_window(f, resident_);
    else if (f == sets) find_sets();
    else if (!exact("levels")) find_levels();
    if (!exact(f)) find_by_owner(f, Algorithms<T>{});
  }

  /// If there are few sets of consecutive independent rows, computes the features of levels from these sets instead of
  /// finding level sets. There are no more levels than sets, and in most orderings by color the numbers are equal.
  /// @return whether there are few
  bool take_sets_for_levels() {
    // from `not_few` sets on, counting the levels is worth its cost
    constexpr int many = detail::ConsecutiveSets<T>::many, not_few = 33;
    auto const& sets = detail::consecutive_sets_of<T>(exec_, analysis_, many);
    if (sets.count > many) bound("sets", sets.count);
    else set("sets", sets.count);
    if (sets.count >= not_few) return false;
    auto const num_sets = static_cast<std::size_t>(sets.count);
    std::vector<Level> levels;
    for (std::size_t s = 0; s < num_sets; ++s) {
      auto const entries = static_cast<double>(sets.before[s + 1] - sets.before[s]);
      levels.push_back({static_cast<double>(sets.first[s + 1] - sets.first[s]),
                        std::min(static_cast<double>(sets.longest[s]), entries), entries});
    }
    set_levels(levels);
    // assuming that the rows of a window are of one set: a set takes ceil(rows / window) windows
    auto const turns = [&](long long window) {
      double sum = 0;
      for (Level const& level : levels) sum += std::ceil(level.rows / static_cast<double>(window));
      return sum;
    };
    set("warp_window", turns(warps()));
    set("thread_window", turns(resident_));
    return true;
  }

 private:
  /// Numbers of a level: rows, entries of the longest row, entries.
  struct Level {
    double rows, longest, entries;
  };

  template <class... A>
  Analysis<T> const* graph_of(std::string_view algorithm, TypeList<A...>) const {
    Analysis<T> const* graph = nullptr;
    ((algorithm == A::name ? void(graph = A::solved_graph(exec_, analysis_)) : void()), ...);
    return graph;
  }

  bool ascending() const { return analysis_.shape().ascending(); }
  static constexpr int warp_lanes = detail::GpuTuning::table_warp_lanes;
  long long warps() const { return std::max(1LL, resident_ / warp_lanes); }
  /// Tells whether a row is so long that one thread would delay the sweep.
  bool has_long_rows() const {
    double const longest = value("longest_row");
    return longest > 1000 && longest > warp_lanes * analysis_.mean_row();
  }

  void find_window(Feature f, long long window) {
    find("levels");
    auto const& rows = analysis_.rows(exec_);
    if (static_cast<long long>(rows.num_rows) <= window) set(f, value("levels"));
    else
      set(f, detail::find_node_levels<T>(exec_, detail::Nodes<T>{rows, {}, ascending(), 1, analysis_.mean_row()},
                                         window, has_long_rows())
                 .levels);
  }

  /// Counts the sets. If there are more than are listed, takes the number of rows instead, since the exact number no
  /// longer matters.
  void find_sets() {
    auto const count = detail::consecutive_sets_of<T>(exec_, analysis_).count;
    set("sets", count > detail::ConsecutiveSets<T>::most_listed ? value("rows") : count);
  }

  /// Calls find_feature() of each algorithm whose model has f.
  template <class... A>
  void find_by_owner(Feature f, TypeList<A...>) {
    auto const has = [&](auto const& model) {
      return std::any_of(std::begin(model), std::end(model), [&](auto const& own) { return own.name == f.name(); });
    };
    ((has(A::model) ? A::find_feature(*this, f.name()) : void()), ...);
  }

  /// Sets the features of levels, and those that the algorithms derive from them.
  void set_levels(std::vector<Level> const& levels) {
    double log_rows = 0, log_entries = 0, sum = 0, late = 0, lanes = 0;
    for (Level const& level : levels) {
      log_rows += std::log2(level.rows);
      log_entries += std::log2(1 + level.longest);
      sum += level.longest;
      late += std::max(0.0, level.longest - 1);
      lanes += std::ceil(level.longest / lanes_);
    }
    set("levels", levels.size());
    set("level_rows", log_rows);
    set("level_entries", log_entries);
    set("far_longest", sum * std::max(0.0, 1 - detail::cached_bytes / value("bytes")));
    set("late_longest", ascending() ? 0 : late);
    set("level_lanes", lanes);
    for (auto f : {"sets", "warp_window", "thread_window"}) bound(f, levels.size());
    derive(levels, Algorithms<T>{});
  }
  template <class... A>
  void derive(std::vector<Level> const& levels, TypeList<A...>) {
    (A::derive_features(*this, levels), ...);
  }
  void find_levels() {
    auto const& sets = analysis_.levels(exec_);
    auto const entries = detail::entries_by_level<T>(exec_, analysis_.workspace(), analysis_.rows(exec_), sets);
    std::vector<Level> levels;
    levels.reserve(entries.longest.size());
    for (std::size_t l = 0; l < entries.longest.size(); ++l)
      levels.push_back({static_cast<double>(sets.rows_in_level(static_cast<typename T::index>(l))),
                        static_cast<double>(entries.longest[l]), static_cast<double>(entries.all[l])});
    set_levels(levels);
  }

  exec_space exec_;
  Analysis<T> const& analysis_;
  long long resident_;
  double lanes_ = 1;
  std::array<double, detail::num_features> value_{};
  std::array<bool, detail::num_features> exact_{};
  std::map<Analysis<T> const*, std::unique_ptr<PlanFeatures>> of_graph_;
};

}  // namespace sptrsv
