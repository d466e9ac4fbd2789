/* SPDX-License-Identifier: Apache-2.0
   Factors a small matrix with a solver type of the plugin, checks the answer and asks the factor for its statistics.
   Built with USE_PLUGIN_LINKED it links the plugin; otherwise -dll_append loads it. */
#include <petscksp.h>
#include <sptrsv_petsc.h>
#include <string.h>

static PetscErrorCode MakeMatrix(PetscInt n, Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, A));
  for (PetscInt i = 0; i < n; ++i) {
    if (i > 0) PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, i, 4.0, INSERT_VALUES));
    if (i + 1 < n) PetscCall(MatSetValue(*A, i, i + 1, -2.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Solves by one application of the preconditioner, since LU is exact for this matrix. */
static PetscErrorCode SolveAndCheck(Mat A) {
  Vec x, b, answer;
  KSP ksp;
  PC pc;
  Mat F;
  MatSpTRSVInfo info;
  PetscReal error;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &answer));
  for (PetscInt i = 0; i < n; ++i) PetscCall(VecSetValue(answer, i, 1.0 + i, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(answer));
  PetscCall(VecAssemblyEnd(answer));
  PetscCall(MatMult(A, answer, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSPTRSV));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecAXPY(x, -1.0, answer));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCheck(error < 1e-4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The answer is wrong by %g", (double)error);
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatSpTRSVGetInfo(F, &info));
  PetscCheck(info.n == n && info.num_solves == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The factor has %d rows and did %d solves", (int)info.n, (int)info.num_solves);
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "%d rows solved by %s, wrong by %g\n", (int)n, info.algorithm_lower, (double)error));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&answer));
  PetscFunctionReturn(0);
}

/* Checks the version of the header and, if the plugin is linked, that of the library. */
static PetscErrorCode CheckVersion(void) {
  char header[32], library[256] = "";
  PetscBool same = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(header, sizeof header, "sptrsv %d.%d.%d, ", SPTRSV_VERSION_MAJOR, SPTRSV_VERSION_MINOR,
                          SPTRSV_VERSION_SUBMINOR));
#if defined(USE_PLUGIN_LINKED)
  PetscCall(SpTRSVGetVersion(library, sizeof library));
  PetscCall(PetscStrncmp(header, library, strlen(header), &same));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", library));
#endif
  PetscCheck(same && SPTRSV_VERSION_GE(0, 2, 0) && !SPTRSV_VERSION_LT(0, 2, 0) && SPTRSV_VERSION_LT(99, 0, 0),
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "The header is of version %s the library of %s", header, library);
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  Mat A;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
#if defined(USE_PLUGIN_LINKED)
  PetscCall(SpTRSVRegister());
#endif
  PetscCall(CheckVersion());
  PetscCall(MakeMatrix(50, &A));
  PetscCall(SolveAndCheck(A));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
