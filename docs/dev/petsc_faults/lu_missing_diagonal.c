/* SPDX-License-Identifier: Apache-2.0
   LU with rows and columns permuted apart, so that neither A nor fill has an entry where the factor has its diagonals.
   The symbolic phase does not count them, and writes behind its arrays: seen when these are freed. */
#include "child.h"

enum { n = 60 };

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt next[n];
  Mat A, F;
  IS rows, cols;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, &A));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
    next[i] = (i + 1) % n;
  }
  PetscCall(MatSetValue(A, 0, n - 1, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &rows));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, next, PETSC_COPY_VALUES, &cols));
  PetscCall(ISSetPermutation(rows));
  PetscCall(ISSetPermutation(cols));
  PetscCall(Factor(A, MAT_FACTOR_LU, rows, cols, &plain, &F));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  *shown = PETSC_FALSE;
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
