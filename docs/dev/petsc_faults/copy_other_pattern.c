/* SPDX-License-Identifier: Apache-2.0
   MatLUFactorNumeric() after MatCopy() of another pattern into A, without a new symbolic phase: no error, and a wrong
   solution, as of a matrix without the new entries. */
#include "child.h"

static PetscErrorCode AfterCopy(PetscBool anew, PetscReal* residual) {
  double const first[] = {2, 0, 0, 1, 0, 3, 0, 0, 0, 0, 2, 1, 0, 0, 1, 3};
  double const second[] = {2, 1, 1, 1, 1, 3, 0, 1, 1, 0, 2, 1, 1, 0, 1, 3};
  Mat A, B, F;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(4, first, &A));
  PetscCall(SmallMatrix(4, second, &B));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &plain, &F));
  PetscCall(MatCopy(B, A, DIFFERENT_NONZERO_PATTERN));
  if (anew) PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &plain, &F));
  else PetscCall(MatLUFactorNumeric(F, A, &plain));
  PetscCall(Residual(A, F, NULL, residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal anew, kept;

  PetscFunctionBegin;
  PetscCall(AfterCopy(PETSC_TRUE, &anew));
  PetscCall(AfterCopy(PETSC_FALSE, &kept));
  printf("residual %.1e, with a new symbolic phase %.1e\n", (double)kept, (double)anew);
  *shown = (PetscBool) !(kept < 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
