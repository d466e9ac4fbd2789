/* SPDX-License-Identifier: Apache-2.0
   MatConvert() of sbaij with blocks of 2 to aij, into a matrix that a first MatConvert() made: the row offsets
   of the second result are those of blocks. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat S, A = NULL;
  PetscInt first = 0, second = 0;
  PetscScalar block[16] = {4, 1, 0, 1, 1, 4, 1, 0, 0, 1, 4, 1, 1, 0, 1, 4};
  PetscInt both[2] = {0, 1};

  PetscFunctionBegin;
  PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, NULL, &S));
  PetscCall(MatSetOption(S, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(MatSetValuesBlocked(S, 2, both, 2, both, block, INSERT_VALUES));
  PetscCall(Assemble(S));
  PetscCall(MatConvert(S, MATSEQAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatGetRow(A, 1, &first, NULL, NULL));
  PetscCall(MatRestoreRow(A, 1, NULL, NULL, NULL));
  PetscCall(MatConvert(S, MATSEQAIJ, MAT_REUSE_MATRIX, &A));
  PetscCall(MatGetRow(A, 1, &second, NULL, NULL));
  printf("row 1 has %d entries after the first conversion, %d after the second\n", (int)first, (int)second);
  *shown = (PetscBool)(second != first);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
