/* SPDX-License-Identifier: Apache-2.0
   LU of a singular matrix, weakly diagonally dominant, with shift positive_definite: the largest shift is then
   the zero pivot's size, which vanishes beside entries of 1000, and it is tried again, for ever. The same with ILU,
   Cholesky and ICC, which has this shift by default: -pc_type icc hangs on such a matrix. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  double const values[] = {1000, -1000, 0, -1000, 2000, -1000, 0, -1000, 1000};
  Mat A, F;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(3, values, &A));
  PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &shifted, &F)); /* does not end */
  *shown = PETSC_FALSE;
  printf("the numeric phase came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
