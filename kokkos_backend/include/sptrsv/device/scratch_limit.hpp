// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a team may ask for.
#pragma once

namespace sptrsv::detail {

/// Bytes of level 0 scratch memory of a team of up to 512 threads: with CUDA Kokkos gives it what a block has without
/// opting in, 48 KiB, of which it needs 8 bytes per thread itself. A launch that asks for more throws.
inline constexpr int most_scratch_bytes = 44800;

}  // namespace sptrsv::detail
