/* SPDX-License-Identifier: Apache-2.0
   Links the plugin and passes the program's own triangles to a PC of type shell, in C.
   Usage: linked_shell [-applies N] [PETSc's options]. Exit status 0 and "done" on success. */
#include <petscksp.h>
#include <stdio.h>

#include "sptrsv_petsc.h"

/* Builds a band matrix: 2 on the diagonal, -1 next to it and r rows away. */
static PetscErrorCode BuildBand(PetscInt n, PetscInt r, PetscBool lower, Mat* T) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, T));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(*T, i, i, 4, INSERT_VALUES));
    for (int k = 0; k < 2; ++k) {
      PetscInt j = lower ? i - (k ? r : 1) : i + (k ? r : 1);
      if (j >= 0 && j < n) PetscCall(MatSetValue(*T, i, j, -1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*T, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Checks that x = U^-1 L^-1 L U 1 is 1, and the transposed equation. */
static PetscErrorCode CheckApply(PC pc, Mat L, Mat U, PetscBool transposed) {
  Vec one, t, b, x;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(L, &one, &t));
  PetscCall(MatCreateVecs(L, &b, &x));
  PetscCall(VecSet(one, 1));
  if (transposed) {
    PetscCall(MatMultTranspose(L, one, t));
    PetscCall(MatMultTranspose(U, t, b));
    PetscCall(PCApplyTranspose(pc, b, x));
  } else {
    PetscCall(MatMult(U, one, t));
    PetscCall(MatMult(L, t, b));
    PetscCall(PCApply(pc, b, x));
  }
  PetscCall(VecAXPY(x, -1, one));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCheck(error < 5000 * PETSC_MACHINE_EPSILON, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Error %g", (double)error);
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&t));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Run(void) {
  Mat L, U;
  PC pc;
  PetscInt applies = 1;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-applies", &applies, NULL));
  PetscCall(BuildBand(900, 30, PETSC_TRUE, &L));
  PetscCall(BuildBand(900, 30, PETSC_FALSE, &U));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc)); /* for one process; refused on several */
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(SpTRSVPCShellSetTriangles(pc, L, PETSC_FALSE, U, PETSC_FALSE, "sptrsv"));
  PetscCall(PCSetOperators(pc, L, L));
  for (PetscInt i = 0; i < applies; ++i) {
    PetscCall(CheckApply(pc, L, U, PETSC_FALSE));
    PetscCall(CheckApply(pc, L, U, PETSC_TRUE));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&L));
  PetscCall(MatDestroy(&U));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  if (MPI_Init(&argc, &argv)) return 2;
  for (int round = 0; round < 2; ++round) { /* PETSc may start again in a process */
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(Run());
    PetscCall(PetscFinalize());
  }
  if (MPI_Finalize()) return 2;
  puts("done");
  return 0;
}
