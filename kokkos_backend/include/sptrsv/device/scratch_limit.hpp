// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a team may ask for.
#pragma once

namespace sptrsv::detail {

/// Bytes of level 0 scratch memory: with CUDA Kokkos gives a team what a block has without opting in, 48 KiB, and needs
/// some of it itself. A launch that asks for more throws.
inline constexpr int most_scratch_bytes = 48000;

}  // namespace sptrsv::detail
