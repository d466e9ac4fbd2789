/* SPDX-License-Identifier: Apache-2.0
   A KSP whose matrix gets another pattern by MatHeaderReplace() or by MatTranspose() in place: the nonzero state is as
   before, so LU keeps the pattern of the old matrix, and the second solution is wrong. After KSPReset() it is right. */
#include "child.h"

/* Of the solution before and after the change, and after KSPReset(). */
static PetscErrorCode Residuals(PetscBool transpose, PetscReal residual[3]) {
  double const upper[] = {2, 1, 1, 1, 0, 3, 1, 0, 0, 0, 2, 1, 0, 0, 0, 3};
  double const lower[] = {2, 0, 0, 0, 1, 3, 0, 0, 1, 1, 2, 0, 1, 0, 1, 3};
  Mat A, other;
  KSP ksp;
  PC pc;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(4, upper, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(Residual(A, NULL, ksp, &residual[0]));
  if (transpose) PetscCall(MatTranspose(A, MAT_INPLACE_MATRIX, &A));
  else {
    PetscCall(SmallMatrix(4, lower, &other));
    PetscCall(MatHeaderReplace(A, &other));
  }
  PetscCall(Residual(A, NULL, ksp, &residual[1]));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Residual(A, NULL, ksp, &residual[2]));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal replaced[3], transposed[3];

  PetscFunctionBegin;
  PetscCall(Residuals(PETSC_FALSE, replaced));
  PetscCall(Residuals(PETSC_TRUE, transposed));
  PetscCheck(replaced[2] < 1e-10 && transposed[2] < 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Residuals %g and %g after KSPReset", (double)replaced[2], (double)transposed[2]);
  printf("residual %.1e, after MatHeaderReplace %.1e, after MatTranspose %.1e\n", (double)replaced[0],
         (double)replaced[1], (double)transposed[1]);
  *shown = (PetscBool) !(replaced[1] < 1e-10 && transposed[1] < 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
