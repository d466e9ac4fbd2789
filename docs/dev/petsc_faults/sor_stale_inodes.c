/* SPDX-License-Identifier: Apache-2.0
   MatSOR() before and after a change of the pattern that splits inodes, merges them, or clears rows: the second sweep
   uses the blocks of the first inodes, or writes past the array that was made for them. A matrix that was not swept
   before the change is right. */
#include "child.h"

typedef enum { SPLIT, MERGE, CLEAR_ROWS } Change;

static PetscErrorCode ChangePattern(Mat A, Change change) {
  PetscInt const rows[] = {0, 1, 2, 3};
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (change == SPLIT) PetscCall(MatSetValue(A, 0, n - 1, 0.2, ADD_VALUES));
  if (change == MERGE) /* all rows have all columns */
    for (PetscInt k = 0; k < n * n; ++k) PetscCall(MatSetValue(A, k / n, k % n, 0.1, ADD_VALUES));
  PetscCall(Assemble(A));
  if (change == CLEAR_ROWS) PetscCall(MatZeroRows(A, 4, rows, 1, NULL, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode AfterChange(Change change, PetscBool swept_before, Vec* x) {
  Mat A;
  Vec b;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 2, &A));
  PetscCall(MatCreateVecs(A, x, &b));
  PetscCall(VecSet(b, 1));
  if (swept_before) PetscCall(Sweep(A, b, *x));
  PetscCall(ChangePattern(A, change));
  PetscCall(Sweep(A, b, *x));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  char const* const names[] = {"split", "cleared rows", "merged"};
  Change const changes[] = {SPLIT, CLEAR_ROWS, MERGE}; /* the last one may crash */

  PetscFunctionBegin;
  printf("off by");
  for (int k = 0; k < 3; ++k) {
    Vec x, right;
    PetscReal difference, size;

    PetscCall(AfterChange(changes[k], PETSC_FALSE, &right));
    PetscCall(AfterChange(changes[k], PETSC_TRUE, &x));
    PetscCall(VecNorm(right, NORM_INFINITY, &size));
    PetscCall(VecAXPY(x, -1, right));
    PetscCall(VecNorm(x, NORM_INFINITY, &difference));
    printf(" %.1e (%s)%s", (double)(difference / size), names[k], k < 2 ? "," : "\n");
    fflush(stdout);
    if (!(difference < 1e-10 * size)) *shown = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
