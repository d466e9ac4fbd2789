// SPDX-License-Identifier: Apache-2.0
// Hints to compilers: loops to unroll or to keep apart, data to fetch ahead.
#pragma once

/// Before a function whose loops the compiler must not merge with others: it would run out of registers in all of them.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define SPTRSV_APART __attribute__((noinline))
#else
#define SPTRSV_APART
#endif

/// Unrolls the loop that follows on a GPU, where an array with an index that is not a constant leaves the registers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SPTRSV_UNROLL _Pragma("unroll")
#else
#define SPTRSV_UNROLL
#endif

namespace sptrsv::detail {

/// Host: asks for a cache line that is read soon.
inline void prefetch(void const* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

}  // namespace sptrsv::detail
