/* SPDX-License-Identifier: Apache-2.0
   LU of a matrix with inodes, ordered by unknown instead of by node: rows of an inode do not stay together, but
   the numeric phase takes rows that follow each other for one. Cured by -mat_no_inode, or by
   MAT_USE_INODES off and an assembly after that. */
#include "child.h"

enum { nodes = 8, dof = 3, n = nodes * dof };

static PetscErrorCode Solve(PetscBool inodes, PetscReal* residual) {
  Mat A, F;
  IS order;
  PetscInt by_unknown[n];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) by_unknown[i] = i % nodes * dof + i / nodes;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, by_unknown, PETSC_COPY_VALUES, &order));
  PetscCall(ISSetPermutation(order));
  PetscCall(BlockLine(nodes, dof, &A));
  if (!inodes) PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE)); /* counts from the next assembly on */
  PetscCall(Assemble(A));
  PetscCall(Factor(A, MAT_FACTOR_LU, order, order, &plain, &F));
  PetscCall(Residual(A, F, NULL, residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal with, without;

  PetscFunctionBegin;
  PetscCall(Solve(PETSC_FALSE, &without));
  PetscCheck(without < 1e-4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Wrong without inodes too: %g", (double)without);
  PetscCall(Solve(PETSC_TRUE, &with));
  printf("residual %.1e with inodes, %.1e without\n", (double)with, (double)without);
  *shown = (PetscBool) !(with < 1e-4);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
