// SPDX-License-Identifier: Apache-2.0
// Checks the environment variables and PETSc options that configure Kokkos, before Kokkos reads them.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Reads the number of threads, and checks all that Kokkos will read. Kokkos itself ends the process for an invalid
/// value, and writes past its arrays if there are more threads than the arrays hold.
/// @param threads  out: number of threads to start; 0: that of the OpenMP runtime, which has read OMP_NUM_THREADS
/// Error PETSC_ERR_ARG_OUTOFRANGE with the variable or option, its value, and the valid values.
PetscErrorCode ReadKokkosEnvironment(int* threads);

}  // namespace sptrsv_petsc
