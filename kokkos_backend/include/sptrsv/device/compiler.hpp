// SPDX-License-Identifier: Apache-2.0
// Compiler hints: loop unrolling, functions that are not inlined, prefetches.
#pragma once

/// Keeps a function out of line: if several were inlined into one, the loops of each would make the others spill
/// registers.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define SPTRSV_APART __attribute__((noinline))
#else
#define SPTRSV_APART
#endif

/// Unrolls the following loop on a GPU, where an array with a non-constant index does not stay in registers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SPTRSV_UNROLL _Pragma("unroll")
#else
#define SPTRSV_UNROLL
#endif

namespace sptrsv::detail {

/// Prefetches a cache line on a host.
inline void prefetch(void const* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

}  // namespace sptrsv::detail
