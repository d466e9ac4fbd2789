// SPDX-License-Identifier: Apache-2.0
// Errors of calls to CUDA.
#pragma once

#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>

namespace sptrsv::detail {

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// Throws if a call to CUDA has failed, and clears CUDA's last error.
/// @param what  beginning of the message: what failed
/// @throw std::runtime_error
inline void check_cuda(cudaError_t error, char const* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}
#endif

}  // namespace sptrsv::detail
