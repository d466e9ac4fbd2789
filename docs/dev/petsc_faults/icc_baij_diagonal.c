/* SPDX-License-Identifier: Apache-2.0
   MatGetDiagonal() of an ICC factor of a seqbaij matrix with block size 1: the positions of the diagonal are not there,
   and it crashes. With aij it is well. */
#include "child.h"

static PetscErrorCode Diagonal(MatType type, PetscScalar diagonal[2]) {
  Mat A, F;
  Vec d;
  PetscInt const both[2] = {0, 1};

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 2, 2, 2, 2));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < 2; ++i)
    for (PetscInt j = 0; j < 2; ++j) PetscCall(MatSetValue(A, i, j, i == j ? 2 : 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(Factor(A, MAT_FACTOR_ICC, NULL, NULL, &plain, &F));
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(F, d));
  PetscCall(VecGetValues(d, 2, both, diagonal));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscScalar aij[2], baij[2];

  PetscFunctionBegin;
  PetscCall(Diagonal(MATSEQAIJ, aij));
  printf("D is %g, %g with aij\n", (double)PetscRealPart(aij[0]), (double)PetscRealPart(aij[1]));
  fflush(stdout);
  PetscCall(Diagonal(MATSEQBAIJ, baij));
  printf("D is %g, %g with baij\n", (double)PetscRealPart(baij[0]), (double)PetscRealPart(baij[1]));
  *shown = (PetscBool) !(PetscAbsScalar(aij[0] - baij[0]) + PetscAbsScalar(aij[1] - baij[1]) < 1e-12);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
