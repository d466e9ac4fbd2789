// SPDX-License-Identifier: Apache-2.0
// Features of a triangle for the planner's model. A feature that takes a pass over the pattern is computed on request;
// until then it has a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "sptrsv/algorithm/blocked/block_estimate.hpp"
#include "sptrsv/algorithm/colorset/consecutive_sets.hpp"
#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/algorithm/tiled/node_levels.hpp"
#include "sptrsv/algorithm/tiled/tiled_tuning.hpp"
#include "sptrsv/planner/plan_model.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

namespace detail {

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

  /// @param resident_threads  threads that the device runs at a time, which form a window
  PlanFeatures(exec_space const& exec, Analysis<T> const& analysis, long long resident_threads)
      : exec_(exec), analysis_(analysis), resident_(std::max(1LL, resident_threads)) {
    double const n = static_cast<double>(analysis.num_rows()),
                 entries = static_cast<double>(analysis.num_off_diagonals());
    auto const longest = static_cast<double>(analysis.longest_row(exec));
    set(Feature::none, 0);
    set(Feature::solve, 1);
    set(Feature::rows, n);
    set(Feature::bytes, entries * (sizeof(typename T::scalar) + sizeof(typename T::index)) +
                            n * (sizeof(typename T::offset) + 3 * sizeof(typename T::scalar)));
    set(Feature::longest_row, longest);
    lanes_ = detail::lanes_per_row(analysis.mean_row(), warp_lanes);
    set(Feature::longest_lane, std::ceil(longest / lanes_));
    // a tile row contains complete rows, and each window's rows wait for those of the window before
    for (auto f : {Feature::levels, Feature::sets, Feature::tile_levels, Feature::block_levels}) bound(f, n > 0);
    bound(Feature::warp_window, std::ceil(n / static_cast<double>(warps())));
    bound(Feature::thread_window, std::ceil(n / static_cast<double>(resident_)));
  }

  /// Returns the feature, or a lower bound while it is not exact.
  double value(Feature f) const { return value_[at(f)]; }
  bool exact(Feature f) const { return exact_[at(f)]; }

  /// Makes f exact, with related features. Cost: a pass or a sweep over the pattern, unless f is exact; fences.
  void find(Feature f) {
    if (exact(f)) return;
    auto const& rows = analysis_.rows(exec_);
    if (f == Feature::warp_window) find_window(f, rows, warps());
    else if (f == Feature::thread_window) find_window(f, rows, resident_);
    else if (detail::is_of_tiles(f)) find_tiles(rows);
    else if (f == Feature::block_levels) set(f, detail::estimate_block_levels<T>(exec_, analysis_));
    else if (f == Feature::strip_bytes) set(f, detail::expects_strips<T>(exec_, analysis_) ? value(Feature::bytes) : 0);
    else if (f == Feature::sets) find_sets();
    else find_levels(rows);
  }

  /// Tells whether levels are known to be so wide that tiles take longer to find than they can gain.
  bool has_wide_levels() const {
    return exact(Feature::levels) &&
           value(Feature::rows) > detail::TiledTuning::most_level_rows * value(Feature::levels);
  }

  /// Tells whether there are too many sets for a type that launches a kernel per set, or sets of so few rows that it
  /// takes them for blocks, whose rows one thread solves one after another.
  bool has_many_sets() const {
    double const sets = value(Feature::sets);
    return sets > detail::ColorSetTuning::many_sets ||
           value(Feature::rows) < detail::ColorSetTuning::least_rows_per_set * sets;
  }

  /// Uses sets of consecutive rows as level sets if there are few, to save finding the levels. There are no more levels
  /// than such sets, and in most orderings by color equally many.
  /// @return whether there are few
  bool take_sets_for_levels() {
    auto const& sets = detail::consecutive_sets_of<T>(exec_, analysis_, detail::ColorSetTuning::many_sets);
    if (sets.count > detail::ColorSetTuning::many_sets) bound(Feature::sets, sets.count);
    else set(Feature::sets, sets.count);
    if (sets.count > detail::ColorSetTuning::few_sets) return false;
    set_levels(static_cast<std::size_t>(sets.count), [&](std::size_t s) {
      auto const entries = static_cast<double>(sets.before[s + 1] - sets.before[s]);
      return Level{static_cast<double>(sets.first[s + 1] - sets.first[s]),
                   std::min(static_cast<double>(sets.longest[s]), entries), entries};
    });
    // a window holds at most one set, and a set takes ceil(rows / window) windows
    auto const turns = [&](long long window) {
      double sum = 0;
      for (std::size_t s = 0; s < static_cast<std::size_t>(sets.count); ++s)
        sum += std::ceil(static_cast<double>(sets.first[s + 1] - sets.first[s]) / static_cast<double>(window));
      return sum;
    };
    set(Feature::warp_window, turns(warps()));
    set(Feature::thread_window, turns(resident_));
    return true;
  }

