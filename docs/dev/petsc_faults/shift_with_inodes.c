/* SPDX-License-Identifier: Apache-2.0
   LU of a matrix with inodes and shift positive_definite: the numeric phase reads a list of diagonal positions
   that nobody made. MatGetDiagonal() makes it. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A, F;
  IS rows, cols;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 3, &A));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(Factor(A, rows, cols, MAT_SHIFT_POSITIVE_DEFINITE, &F)); /* crashes */
  *shown = PETSC_FALSE;
  printf("the numeric phase came to its end\n");
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
