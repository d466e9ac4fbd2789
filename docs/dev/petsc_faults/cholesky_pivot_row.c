/* SPDX-License-Identifier: Apache-2.0
   Cholesky of a matrix whose row 2 has no pivot: MatFactorGetErrorZeroPivot() names another row. LU of the same matrix
   names row 2. */
#include "child.h"

/* Row of the zero pivot, as PETSc tells it. */
static PetscErrorCode PivotRow(MatFactorType type, PetscInt* row) {
  double const values[] = {2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2};
  Mat A, F;
  PetscReal pivot;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(4, values, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Factor(A, type, NULL, NULL, &plain, &F));
  PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, row));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt lu = -1, cholesky = -1;

  PetscFunctionBegin;
  PetscCall(PivotRow(MAT_FACTOR_LU, &lu));
  PetscCall(PivotRow(MAT_FACTOR_CHOLESKY, &cholesky));
  PetscCheck(lu == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "LU names row %d", (int)lu);
  printf("row 2 has a zero pivot: LU names row %d, Cholesky row %d\n", (int)lu, (int)cholesky);
  *shown = (PetscBool)(cholesky != lu);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
