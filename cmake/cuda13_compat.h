// SPDX-License-Identifier: Apache-2.0
// Two functions of the CUDA runtime in their form before CUDA 13, for -include with nvcc 13 and Kokkos up to 4.7.00.
#ifndef SPTRSV_CUDA13_COMPAT_H  // not `#pragma once`: copies of this file are installed together with libraries built
                                // with it
#define SPTRSV_CUDA13_COMPAT_H
#if defined(__CUDACC__) && defined(__cplusplus)
#include <cuda_runtime_api.h>
#if CUDART_VERSION >= 13000

// Adds dependencies without the edge data that CUDA 13 added, which may be null.
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

// Prefetches to a device given by its number. CUDA 13 takes a location instead, and flags, which are 0.
static inline cudaError_t cudaMemPrefetchAsync(const void* data, size_t bytes, int device, cudaStream_t stream) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(data, bytes, place, 0, stream);
}

#endif
#endif
#endif
