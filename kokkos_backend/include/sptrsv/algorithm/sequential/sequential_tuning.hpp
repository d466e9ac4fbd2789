// SPDX-License-Identifier: Apache-2.0
// The constants of `sequential`.
#pragma once

namespace sptrsv::detail {

struct SequentialTuning {
  /// Host: rows of a block at most, by the registers that their sums take.
  static constexpr int block_rows = 6;
  /// Host: rows per block from which blocks pay.
  static constexpr double rows_per_block = 1.5;
  /// GPU: off-diagonal entries up to which the planner considers it; one thread takes hundreds of nanoseconds for each
  /// (NVIDIA H200).
  static constexpr long long planned_entries = 250000;
};

}  // namespace sptrsv::detail
