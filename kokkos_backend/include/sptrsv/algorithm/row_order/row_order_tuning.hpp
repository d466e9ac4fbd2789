// SPDX-License-Identifier: Apache-2.0
// The constants of the algorithms that solve rows in their own order: `syncfree`, `threadlevel` and `fused`. The
// threshold of `fused` is trained by device: fused_table.hpp.
#pragma once

namespace sptrsv::detail {

struct RowOrderTuning {
  /// Off-diagonal entries of a mean row. In longer rows a thread polls for all entries of a batch that are missing, in
  /// others for the first one alone, which takes fewer loads. NVIDIA H200.
  static constexpr double poll_all_from = 4;
  /// Rows of a ticket of `syncfree` on a GPU, where a warp has a row: with more a warp starts on each when it is done
  /// with the one before, and all others wait for it. NVIDIA H200.
  static constexpr int syncfree_rows_per_ticket = 1;
  /// Warps of a team of `fused`, each for itself: 2 are a little faster than 1 (road:2000 443 instead of 477 us), and
  /// as fast as 4. NVIDIA H200.
  static constexpr int fused_team_warps = 2;
  /// Rows of a block of `fused` on a host: the lanes of a warp of most GPUs, so that systems are split alike.
  static constexpr int fused_host_block_rows = 32;
};

}  // namespace sptrsv::detail
