/* SPDX-License-Identifier: Apache-2.0
   MatSolverTypeRegister() as the first use of Mat: PETSc's own list, which is made inside the call, is replaced
   by the new entry. Cured by MatInitializePackage() before. */
#include "child.h"

static PetscErrorCode NoFactor(Mat A, MatFactorType kind, Mat* F) {
  (void)A, (void)kind, (void)F;
  return PETSC_ERR_SUP;
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(MatSolverTypeRegister("mine", MATSEQAIJ, MAT_FACTOR_LU, NoFactor));
  PetscCall(BlockLine(4, 1, &A));
  PetscCall(MatGetFactorAvailable(A, MATSOLVERPETSC, MAT_FACTOR_LU, &found));
  printf("LU of solver type \"petsc\" is %s\n", found ? "there" : "gone");
  *shown = (PetscBool)!found;
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
