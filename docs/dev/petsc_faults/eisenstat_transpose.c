/* SPDX-License-Identifier: Apache-2.0
   PCApplyTranspose() of PCEISENSTAT outside of KSPSolve(): it asks a matrix for its symmetry that only KSPSolve() sets.
   PCApply() works. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  Vec b, x;
  PC pc;

  PetscFunctionBegin;
  PetscCall(SmallMatrix(3, (double[]){4, 1, 0, 1, 4, 1, 0, 1, 4}, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCEISENSTAT));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, b, x));
  PetscCall(PCApplyTranspose(pc, b, x)); /* crashes */
  *shown = PETSC_FALSE;
  printf("the transposed application came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
