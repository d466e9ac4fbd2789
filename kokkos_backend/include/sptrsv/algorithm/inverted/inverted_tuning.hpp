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
  static constexpr int subtree = 32, small_block = 64, small_task = 256;
  /// Rows of a slice of a wide block: of its sums, and of its products, a warp each.
  static constexpr int sum_rows = 32, product_rows = 16;
  /// Maximum entries of a task of several small blocks. The sums of a slice with more are split into parts.
  static constexpr int task_entries = 16384;
  /// Maximum columns of a segment, whose x a team keeps in scratch memory.
  static constexpr int columns = 2048;
  /// Entries of a dense row that a lane holds while it waits, and columns of a row that a warp holds.
  static constexpr int held = 16, chunk = held * tile_lanes;
  /// Warps of a team on a GPU.
  static constexpr int warps = product_rows;
  /// Rows and columns of a tile in which inverses are computed.
  static constexpr int tile = 32;
  /// Growth of errors above which a block is solved by substitution; see FindGrowth.
  static constexpr double most_growth = 1e4;
  /// Default limit of the memory of the inverses, in MiB.
  static constexpr int memory = 4096;
  /// Bytes of the bit maps in which the columns of slices are marked at a time.
  static constexpr std::size_t marks = std::size_t(1) << 28;

  /// Returns the number of lanes that share a row of `entries` entries on average.
  static int lanes(double entries) {
    return entries <= 6 ? 2 : entries <= 16 ? 4 : entries <= 48 ? 8 : entries <= 128 ? 16 : 32;
  }
};

}  // namespace sptrsv::detail
