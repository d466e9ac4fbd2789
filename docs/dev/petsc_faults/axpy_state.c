/* SPDX-License-Identifier: Apache-2.0
   MatAXPY() of mpiaij with SAME_NONZERO_PATTERN: the values change, but not the state of the matrix, so a
   preconditioner keeps the old values. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt const n = 12;
  Mat A, B;
  Vec b, before, after;
  PC pc;
  PetscReal size_before, size;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(MatMPIAIJSetPreallocation(A, 1, NULL, 0, NULL));
  for (PetscInt i = 0; i < n; ++i) PetscCall(MatSetValue(A, i, i, 1 + i, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatCreateVecs(A, &before, &b));
  PetscCall(VecDuplicate(before, &after));
  PetscCall(VecSet(b, 1));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, b, before));
  PetscCall(MatAXPY(A, 9, B, SAME_NONZERO_PATTERN)); /* A is ten times as large */
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, b, after));
  PetscCall(VecNorm(before, NORM_2, &size_before));
  PetscCall(VecNorm(after, NORM_2, &size));
  printf("the preconditioner's result is divided by %.3f, should be by 10\n", (double)(size_before / size));
  *shown = (PetscBool)(PetscAbsReal(size_before / size - 10) > 1e-8);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
