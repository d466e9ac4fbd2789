/* SPDX-License-Identifier: Apache-2.0
   MatSOR() before and after MatCopy() of the same pattern, with inodes and without: the second sweep divides by the
   diagonal of the first values. A matrix that was not swept before the copy is right. */
#include "child.h"

/* The largest value after MatCopy() of three times the matrix. */
static PetscErrorCode AfterCopy(PetscBool inodes, PetscBool swept_before, PetscReal* size) {
  Mat A, scaled;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, inodes ? 3 : 1, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &scaled));
  PetscCall(MatScale(scaled, 3));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  if (swept_before) PetscCall(Sweep(A, b, x));
  PetscCall(MatCopy(scaled, A, SAME_NONZERO_PATTERN));
  PetscCall(Sweep(A, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, size));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscFunctionBegin;
  for (int inodes = 0; inodes < 2; ++inodes) {
    PetscReal stale, right;

    PetscCall(AfterCopy((PetscBool)inodes, PETSC_TRUE, &stale));
    PetscCall(AfterCopy((PetscBool)inodes, PETSC_FALSE, &right));
    printf("%.3f times the right result %s", (double)(stale / right), inodes ? "with inodes\n" : "without inodes, ");
    if (PetscAbsReal(stale / right - 1) > 1e-10) *shown = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
