/* SPDX-License-Identifier: Apache-2.0
   Solves with a matrix from a file, by the solver that options select; prints iterations and times. Does not link
   sptrsv.

     solve_file -f FILE [-repeat 3] [options of KSP, PC and Mat]
     solve_file -f FILE -dll_append <path>/libsptrsv_petsc.so -pc_factor_mat_solver_type sptrsv [-ksp_view]

   FILE is in PETSc's binary format, as the option -mat_view binary:FILE writes it. Without -f the matrix is the
   Laplacian on a square of n by n points (-n). -save FILE writes the matrix. With several ranks use PC options such as
   -sub_pc_factor_mat_solver_type sptrsv. */
#include <petscksp.h>
#include <petsctime.h>

/* Loads a matrix; -mat_type selects its type, such as aijcusparse or aijkokkos on a GPU. */
static PetscErrorCode LoadMatrix(const char* file, Mat* A) {
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Builds the five-point Laplacian on an m by m grid. */
static PetscErrorCode BuildLaplacian(PetscInt m, Mat* A) {
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m * m, m * m));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 2, NULL));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    PetscCall(MatSetValue(*A, i, i, 4, INSERT_VALUES));
    if (i >= m) PetscCall(MatSetValue(*A, i, i - m, -1, INSERT_VALUES));
    if (i % m) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if ((i + 1) % m) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
    if (i + m < m * m) PetscCall(MatSetValue(*A, i, i + m, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Writes the matrix if -save FILE is given. */
static PetscErrorCode SaveMatrix(Mat A) {
  char file[PETSC_MAX_PATH_LEN];
  PetscBool set;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-save", file, sizeof file, &set));
  if (set) {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Sets up once, solves A x = b several times (b = A times a vector of ones); prints iterations, error and times. */
static PetscErrorCode Solve(Mat A, PetscInt repeat) {
  KSP ksp;
  Vec b, x, ones;
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscReal error = 0;
  PetscLogDouble start, set_up, end, solve = PETSC_MAX_REAL;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &ones));
  PetscCall(VecSet(ones, 1));
  PetscCall(MatMult(A, ones, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscTime(&start));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(PetscTime(&set_up));
  set_up -= start;
  for (PetscInt k = 0; k < repeat; ++k) {
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "No solution: %s", KSPConvergedReasons[reason]);
    PetscCall(VecAXPY(x, -1, ones));
    PetscCall(VecNorm(x, NORM_INFINITY, &error)); /* waits for the GPU */
    PetscCall(PetscTime(&end));
    solve = PetscMin(solve, end - start);
  }
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " iterations, error %.1e, set-up %.3f ms, solve %.3f ms, the least of %d\n",
                        iterations, (double)error, 1e3 * set_up, 1e3 * solve, (int)repeat));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&ones));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  Mat A;
  char file[PETSC_MAX_PATH_LEN];
  PetscBool from_file;
  PetscInt n = 100, repeat = 3;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof file, &from_file));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  PetscCheck(repeat > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "Give -repeat 1 or more");
  if (from_file) PetscCall(LoadMatrix(file, &A));
  else PetscCall(BuildLaplacian(n, &A));
  PetscCall(SaveMatrix(A));
  PetscCall(Solve(A, repeat));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
