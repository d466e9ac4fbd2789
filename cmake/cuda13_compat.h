// SPDX-License-Identifier: Apache-2.0
// For -include with nvcc 13 and Kokkos up to 4.7.00: two functions of the CUDA runtime in the form they had before.
#ifndef SPTRSV_CUDA13_COMPAT_H  // not `#pragma once`: there are copies, installed beside what was built with them
#define SPTRSV_CUDA13_COMPAT_H
#if defined(__CUDACC__) && defined(__cplusplus)
#include <cuda_runtime_api.h>
#if CUDART_VERSION >= 13000

// CUDA 13 added the data of the edges, which may be null.
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

// CUDA 13 names a place rather than the number of a device, and takes flags, of which there are none.
static inline cudaError_t cudaMemPrefetchAsync(const void* data, size_t bytes, int device, cudaStream_t stream) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(data, bytes, place, 0, stream);
}

#endif
#endif
#endif
