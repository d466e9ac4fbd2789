/* SPDX-License-Identifier: Apache-2.0
   Solves the heat equation on the unit square by implicit Euler steps of constant length: the matrix is factored once,
   and each step solves with the factor. Does not link sptrsv.

     heat [-n 200] [-steps 20] [-dt 0.001]
   for solves by sptrsv, with PETSc's factor:
     -dll_append <path>/libsptrsv_petsc.so -pc_factor_mat_solver_type sptrsv
   for a factor by CHOLMOD, which PETSc itself need not have:
     -mat_sptrsv_factor cholmod
   on a GPU:
     -mat_type aijcusparse -use_gpu_aware_mpi 0

   The first eigenmode, sin(pi x) sin(pi y), stays one: each step divides it by 1 + dt lambda, where lambda is its
   eigenvalue of the five-point Laplacian. The program checks its answer by that, to rounding. */
#include <petscksp.h>
#include <petsctime.h>

/* Builds I + dt times the five-point Laplacian of n by n points inside of the square, whose boundary is at 0. */
static PetscErrorCode BuildMatrix(PetscInt n, PetscReal dt, Mat* A) {
  const PetscReal a = dt * (n + 1) * (n + 1);
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 2, NULL));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    PetscCall(MatSetValue(*A, i, i, 1 + 4 * a, INSERT_VALUES));
    if (i >= n) PetscCall(MatSetValue(*A, i, i - n, -a, INSERT_VALUES));
    if (i % n) PetscCall(MatSetValue(*A, i, i - 1, -a, INSERT_VALUES));
    if ((i + 1) % n) PetscCall(MatSetValue(*A, i, i + 1, -a, INSERT_VALUES));
    if (i + n < n * n) PetscCall(MatSetValue(*A, i, i + n, -a, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Sets u to the first eigenmode. */
static PetscErrorCode SetEigenmode(PetscInt n, Vec u) {
  const PetscReal h = 1 / (PetscReal)(n + 1);
  PetscInt first, end;
  PetscScalar* values;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u, &first, &end));
  PetscCall(VecGetArrayWrite(u, &values));
  for (PetscInt i = first; i < end; ++i) {
    const PetscInt column = 1 + i % n, row = 1 + i / n;
    values[i - first] = PetscSinReal(PETSC_PI * h * column) * PetscSinReal(PETSC_PI * h * row);
  }
  PetscCall(VecRestoreArrayWrite(u, &values));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Checks that u is the start, divided by 1 + dt lambda once a step. */
static PetscErrorCode CheckDecay(Vec u, Vec start, PetscInt n, PetscInt steps, PetscReal dt) {
  const PetscReal lambda = 8 * PetscSqr((n + 1) * PetscSinReal(PETSC_PI / (2 * (n + 1))));
  const PetscReal decay = PetscPowReal(1 + dt * lambda, -(PetscReal)steps);
  const PetscReal condition = 1 + 8 * dt * PetscSqr((PetscReal)(n + 1));
  const PetscReal bound = 4 * steps * condition * PETSC_MACHINE_EPSILON;
  PetscReal norm, error;

  PetscFunctionBegin;
  PetscCall(VecNorm(start, NORM_2, &norm));
  PetscCall(VecAXPY(u, -decay, start));
  PetscCall(VecNorm(u, NORM_2, &error));
  error /= decay * norm;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error       %10.1e of the mode, which decayed to %.4f\n", (double)error,
                        (double)decay));
  PetscCheck(error <= bound, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Wrong answer: rounding explains errors up to %.1e only",
             (double)bound);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  Mat A;
  KSP ksp;
  PC pc;
  Vec u, before, start;
  PetscInt n = 200, steps = 20;
  PetscReal dt = 0.001, norm;
  PetscLogDouble t[4]; /* before the set-up, after it, after the first step, after the last one */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-dt", &dt, NULL));
  PetscCheck(steps > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "Give -steps 2 or more");
  PetscCall(BuildMatrix(n, dt, &A));
  PetscCall(MatCreateVecs(A, &u, &before));
  PetscCall(VecDuplicate(u, &start));
  PetscCall(SetEigenmode(n, start));
  PetscCall(VecCopy(start, u));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscTime(&t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&t[1]));
  for (PetscInt step = 0; step < steps; ++step) {
    PetscCall(VecCopy(u, before));
    PetscCall(KSPSolve(ksp, before, u));
    if (step == 0 || step == steps - 1) {
      PetscCall(VecNorm(u, NORM_2, &norm)); /* waits for the GPU */
      PetscCall(PetscTime(&t[step == 0 ? 2 : 3]));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "set-up      %10.4f s\n", t[1] - t[0]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "first solve %10.4f s\n", t[2] - t[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the others  %10.4f s, %" PetscInt_FMT " solves, %.3f ms each\n", t[3] - t[2],
                        steps - 1, 1e3 * (t[3] - t[2]) / (double)(steps - 1)));
  PetscCall(CheckDecay(u, start, n, steps, dt));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&before));
  PetscCall(VecDestroy(&start));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
