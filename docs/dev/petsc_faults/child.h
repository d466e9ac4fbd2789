/* SPDX-License-Identifier: Apache-2.0
   For the programs beside it: the faulty part runs in a child process under an alarm, so that a crash or an
   endless loop is a result that can be told. */
#pragma once
#include <petscksp.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { seconds = 4 }; /* a part that ends takes milliseconds */

/* Prints one line of what was seen and says whether that is the fault. */
typedef PetscErrorCode (*FaultyPart)(PetscBool* shown);

static int RunChild(FaultyPart body) {
  PetscBool shown = PETSC_FALSE;
  struct rlimit const no_core = {0, 0};

  setrlimit(RLIMIT_CORE, &no_core);
  if (PetscOptionsSetValue(NULL, "-no_signal_handler", NULL) || PetscOptionsSetValue(NULL, "-use_gpu_aware_mpi", "0") ||
      PetscInitializeNoArguments())
    return 2;
  signal(SIGSEGV, SIG_DFL); /* MPI has set its own */
  signal(SIGABRT, SIG_DFL);
  alarm(seconds);
  if (body(&shown)) return 2;
  fflush(stdout);
  return PetscFinalize() ? 2 : shown;
}

/* To be returned from main(): 0 with a outcome, 1 where PETSc reported an error that the body did not expect.
   Without a body: this build of PETSc lacks what the fault needs. */
static int Show(FaultyPart body) {
  int status = 0;
  char const* outcome;

  printf("PETSc %d.%d.%d\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
  if (!body) return printf("this PETSc was built without what the program needs\nnot here\n") < 0;
  fflush(stdout);
  pid_t const child = fork();
  if (child < 0) return 1;
  if (!child) _exit(RunChild(body));
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) printf("still running after %d seconds\n", seconds);
  else if (WIFSIGNALED(status)) printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WIFSIGNALED(status) || WEXITSTATUS(status) == 1) outcome = "fault shown";
  else outcome = WEXITSTATUS(status) == 0 ? "no fault" : "error";
  printf("%s\n", outcome);
  return WIFEXITED(status) && WEXITSTATUS(status) > 1;
}

static inline PetscErrorCode Assemble(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Dense blocks of dof unknowns on a line of nodes: rows of a node have the same columns (PETSc's inodes). */
static inline PetscErrorCode BlockLine(PetscInt nodes, PetscInt dof, Mat* A) {
  PetscInt const n = nodes * dof;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3 * dof, NULL, A));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j) {
      if (PetscAbsInt(i / dof - j / dof) > 1) continue;
      PetscCall(MatSetValue(*A, i, j, i == j ? 10 * dof : -1.0 / (1 + (i + 2 * j) % 5), INSERT_VALUES));
    }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(0);
}

/* n by n in aij from n * n values by rows; zeros off the diagonal are not stored. */
static inline PetscErrorCode SmallMatrix(PetscInt n, double const values[], Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, A));
  for (PetscInt k = 0; k < n * n; ++k)
    if (values[k] != 0 || k / n == k % n) PetscCall(MatSetValue(*A, k / n, k % n, values[k], INSERT_VALUES));
  PetscCall(Assemble(*A));
  PetscFunctionReturn(0);
}

/* What a PC passes to LU, and below the same with a shift. */
static MatFactorInfo const plain = {.fill = 5, .zeropivot = 100 * PETSC_MACHINE_EPSILON};

static MatFactorInfo const shifted = {
    .fill = 5, .zeropivot = 100 * PETSC_MACHINE_EPSILON, .shifttype = MAT_SHIFT_POSITIVE_DEFINITE};

/* Factors A by PETSc's own solver, symbolic and numeric phase; without rows and cols in natural order. */
static inline PetscErrorCode Factor(Mat A, MatFactorType type, IS rows, IS cols, MatFactorInfo const* info, Mat* F) {
  PetscFunctionBegin;
  if (!rows) PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, type, F));
  if (type == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(*F, A, rows, cols, info));
  if (type == MAT_FACTOR_ILU) PetscCall(MatILUFactorSymbolic(*F, A, rows, cols, info));
  if (type == MAT_FACTOR_CHOLESKY) PetscCall(MatCholeskyFactorSymbolic(*F, A, rows, info));
  if (type == MAT_FACTOR_ICC) PetscCall(MatICCFactorSymbolic(*F, A, rows, info));
  if (type == MAT_FACTOR_LU || type == MAT_FACTOR_ILU) PetscCall(MatLUFactorNumeric(*F, A, info));
  else PetscCall(MatCholeskyFactorNumeric(*F, A, info));
  PetscFunctionReturn(0);
}

/* Computes |b - A x| in the largest norm, b = 1, for x by the factor F, or by the KSP if F is null. */
static inline PetscErrorCode Residual(Mat A, Mat F, KSP ksp, PetscReal* residual) {
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(VecSet(b, 1));
  PetscCall(F ? MatSolve(F, b, x) : KSPSolve(ksp, b, x));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_INFINITY, residual));
  PetscFunctionReturn(0);
}

/* A symmetric sweep of SOR from zero. */
static inline PetscErrorCode Sweep(Mat A, Vec b, Vec x) {
  int const flags = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;

  PetscFunctionBegin;
  PetscCall(MatSOR(A, b, 1, (MatSORType)flags, 0, 1, 1, x));
  PetscFunctionReturn(0);
}
