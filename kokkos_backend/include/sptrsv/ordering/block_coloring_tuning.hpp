// SPDX-License-Identifier: Apache-2.0
// The constants of the ordering `blockcolor`.
#pragma once

namespace sptrsv::detail {

/// Set on an NVIDIA H200 (docs/colorset.md).
struct BlockColoringTuning {
  /// Neighbors of a vertex on average. Graphs with more are wide.
  static constexpr int narrow_neighbors = 8;
  /// Vertices of a block in wide graphs, and elsewhere. Smaller ones have fewer levels, and cost iterations. Blocks of
  /// 32 cost none on grids of three dimensions, but of 100^3 rows they have levels too wide for `levelset`'s kernel of
  /// many levels, and a solve takes half as long again.
  static constexpr int wide_size = 256, size = 64;
  /// Colors where blocks have at most few_neighbors neighbors, and where they have more.
  static constexpr int few_neighbors = 8, few_colors = 4, colors = 8;
};

}  // namespace sptrsv::detail
