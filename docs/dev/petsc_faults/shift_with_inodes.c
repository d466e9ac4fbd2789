/* SPDX-License-Identifier: Apache-2.0
   LU of a matrix with inodes and shift positive_definite: the numeric phase reads a list of diagonal positions
   that nobody made. MatGetDiagonal() makes it. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A, F;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 3, &A));
  PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &shifted, &F)); /* crashes */
  *shown = PETSC_FALSE;
  printf("the numeric phase came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
