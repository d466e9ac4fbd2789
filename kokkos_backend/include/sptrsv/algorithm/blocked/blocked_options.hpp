// SPDX-License-Identifier: Apache-2.0
// Name, capabilities and options of `blocked`, the same on hosts and GPUs.
#pragma once

#include <climits>
#include <string_view>

#include "sptrsv/capabilities.hpp"

namespace sptrsv::detail {

struct BlockedDescription : AlgorithmDefaults {
  static constexpr std::string_view name = "blocked";
  static constexpr char const* summary = "a team per block of rows, in scratch memory";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true,
                                             /*single_storage=*/true};
  // cost of halo values; latency between levels of a block, between blocks, between long rows; additions after a wait
  static constexpr auto model = features_of(
      {{"strip_bytes"},  // bytes of T, b and x if blocks are expected to be strips, which need more halo values; else 0
       {"levels"},
       {"block_levels"},  // approximate number of blocks of rows on the critical path
       {"long_levels"},   // number of levels that have a row of more than `long_row` entries
       {"late_longest"}});
  enum class Cut { automatic, strips, boxes };
  struct Options {
    Cut shape = Cut::automatic;
    int levels = 0;
    int rows = 0;
    int side0 = 0, side1 = 0, side2 = 0;
    int computing_warps = 0, fetching_warps = 0;
    int teams = 0;
    int late = 1;
    int nodes = 1;
    int scratch = 0;
    template <class V>
    void visit(V& v) {
      v.choice("shape", shape, {"automatic", "strips", "boxes"}, "strips of levels, or boxes of a grid");
      v.integer("levels", levels, 0, INT_MAX, "levels of a strip; 0: chosen");
      v.integer("rows", rows, 0, INT_MAX, "rows of a block at most; 0: chosen");
      v.integer("side0", side0, 0, INT_MAX, "rows of a box in the direction of the shortest distances; 0: chosen");
      v.integer("side1", side1, 0, INT_MAX, "rows of a box in the second direction; 0: chosen");
      v.integer("side2", side2, 0, INT_MAX, "rows of a box in the third direction; 0: chosen");
      v.integer("computing_warps", computing_warps, 0, 8, "GPU: warps of a team that solve rows; 0: chosen");
      v.integer("fetching_warps", fetching_warps, 0, 8, "GPU: warps that fetch what other blocks solve; 0: chosen");
      v.integer("teams", teams, 0, INT_MAX, "GPU: teams at once; 0: chosen");
      v.integer("late", late, 0, 1, "GPU: 1: longer rows add the entries that are solved latest after all others");
      v.integer("nodes", nodes, 0, 1, "GPU: 1: solves consecutive rows with equal columns as one unit");
      v.integer("scratch", scratch, 0, INT_MAX, "GPU: bytes of scratch memory of a block, at least 20480; 0: chosen");
    }
  };
};

}  // namespace sptrsv::detail
