// SPDX-License-Identifier: Apache-2.0
// Constants of `inverted`, measured as docs/dev/inverted.md says.
#pragma once

#include <cstddef>

#include "sptrsv/device/tile_lanes.hpp"
#include "sptrsv/space.hpp"

namespace sptrsv::detail {

struct InvertedTuning {
  /// Maximum rows of a block on a GPU, and on a host, where inverses gain nothing.
  template <class E>
  static constexpr int width_of() {
    return is_host_space<E> ? 32 : 512;
  }
  /// Maximum rows of a subtree that is one block, of a small block, and of small blocks that share a task.
  static constexpr int subtree = 32, small_block = 128, small_task = 256;
  /// Rows of a slice of a wide block: of its sums, and at most if these have few entries; of its products, one a warp.
  static constexpr int sum_rows = 32, most_sum_rows = 128, few_entries = 2048, product_rows = 16;
  /// Maximum entries of a task of several small blocks. The sums of a slice with more are split into parts.
  static constexpr int task_entries = 16384;
  /// Maximum columns of a segment, whose x a team keeps in scratch memory. Segments of wide blocks have fewer: the
  /// other values are for sums of other parts of the slice.
  static constexpr int columns = 2048, sums_of_parts = 512;
  /// Maximum bytes of a dense row that a lane holds while it waits.
  static constexpr int held_bytes = 128;
  /// Warps of a team on a GPU.
  static constexpr int warps = product_rows;
  /// Rows and columns of a tile whose inverse is found by substitution.
  static constexpr int tile = 32;
  /// Rows and columns of larger tiles in products.
  template <class E>
  static constexpr int wide_tile() {
    return is_host_space<E> ? tile : 64;
  }
  /// Bytes of intermediate products of blocks that are inverted together.
  static constexpr std::size_t products = std::size_t(1) << 27;
  /// Growth of errors above which a block is solved by substitution; see FindGrowth.
  static constexpr double most_growth = 1e4;
  /// Default limit of the memory of the inverses, in MiB.
  static constexpr int memory = 4096;
  /// For the planner: maximum bytes of the inverses, unless T has more; minimum entries of rows in the mean.
  static constexpr double planned_bytes = double(1 << 30), least_mean_row = 2;
  /// Bytes of the bit maps in which the columns of slices are marked at a time.
  static constexpr std::size_t marks = std::size_t(1) << 28;

  /// Returns the number of lanes that share a row of `entries` entries on average.
  static int lanes(double entries) {
    return entries <= 6 ? 2 : entries <= 16 ? 4 : entries <= 48 ? 8 : entries <= 128 ? 16 : 32;
  }
};

}  // namespace sptrsv::detail
