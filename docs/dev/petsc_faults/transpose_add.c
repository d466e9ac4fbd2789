/* SPDX-License-Identifier: Apache-2.0
   MatSolveTransposeAdd() of a factor that has solveadd but no solvetransposeadd, where nobody said whether it is
   symmetric: "unknown" is -1, which is true in C, so the solve is done that is not transposed. */
#include "child.h"

/* x[1] of x = y + A^-T b. */
static PetscErrorCode SolveTransposeAdd(PetscBool has_operation, PetscScalar* x1) {
  double const values[] = {1, 2, 0, 1};
  PetscInt row = 1;
  Mat A, F;
  Vec b, x, y;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(2, values, &A));
  PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &plain, &F));
  /* PETSc's own factor has it; one of another package may not */
  if (!has_operation) PetscCall(MatSetOperation(F, MATOP_SOLVE_TRANSPOSE_ADD, NULL));
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSet(y, 10));
  PetscCall(MatSolveTransposeAdd(F, b, y, x));
  PetscCall(VecGetValues(x, 1, &row, x1));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscScalar with, without;

  PetscFunctionBegin;
  PetscCall(SolveTransposeAdd(PETSC_TRUE, &with));
  PetscCall(SolveTransposeAdd(PETSC_FALSE, &without));
  PetscCheck(with == 9, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Wrong with solvetransposeadd too");
  printf("x[1] is %g, should be 9 = 10 + (1 - 2)\n", (double)PetscRealPart(without));
  *shown = (PetscBool)(without != 9);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
