// SPDX-License-Identifier: Apache-2.0
// Constants of the ordering `blockcolor`.
#pragma once

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/colorset.md).
struct BlockColoringTuning {
  /// Mean number of neighbors of a vertex above which a graph is wide.
  static constexpr int narrow_neighbors = 8;
  /// Number of vertices of a block in wide graphs, and in others. With smaller blocks, a factor has fewer levels but
  /// the solver needs more iterations. On 3D grids, blocks of 32 need no more iterations. But with 100^3 rows the
  /// levels are then too wide for `levelset`'s kernel of many levels, and a solve takes 1.5 times as long.
  static constexpr int wide_size = 256, size = 64;
  /// Number of colors: few_colors if every block has at most few_neighbors neighbors, otherwise `colors`.
  static constexpr int few_neighbors = 8, few_colors = 4, colors = 8;
};

}  // namespace sptrsv::detail
