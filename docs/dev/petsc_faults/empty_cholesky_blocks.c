/* SPDX-License-Identifier: Apache-2.0
   Cholesky of a seqsbaij matrix without rows: with block size 2 the numeric phase writes to a null pointer. With block
   size 1 and with aij it is well. */
#include "child.h"

static PetscErrorCode FactorEmpty(MatType type, PetscInt bs) {
  Mat A, F;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 0, 0, 0, 0));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetBlockSize(A, bs));
  PetscCall(MatSetUp(A));
  PetscCall(Assemble(A));
  PetscCall(Factor(A, MAT_FACTOR_CHOLESKY, NULL, NULL, &plain, &F));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscFunctionBegin;
  PetscCall(FactorEmpty(MATSEQAIJ, 1));
  PetscCall(FactorEmpty(MATSEQSBAIJ, 1));
  printf("aij and block size 1 are well\n");
  fflush(stdout);
  PetscCall(FactorEmpty(MATSEQSBAIJ, 2));
  printf("block size 2 is well\n");
  *shown = PETSC_FALSE;
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