 private:
  static std::size_t at(Feature f) { return static_cast<std::size_t>(f); }
  template <class Number>
  void set(Feature f, Number value) {
    value_[at(f)] = static_cast<double>(value);
    exact_[at(f)] = true;
  }
  template <class Number>
  void bound(Feature f, Number least) {
    if (!exact(f)) value_[at(f)] = std::max(value_[at(f)], static_cast<double>(least));
  }

  bool ascending() const { return analysis_.shape().ascending(); }
  static constexpr int warp_lanes = detail::GpuTuning::table_warp_lanes;
  long long warps() const { return std::max(1LL, resident_ / warp_lanes); }
  /// Tells whether a row is so long that one thread would delay the sweep.
  bool has_long_rows() const {
    double const longest = value(Feature::longest_row);
    return longest > 1000 && longest > warp_lanes * analysis_.mean_row();
  }

  void find_window(Feature f, OffDiagonals<T> const& rows, long long window) {
    find(Feature::levels);
    if (static_cast<long long>(rows.num_rows) <= window) set(f, value(Feature::levels));
    else
      set(f, detail::find_node_levels<T>(exec_, detail::Nodes<T>{rows, {}, ascending(), 1, analysis_.mean_row()},
                                         window, has_long_rows())
                 .levels);
  }

  /// Counts the sets. More than are listed count as one per row, since their number no longer matters.
  void find_sets() {
    auto const count = detail::consecutive_sets_of<T>(exec_, analysis_).count;
    set(Feature::sets, count > detail::ConsecutiveSets<T>::most_listed ? value(Feature::rows) : count);
  }

  void find_tiles(OffDiagonals<T> const& rows) {
    find(Feature::levels);
    if (rows.num_rows == 0) {
      for (auto f : {Feature::tile_levels, Feature::tile_entries, Feature::late_tiles}) set(f, 0);
      return;
    }
    auto const& order = detail::chosen_tile_order<T>(exec_, analysis_);
    set(Feature::tile_levels, order.levels.levels);
    set(Feature::tile_entries,
        detail::sum_of_most_runs<T>(exec_, detail::Nodes<T>{rows, order.positions, ascending(), tile_size},
                                    order.levels));
    set(Feature::late_tiles, ascending() ? 0 : value(Feature::tile_entries));
  }

  /// Numbers of a level: rows, entries of the longest row, entries.
  struct Level {
    double rows, longest, entries;
  };
  /// Sets the features of levels from at(l) for each level l.
  template <class At>
  void set_levels(std::size_t levels, At const& at) {
    double const narrow_rows = detail::LevelSetTuning::narrow_slices * warp_lanes / lanes_;
    double wide = 0, narrow = 0, log_rows = 0, log_entries = 0, sum = 0, late = 0, lanes = 0;
    std::size_t long_levels = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      Level const level = at(l);
      if (level.rows > detail::LevelSetTuning::wide_rows) wide += level.longest;
      if (level.rows <= narrow_rows) narrow += level.entries / lanes_;
      log_rows += std::log2(level.rows);
      log_entries += std::log2(1 + level.longest);
      sum += level.longest;
      late += std::max(0.0, level.longest - 1);
      if (level.longest > detail::BlockedTuning::long_row) ++long_levels;
      lanes += std::ceil(level.longest / lanes_);
    }
    auto const count = static_cast<double>(levels);
    set(Feature::levels, count);
    set(Feature::wide_longest, wide);
    set(Feature::narrow_steps, narrow);
    set(Feature::level_rows, log_rows);
    set(Feature::level_entries, log_entries);
    set(Feature::far_longest, sum * std::max(0.0, 1 - detail::cached_bytes / value(Feature::bytes)));
    set(Feature::late_longest, ascending() ? 0 : late);
    set(Feature::long_levels, long_levels);
    set(Feature::level_lanes, lanes);
    bound(Feature::tile_levels, std::ceil(count / tile_size));
    bound(Feature::block_levels, std::ceil(count / detail::BlockedTuning::block_rows));
    for (auto f : {Feature::sets, Feature::warp_window, Feature::thread_window}) bound(f, count);
  }
  void find_levels(OffDiagonals<T> const& rows) {
    auto const& sets = analysis_.levels(exec_);
    auto const entries = detail::entries_by_level<T>(exec_, analysis_.workspace(), rows, sets);
    set_levels(entries.longest.size(), [&](std::size_t l) {
      return Level{static_cast<double>(sets.rows_in_level(static_cast<typename T::index>(l))),
                   static_cast<double>(entries.longest[l]), static_cast<double>(entries.all[l])};
    });
  }

  exec_space exec_;
  Analysis<T> const& analysis_;
  long long resident_;
  double lanes_ = 1;  // per row, as in levelset
  std::array<double, detail::num_features> value_{};
  std::array<bool, detail::num_features> exact_{};
};

}  // namespace sptrsv
