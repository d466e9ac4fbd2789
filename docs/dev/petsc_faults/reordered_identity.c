/* SPDX-License-Identifier: Apache-2.0
   ILU(0) in the natural ordering, columns permuted by MatReorderForNonzeroDiagonal, as by
   -pc_factor_nonzeros_along_diagonal: once with that column ordering, which still counts as the identity, and once with
   a copy of it. */
#include "child.h"

enum { SIZE = 20 };

static PetscErrorCode Matrix(Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, SIZE, SIZE, 5, NULL, A));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE));
  for (PetscInt i = 0; i < SIZE; ++i) {
    PetscInt const columns[] = {i, (i + 1) % SIZE, (i + SIZE - 1) % SIZE, (i * 7 + 3) % SIZE};
    for (int k = 0; k < 4; ++k) {
      PetscScalar const value = k == 0 ? (i % 4 == 1 ? 0 : 4) : 1 + 0.1 * k + 0.01 * i;
      PetscCall(MatSetValue(*A, i, columns[k], value, INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(0);
}

static PetscErrorCode Solved(Mat A, IS rows, IS cols, Vec x) {
  Mat F;
  Vec b;

  PetscFunctionBegin;
  PetscCall(Factor(A, MAT_FACTOR_ILU, rows, cols, &plain, &F));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatSolve(F, b, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  IS rows, cols, copies[2];
  PetscInt const* indices;
  PetscBool identity;
  Vec x, y;
  PetscReal difference, norm;

  PetscFunctionBegin;
  PetscCall(Matrix(&A));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(ISIdentity(cols, &identity));
  PetscCall(MatReorderForNonzeroDiagonal(A, 1e-10, rows, cols));
  PetscCall(ISIdentity(cols, &identity));
  for (int k = 0; k < 2; ++k) {
    PetscCall(ISGetIndices(k ? cols : rows, &indices));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, SIZE, indices, PETSC_COPY_VALUES, &copies[k]));
    PetscCall(ISSetPermutation(copies[k]));
    PetscCall(ISRestoreIndices(k ? cols : rows, &indices));
  }
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(Solved(A, rows, cols, x));
  PetscCall(Solved(A, copies[0], copies[1], y));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_INFINITY, &difference));
  printf("the columns %s an identity; another solution by %.1e of %.1e\n", identity ? "count as" : "are not",
         (double)difference, (double)norm);
  *shown = (PetscBool) !(difference < 1e-10 * norm);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
