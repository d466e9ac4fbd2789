// SPDX-License-Identifier: Apache-2.0
// Constants of `sequential`.
#pragma once

namespace sptrsv::detail {

struct SequentialTuning {
  /// GPU: maximum off-diagonal entries for the planner to consider `sequential`; one thread takes hundreds of
  /// nanoseconds for each (NVIDIA H200).
  static constexpr long long planned_entries = 250000;
};

}  // namespace sptrsv::detail
