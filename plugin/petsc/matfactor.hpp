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

/// Calls use() under an event, which ends on an error too: one that stays begun is never timed nor counted again.
template <class Use>
PetscErrorCode Logged(PetscLogEvent event, PetscObject object, Use const& use)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, object, 0, 0, 0));
  PetscErrorCode const code = use();
  PetscCall(PetscLogEventEnd(event, object, 0, 0, 0));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A MatSolverType's createfactor for the given name; cheap, since PETSc may create and drop factors.
PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* solver_type, Mat* F);

}  // namespace sptrsv_petsc
