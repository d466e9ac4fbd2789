// SPDX-License-Identifier: Apache-2.0
// Name, capabilities, options and model of `levelset`, the same on hosts and GPUs.
#pragma once

#include <climits>
#include <string_view>

#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

struct LevelSetDescription : AlgorithmDefaults {
  static constexpr std::string_view name = "levelset";
  static constexpr char const* summary = "rows by level, a kernel per wide level, many narrow levels in one kernel";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true,
                                             /*single_storage=*/true};
  struct Options {
    LevelMethod analysis = LevelMethod::automatic;
    int wide_rows = 0;
    int wave_teams = 0;
    int lanes_per_row = 0;
    template <class V>
    void visit(V& v) {
      v.choice("analysis", analysis, {"automatic", "sweep", "root_candidates"}, "how levels are found");
      v.integer("wide_rows", wide_rows, 0, INT_MAX,
                "a level of more rows has a kernel of its own, smaller ones share one; 0: chosen");
      v.renamed("chain_rows", "wide_rows");
      v.integer("wave_teams", wave_teams, 0, INT_MAX, "GPU: teams of a kernel that levels share; 0: chosen");
      v.renamed("chain_teams", "wave_teams");
      v.power_of_two("lanes_per_row", lanes_per_row, 64, "vector lanes per row on a GPU, a power of two; 0: chosen");
    }
  };

  // latency from level to level, which is greater in wide levels; polls and additions, which are slower after a wait
  static constexpr auto model = features_of({{"rows"},
                                             {"levels"},
                                             {"level_rows"},
                                             {"longest_lane"},
                                             {"level_lanes"},
                                             {"narrow_steps"},  // entries / lanes of levels of up to 4 slices
                                             {"late_longest"}});
  template <class F, class Levels>
  static void derive_features(F& features, Levels const& levels) {
    double const lanes = features.lanes(),
                 narrow_rows = LevelSetTuning::narrow_slices * GpuTuning::table_warp_lanes / lanes;
    double steps = 0;
    for (auto const& level : levels)
      if (level.rows <= narrow_rows) steps += level.entries / lanes;
    features.set("narrow_steps", steps);
  }

  static constexpr bool planned_on_host = true;
  /// Returns a lower bound of the nanoseconds of a solve on a host.
  template <class H>
  static double host_bound(H const& host) {
    return host.rows * host.cost.level_row / host.cost.threads;
  }
  /// Returns the nanoseconds of a solve on a host. Cost: the level sets, unless they are known.
  template <class H, class T>
  static double host_nanoseconds(H const& host, typename T::exec_space const& exec, Analysis<T> const& analysis) {
    auto const& sets = analysis.levels(exec);
    double sum = 0;
    for (typename T::index l = 0; l < sets.num_levels(); ++l)
      sum += host.cost.level(static_cast<double>(sets.rows_in_level(l)), host.in_order.wait, host.in_order.irregular);
    return sum;
  }
};

}  // namespace sptrsv::detail
