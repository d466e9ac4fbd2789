// SPDX-License-Identifier: Apache-2.0
// Constants of `iterated`.
#pragma once

namespace sptrsv::detail {

struct IteratedTuning {
  /// Default number of sweeps (docs/dev/iterated.md).
  static constexpr int sweeps = 2;
  /// Warps of a team. Not measured separately.
  static constexpr int team_warps = 4;
};

}  // namespace sptrsv::detail
