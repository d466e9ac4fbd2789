// SPDX-License-Identifier: Apache-2.0
// Limit of a team's scratch memory.
#pragma once

namespace sptrsv::detail {

/// Maximum bytes of level 0 scratch memory of a team of up to 512 threads. With CUDA, Kokkos gives a team only the 48
/// KiB that a thread block has without opting in to more, and uses 8 bytes per thread of that itself. A launch that
/// asks for more throws.
inline constexpr int most_scratch_bytes = 44800;

}  // namespace sptrsv::detail
