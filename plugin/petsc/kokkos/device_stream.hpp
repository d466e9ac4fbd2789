// SPDX-License-Identifier: Apache-2.0
// The GPU stream on which PETSc works, and Kokkos' instances on it. No other file uses types of CUDA or HIP.
#pragma once

#include <Kokkos_Core.hpp>

#include "base/petsc_compat.hpp"

// SPTRSV_PETSC_DEVICE: PETSc and Kokkos have the same kind of GPU, and PETSc gives access to its stream
#if defined(SPTRSV_PETSC_SHOWS_STREAM)
#if (defined(KOKKOS_ENABLE_CUDA) && defined(PETSC_HAVE_CUDA)) || (defined(KOKKOS_ENABLE_HIP) && defined(PETSC_HAVE_HIP))
#define SPTRSV_PETSC_DEVICE
#endif
#endif

namespace sptrsv_petsc {

/// A cudaStream_t or hipStream_t; null is the default stream.
using Stream = void*;

#if defined(SPTRSV_PETSC_DEVICE)
inline constexpr bool has_device = true;
using DeviceExec = Kokkos::DefaultExecutionSpace;
#else
inline constexpr bool has_device = false;
using DeviceExec = Kokkos::DefaultHostExecutionSpace;
#endif

/// Returns why has_device is false, and a remedy, for an error message.
char const* WithoutDevice();

/// Finds the stream of PETSc's current device context. For Kokkos vectors, finds the stream of PETSc's Kokkos instance
/// instead: PETSc binds that instance to the context that is current when PETSc starts Kokkos. Null without a GPU.
PetscErrorCode CurrentStream(bool kokkos_vectors, Stream* stream);

/// Returns a Kokkos instance on a stream: PETSc's instance if that is on the stream, otherwise one instance for all
/// solvers on the stream, since making an instance allocates. Without a GPU, returns Kokkos' default instance.
DeviceExec instance_on(Stream stream);

/// Finds the number of the GPU that PETSc has chosen for this rank; -1 without a GPU.
PetscErrorCode CurrentDevice(int* id);

}  // namespace sptrsv_petsc
