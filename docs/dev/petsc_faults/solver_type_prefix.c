/* SPDX-License-Identifier: Apache-2.0
   A solver type registered for seqaij first and for seqaijperm second: the second one is never found, since the
   lookup stops at the first matrix type that is a prefix, even if it has no such kind of factor. */
#include "child.h"

static PetscErrorCode NoFactor(Mat A, MatFactorType kind, Mat* F) {
  (void)A, (void)kind, (void)F;
  return PETSC_ERR_SUP;
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscBool type, mtype;
  PetscErrorCode (*create)(Mat, MatFactorType, Mat*) = NULL;

  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(MatSolverTypeRegister("mine", MATSEQAIJ, MAT_FACTOR_LU, NoFactor));
  PetscCall(MatSolverTypeRegister("mine", MATSEQAIJPERM, MAT_FACTOR_ILU, NoFactor));
  PetscCall(MatSolverTypeGet("mine", MATSEQAIJPERM, MAT_FACTOR_ILU, &type, &mtype, &create));
  printf("ILU of solver type \"mine\" for seqaijperm is %s\n", create ? "found" : "not found");
  *shown = (PetscBool)!create;
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
