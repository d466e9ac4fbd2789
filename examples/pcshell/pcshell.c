/* SPDX-License-Identifier: Apache-2.0
   Applies symmetric Gauss-Seidel by the sptrsv plugin, with two triangles of the program's own, and by PETSc.

     pcshell -dll_append <path>/libsptrsv_petsc.so [-m SIDE] [-mat_sptrsv_type TYPE] [-ksp_view]

   With A = E + D + F (below, on and above the diagonal), M = (D + E) D^-1 (D + F) = L U, where L = I + E D^-1 has
   a unit diagonal, which is not stored, and U = D + F. No factorization is needed. */
#include <petscksp.h>

#include "sptrsv_petsc.h"

/* Builds the five-point Laplacian on an m by m grid. */
static PetscErrorCode BuildLaplacian(PetscInt m, Mat* A) {
  PetscInt n = m * m;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 5, NULL, A));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(*A, i, i, 4, INSERT_VALUES));
    if (i >= m) PetscCall(MatSetValue(*A, i, i - m, -1, INSERT_VALUES));
    if (i % m) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if ((i + 1) % m) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
    if (i + m < n) PetscCall(MatSetValue(*A, i, i + m, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Computes L = I + E D^-1 without its diagonal, and U = D + F. */
static PetscErrorCode SplitGaussSeidel(Mat A, Mat* L, Mat* U) {
  Vec diagonal;
  const PetscScalar* d;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &d));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 2, NULL, L));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, U));
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt count;
    const PetscInt* columns;
    const PetscScalar* values;
    PetscCall(MatGetRow(A, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      if (columns[k] < i) PetscCall(MatSetValue(*L, i, columns[k], values[k] / d[columns[k]], INSERT_VALUES));
      else PetscCall(MatSetValue(*U, i, columns[k], values[k], INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(A, i, &count, &columns, &values));
  }
  for (int half = 0; half < 2; ++half) {
    PetscCall(MatAssemblyBegin(half ? *U : *L, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(half ? *U : *L, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Counts iterations of conjugate gradients with M = L U, or with PETSc's symmetric Gauss-Seidel if L is NULL. */
static PetscErrorCode CountIterations(Mat A, Mat L, Mat U, PetscInt* iterations) {
  KSP ksp;
  PC pc;
  Vec b, x;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, L ? PCSHELL : PCSOR));
  if (L) PetscCall(SpTRSVPCShellSetTrianglesDynamic(pc, L, PETSC_TRUE, U, PETSC_FALSE, MATSOLVERSPTRSV));
  else PetscCall(PCSORSetSymmetric(pc, SOR_SYMMETRIC_SWEEP));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "No solution: %s", KSPConvergedReasons[reason]);
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  Mat A, L, U;
  PetscInt m = 40, own, ours;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-m", &m, NULL));
  PetscCall(BuildLaplacian(m, &A));
  PetscCall(SplitGaussSeidel(A, &L, &U));
  PetscCall(CountIterations(A, NULL, NULL, &own));
  PetscCall(CountIterations(A, L, U, &ours));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "symmetric Gauss-Seidel: %" PetscInt_FMT " iterations, PETSc's own %" PetscInt_FMT "\n", ours,
                        own));
  PetscCheck(ours == own, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Iterations differ");
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&L));
  PetscCall(MatDestroy(&U));
  PetscCall(PetscFinalize());
  return 0;
}
