// SPDX-License-Identifier: Apache-2.0
// Compares every solve of a plugin's factor, row by row, with PETSc's own factor of the same matrix.
#pragma once

#include "factor_pair.hpp"

namespace petsc_test {

/// The three factors of a case: the plugin's, PETSc's own, and PETSc's own of the comparison matrix.
struct Three {
  Factor ours, own, bound;
  Vec b = nullptr, b_abs = nullptr, y = nullptr, x = nullptr, expected = nullptr, scale = nullptr;
  PetscInt n = 0;

  PetscErrorCode Create(Mat A)
  {
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatCreateVecs(A, &b, NULL));
    for (Vec* v : {&b_abs, &y, &x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
    PetscCall(FillVec(b, 3));
    PetscCall(FillVec(y, 4));
    PetscCall(VecCopy(b, b_abs));
    PetscCall(VecAbs(b_abs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    for (Vec* v : {&b, &b_abs, &y, &x, &expected, &scale}) PetscCall(VecDestroy(v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// Checks every kind of solve; for symmetric factors also the two halves.
PetscErrorCode CheckAllSolves(Three& t, Factoring const& setup);
/// Checks that there were one analysis and `numeric` numeric phases.
PetscErrorCode CheckPhases(Mat F, PetscInt numeric);

}  // namespace petsc_test
