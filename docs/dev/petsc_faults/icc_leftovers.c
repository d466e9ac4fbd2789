/* SPDX-License-Identifier: Apache-2.0
   ICC(1) of a seqbaij matrix: updates for which the factor has no place stay in the work array, and are taken for
   entries of later rows that fill makes there. With blocks of one row the factor should be that of seqaij. */
#include "child.h"

#define N 30

static PetscErrorCode Apply(Mat A, Vec b, Vec x) {
  Mat F;
  MatFactorInfo info = plain;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  info.levels = 1;
  PetscCall(Factor(A, MAT_FACTOR_ICC, NULL, NULL, &info, &F));
  PetscCall(MatSolve(F, b, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat both[2];
  Vec b, x, y;
  PetscReal difference;
  unsigned state = 1;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, N, N, N, NULL, &both[0]));
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, 1, N, N, N, NULL, &both[1]));
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = 0; j <= i; ++j) { /* a seventh of the entries, at random */
      state = state * 1103515245u + 12345u;
      if (i != j && state / 65536u % 7 != 0) continue;
      PetscScalar const v = i == j ? 5 : (PetscReal)(state / 65536u % 100) / 100;
      for (Mat* m = both; m < both + 2; ++m) {
        PetscCall(MatSetValue(*m, i, j, v, INSERT_VALUES));
        PetscCall(MatSetValue(*m, j, i, v, INSERT_VALUES));
      }
    }
  for (Mat* m = both; m < both + 2; ++m) PetscCall(Assemble(*m));
  PetscCall(MatCreateVecs(both[0], &b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecSet(b, 1));
  PetscCall(Apply(both[0], b, x));
  PetscCall(Apply(both[1], b, y));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_INFINITY, &difference));
  printf("ICC(1) of seqaij and of seqbaij with blocks of 1 differ by %.1e\n", (double)difference);
  *shown = (PetscBool)(difference > 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(Run); }
