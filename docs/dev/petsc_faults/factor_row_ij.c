/* SPDX-License-Identifier: Apache-2.0
   MatGetRowIJ() of an LU factor: refused (done is false) where there are inodes, given where there are none. */
#include "child.h"

static PetscErrorCode RowIJ(PetscInt dof, PetscBool* done) {
  Mat A, F;
  PetscInt n;
  PetscInt const *ia = NULL, *ja = NULL;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, dof, &A));
  PetscCall(Factor(A, MAT_FACTOR_LU, NULL, NULL, &plain, &F));
  PetscCall(MatGetRowIJ(F, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, done));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscBool plain, inodes;

  PetscFunctionBegin;
  PetscCall(RowIJ(1, &plain));
  PetscCall(RowIJ(3, &inodes));
  printf("rows are %s without inodes, %s with them\n", plain ? "given" : "refused", inodes ? "given" : "refused");
  *shown = (PetscBool)(plain && !inodes);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
