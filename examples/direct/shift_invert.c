/* SPDX-License-Identifier: Apache-2.0
   Computes the eigenvalues of the Laplacian in a box that are nearest to a target, by SLEPc with shift-and-invert: each
   iteration solves with a complete factor of A - target I. Does not link sptrsv.

     shift_invert [-n 16] [-sides 1,0.9,0.8] [-eps_nev 20] [-eps_target 0] [options of EPS and ST]
   for solves by sptrsv, with PETSc's factor:
     -dll_append <path>/libsptrsv_petsc.so -st_pc_factor_mat_solver_type sptrsv
   for a factor by CHOLMOD, which PETSc itself need not have:
     -st_mat_sptrsv_factor cholmod
   for the same with a target inside of the spectrum:
     -st_pc_type lu -st_mat_sptrsv_factor umfpack
   on a GPU:
     -mat_type aijcusparse -use_gpu_aware_mpi 0

   With n by n by n points the eigenvalues are the sums of three numbers, one a side, (2 / h sin(pi i h / (2 side)))^2
   with i from 1 to n and h = side / (n + 1). The program checks that it has found all that are nearest to the target,
   each as often as its multiplicity. Krylov methods may find multiple eigenvalues too seldom; for the cube, -sides
   1,1,1, give -eps_type subspace, which solves for many right-hand sides at once. */
#include <petsctime.h>
#include <slepceps.h>

/* Builds the seven-point Laplacian of n by n by n points inside of the box. */
static PetscErrorCode BuildLaplacian(PetscInt n, const PetscReal sides[], Mat* A) {
  const PetscInt rows = n * n * n, strides[] = {1, n, n * n};
  PetscReal a[3];
  PetscInt first, end;

  PetscFunctionBegin;
  for (int axis = 0; axis < 3; ++axis) a[axis] = PetscSqr((n + 1) / sides[axis]);
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 7, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 7, NULL, 3, NULL));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt row = first; row < end; ++row) {
    PetscCall(MatSetValue(*A, row, row, 2 * (a[0] + a[1] + a[2]), INSERT_VALUES));
    for (int axis = 0; axis < 3; ++axis) {
      const PetscInt stride = strides[axis], index = row / stride % n;
      if (index > 0) PetscCall(MatSetValue(*A, row, row - stride, -a[axis], INSERT_VALUES));
      if (index < n - 1) PetscCall(MatSetValue(*A, row, row + stride, -a[axis], INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Computes all eigenvalues by the formula, in ascending order. */
static PetscErrorCode GetKnownEigenvalues(PetscInt n, const PetscReal sides[], PetscReal known[]) {
  PetscFunctionBegin;
  for (PetscInt row = 0; row < n * n * n; ++row) {
    const PetscInt index[] = {row % n, row / n % n, row / n / n};
    known[row] = 0;
    for (int axis = 0; axis < 3; ++axis) {
      known[row] += PetscSqr(2 * (n + 1) / sides[axis] * PetscSinReal(PETSC_PI * (index[axis] + 1) / (2 * (n + 1))));
    }
  }
  PetscCall(PetscSortReal(n * n * n, known));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Checks the eigenvalues that were found, `count` of them, against the known ones. */
static PetscErrorCode CheckEigenvalues(EPS eps, PetscInt count, PetscInt n, const PetscReal sides[]) {
  PetscScalar value;
  PetscReal *known, *found, target, error = 0;

  PetscFunctionBegin;
  PetscCall(EPSGetTarget(eps, &value));
  target = PetscRealPart(value);
  PetscCall(PetscMalloc2(n * n * n, &known, count, &found));
  PetscCall(GetKnownEigenvalues(n, sides, known));
  const PetscReal* nearest = known; /* the first of those that are nearest to the target */
  while (nearest + count < known + n * n * n && target - nearest[0] > nearest[count] - target) ++nearest;
  for (PetscInt i = 0; i < count; ++i) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    found[i] = PetscRealPart(value);
  }
  PetscCall(PetscSortReal(count, found));
  for (PetscInt i = 0; i < count; ++i) error = PetscMax(error, PetscAbsReal(found[i] - nearest[i]) / nearest[i]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalues %10.4f to %.4f, relative error at most %.1e\n", (double)found[0],
                        (double)found[count - 1], (double)error));
  PetscCheck(error <= 1e-7, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Wrong answer: the nearest to %g are those from %g to %g",
             (double)target, (double)nearest[0], (double)nearest[count - 1]);
  PetscCall(PetscFree2(known, found));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Makes a solver by shift-and-invert with a factor. */
static PetscErrorCode CreateSolver(Mat A, EPS* eps, KSP* ksp) {
  ST st;
  PC pc;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOperators(*eps, A, NULL));
  PetscCall(EPSSetProblemType(*eps, EPS_HEP));
  PetscCall(EPSSetDimensions(*eps, 20, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTarget(*eps, 0));
  PetscCall(EPSSetWhichEigenpairs(*eps, EPS_TARGET_MAGNITUDE));
  PetscCall(EPSGetST(*eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(STGetKSP(st, ksp));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(EPSSetFromOptions(*eps));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  Mat A;
  EPS eps;
  KSP ksp;
  Vec b, x;
  PetscInt n = 16, num_sides = 3, count, converged, solves;
  PetscReal sides[] = {1, 0.9, 0.8}, norm;
  PetscLogDouble t[5]; /* before the set-up, after it, after the iteration, around single solves */

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-sides", sides, &num_sides, NULL));
  PetscCall(BuildLaplacian(n, sides, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(CreateSolver(A, &eps, &ksp));
  PetscCall(PetscTime(&t[0]));
  PetscCall(EPSSetUp(eps)); /* computes the factor, too */
  PetscCall(PetscTime(&t[1]));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscTime(&t[2]));
  PetscCall(KSPGetTotalIterations(ksp, &solves));
  PetscCall(EPSGetDimensions(eps, &count, NULL, NULL));
  PetscCall(EPSGetConverged(eps, &converged));
  PetscCheck(converged >= count, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "No answer: %" PetscInt_FMT " of %" PetscInt_FMT " eigenvalues", converged, count);
  for (int i = 0; i < 11; ++i) {
    PetscCall(KSPSolve(ksp, b, x));
    if (i % 10 == 0) {
      PetscCall(VecNorm(x, NORM_2, &norm)); /* waits for the GPU */
      PetscCall(PetscTime(&t[3 + i / 10]));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "set-up      %10.4f s\n", t[1] - t[0]));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "EPSSolve    %10.4f s, %" PetscInt_FMT " single solves\n", t[2] - t[1], solves));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "one solve   %10.4f s\n", (t[4] - t[3]) / 10));
  PetscCall(CheckEigenvalues(eps, count, n, sides));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}
