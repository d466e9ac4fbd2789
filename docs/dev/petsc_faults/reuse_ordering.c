/* SPDX-License-Identifier: Apache-2.0
   LU with -pc_factor_reuse_ordering on a matrix with inodes that gets a new entry: the second solution is wrong. */
#include "child.h"

/* Of the first solution and of that after the change. */
static PetscErrorCode Residuals(PetscBool reuse, PetscReal residual[2]) {
  Mat A;
  KSP ksp;
  PC pc;

  PetscFunctionBegin;
  PetscCall(BlockLine(12, 2, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(PCFactorSetReuseOrdering(pc, reuse));
  PetscCall(Residual(A, NULL, ksp, &residual[0]));
  PetscCall(MatSetValue(A, 0, 22, 0.3, INSERT_VALUES));
  PetscCall(MatSetValue(A, 22, 0, 0.3, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(Residual(A, NULL, ksp, &residual[1]));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal anew[2], reused[2];

  PetscFunctionBegin;
  PetscCall(Residuals(PETSC_FALSE, anew));
  PetscCheck(anew[0] < 1e-10 && anew[1] < 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Residuals %g and %g with a new ordering", (double)anew[0], (double)anew[1]);
  PetscCall(Residuals(PETSC_TRUE, reused));
  printf("residual %.1e, after a new entry %.1e; with a new ordering %.1e\n", (double)reused[0], (double)reused[1],
         (double)anew[1]);
  *shown = (PetscBool) !(reused[1] < 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
