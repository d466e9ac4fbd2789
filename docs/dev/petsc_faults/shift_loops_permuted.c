/* SPDX-License-Identifier: Apache-2.0
   LU with shift positive_definite where rows and columns are permuted apart: the largest shift is taken from the
   diagonal of A, but added to that of the permuted matrix. Where it is not enough it is tried again, for ever. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  double const values[] = {0, 1, 0, -5, 10, 1, 0, 1, 10}; /* rows 0 and 1 swapped: -5, largest shift 1.1 */
  Mat A, F;
  IS rows, cols;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(3, values, &A));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(MatReorderForNonzeroDiagonal(A, 1e-10, rows, cols));
  PetscCall(Factor(A, MAT_FACTOR_LU, rows, cols, &shifted, &F)); /* does not end */
  *shown = PETSC_FALSE;
  printf("the numeric phase came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
