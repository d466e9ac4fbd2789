/* SPDX-License-Identifier: Apache-2.0
   Solves the Stokes equations in a cavity whose lid moves, by PCFIELDSPLIT: GMRES, where each iteration solves with a
   complete factor of the velocity block. Does not link sptrsv.

     schur [-n 100] [-solves 3] [options of KSP and PC]
   for solves by sptrsv, with PETSc's factor:
     -dll_append <path>/libsptrsv_petsc.so -fieldsplit_0_pc_factor_mat_solver_type sptrsv
   for a factor by CHOLMOD, which PETSc itself need not have:
     -fieldsplit_0_mat_sptrsv_factor cholmod
   on a GPU:
     -mat_type aijcusparse -use_gpu_aware_mpi 0

   Finite differences on a grid of n by n cells: a pressure per cell, and a velocity per face inside of the cavity, u to
   the right and v upwards. In units of the cell's width all entries of the matrix are integers,

     [ A   G ] [u, v]   [f]      A: five-point Laplacians of u and v, symmetric and positive definite
     [ -G' 0 ] [ p  ] = [0]      G: differences of the pressure across a face

   and the Schur complement G' inv(A) G is near the identity for each n. The preconditioner therefore replaces it by the
   identity. The pressure is determined up to a constant. The program checks the true residual. */
#include <petscksp.h>
#include <petsctime.h>

/* Adds the five-point Laplacian of velocities, nx by ny of them from row first on. The velocity is 0 on the walls. A
   wall beyond the last velocity is 1 cell away along the velocity, and 1/2 cell across. */
