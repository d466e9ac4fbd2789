// SPDX-License-Identifier: Apache-2.0
// Creates, destroys and mixes solvers in unusual orders. Usage: lifecycle MODE [PETSc's options]; the option
// -pc_factor_mat_solver_type selects the type, as in any other program. Exit status 0 and "done" on success. Options of
// the mode soak, which makes many solvers one after another, while the memory in use must not grow:
//   -rounds N, -warm_up N   number of solvers, and how many of them run before memory is first measured
//   -kinds K                round r has the prefix k<r % K>_, under which options are set
//   -leak bytes|factor      leaks 8 kB or the factor in each round, to show that leaks are detected
#include <petscksp.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "allocated_bytes.hpp"
#include "sptrsv_petsc.h"
#include "sptrsv_support/petsc_success.hpp"

namespace {

PetscErrorCode Poisson(PetscInt n, PetscScalar scale, Mat* A, char const* prefix = NULL) {
  PetscInt const bs = n % 2 ? 1 : 2;
  PetscBool sbaij;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetOptionsPrefix(*A, prefix));
  PetscCall(MatSetSizes(*A, n * n, n * n, n * n, n * n));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatSeqBAIJSetPreallocation(*A, bs, 8, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, bs, 8, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &sbaij));
  if (sbaij) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n * n; ++i) {
    PetscCall(MatSetValue(*A, i, i, 4 * scale, INSERT_VALUES));
    if (i >= n) PetscCall(MatSetValue(*A, i, i - n, -scale, INSERT_VALUES));
    if (i + n < n * n) PetscCall(MatSetValue(*A, i, i + n, -scale, INSERT_VALUES));
    if (i % n) PetscCall(MatSetValue(*A, i, i - 1, -scale, INSERT_VALUES));
    if ((i + 1) % n) PetscCall(MatSetValue(*A, i, i + 1, -scale, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode MakeKsp(Mat A, KSP* ksp, char const* prefix = NULL) {
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  return KSPSetFromOptions(*ksp);
}

/// Solves and checks the true residual, independently of the solver's stopping test.
PetscErrorCode SolveAndCheck(KSP ksp, Mat A, bool transpose = false) {
  Vec b, x, r;
  PetscReal norm, norm_b;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1));
  PetscCall(transpose ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  PetscCall(transpose ? MatMultTranspose(A, x, r) : MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCheck(norm <= 1e-5 * norm_b, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Residual %g of %g", (double)norm, (double)norm_b);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return VecDestroy(&r);
}

PetscErrorCode OneSolve() {
  Mat A;
  KSP ksp;
  PetscCall(Poisson(12, 1, &A));
  PetscCall(MakeKsp(A, &ksp));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}

PetscErrorCode ExpectPhases(KSP ksp, PetscInt analyses, PetscInt numerics) {
  PC pc;
  Mat F;
  MatSpTRSVInfo info;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatSpTRSVGetInfo(F, &info));
  PetscCheck(info.num_analysis == analyses && info.num_numeric == numerics, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d analyses and %d numeric phases, not %d and %d", (int)info.num_analysis, (int)info.num_numeric,
             (int)analyses, (int)numerics);
  return PETSC_SUCCESS;
}

/// Checks the phases after changes. Same values: none. New values: a numeric phase. A new entry: a new factor, with a
/// new analysis.
PetscErrorCode Changes() {
  Mat A;
  KSP ksp;
  PetscInt const n = 12;
  PetscCall(Poisson(n, 1, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MakeKsp(A, &ksp));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(ExpectPhases(ksp, 1, 1));
  for (PetscInt step = 2; step <= 4; ++step) {
    for (PetscInt i = 0; i < n * n; ++i) PetscCall(MatSetValue(A, i, i, 4 + 0.1 * (PetscReal)step, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(SolveAndCheck(ksp, A));
    PetscCall(ExpectPhases(ksp, 1, step));
  }
  PetscCall(MatSetValue(A, 3, n * n - 2, -0.5, INSERT_VALUES));
  PetscCall(MatSetValue(A, n * n - 2, 3, -0.5, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(ExpectPhases(ksp, 1, 1));
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}

/// Uses five solvers in turn, and destroys them first, last and middle; matrices are destroyed before solvers.
PetscErrorCode Several(bool leak) {
  constexpr int count = 5;
  Mat A[count];
  KSP ksp[count];
  for (int i = 0; i < count; ++i) {
    PetscCall(Poisson(8 + i, 1 + i, &A[i]));
    PetscCall(MakeKsp(A[i], &ksp[i]));
  }
  for (int round = 0; round < 2; ++round)
    for (int i : {3, 0, 4, 1, 2}) PetscCall(SolveAndCheck(ksp[i], A[i]));
  PetscCall(KSPDestroy(&ksp[0]));
  PetscCall(KSPDestroy(&ksp[4]));
  PetscCall(KSPReset(ksp[1]));
  PetscCall(KSPSetOperators(ksp[1], A[1], A[1]));
  PetscCall(SolveAndCheck(ksp[1], A[1]));
  for (int i : {0, 2, 4}) PetscCall(MatDestroy(&A[i]));
  PetscCall(KSPDestroy(&ksp[2]));
  PetscCall(SolveAndCheck(ksp[3], A[3]));
  if (leak) return PETSC_SUCCESS;  // two solvers are never destroyed
  for (int i : {3, 1}) PetscCall(KSPDestroy(&ksp[i]));
  for (int i : {3, 1}) PetscCall(MatDestroy(&A[i]));
  return PETSC_SUCCESS;
}

/// Runs -updates numeric phases, with a solve after each.
PetscErrorCode Updates() {
  Mat A;
  KSP ksp;
  PetscInt updates = 1;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-updates", &updates, NULL));
  PetscCall(Poisson(20, 1, &A));
  PetscCall(MakeKsp(A, &ksp));
  for (PetscInt step = 1; step <= updates; ++step) {
    PetscCall(MatScale(A, 1.25));
    PetscCall(SolveAndCheck(ksp, A));
    PetscCall(ExpectPhases(ksp, 1, step));
  }
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}

/// Solves by PCs of PETSc's own, without an option of the plugin. Prints those that fail.
PetscErrorCode SolveByPetscAlone() {
  Mat A;
  PetscCall(Poisson(12, 1, &A));
  for (PCType type : {PCJACOBI, PCSOR, PCEISENSTAT, PCILU, PCBJACOBI, PCASM, PCGAMG}) {
    KSP ksp;
    PC pc;
    Vec x, b;
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, "native_"));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, type));
    PetscErrorCode const code = KSPSolve(ksp, b, x);
    if (code) std::printf("child: error %d in PETSc's own %s\n", (int)code, type);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  return MatDestroy(&A);
}

/// Makes a PC of type asm, and sets it up for three sets of values of A.
/// @param asks  for submatrices' values by the plugin
PetscErrorCode SetUpAsm(Mat A, bool asks) {
  PC pc;
  PetscCall(PetscOptionsSetValue(NULL, "-asking_pc_submatrices_sptrsv", "1"));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOptionsPrefix(pc, asks ? "asking_" : "native_"));
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCSetOperators(pc, A, A));
  for (int round = 0; round < 3; ++round) {
    PetscCall(MatScale(A, 1.25));
    PetscCall(PCSetUp(pc));
    PetscCall(PCSetUpOnBlocks(pc));
  }
  return PCDestroy(&pc);
}

/// Forks. The child inherits solvers, but none of Kokkos' threads. Prints how the child ends: its exit status is
/// PETSc's error.
PetscErrorCode Fork() {
  Mat A;
  KSP ksp;
  int status = 0;
  PetscCall(Poisson(12, 1, &A));
  PetscCall(MakeKsp(A, &ksp));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(SetUpAsm(A, true));
  std::fflush(stdout);
  pid_t const child = fork();
  if (!child) {
    alarm(20);
    PetscErrorCode const code = SolveAndCheck(ksp, A);
    if (SetUpAsm(A, false)) std::puts("child: error in PETSc's own asm of a matrix whose other PC asks");
    if (KSPDestroy(&ksp) || MatDestroy(&A)) std::puts("child: not destroyed");
    PetscErrorCode const other = OneSolve();
    if (other != code) std::printf("child: error %d in an inherited solver, %d in a new one\n", (int)code, (int)other);
    if (SolveByPetscAlone()) std::puts("child: PETSc's own PCs not tried");
    std::exit((int)code);
  }
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("child: ended by signal %d\n", WTERMSIG(status));
  else std::printf("child: error %d\n", WEXITSTATUS(status));
  PetscCall(SolveAndCheck(ksp, A));
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}

constexpr double bytes_allowed = 100;     ///< mean growth per round after the warm-up
constexpr double resident_allowed = 4e6;  ///< total growth: how many pages the heap keeps is not exact

double ResidentBytes() {
  PetscLogDouble bytes = 0;
  return PetscMemoryGetCurrentUsage(&bytes) ? 0 : bytes;
}

struct Settings {
  PetscInt rounds = 1000, warm_up = 200, kinds = 1;
  char leak[16] = "";
};

PetscErrorCode ReadSettings(Settings* s) {
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &s->rounds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-warm_up", &s->warm_up, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-kinds", &s->kinds, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-leak", s->leak, sizeof(s->leak), NULL));
  PetscCheck(s->kinds > 0 && s->warm_up > 0 && s->rounds > s->warm_up, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Give -rounds more than -warm_up, and -kinds");
  return PETSC_SUCCESS;
}

PetscErrorCode Leak(KSP ksp, Settings const& s) {
  PC pc;
  Mat F;
  if (std::string("bytes") == s.leak) {
    static void* volatile last;  // keeps the compiler from removing the allocation
    last = std::calloc(8192, 1);
    PetscCheck(last, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to leak");
  } else if (std::string("factor") == s.leak) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(PetscObjectReference((PetscObject)F));
  } else PetscCheck(!s.leak[0], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "No leak %s", s.leak);
  return PETSC_SUCCESS;
}

/// Runs a round: sets up and solves, in some rounds again with new values, in some transposed; then destroys
/// everything.
PetscErrorCode Round(PetscInt round, Settings const& s) {
  Mat A;
  KSP ksp;
  std::string const prefix = "k" + std::to_string(round % s.kinds) + "_";
  PetscCall(Poisson(12 + 2 * (round % 6), 1, &A, prefix.c_str()));
  PetscCall(MakeKsp(A, &ksp, prefix.c_str()));
  PetscCall(SolveAndCheck(ksp, A));
  if (round % 3 == 0) {
    PetscCall(MatShift(A, 0.5));
    PetscCall(SolveAndCheck(ksp, A));
  }
  if (round % 4 == 0) PetscCall(SolveAndCheck(ksp, A, true));
  PetscCall(Leak(ksp, s));
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}

PetscErrorCode Soak() {
  Settings s;
  double allocated = 0, resident = 0;
  PetscCall(ReadSettings(&s));
  for (PetscInt round = 0; round < s.rounds; ++round) {
    if (round == s.warm_up) {
      allocated = petsc_test::AllocatedBytes();
      resident = ResidentBytes();
    }
    PetscCall(Round(round, s));
  }
  double const grown = petsc_test::AllocatedBytes() - allocated, grown_resident = ResidentBytes() - resident;
  int const counted = static_cast<int>(s.rounds - s.warm_up);
  std::printf("%d solvers after %d: allocated memory grew by %.0f bytes from %.0f, resident memory by %.0f from %.0f\n",
              counted, static_cast<int>(s.warm_up), grown, allocated, grown_resident, resident);
  PetscCheck(resident > 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "Resident memory is not known on this system");
  PetscCheck(grown <= bytes_allowed * counted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Memory leaks: %g bytes a solver",
             grown / counted);
  PetscCheck(grown_resident <= resident_allowed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Resident memory grew by %g bytes",
             grown_resident);
  return PETSC_SUCCESS;
}

PetscErrorCode RunMode(char const* mode, int argc, char** argv) {
  bool const twice = !std::strcmp(mode, "twice");
  for (int round = 0; round < (twice ? 3 : 1); ++round) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    if (!std::strcmp(mode, "changes")) PetscCall(Changes());
    else if (!std::strcmp(mode, "several")) PetscCall(Several(false));
    else if (!std::strcmp(mode, "leak")) PetscCall(Several(true));
    else if (!std::strcmp(mode, "updates")) PetscCall(Updates());
    else if (!std::strcmp(mode, "soak")) PetscCall(Soak());
    else if (!std::strcmp(mode, "fork")) PetscCall(Fork());
    else if (twice || !std::strncmp(mode, "exit", 4)) PetscCall(OneSolve());
    else SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "No mode %s", mode);
    if (!std::strcmp(mode, "exit") || !std::strcmp(mode, "exit_alive")) {
      if (!std::strcmp(mode, "exit_alive")) PetscCall(Several(true));
      std::puts("done");
      std::exit(0);  // without PetscFinalize()
    }
    PetscCall(PetscFinalize());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char const* mode = argv[1];
  bool const twice = !std::strcmp(mode, "twice");
  if (twice && MPI_Init(&argc, &argv)) return 2;  // MPI starts once in a process, PETSc any number of times
  if (RunMode(mode, argc, argv)) return 1;
  if (twice && MPI_Finalize()) return 2;
  std::puts("done");
  return 0;
}
