// SPDX-License-Identifier: Apache-2.0
// Constants of the ordering `blockcolor`.
#pragma once

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/colorset.md).
struct BlockColoringTuning {
  /// Mean number of neighbors of a vertex above which a graph is wide.
  static constexpr int narrow_neighbors = 8;
  /// Vertices of a block in wide graphs, and in others. Smaller blocks have fewer levels, and cost iterations. Blocks
  /// of 32 cost none on 3D grids, but with 100^3 rows their levels are too wide for `levelset`'s kernel of many levels,
  /// and a solve takes 1.5 times as long.
  static constexpr int wide_size = 256, size = 64;
  /// Number of colors if blocks have at most few_neighbors neighbors (few_colors), and if they have more.
  static constexpr int few_neighbors = 8, few_colors = 4, colors = 8;
};

}  // namespace sptrsv::detail
