/* SPDX-License-Identifier: Apache-2.0
   LU with rows and columns permuted apart, so that neither A nor fill has an entry where the factor has its diagonals.
   The symbolic phase does not count them, and writes behind its arrays: seen when these are freed. */
#include "child.h"

enum { n = 60 };

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt next[n];
  Mat A, F;
  IS rows, cols;
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, &A));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
    next[i] = (i + 1) % n;
  }
  PetscCall(MatSetValue(A, 0, n - 1, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &rows));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, next, PETSC_COPY_VALUES, &cols));
  PetscCall(ISSetPermutation(rows));
  PetscCall(ISSetPermutation(cols));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5;
  info.zeropivot = 1e-14;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, rows, cols, &info));
  PetscCall(MatLUFactorNumeric(F, A, &info));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  *shown = PETSC_FALSE;
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