static PetscErrorCode AddLaplacian(PetscInt first, PetscInt nx, PetscInt ny, PetscBool across_y, Mat K) {
  PetscFunctionBegin;
  for (PetscInt j = 0; j < ny; ++j) {
    for (PetscInt i = 0; i < nx; ++i) {
      const PetscInt row = first + i + nx * j;
      const PetscInt walls = across_y ? (j == 0) + (j == ny - 1) : (i == 0) + (i == nx - 1);
      PetscCall(MatSetValue(K, row, row, 4 + walls, INSERT_VALUES));
      if (i > 0) PetscCall(MatSetValue(K, row, row - 1, -1, INSERT_VALUES));
      if (i < nx - 1) PetscCall(MatSetValue(K, row, row + 1, -1, INSERT_VALUES));
      if (j > 0) PetscCall(MatSetValue(K, row, row - nx, -1, INSERT_VALUES));
      if (j < ny - 1) PetscCall(MatSetValue(K, row, row + nx, -1, INSERT_VALUES));
    }
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Adds the difference of pressures across the face of a velocity, and the flow through this face out of its cells. */
static PetscErrorCode AddFace(PetscInt velocity, PetscInt cell_before, PetscInt cell_after, Mat K) {
  PetscFunctionBegin;
  PetscCall(MatSetValue(K, velocity, cell_before, -1, INSERT_VALUES));
  PetscCall(MatSetValue(K, velocity, cell_after, 1, INSERT_VALUES));
  PetscCall(MatSetValue(K, cell_before, velocity, 1, INSERT_VALUES));
  PetscCall(MatSetValue(K, cell_after, velocity, -1, INSERT_VALUES));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Builds the matrix; rows are those of u, v and p. Its null space are the constant pressures. */
static PetscErrorCode BuildStokes(PetscInt n, Mat* K) {
  const PetscInt faces = (n - 1) * n, cells = n * n;
  Vec constant;
  MatNullSpace null_space;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, K));
  PetscCall(MatSetSizes(*K, 2 * faces + cells, 2 * faces + cells, 2 * faces + cells, 2 * faces + cells));
  PetscCall(MatSetFromOptions(*K));
  PetscCall(MatSeqAIJSetPreallocation(*K, 7, NULL));
  PetscCall(AddLaplacian(0, n - 1, n, PETSC_TRUE, *K));
  PetscCall(AddLaplacian(faces, n, n - 1, PETSC_FALSE, *K));
  for (PetscInt j = 0; j < n; ++j) {
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt cell = 2 * faces + i + n * j;
      PetscCall(MatSetValue(*K, cell, cell, 0, INSERT_VALUES));
      if (i < n - 1) PetscCall(AddFace(i + (n - 1) * j, cell, cell + 1, *K));
      if (j < n - 1) PetscCall(AddFace(faces + i + n * j, cell, cell + n, *K));
    }
  }
  PetscCall(MatAssemblyBegin(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(*K, &constant, NULL));
  for (PetscInt cell = 2 * faces; cell < 2 * faces + cells; ++cell) {
    PetscCall(VecSetValue(constant, cell, 1 / (PetscReal)n, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(constant));
  PetscCall(VecAssemblyEnd(constant));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, 1, &constant, &null_space));
  PetscCall(MatSetNullSpace(*K, null_space));
  PetscCall(MatNullSpaceDestroy(&null_space));
  PetscCall(VecDestroy(&constant));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Sets an option unless the user has given it. */
static PetscErrorCode SetDefault(const char* option, const char* value) {
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Makes a solver whose preconditioner is [A G; 0 I], by a factor of A. */
static PetscErrorCode CreateSolver(Mat K, PetscInt num_velocities, KSP* ksp) {
  PC pc;
  IS velocities, pressures;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetSize(K, &rows, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, num_velocities, 0, 1, &velocities));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, rows - num_velocities, num_velocities, 1, &pressures));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, K, K));
  PetscCall(KSPSetType(*ksp, KSPFGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  PetscCall(PCFieldSplitSetIS(pc, "0", velocities));
  PetscCall(PCFieldSplitSetIS(pc, "1", pressures));
  PetscCall(PCFieldSplitSetType(pc, PC_COMPOSITE_SCHUR));
  PetscCall(PCFieldSplitSetSchurFactType(pc, PC_FIELDSPLIT_SCHUR_FACT_UPPER));
  PetscCall(PCFieldSplitSetSchurPre(pc, PC_FIELDSPLIT_SCHUR_PRE_SELF, NULL));
  PetscCall(SetDefault("-fieldsplit_0_ksp_type", "preonly"));
  PetscCall(SetDefault("-fieldsplit_0_pc_type", "cholesky"));
  PetscCall(SetDefault("-fieldsplit_1_ksp_type", "preonly"));
  PetscCall(SetDefault("-fieldsplit_1_pc_type", "none"));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(ISDestroy(&velocities));
  PetscCall(ISDestroy(&pressures));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Checks b - K x. */
static PetscErrorCode CheckResidual(KSP ksp, Mat K, Vec b, Vec x) {
  Vec r;
  PetscReal norm, error, rtol;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(K, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &error));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "residual    %10.1e of the right-hand side\n", (double)(error / norm)));
  PetscCheck(error <= 2 * rtol * norm, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Wrong answer: the residual is more than %.1e",
             (double)(2 * rtol));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  Mat K;
  KSP ksp, *blocks;
  PC pc;
  Vec b, x;
  PetscInt n = 100, solves = 3, faces, iterations;
  PetscReal norm;
  PetscLogDouble t[4]; /* before the set-up, after it, after the first solve, after the last one */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
  PetscCheck(solves > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Give -solves 2 or more");
  faces = (n - 1) * n;
  PetscCall(BuildStokes(n, &K));
  PetscCall(MatCreateVecs(K, &x, &b));
  for (PetscInt i = 0; i < n - 1; ++i) { /* u is 1 on the lid, 1/2 cell above the last u */
    PetscCall(VecSetValue(b, faces - 1 - i, 2, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));

  PetscCall(CreateSolver(K, 2 * faces, &ksp));
  PetscCall(PetscTime(&t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitSchurGetSubKSP(pc, NULL, &blocks));
  PetscCall(KSPSetUp(blocks[0])); /* the factor of A, which otherwise the first solve computes */
  PetscCall(PetscFree(blocks));
  PetscCall(PetscTime(&t[1]));
  for (PetscInt solve = 0; solve < solves; ++solve) {
    PetscCall(KSPSolve(ksp, b, x));
    if (solve == 0 || solve == solves - 1) {
      PetscCall(VecNorm(x, NORM_2, &norm)); /* waits for the GPU */
      PetscCall(PetscTime(&t[solve == 0 ? 2 : 3]));
    }
  }
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  t[3] = (t[3] - t[2]) / (double)(solves - 1);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "set-up      %10.4f s\n", t[1] - t[0]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "first solve %10.4f s\n", t[2] - t[1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "next solve  %10.4f s, %" PetscInt_FMT " iterations, %.3f ms each\n", t[3],
                        iterations, 1e3 * t[3] / (double)iterations));
  PetscCall(CheckResidual(ksp, K, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&K));
  PetscCall(PetscFinalize());
  return 0;
}
