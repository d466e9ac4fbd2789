// SPDX-License-Identifier: Apache-2.0
// Every solve of a factor by the plugin, row by row against PETSc's own factor of the same matrix.
#pragma once

#include "factor_pair.hpp"

namespace petsc_test {

/// The three factors of a case: ours, PETSc's own, and PETSc's own of the comparison matrix.
struct Three {
  Factor ours, own, bound;
  Vec b = nullptr, b_abs = nullptr, y = nullptr, x = nullptr, expected = nullptr, scale = nullptr;
  PetscInt n = 0;
  Mat matrix = nullptr;  ///< not held

  PetscErrorCode Create(Mat A)
  {
    PetscFunctionBegin;
    matrix = A;
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

/// Checks every kind of solve; for symmetric factors the two halves too.
PetscErrorCode CheckAllSolves(Three& t, Factoring const& setup);
/// Checks that one analysis and `numeric` numeric phases were done.
PetscErrorCode CheckPhases(Mat F, PetscInt numeric);

}  // namespace petsc_test
