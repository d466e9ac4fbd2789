// SPDX-License-Identifier: Apache-2.0
// Factors in place, by MatLUFactor() and MatCholeskyFactor(): PETSc makes a factor by MatGetFactor() and moves its data
// into the matrix, which works with PETSc's own factor only.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Tells whether a probe of FactorsInPlace() asks for the factor, which is then to be PETSc's own.
bool IsProbe();

/// Finds whether PETSc asks for a factor of A in order to factor A in place. The caller is a function that
/// MatGetFactor() calls, and has called IsProbe() before.
/// Error PETSC_ERR_SUP if the stack of this PETSc cannot be read.
PetscErrorCode FactorsInPlace(Mat A, MatFactorType kind, bool* in_place);

}  // namespace sptrsv_petsc
