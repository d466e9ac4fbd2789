/* SPDX-License-Identifier: Apache-2.0
   ILU(1) with info.diagonal_fill, rows and columns permuted apart, so that A has no entry where row 1 of the factor has
   its diagonal: the diagonal is put in, and put in again as fill. Here ILU(1) is the complete factorization, so it is
   to solve exactly, as it does without diagonal_fill. */
#include "child.h"

/* Entries of the factor, and |b - A x| in the largest norm, b = 1. */
static PetscErrorCode Factored(PetscBool diagonal_fill, double* entries, PetscReal* residual) {
  double const values[] = {1, 2, 0, 0, 3, 0, 0, 1, 4};
  PetscInt const swapped[] = {1, 0, 2};
  Mat A, F;
  IS rows, cols;
  MatFactorInfo info = plain;
  MatInfo counts;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(3, values, &A));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 3, 0, 1, &rows));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 3, swapped, PETSC_COPY_VALUES, &cols));
  PetscCall(ISSetPermutation(rows));
  PetscCall(ISSetPermutation(cols));
  info.levels = 1;
  info.diagonal_fill = diagonal_fill;
  PetscCall(Factor(A, MAT_FACTOR_ILU, rows, cols, &info, &F));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &counts));
  *entries = counts.nz_used;
  PetscCall(Residual(A, F, NULL, residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal without, with;
  double entries[2];

  PetscFunctionBegin;
  PetscCall(Factored(PETSC_FALSE, &entries[0], &without));
  PetscCheck(without < 1e-12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Residual %g without diagonal_fill", (double)without);
  PetscCall(Factored(PETSC_TRUE, &entries[1], &with));
  printf("%g entries, residual %.1e; without diagonal_fill %g entries, residual %.1e\n", entries[1], (double)with,
         entries[0], (double)without);
  *shown = (PetscBool) !(with < 1e-12);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
