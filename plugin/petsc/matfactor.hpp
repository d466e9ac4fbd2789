// SPDX-License-Identifier: Apache-2.0
// What the registration needs to know of the factor.
#pragma once

#include "petsc_compat.hpp"

namespace sptrsv_petsc {

struct Events {
  PetscLogEvent analysis, numeric, solve;
};
/// Registered anew after every PetscInitialize().
extern Events events;

/// A MatSolverType's createfactor for the given name; cheap, since PETSc may create and drop factors.
PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* solver_type, Mat* F);

}  // namespace sptrsv_petsc
