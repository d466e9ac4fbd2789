/* SPDX-License-Identifier: Apache-2.0
   Cholesky of a seqbaij matrix with block size 2 that gets a new block after it was factored once: a new factor has the
   pattern of the old matrix, which the first symbolic phase has copied, and the solution is wrong. A copy of the matrix
   is factored right. */
#include "child.h"

enum { bs = 2, n = 4 * bs };

/* |b - A x| in the largest norm, b = 1, by a new factor. */
static PetscErrorCode Solve(Mat A, PetscReal* residual) {
  Mat F;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Factor(A, MAT_FACTOR_CHOLESKY, NULL, NULL, &plain, &F));
  PetscCall(Residual(A, F, NULL, residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat A, copy;
  PetscReal first, second, of_copy;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, bs, n, n, n / bs, NULL, &A));
  for (PetscInt i = 0; i < n; ++i) PetscCall(MatSetValue(A, i, i, 4, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(Solve(A, &first));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(A, 0, n - 1, 1, INSERT_VALUES));
  PetscCall(MatSetValue(A, n - 1, 0, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
  PetscCall(Solve(A, &second));
  PetscCall(Solve(copy, &of_copy));
  PetscCheck(first < 1e-12 && of_copy < 1e-12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Residuals %g and %g", (double)first,
             (double)of_copy);
  printf("residual %.1e, after a new block %.1e; of a copy %.1e\n", (double)first, (double)second, (double)of_copy);
  *shown = (PetscBool) !(second < 1e-12);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
