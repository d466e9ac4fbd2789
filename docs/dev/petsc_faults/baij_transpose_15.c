/* SPDX-License-Identifier: Apache-2.0
   LU of a seqbaij matrix with block size 15 in the natural ordering: MatSolveTranspose() solves with A, not with its
   transpose. MatSolve() is right, and so is MatSolveTranspose() in the ordering rcm. */
#include "child.h"

enum { bs = 15, n = 4 * bs };

/* |b - A x| of MatSolve() and |b - A^T x| of MatSolveTranspose() in the largest norm, b = 1. */
static PetscErrorCode Residuals(MatOrderingType ordering, PetscReal residual[2]) {
  Mat line, A, F;
  IS rows, cols;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(BlockLine(n / bs, bs, &line));
  PetscCall(MatSetBlockSize(line, bs));
  PetscCall(MatConvert(line, MATSEQBAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatGetOrdering(A, ordering, &rows, &cols));
  PetscCall(Factor(A, MAT_FACTOR_LU, rows, cols, &plain, &F));
  PetscCall(MatCreateVecs(A, &b, &x));
  for (int transposed = 0; transposed < 2; ++transposed) {
    PetscCall(VecSet(b, 1));
    PetscCall(transposed ? MatSolveTranspose(F, b, x) : MatSolve(F, b, x));
    PetscCall(VecScale(b, -1));
    PetscCall(transposed ? MatMultTransposeAdd(A, x, b, b) : MatMultAdd(A, x, b, b));
    PetscCall(VecNorm(b, NORM_INFINITY, &residual[transposed]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal natural[2], rcm[2];

  PetscFunctionBegin;
  PetscCall(Residuals(MATORDERINGNATURAL, natural));
  PetscCall(Residuals(MATORDERINGRCM, rcm));
  PetscCheck(natural[0] < 1e-10 && rcm[0] < 1e-10 && rcm[1] < 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Residuals %g, and in rcm %g and %g", (double)natural[0], (double)rcm[0], (double)rcm[1]);
  printf("residual of MatSolve %.1e, of MatSolveTranspose %.1e; in rcm %.1e\n", (double)natural[0], (double)natural[1],
         (double)rcm[1]);
  *shown = (PetscBool) !(natural[1] < 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
