// SPDX-License-Identifier: Apache-2.0
// MatAXPY() of mpiaij that raises the state of the matrix, which PETSc's own does not for equal patterns.
#pragma once

#include "base/native_operations.hpp"

namespace sptrsv_petsc {

/// PETSc's own MatAXPY() of mpiaij and of the types that take it over; null until it has been needed.
inline PetscErrorCode (*native_axpy)(Mat, PetscScalar, Mat, MatStructure) = nullptr;

/// Computes Y += a X by PETSc's own function, and raises Y's state.
inline PetscErrorCode AxpyAndRaiseState(Mat Y, PetscScalar a, Mat X, MatStructure pattern)
{
  PetscFunctionBegin;
  PetscCall(native_axpy(Y, a, X, pattern));
  PetscCall(PetscObjectStateIncrease((PetscObject)Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes MatAXPY() of A raise A's state, if A has mpiaij's function. That function raises only the states of A's
/// blocks, so that PCSetUp() would keep the old values.
inline PetscErrorCode RaiseStateInAxpy(Mat A)
{
  PetscFunctionBegin;
  if (!native_axpy) {
    _MatOps operations{};
    PetscCall(GetNativeOperations(PETSC_COMM_SELF, MATMPIAIJ, &operations));
    native_axpy = operations.axpy;
  }
  if (A->ops->axpy == native_axpy) A->ops->axpy = AxpyAndRaiseState;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
