// SPDX-License-Identifier: Apache-2.0
// What the environment and PETSc's options ask of Kokkos, looked at before Kokkos does.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Kokkos ends the process for a value that it cannot read, and writes past its end for more threads than it has room
/// for.
/// @param threads  how many to start; 0: as many as the OpenMP runtime says, which OMP_NUM_THREADS has told.
/// Error PETSC_ERR_ARG_OUTOFRANGE with the variable or option, its value and what it may be.
PetscErrorCode ReadKokkosEnvironment(int* threads);

}  // namespace sptrsv_petsc
