// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers the PC types sor and eisenstat again, with functions that call PETSc's own. The set-up makes MatSOR() of
/// the local matrix sweep where the matrix' vectors are: see UseSweeps().
PetscErrorCode RegisterRelaxations();

}  // namespace sptrsv_petsc
