// SPDX-License-Identifier: Apache-2.0
// Creation of factors, for the registration.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Creates a factor of type `solver_type`, as PETSc's MatGetFactor() asks for. Cheap, since PETSc may create and drop
/// factors.
PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* solver_type, Mat* F);

}  // namespace sptrsv_petsc
