// SPDX-License-Identifier: Apache-2.0
// Name, capabilities and options of `levelset`, the same on hosts and GPUs.
#pragma once

#include <climits>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/triangle/level_sets.hpp"

namespace sptrsv::detail {

struct LevelSetDescription {
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
};

}  // namespace sptrsv::detail
