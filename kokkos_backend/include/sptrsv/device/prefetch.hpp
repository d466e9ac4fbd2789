// SPDX-License-Identifier: Apache-2.0
// Loads to the L2 cache of what a team will read once it need not wait any more.
#pragma once

#include <Kokkos_Core.hpp>

namespace sptrsv::detail {

/// Loads the memory from `begin` to `end` to the L2 cache, without waiting for it. Does nothing without CUDA.
/// @param rank   number of the calling thread
/// @param count  number of threads that call this
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] int rank, [[maybe_unused]] int count,
                                          [[maybe_unused]] V const* begin, [[maybe_unused]] V const* end) {
#if defined(__CUDA_ARCH__)
  constexpr int line = 128;
  auto const* const behind = reinterpret_cast<char const*>(end);
  for (auto const* at = reinterpret_cast<char const*>(begin) + line * rank; at < behind; at += line * count)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

}  // namespace sptrsv::detail
