// SPDX-License-Identifier: Apache-2.0
// Constants of the algorithms that solve rows in natural order: `syncfree`, `threadlevel` and `fused`. GPU values are
// for an NVIDIA H200.
#pragma once

namespace sptrsv::detail {

struct SyncFreeTuning {
  /// Mean off-diagonal entries per row above which a thread polls for all missing entries of a batch. Otherwise it
  /// polls for the first one only, which takes fewer loads.
  static constexpr double poll_all_from = 4;
  /// GPU: number of warps of a team of `fused`, which work independently. 2 are faster than 1 (road:2000: 443 instead
  /// of 477 us), and as fast as 4.
  static constexpr int fused_team_warps = 2;
  /// Host: number of rows of a block of `fused`; equal to the lanes of a warp of most GPUs, so that hosts and GPUs
  /// divide a system in the same way.
  static constexpr int fused_host_block_rows = 32;
};

/// Mean number of off-diagonal entries per row of a block from which a warp per row is faster than a thread per row.
/// docs/dev/fused.md says how it is measured, and how to find the number for a device that is not in the table.
struct FusedThreshold {
  char const* device;  ///< name by CUDA or HIP; "host" for CPU threads
  int entries;         ///< mean off-diagonal entries per row of a block
};

inline constexpr FusedThreshold fused_table[] = {
    {"NVIDIA H200", 8},  // 2026-11-22, 100 matrices
    {"host", 32},        // 2026-11-22, 46 matrices
};

}  // namespace sptrsv::detail
