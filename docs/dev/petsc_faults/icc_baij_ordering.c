/* SPDX-License-Identifier: Apache-2.0
   ICC of a matrix of type baij with blocks of one row, in an ordering other than the natural one: reads and writes past
   its arrays, since it takes the permutation for its inverse. With aij it is well. */
#include "child.h"

enum { side = 7, n = side * side };

/* |b - A x| in the largest norm, b = 1, for a grid. */
static PetscErrorCode Solve(MatType type, PetscReal* residual) {
  Mat A, F;
  IS rows, cols;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
  PetscCall(MatSeqBAIJSetPreallocation(A, 1, 5, NULL));
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt const to[] = {i, i % side + 1 < side ? i + 1 : -1, i + side < n ? i + side : -1};
    for (int k = 0; k < 3; ++k) {
      PetscCall(MatSetValue(A, i, to[k], k ? -1 : 4.5, INSERT_VALUES)); /* negative columns are left out */
      PetscCall(MatSetValue(A, to[k], i, k ? -1 : 4.5, INSERT_VALUES));
    }
  }
  PetscCall(Assemble(A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetOrdering(A, MATORDERINGND, &rows, &cols));
  PetscCall(Factor(A, MAT_FACTOR_ICC, rows, cols, &plain, &F));
  PetscCall(Residual(A, F, NULL, residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal aij, baij;

  PetscFunctionBegin;
  PetscCall(Solve(MATSEQAIJ, &aij));
  printf("residual %.3f with aij\n", (double)aij);
  fflush(stdout);
  PetscCall(Solve(MATSEQBAIJ, &baij));
  printf("residual %.3f with baij\n", (double)baij);
  *shown = (PetscBool) !(PetscAbsReal(baij - aij) < 1e-8);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
