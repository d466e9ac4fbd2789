// SPDX-License-Identifier: Apache-2.0
// MatAXPY() of mpiaij that always raises the state of the matrix; PETSc's own does not if the patterns are equal.
#pragma once

#include "base/native_operations.hpp"

namespace sptrsv_petsc {

/// PETSc's own MatAXPY() of mpiaij and of the types that inherit it; null before its first use.
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
/// diagonal and off-diagonal part, so PCSetUp() would keep the old values.
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
