/* SPDX-License-Identifier: Apache-2.0
   MatCreateSubMatrix() with MAT_REUSE_MATRIX fills A with another pattern, and leaves its nonzero state as it was. So a
   PC does not repeat the symbolic phase, and ILU(0) is that of another pattern. */
#include "child.h"

#define N 12

static PetscErrorCode Fill(PetscBool full, Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, N, N, N, NULL, A));
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = 0; j < N; ++j)
      if (i == j || full || (i + j) % 3 == 0)
        PetscCall(MatSetValue(*A, i, j, i == j ? 20 : 1 / (PetscReal)(1 + i + 2 * j), INSERT_VALUES));
  PetscCall(Assemble(*A));
  PetscFunctionReturn(0);
}

static PetscErrorCode CountEntries(Mat A, PetscInt* count) {
  PetscInt n, columns;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatGetRow(A, i, &columns, NULL, NULL));
    *count += columns;
    PetscCall(MatRestoreRow(A, i, &columns, NULL, NULL));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat full, sparse, A;
  IS rows;
  PetscInt before, after;
  PetscObjectState was, is;

  PetscFunctionBegin;
  PetscCall(Fill(PETSC_TRUE, &full));
  PetscCall(Fill(PETSC_FALSE, &sparse));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, N - 2, 0, 1, &rows));
  PetscCall(MatCreateSubMatrix(full, rows, rows, MAT_INITIAL_MATRIX, &A));
  PetscCall(CountEntries(A, &before));
  PetscCall(MatGetNonzeroState(A, &was));
  PetscCall(MatCreateSubMatrix(sparse, rows, rows, MAT_REUSE_MATRIX, &A));
  PetscCall(CountEntries(A, &after));
  PetscCall(MatGetNonzeroState(A, &is));
  printf("%ld entries in nonzero state %ld, then %ld in %ld\n", (long)before, (long)was, (long)after, (long)is);
  *shown = (PetscBool)(before != after && was == is);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
