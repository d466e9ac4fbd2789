// SPDX-License-Identifier: Apache-2.0
// Creates many solvers, one after another, in one process: the memory in use must not grow. Options:
//   -rounds N, -warm_up N   number of solvers, and how many of them run before memory is first measured
//   -kinds K                round r has the prefix k<r % K>_, under which options are set
//   -leak bytes|factor      leaks 8 kB or the factor in each round, to show that leaks are detected
// Exit status 0 and "done" on success; prints the growth of memory.
#include <petscksp.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "allocated_bytes.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

constexpr double bytes_allowed = 100;     ///< mean growth per round after the warm-up
constexpr double resident_allowed = 4e6;  ///< total growth: how many pages the heap keeps is not exact

double ResidentBytes()
{
  PetscLogDouble bytes = 0;
  return PetscMemoryGetCurrentUsage(&bytes) ? 0 : bytes;
}

struct Settings {
  PetscInt rounds = 1000, warm_up = 200, kinds = 1;
  char leak[16] = "";
};

PetscErrorCode ReadSettings(Settings* s)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &s->rounds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-warm_up", &s->warm_up, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-kinds", &s->kinds, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-leak", s->leak, sizeof(s->leak), NULL));
  PetscCheck(s->kinds > 0 && s->warm_up > 0 && s->rounds > s->warm_up, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Give -rounds more than -warm_up, and -kinds");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Builds a five-point stencil on a grid of 12 rows of `side`, with the given diagonal, of the type in the options.
PetscErrorCode BuildMatrix(PetscInt side, PetscScalar diagonal, char const* prefix, Mat* A)
{
  PetscInt const n = 12 * side;
  PetscBool sbaij;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetOptionsPrefix(*A, prefix));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatSeqBAIJSetPreallocation(*A, 2, 8, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, 2, 8, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &sbaij));
  if (sbaij) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(*A, i, i, diagonal, INSERT_VALUES));
    if (i >= side) PetscCall(MatSetValue(*A, i, i - side, -1, INSERT_VALUES));
    if (i + side < n) PetscCall(MatSetValue(*A, i, i + side, -1, INSERT_VALUES));
    if (i % side) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if ((i + 1) % side) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveAndCheck(KSP ksp, Mat A, PetscBool transpose)
{
  Vec b, x, r;
  PetscReal norm, norm_b;

  PetscFunctionBegin;
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
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Leak(KSP ksp, Settings const& s)
{
  PC pc;
  Mat F;

  PetscFunctionBegin;
  if (std::string("bytes") == s.leak) {
    static void* volatile last;  // keeps the compiler from removing the allocation
    last = std::calloc(8192, 1);
    PetscCheck(last, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to leak");
  } else if (std::string("factor") == s.leak) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(PetscObjectReference((PetscObject)F));
  } else PetscCheck(!s.leak[0], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "No leak %s", s.leak);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs a round: sets up and solves, in some rounds again with new values, in some transposed; then destroys
/// everything.
PetscErrorCode Round(PetscInt round, Settings const& s)
{
  Mat A;
  KSP ksp;
  std::string const prefix = "k" + std::to_string(round % s.kinds) + "_";

  PetscFunctionBegin;
  PetscCall(BuildMatrix(12 + round % 11, 4, prefix.c_str(), &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix.c_str()));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(SolveAndCheck(ksp, A, PETSC_FALSE));
  if (round % 3 == 0) {
    PetscCall(MatShift(A, 0.5));
    PetscCall(SolveAndCheck(ksp, A, PETSC_FALSE));
  }
  if (round % 4 == 0) PetscCall(SolveAndCheck(ksp, A, PETSC_TRUE));
  PetscCall(Leak(ksp, s));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Soak()
{
  Settings s;
  double allocated = 0, resident = 0;

  PetscFunctionBegin;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

int main(int argc, char** argv)
{
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  if (Soak()) return 1;
  if (PetscFinalize()) return 2;
  std::puts("done");
  return 0;
}
