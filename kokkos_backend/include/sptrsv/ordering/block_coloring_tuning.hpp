// SPDX-License-Identifier: Apache-2.0
// The constants of the ordering `blockcolor`.
#pragma once

namespace sptrsv::detail {

/// Set on an NVIDIA H200 (docs/colorset.md).
struct BlockColoringTuning {
  /// Neighbors of a vertex on average. Graphs with more are wide.
  static constexpr int narrow_neighbors = 8;
  /// Vertices of a block in wide graphs, in other grids of three dimensions, and elsewhere. Smaller ones have fewer
  /// levels, and cost more iterations in two dimensions than in three.
  static constexpr int wide_size = 256, solid_size = 32, size = 64;
  /// Colors where blocks have at most few_neighbors neighbors, and where they have more.
  static constexpr int few_neighbors = 8, few_colors = 4, colors = 8;
};

}  // namespace sptrsv::detail
