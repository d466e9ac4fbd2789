// SPDX-License-Identifier: Apache-2.0
// From how many off-diagonal entries per row on a block of rows is better given a warp per row than a thread per row.
// tools/train_fused.py measures this and writes the lines of the table (docs/fused.md); trained_threshold() in
// fused_units.hpp reads it.
#pragma once

namespace sptrsv::detail {

struct FusedThreshold {
  char const* device;  ///< as CUDA or HIP names it; "host" for threads of a CPU
  int entries;         ///< off-diagonal ones per row, on the mean of a block
};

inline constexpr FusedThreshold fused_table[] = {
    {"NVIDIA H200", 8},  // 2026-11-22, 100 matrices, rule fused
    {"host", 32},        // 2026-11-22, 46 matrices, rule fused
};

}  // namespace sptrsv::detail
