// SPDX-License-Identifier: Apache-2.0
// Constants of `chain`.
#pragma once

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/chain.md), unless stated otherwise.
struct ChainTuning {
  /// Minimum mean number of rows of a chain for which the planner considers scans. Shorter chains make few levels,
  /// which other types solve as fast.
  static constexpr double planned_length = 64;
  /// Nanoseconds of a solve, fixed and per row (48.9 us for 1,000 rows, 305 us for 2,000,000).
  static constexpr double solve_nanoseconds = 48000, row_nanoseconds = 0.128;
  /// Number of rows that a team composes, and number of its threads. Not measured separately.
  static constexpr int chunk = 1024, threads = 256;
};

}  // namespace sptrsv::detail
