/* SPDX-License-Identifier: Apache-2.0
   PCREDISTRIBUTE with Kokkos vectors on a GPU: the first application leaves wrong values, and the second aborts. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  PetscInt const n = 12;
  Mat A;
  KSP ksp;
  PC pc;
  Vec x, b, r;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, MATAIJKOKKOS));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(A, i, i, i + 4, INSERT_VALUES));
    if (i > n / 2) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES)); /* the first rows have a diagonal alone */
  }
  PetscCall(Assemble(A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCREDISTRIBUTE));
  PetscCall(KSPSetUp(ksp));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscReal norm, size;

    PetscCall(VecSet(b, k + 1));
    PetscCall(VecNorm(b, NORM_2, &size));
    PetscCall(VecSet(x, -7));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &norm));
    printf("application %d: residual %g\n", (int)k + 1, (double)(norm / size));
    fflush(stdout); /* before Kokkos ends the program */
    if (norm > 1e-10 * size) *shown = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_KOKKOS_KERNELS) && PetscDefined(HAVE_CUDA) ? Run : NULL); }
