/* SPDX-License-Identifier: Apache-2.0
   PCASM whose submatrices are factored in place, with new values: the submatrices are to be reused, but hold the
   factors. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  Vec b, x;
  KSP* sub;
  PC pc, sub_pc;
  PetscReal before, after;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 1, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCASMGetSubKSP(pc, NULL, NULL, &sub));
  PetscCall(KSPGetPC(sub[0], &sub_pc));
  PetscCall(PCSetType(sub_pc, PCLU));
  PetscCall(PCFactorSetUseInPlace(sub_pc, PETSC_TRUE));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_2, &before));
  PetscCall(MatScale(A, 2));
  PetscCall(PCApply(pc, b, x)); /* crashes */
  PetscCall(VecNorm(x, NORM_2, &after));
  printf("after a scaling by 2 the result is %.3f of that before\n", (double)(after / before));
  *shown = (PetscBool)(PetscAbsReal(after / before - 0.5) > 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
