// SPDX-License-Identifier: Apache-2.0
// The stream on which PETSc works, and Kokkos on it: the only code that names a kind of GPU.
#pragma once

#include <Kokkos_Core.hpp>

#include "base/petsc_compat.hpp"

// the GPU is PETSc's as well as Kokkos', and PETSc shows its stream
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

/// Why has_device is false, and a remedy, for an error message.
char const* WithoutDevice();

/// The stream of PETSc's current device context, or of PETSc's Kokkos where the vectors are Kokkos'. (PETSc
/// binds its Kokkos to the context that was current when it started Kokkos.) Null without a GPU.
PetscErrorCode CurrentStream(bool kokkos_vectors, Stream* stream);

/// Kokkos' instance on a stream: PETSc's own where it has one, else one for all solvers on that stream, since
/// making one allocates. Kokkos' default instance without a GPU.
DeviceExec instance_on(Stream stream);

/// The number of the GPU that PETSc has chosen for this rank.
PetscErrorCode CurrentDevice(int* id);

}  // namespace sptrsv_petsc
