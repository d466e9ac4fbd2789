/* SPDX-License-Identifier: Apache-2.0
   MatCreateSubMatrices() with MAT_REUSE_MATRIX of an aijcusparse matrix: the submatrices' values on the GPU stay those
   of the first call, so that a product with a submatrix is wrong. */
#include "child.h"

static PetscErrorCode SumOfProduct(Mat A, PetscScalar* sum) {
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecSum(y, sum));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt const n = 8;
  Mat A, *halves;
  IS rows[2];
  PetscScalar before, after;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, MATMPIAIJCUSPARSE));
  PetscCall(MatMPIAIJSetPreallocation(A, 1, NULL, 0, NULL));
  for (PetscInt i = 0; i < n; ++i) PetscCall(MatSetValue(A, i, i, i + 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(ISCreateStride(PETSC_COMM_SELF, n / 2, k * n / 2, 1, &rows[k]));
  PetscCall(MatCreateSubMatrices(A, 2, rows, rows, MAT_INITIAL_MATRIX, &halves));
  PetscCall(SumOfProduct(halves[1], &before)); /* brings the values to the GPU */
  PetscCall(MatScale(A, 2));
  PetscCall(MatCreateSubMatrices(A, 2, rows, rows, MAT_REUSE_MATRIX, &halves));
  PetscCall(SumOfProduct(halves[1], &after));
  printf("after a scaling by 2 a submatrix gives %g times what it gave\n", (double)PetscRealPart(after / before));
  *shown = (PetscBool)(PetscAbsScalar(after / before - 2) > 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_CUDA) ? Run : NULL); }
