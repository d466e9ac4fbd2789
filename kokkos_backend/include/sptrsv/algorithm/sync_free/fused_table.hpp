// SPDX-License-Identifier: Apache-2.0
// Number of off-diagonal entries per row from which a warp per row is faster for a block of rows than a thread per row.
// docs/dev/fused.md says how it is measured, and how to find the number for a device that is not in the table;
// trained_threshold() in fused.hpp reads it.
#pragma once

namespace sptrsv::detail {

struct FusedThreshold {
  char const* device;  ///< name by CUDA or HIP; "host" for CPU threads
  int entries;         ///< mean off-diagonal entries per row of a block
};

inline constexpr FusedThreshold fused_table[] = {
    {"NVIDIA H200", 8},  // 2026-11-22, 100 matrices
    {"host", 32},        // 2026-11-22, 46 matrices
};

}  // namespace sptrsv::detail
