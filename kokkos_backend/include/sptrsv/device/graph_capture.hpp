// SPDX-License-Identifier: Apache-2.0
// Refuses solves inside a CUDA or HIP graph capture.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "sptrsv/error.hpp"

namespace sptrsv::detail {

/// Throws Unsupported if the stream of `exec` is being captured. Used by algorithms whose solves prepare memory for the
/// next solve: all replays would use the same memory, which only the first replay would find prepared.
/// Cost: a query of the stream's state on the host, about 10 ns.
template <class E>
void refuse_graph_capture([[maybe_unused]] E const& exec, [[maybe_unused]] std::string_view algorithm) {
  bool recorded = false;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(exec.cuda_stream(), &status) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // another stream is captured; if that matters, the launch fails
      return;
    }
    recorded = status != cudaStreamCaptureStatusNone;
  }
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<E, Kokkos::HIP>) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    if (hipStreamIsCapturing(exec.hip_stream(), &status) != hipSuccess) {
      static_cast<void>(hipGetLastError());
      return;
    }
    recorded = status != hipStreamCaptureStatusNone;
  }
#endif
  if (recorded)
    throw Unsupported(
        std::string(algorithm),
        "solves inside of a CUDA or HIP graph, where replays would run on memory that a replay before has "
        "used up; call solve() outside of the capture");
}

}  // namespace sptrsv::detail
