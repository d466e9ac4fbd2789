/* SPDX-License-Identifier: Apache-2.0
   PCEISENSTAT with omega other than 1 on a matrix with inodes: the sweeps go row by row, and the diagonal blocks of the
   inodes, with which the PC multiplies, are never made. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;

  PetscFunctionBegin;
  PetscCall(BlockLine(4, 3, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCEISENSTAT));
  PetscCall(PCEisenstatSetOmega(pc, 1.3));
  PetscCall(KSPSolve(ksp, b, x)); /* crashes */
  *shown = PETSC_FALSE;
  printf("the solve came to its end\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
