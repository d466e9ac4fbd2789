// SPDX-License-Identifier: Apache-2.0
// The GPU stream on which PETSc works, and Kokkos' instances on it. No other file uses types of CUDA or HIP.
#pragma once

#include <Kokkos_Core.hpp>

#include "base/petsc_compat.hpp"

// defined if PETSc and Kokkos have the same kind of GPU, and PETSc shows its stream
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

/// Finds the stream of PETSc's current device context. For Kokkos vectors, finds the stream of PETSc's Kokkos instead,
/// which PETSc has bound to the context that was current when it started Kokkos. Null without a GPU.
PetscErrorCode CurrentStream(bool kokkos_vectors, Stream* stream);

/// Returns an instance of Kokkos on a stream: PETSc's instance if it is on that stream, otherwise one that all solvers
/// on the stream share, since making an instance allocates. Without a GPU: Kokkos' default instance.
DeviceExec instance_on(Stream stream);

/// Finds the number of the GPU that PETSc has chosen for this rank; -1 without a GPU.
PetscErrorCode CurrentDevice(int* id);

}  // namespace sptrsv_petsc
