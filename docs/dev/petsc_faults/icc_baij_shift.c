/* SPDX-License-Identifier: Apache-2.0
   ICC of a seqbaij matrix with block size 1 that needs the default shift, positive_definite: the largest shift, which
   the numeric phase of seqaij makes from the matrix, stays zero here, and a shift of zero is tried again, for ever. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A, F;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, 1, 2, 2, 2, NULL, &A));
  PetscCall(MatSetValue(A, 0, 0, 1, INSERT_VALUES));
  PetscCall(MatSetValue(A, 0, 1, 2, INSERT_VALUES));
  PetscCall(MatSetValue(A, 1, 0, 2, INSERT_VALUES));
  PetscCall(MatSetValue(A, 1, 1, 1, INSERT_VALUES)); /* the second pivot is -3 */
  PetscCall(Assemble(A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Factor(A, MAT_FACTOR_ICC, NULL, NULL, &shifted, &F)); /* does not end */
  *shown = PETSC_FALSE;
  printf("the numeric phase came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
