// SPDX-License-Identifier: Apache-2.0
// Counts the bytes in use on the heap, for tests that look for leaks.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t
__sanitizer_get_current_allocated_bytes();  // declared in sanitizer/allocator_interface.h, which Debian's GCC lacks
#elif defined(__GLIBC__)
#include <malloc.h>
#endif

namespace petsc_test {

/// Returns the bytes that are allocated and not freed, in all threads' heaps; 0 if the C library does not tell.
inline double AllocatedBytes() {
#if defined(__SANITIZE_ADDRESS__)
  return static_cast<double>(__sanitizer_get_current_allocated_bytes());
#elif defined(__GLIBC__)
  auto const info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
  return 0;
#endif
}

}  // namespace petsc_test
