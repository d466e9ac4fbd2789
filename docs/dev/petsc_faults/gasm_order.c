/* SPDX-License-Identifier: Apache-2.0
   PCGASM with two subdomains, given in the order of their rows and in the other one, which is also what a partitioner
   may return: in the other order each subdomain gets the rows of the other one, and PCApply() returns zeros. */
#include "child.h"

static PetscErrorCode SizeOfResult(PetscBool in_order, PetscReal* size) {
  PetscInt const half = 6;
  Mat A;
  IS subdomains[2];
  Vec b, x;
  PC pc;

  PetscFunctionBegin;
  PetscCall(BlockLine(2 * half, 1, &A));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(ISCreateStride(PETSC_COMM_SELF, half, half * (in_order ? k : 1 - k), 1, &subdomains[k]));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCGASM));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCGASMSetSubdomains(pc, 2, subdomains, NULL));
  PetscCall(PCSetUp(pc));
  PetscCall(PCSetUpOnBlocks(pc));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_2, size));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscReal right, size;

  PetscFunctionBegin;
  PetscCall(SizeOfResult(PETSC_TRUE, &right));
  PetscCall(SizeOfResult(PETSC_FALSE, &size));
  printf("norm of the result %.3f, in the other order %.3f\n", (double)right, (double)size);
  *shown = (PetscBool)(PetscAbsReal(size - right) > 1e-10 * right);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
