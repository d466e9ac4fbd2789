// SPDX-License-Identifier: Apache-2.0
// Creates factors for the solver types that register.cxx registers.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Creates a factor of type `solver_type` for MatGetFactor(). Does little, since PETSc may never use the factor.
PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* solver_type, Mat* F);

}  // namespace sptrsv_petsc
