// SPDX-License-Identifier: Apache-2.0
// Constants of `blocked`.
#pragma once

#include <cstddef>

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/blocks.md).
struct BlockedTuning {
  /// Minimum bytes of scratch memory of a block, in which every row that is not long fits.
  static constexpr int least_scratch_bytes = 20480;
  /// Bytes of scratch memory of a block on the GPUs that the planner's table is fitted to.
  static constexpr int table_scratch_bytes = 111600;
  /// Share of the scratch memory that blocks are cut to fill. The rest is a reserve: the number of halo values is an
  /// estimate.
  static constexpr double cut_for = 0.95;
  /// Expected number of halo values (values that a block needs from other blocks) per entry.
  static constexpr double expected_halos = 0.25;
  /// Maximum number of entries of a row within a block. All threads of a team solve a longer row from global memory.
  static constexpr int long_row = 512;
  /// Number of partial sums of a long row, a power of two: the threads of the largest team if warps have 32 lanes.
  static constexpr int long_row_parts = 512;
  static_assert((long_row_parts & (long_row_parts - 1)) == 0, "halves are added to each other");
  /// Number of deferred entries of a row: those whose x is solved latest. Each lane of the row adds them after the sum
  /// over lanes of all other entries. Rows with fewer than `least_deferred_lanes` lanes have none.
  static constexpr int deferred_entries = 4, least_deferred_lanes = 4;
  /// Number of deferred blocks of a node.
  static constexpr int deferred_blocks = 3;
  /// Growth of errors above which a node keeps its triangle and is solved by substitution; see FillNodes.
  static constexpr double most_node_growth = 100;
  /// Numbers of rows of nodes that the kernel takes: bit s is set for nodes of s rows. Nodes of 6 or 8 rows are two
  /// nodes each, and those of 7 rows are solved row by row. With more rows, or with larger scalars, a lane's block does
  /// not fit its registers.
  template <class Scalar>
  static constexpr unsigned node_sizes = 1u << 2 | 1u << 3 | (sizeof(Scalar) > 8 ? 0u : 1u << 4 | 1u << 5);
  /// Maximum number of dense blocks of a node, which its slice counts in 8 bits.
  static constexpr int most_node_blocks = 255;
  /// Returns the minimum number of lanes of a node: each unknown's sum ends on a lane of its own.
  static constexpr int least_node_lanes(int unknowns) { return unknowns > 4 ? 8 : unknowns > 2 ? 4 : 2; }
  /// Maximum number of threads of a team that solves nodes: with 512, a thread has 128 registers, which suffice.
  static constexpr int node_threads = 512;
  /// Maximum number of rows of a block.
  static constexpr int block_rows = 2048;
  /// Host: minimum blocks per thread, and bounds of the number of rows of a block. Measured on two cores of an AMD
  /// EPYC.
  static constexpr long long host_blocks_per_thread = 16, least_host_rows = 256, most_host_rows = 1000;
  /// Minimum number of levels of a strip, on a GPU and on a host; strips of narrow levels have more.
  static constexpr int strip_levels = 128, host_strip_levels = 32;
  /// Factor by which the planner multiplies the estimated length of the critical path if blocks have less than two
  /// levels and the triangle has more than `thin_levels` levels.
  static constexpr double thin_block = 3;
  static constexpr int thin_levels = 32;
  /// Maximum of boxes / (boxes that the rows would fill). With more boxes the pattern is no grid, and strips are
  /// better.
  static constexpr double most_boxes = 2;
  /// Number of warps of a team that solve rows, and of those that fetch halo values. If rows are real and have one lane
  /// each, `most_warps` fetch (lap3d:200 434 us instead of 482, road:700 37 instead of 41).
  static constexpr int warps = 4;
  /// Number of warps of a team that solve rows, and of those that fetch, if:
  /// - rows have deferred entries and blocks more than `most_scratch_bytes` (fem3:32 171 us instead of 261; level 2 of
  ///   GAMG 760 instead of 1204), or
  /// - there are more than `many_halos` halo values per entry and more than `many_levels` levels (band:500000,16,2000
  ///   4.5 ms instead of 6.5; but mdual, which has 44 levels, 45 us instead of 38), or
  /// - a row has more than `large_row` of all entries (kkt_BOYD1 80 us instead of 146).
  static constexpr int most_warps = 8, many_levels = 500;
  static constexpr double many_halos = 0.5, large_row = 1.0 / 16;
  /// Right-hand sides per pass. A team solves a block for one of them, so that a stalled one does not stall the others.
  static constexpr int columns_per_pass = 4;
  /// Number of resident GPU threads for each team of a solve.
  static constexpr int threads_per_team = 1024;
  /// Approximate bytes of a plan per row and per entry.
  static constexpr std::size_t plan_row_bytes = 16, plan_entry_bytes = 6;
  /// Number of threads of a team that assigns column numbers, or that copies the entries of long rows.
  static constexpr int analysis_threads = 128;
  /// Number of resident GPU threads for each team that assigns column numbers.
  static constexpr int threads_per_analysis_team = 512;
};

}  // namespace sptrsv::detail
