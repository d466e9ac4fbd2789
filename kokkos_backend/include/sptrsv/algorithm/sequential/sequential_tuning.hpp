// SPDX-License-Identifier: Apache-2.0
// Constants of `sequential`.
#pragma once

namespace sptrsv::detail {

struct SequentialTuning {
  /// Host: maximum rows of a block, limited by the registers for their sums.
  static constexpr int block_rows = 6;
  /// Host: mean rows per block from which blocks pay.
  static constexpr double rows_per_block = 1.5;
  /// GPU: maximum off-diagonal entries for the planner to consider `sequential`; one thread takes hundreds of
  /// nanoseconds for each (NVIDIA H200).
  static constexpr long long planned_entries = 250000;
};

}  // namespace sptrsv::detail
