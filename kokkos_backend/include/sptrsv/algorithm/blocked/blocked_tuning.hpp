// SPDX-License-Identifier: Apache-2.0
// The constants of `blocked`.
#pragma once

#include <cstddef>

#include "sptrsv/device/scratch_limit.hpp"

namespace sptrsv::detail {

/// Measured on an NVIDIA H200 (docs/blocks.md).
struct BlockedTuning {
  /// Bytes of scratch memory that a block may need, and the part of it that blocks are cut for: how many values a block
  /// needs of others is known only then.
  static constexpr int scratch_bytes = most_scratch_bytes;
  static constexpr double cut_for = 0.95;
  /// Outer values per entry that are expected.
  static constexpr double expected_outers = 0.25;
  /// Entries of a row; one with more is a block of its own, which all threads of a team solve from global memory.
  static constexpr int long_row = 512;
  /// Rows of a block at most.
  static constexpr int block_rows = 1024;
  /// Host: blocks for each thread at least, and rows of a block within these bounds. Two cores of an AMD EPYC.
  static constexpr long long host_blocks_per_thread = 16, least_host_rows = 256, most_host_rows = 1000;
  /// Levels of a strip at least, where levels are wide.
  static constexpr int strip_levels = 32;
  /// What the planner takes a block of less than two levels for, beside thicker ones.
  static constexpr double thin_block = 3;
  /// Rows for each long one, from which on the planner considers blocks.
  static constexpr long long rows_per_long_row = 2000;
  /// Boxes, in those that rows would fill, from which on the pattern is no grid, and strips are better.
  static constexpr double most_boxes = 2;
  /// Warps of a team that compute, and as many that fetch.
  static constexpr int warps = 4;
  /// The same where fetching bounds the time: blocks need so many values of others for each of their entries, in so
  /// many levels (band:500000,16,2000 4.5 ms instead of 6.5; mdual, of 44 levels, 45 us instead of 38), or one row has
  /// such a part of all entries (kkt_BOYD1 80 us instead of 146).
  static constexpr int most_warps = 8, many_levels = 500;
  static constexpr double many_outers = 0.5, large_row = 1.0 / 16;
  /// Right-hand sides that are solved at once. A team solves a block for one of them: they wait at different times, and
  /// so for each other's sake less.
  static constexpr int columns_per_pass = 4;
  /// Threads that the GPU runs at once, for each of which numbers there is a team.
  static constexpr int threads_per_team = 1024;
  /// Bytes for each row and each entry that a plan takes, about.
  static constexpr std::size_t plan_row_bytes = 16, plan_entry_bytes = 6;
  /// Threads of the teams that number columns, and that copy entries of long rows.
  static constexpr int analysis_threads = 128;
  /// Threads that the GPU runs at once, for each of which numbers there is a team that numbers columns.
  static constexpr int threads_per_analysis_team = 256;
};

}  // namespace sptrsv::detail
