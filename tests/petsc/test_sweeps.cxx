// SPDX-License-Identifier: Apache-2.0
// Compares MatSOR() by the plugin, row by row, with PETSc's own: directions, guesses, omega, shifts, Eisenstat's form,
// inodes, orders, ranks, changes of the matrix; and Krylov methods with the PC types sor and eisenstat.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "factor_pair.hpp"

namespace petsc_test {
namespace {

constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 2e-5 : 2e-13;

/// Returns a type of matrix: that of the option -sweeps_mat_type, or aij.
std::string MatTypeOfRun()
{
  char type[64] = MATAIJ;
  (void)PetscOptionsGetString(NULL, NULL, "-sweeps_mat_type", type, sizeof type, NULL);
  return type;
}

/// Makes a diagonally dominant matrix of a grid on all ranks, without inodes if the type of the run has none.
/// @param dof  unknowns of a node, coupled with each other: inodes if more than 1
PetscErrorCode MakeMatrix(PetscInt side, PetscInt dof, char const* type, int round, Mat* A)
{
  PetscInt const n = side * side * dof;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(*A, dof));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5 * dof + 1, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5 * dof + 1, NULL, 5 * dof + 1, NULL));
  // before the assembly: afterwards PETSc's eisenstat multiplies by blocks that its sweeps have not made
  if (MatTypeOfRun() == "aijcusparse") PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt const node = i / dof, column = node % side;
    for (PetscInt distance : {-side, (PetscInt)-1, (PetscInt)0, (PetscInt)1, side}) {
      PetscInt const to = node + distance;
      bool const inside = (distance != -1 || column > 0) && (distance != 1 || column + 1 < side);
      if (to < 0 || to >= side * side || !inside) continue;
      for (PetscInt c = 0; c < dof; ++c) {
        PetscInt const j = to * dof + c;
        PetscReal const varied = (PetscReal)((3 * i + 5 * j + round) % 11) / 40;
        PetscCall(MatSetValue(*A, i, j, i == j ? 4 * dof + varied : -0.6 - varied, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One matrix with sweeps of PETSc's own, and a copy with the plugin's.
struct Pair {
  Mat petscs = nullptr, ours = nullptr;
  PC pc = nullptr;  // installs the plugin's
  Vec b = nullptr, x[2] = {nullptr, nullptr}, scale = nullptr;

  PetscErrorCode Create(PetscInt side, PetscInt dof, std::string const& prefix, PCType type = PCSOR)
  {
    PetscFunctionBegin;
    PetscCall(MakeMatrix(side, dof, MATAIJ, 0, &petscs));
    PetscCall(MakeMatrix(side, dof, MatTypeOfRun().c_str(), 0, &ours));
    PetscCall(MatCreateVecs(petscs, &x[0], &b));
    PetscCall(VecDuplicate(b, &scale));
    PetscCall(VecSet(scale, 1));
    PetscCall(MatCreateVecs(ours, &x[1], NULL));
    PetscCall(FillVec(b, 3));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOptionsPrefix(pc, prefix.c_str()));
    PetscCall(PCSetType(pc, type));
    PetscCall(PCSetOperators(pc, ours, ours));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCSetUp(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    PetscCall(PCDestroy(&pc));
    for (Mat* m : {&petscs, &ours}) PetscCall(MatDestroy(m));
    for (Vec* v : {&b, &x[0], &x[1], &scale}) PetscCall(VecDestroy(v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// Runs MatSOR() with both matrices, and compares.
  /// @param exact  to the bit
  PetscErrorCode Compare(std::string const& what, int flag, PetscReal omega, PetscReal shift, PetscInt its,
                         PetscInt lits, bool exact = false)
  {
    Vec right;

    PetscFunctionBegin;
    PetscCall(VecDuplicate(x[1], &right));
    PetscCall(CopyTo(b, right));
    for (Vec v : x) PetscCall(VecSet(v, 0.25));
    PetscCall(MatSOR(petscs, b, omega, (MatSORType)flag, shift, its, lits, x[0]));
    PetscCall(MatSOR(ours, right, omega, (MatSORType)flag, shift, its, lits, x[1]));
    PetscCall(ExpectRows(what, x[0], x[1], scale, exact ? 0 : rounding));
    PetscCall(VecDestroy(&right));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// Copies between vectors of different types.
  static PetscErrorCode CopyTo(Vec from, Vec to)
  {
    PetscScalar const* f;
    PetscScalar* t;
    PetscInt n;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(from, &n));
    PetscCall(VecGetArrayRead(from, &f));
    PetscCall(VecGetArrayWrite(to, &t));
    PetscCall(PetscArraycpy(t, f, n));
    PetscCall(VecRestoreArrayWrite(to, &t));
    PetscCall(VecRestoreArrayRead(from, &f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// Sets new values in both matrices, or a new pattern.
  PetscErrorCode Change(PetscReal factor, bool pattern)
  {
    PetscFunctionBegin;
    for (Mat m : {petscs, ours}) {
      if (pattern) {
        PetscInt first;
        PetscCall(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        PetscCall(MatGetOwnershipRange(m, &first, NULL));
        PetscCall(MatSetValue(m, first, first + 5, -0.125, INSERT_VALUES));
        PetscCall(MatSetValue(m, first + 5, first, -0.25, INSERT_VALUES));
        PetscCall(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
      }
      PetscCall(MatScale(m, factor));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

bool OnHost() { return MatTypeOfRun() == MATAIJ; }

PetscErrorCode CompareAll(std::string const& prefix, PetscInt dof)
{
  Pair p;
  struct Numbers {
    PetscReal omega, shift;
  };

  PetscFunctionBegin;
  PetscCall(p.Create(9, dof, prefix));
  for (Numbers const n : {Numbers{1, 0}, Numbers{1.4, 0}, Numbers{0.7, 0.3}, Numbers{1, 0.5}, Numbers{1, -0.2}})
    for (int const local : {1, 4})  // SOR_FORWARD_SWEEP and SOR_LOCAL_FORWARD_SWEEP
      for (int const kind : {1, 2, 3})
        for (bool const zero_guess : {true, false})
          for (PetscInt const times : {1, 2}) {
            if (local == 1 && !OneRank()) continue;
            std::string const what = prefix + (dof > 1 ? "by inodes, " : "") + "flags " + std::to_string(local * kind) +
                                     ", omega " + std::to_string((double)n.omega) + ", shift " +
                                     std::to_string((double)n.shift) + (zero_guess ? ", zero guess" : ", guess") +
                                     ", times " + std::to_string(times);
            // tiles sum in an order of their own; compilers and Kokkos divide complex numbers differently
            bool const in_order = prefix != "tiled_sweeps_" && !PetscDefined(USE_COMPLEX);
            bool const exact = OnHost() && in_order && zero_guess && kind != 3 && times == 1 && dof == 1;
            PetscCall(p.Compare(what, local * kind | (zero_guess ? SOR_ZERO_INITIAL_GUESS : 0), n.omega, n.shift, times,
                                1, exact));
          }
  PetscCall(p.Compare(prefix + "its and lits", SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 1, 0, 2, 3));
  if (OneRank())
    for (Numbers const n : {Numbers{1, 0}, Numbers{1.4, 0}, Numbers{0.7, 0.3}}) {
      PetscCall(p.Compare(prefix + "Eisenstat", SOR_EISENSTAT, n.omega, n.shift, 1, 1));
      // PETSc's sweeps by inodes ignore SOR_APPLY_UPPER
      if (dof == 1 || n.omega != 1) PetscCall(p.Compare(prefix + "U", SOR_APPLY_UPPER, n.omega, n.shift, 1, 1));
    }
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Sweeps, HaveTheResultsOfPetsc)
{
  for (char const* prefix : {"sweeps_", "sequential_sweeps_", "syncfree_sweeps_", "tiled_sweeps_"})
    for (PetscInt const dof : {1, 3}) ASSERT_EQ(CompareAll(prefix, dof), PETSC_SUCCESS);
}

PetscErrorCode CompareChanges(PetscInt dof)
{
  Pair p;
  int const flags = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;

  PetscFunctionBegin;
  PetscCall(p.Create(8, dof, "sweeps_"));
  PetscCall(p.Compare("before changes", flags, 1, 0, 1, 1));
  for (bool const pattern : {false, true, false, true}) {
    PetscCall(p.Change(1.25, pattern));
    PetscCall(p.Compare(pattern ? "new pattern" : "new values", flags, 1, 0, 1, 1));
  }
  PetscCall(p.Compare("other omega", flags, 1.2, 0, 1, 1));
  PetscCall(p.Compare("omega as before", flags, 1, 0, 1, 1));
  // PETSc's own after the PC's option has changed, and ours again
  for (char const* type : {"off", "levelset"}) {
    PetscCall(PetscOptionsSetValue(NULL, "-sweeps_pc_sor_sptrsv", type));
    PetscCall(p.Change(0.75, false));
    PetscCall(PCReset(p.pc));
    PetscCall(PCSetOperators(p.pc, p.ours, p.ours));
    PetscCall(PCSetUp(p.pc));
    PetscCall(p.Compare(std::string("type ") + type, flags, 1, 0, 1, 1));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-sweeps_pc_sor_sptrsv", "sptrsv"));
  PetscCall(PCDestroy(&p.pc));  // the matrix keeps its sweeps
  PetscCall(p.Change(1.5, false));
  PetscCall(p.Compare("after the PC", flags, 1, 0, 1, 1));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Sweeps, FollowChangesOfTheMatrix)
{
  for (PetscInt const dof : {1, 3}) ASSERT_EQ(CompareChanges(dof), PETSC_SUCCESS);
}

/// Compares sweeps in the order `color` with PETSc's sweeps over the permuted matrix.
PetscErrorCode CompareOrder(PetscReal omega, bool zero_guess)
{
  Pair p;
  Mat permuted;
  IS rows, cols, inverse;
  Vec right, x, ours;

  PetscFunctionBegin;
  PetscCall(p.Create(8, 1, "color_sweeps_"));
  PetscCall(MatGetOrdering(p.petscs, "color", &rows, &cols));
  PetscCall(MatPermute(p.petscs, rows, rows, &permuted));
  PetscCall(ISInvertPermutation(rows, PETSC_DECIDE, &inverse));
  PetscCall(VecDuplicate(p.b, &right));
  PetscCall(VecDuplicate(p.b, &x));
  PetscCall(VecDuplicate(p.x[1], &ours));
  PetscCall(VecCopy(p.b, right));
  PetscCall(VecPermute(right, rows, PETSC_FALSE));
  PetscCall(FillVec(x, 8));
  PetscCall(Pair::CopyTo(x, p.x[1]));
  PetscCall(VecPermute(x, rows, PETSC_FALSE));
  PetscCall(Pair::CopyTo(p.b, ours));
  auto const flag = (MatSORType)(SOR_SYMMETRIC_SWEEP | (zero_guess ? SOR_ZERO_INITIAL_GUESS : 0));
  PetscCall(MatSOR(permuted, right, omega, flag, 0, 2, 1, x));
  PetscCall(MatSOR(p.ours, ours, omega, flag, 0, 2, 1, p.x[1]));
  PetscCall(VecPermute(x, inverse, PETSC_FALSE));
  PetscCall(ExpectRows("in the order color", x, p.x[1], p.scale, rounding));
  for (IS* is : {&rows, &cols, &inverse}) PetscCall(ISDestroy(is));
  for (Vec* v : {&right, &x, &ours}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&permuted));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(SweepsOnOneRank, InAnOrder)
{
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  for (PetscReal const omega : {1.0, 1.3})
    for (bool const zero_guess : {true, false}) ASSERT_EQ(CompareOrder(omega, zero_guess), PETSC_SUCCESS);
}

/// Solves with PETSc's own sweeps and with the plugin's, and compares iterations and solutions.
PetscErrorCode CompareKsp(KSPType ksp_type, PCType pc_type, PetscInt dof, bool guess)
{
  Mat A[2];
  PetscInt steps[2];
  Vec x[2], scale, right[2];
  std::string const what = std::string(ksp_type) + " with " + pc_type + (guess ? ", guess" : "");

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    KSP ksp;
    PC pc;
    PetscCall(MakeMatrix(12, dof, k ? MatTypeOfRun().c_str() : MATAIJ, 1, &A[k]));
    PetscCall(MatCreateVecs(A[k], &x[k], &right[k]));
    PetscCall(FillVec(right[k], 5));
    PetscCall(VecSet(x[k], 0.5));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, k ? "sweeps_" : "petscs_"));
    PetscCall(KSPSetType(ksp, ksp_type));
    PetscCall(KSPSetOperators(ksp, A[k], A[k]));
    PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)guess));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, pc_type));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, right[k], x[k]));
    PetscCall(KSPGetIterationNumber(ksp, &steps[k]));
    PetscCall(KSPDestroy(&ksp));
  }
  EXPECT_EQ(steps[1], steps[0]) << what;
  EXPECT_GT(steps[0], 1) << what;
  PetscCall(VecDuplicate(x[0], &scale));
  PetscCall(VecSet(scale, 1));
  PetscCall(ExpectRows(what, x[0], x[1], scale, 1e4 * rounding));
  PetscCall(VecDestroy(&scale));
  for (int k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&A[k]));
    PetscCall(VecDestroy(&x[k]));
    PetscCall(VecDestroy(&right[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Sweeps, PreconditionKrylovMethods)
{
  for (bool const guess : {false, true}) {
    for (PetscInt const dof : {1, 3}) {
      ASSERT_EQ(CompareKsp(KSPGMRES, PCSOR, dof, guess), PETSC_SUCCESS);
      ASSERT_EQ(CompareKsp(KSPRICHARDSON, PCSOR, dof, guess), PETSC_SUCCESS);
      ASSERT_EQ(CompareKsp(KSPBCGS, PCSOR, dof, guess), PETSC_SUCCESS);
    }
    // PETSc 3.18's own fails on several ranks: it multiplies by diagonal blocks, which its seqaij does not have
    if (OneRank()) {
      ASSERT_EQ(CompareKsp(KSPGMRES, PCEISENSTAT, 1, guess), PETSC_SUCCESS);
      ASSERT_EQ(CompareKsp(KSPGMRES, PCEISENSTAT, 3, guess), PETSC_SUCCESS);
    }
  }
}

/// Checks the errors for diagonals: that of a zero is PETSc's; a missing entry names the row.
PetscErrorCode CheckDiagonals()
{
  Pair p;
  Mat missing;
  int const flags = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  auto const sweep = [&](Mat m, Vec x, PetscReal shift) {
    return Catch([&] { return MatSOR(m, p.b, 1, (MatSORType)flags, shift, 1, 1, x); });
  };

  PetscFunctionBegin;
  PetscCall(p.Create(6, 1, "sweeps_"));
  for (Mat m : {p.petscs, p.ours}) {
    PetscCall(MatSetValue(m, 17, 17, 0, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  }
  auto const expected = sweep(p.petscs, p.x[0], 0), got = sweep(p.ours, p.x[1], 0);
  EXPECT_EQ(got.code, expected.code);
  EXPECT_EQ(got.message, expected.message);
  EXPECT_EQ(sweep(p.ours, p.x[1], 0).code, expected.code) << "the second time";
  for (int k = 0; k < 2; ++k) {  // a negative shift makes it a failure that the PC reports
    MatFactorError error;
    Mat const m = k ? p.ours : p.petscs;
    PetscCall(MatSOR(m, p.b, 1, (MatSORType)flags, -1, 1, 1, p.x[k]));
    PetscCall(MatFactorGetError(m, &error));
    EXPECT_EQ(error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  }
  PetscCall(p.Compare("a shift for a zero", flags, 1, 0.5, 1, 1));
  PetscCall(PCDestroy(&p.pc));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 36, 36, 2, NULL, &missing));
  for (PetscInt i = 0; i < 36; ++i)
    if (i != 7) PetscCall(MatSetValue(missing, i, i, 2, INSERT_VALUES));
  PetscCall(MatSetOption(missing, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(missing, 7, 3, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(missing, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(missing, MAT_FINAL_ASSEMBLY));
  PetscCall(PCCreate(PETSC_COMM_SELF, &p.pc));
  PetscCall(PCSetOptionsPrefix(p.pc, "sweeps_"));
  PetscCall(PCSetType(p.pc, PCSOR));
  PetscCall(PCSetOperators(p.pc, missing, missing));
  PetscCall(PCSetUp(p.pc));
  auto const none = sweep(missing, p.x[0], 0);
  EXPECT_EQ(none.code, PETSC_ERR_ARG_WRONGSTATE);
  EXPECT_NE(none.message.find("row 7 has no diagonal entry"), std::string::npos) << none.message;
  PetscCall(MatDestroy(&missing));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(SweepsOnOneRank, ZeroAndMissingDiagonals)
{
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CheckDiagonals(), PETSC_SUCCESS);
}

/// Checks that PCSetUp() analyzes the matrix and takes its values, and that sweeps do neither.
PetscErrorCode CheckSetUp()
{
  Pair p;
  auto const view = [&](std::string* text) -> PetscErrorCode {
    char name[PETSC_MAX_PATH_LEN];
    PetscViewer viewer;
    PetscFunctionBegin;
    PetscCall(PetscSNPrintf(name, sizeof name, "sweeps_view_%d.txt", (int)getpid()));
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, name, &viewer));
    PetscCall(PCView(p.pc, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    std::stringstream contents;
    contents << std::ifstream(name).rdbuf();
    *text = contents.str();
    std::remove(name);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  std::string fresh, renewed, applied;

  PetscFunctionBegin;
  PetscCall(p.Create(6, 1, "sweeps_"));
  PetscCall(view(&fresh));
  PetscCall(MatScale(p.ours, 2));
  PetscCall(PCSetUp(p.pc));
  PetscCall(view(&renewed));
  PetscCall(PCApply(p.pc, p.b, p.x[1]));
  PetscCall(view(&applied));
  EXPECT_NE(fresh.find("1 analysis, 1 numeric update, 0 solves"), std::string::npos) << fresh;
  EXPECT_NE(renewed.find("1 analysis, 2 numeric updates, 0 solves"), std::string::npos) << renewed;
  EXPECT_NE(applied.find("1 analysis, 2 numeric updates, 1 solve\n"), std::string::npos) << applied;
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(SweepsOnOneRank, AnalyzeInTheSetUp)
{
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CheckSetUp(), PETSC_SUCCESS);
}

PetscErrorCode CheckRefusals()
{
  Mat A;
  auto const set_up = [&](char const* prefix) {
    return Catch([&]() -> PetscErrorCode {
      PC pc;
      PetscFunctionBegin;
      PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
      PetscCall(PCSetOptionsPrefix(pc, prefix));
      PetscCall(PCSetType(pc, PCSOR));
      PetscCall(PCSetOperators(pc, A, A));
      PetscErrorCode const code = PCSetUp(pc);
      PetscCall(PCDestroy(&pc));
      PetscCall(code);
      PetscFunctionReturn(PETSC_SUCCESS);
    });
  };

  PetscFunctionBegin;
  PetscCall(MakeMatrix(5, 1, MATAIJ, 0, &A));
  for (auto const& [name, value] :
       {std::pair("-unknown_pc_sor_sptrsv", "fastest"), std::pair("-both_pc_sor_sptrsv", "off"),
        std::pair("-both_pc_sor_ordering", "color")})
    PetscCall(PetscOptionsSetValue(NULL, name, value));
  auto const unknown = set_up("unknown_"), both = set_up("both_");
  EXPECT_EQ(unknown.code, PETSC_ERR_ARG_UNKNOWN_TYPE);
  EXPECT_NE(unknown.message.find("-unknown_pc_sor_sptrsv is 'fastest'; choose one of off, "), std::string::npos)
      << unknown.message;
  EXPECT_EQ(both.code, PETSC_ERR_ARG_INCOMP);
  EXPECT_NE(both.message.find("-both_pc_sor_ordering color"), std::string::npos) << both.message;
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that ranks without rows, and a matrix that has lost what was composed with it, sweep as PETSc's.
PetscErrorCode CheckEmptyRanksAndLostState()
{
  Pair p;
  Mat more[2];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(p.Create(1, 1, "sweeps_"));  // one row
  PetscCall(p.Compare("one row", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 2, 1));
  PetscCall(p.Destroy());
  PetscCall(p.Create(5, 1, "sweeps_"));
  for (int k = 0; k < 2; ++k) {
    PetscCall(MakeMatrix(5, 1, k ? MatTypeOfRun().c_str() : MATAIJ, 1, &more[k]));
    PetscCall(MatSetOption(more[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetValue(more[k], 0, 24, 0.5, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(more[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(more[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAXPY(k ? p.ours : p.petscs, 1, more[k], DIFFERENT_NONZERO_PATTERN));
  }
  PetscCall(p.Compare("after MatAXPY()", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 1, 1));
  PetscCall(PCSetUp(p.pc));
  PetscCall(p.Compare("after another set-up", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 1, 1));
  for (Mat& m : more) PetscCall(MatDestroy(&m));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that each of two PCs with one matrix sweeps as its own options say, whichever was set up last.
PetscErrorCode CheckTwoOfOneMatrix()
{
  Mat A;
  Vec b, x[2], again;
  PC pc[2];
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(MakeMatrix(6, 1, MatTypeOfRun().c_str(), 0, &A));
  PetscCall(MatCreateVecs(A, &b, &again));
  PetscCall(VecSet(b, 1));
  PetscCall(PetscOptionsSetValue(NULL, "-one_pc_sor_sptrsv", "levelset"));
  PetscCall(PetscOptionsSetValue(NULL, "-two_pc_sor_ordering", "color"));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc[k]));
    PetscCall(PCSetOptionsPrefix(pc[k], k ? "two_" : "one_"));
    PetscCall(PCSetType(pc[k], PCSOR));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(PCSetUp(pc[k]));
    PetscCall(PCApply(pc[k], b, x[k]));
  }
  PetscCall(VecEqual(x[0], x[1], &same));
  EXPECT_FALSE(same);
  for (int k : {0, 1, 0}) {
    PetscCall(PCApply(pc[k], b, again));
    PetscCall(VecEqual(again, x[k], &same));
    EXPECT_TRUE(same) << "PC " << k;
  }
  for (int k = 0; k < 2; ++k) {
    PetscCall(PCDestroy(&pc[k]));
    PetscCall(VecDestroy(&x[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&again));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Sweeps, TwoPcsOfOneMatrix) { ASSERT_EQ(CheckTwoOfOneMatrix(), PETSC_SUCCESS); }

TEST(Sweeps, EmptyRanksAndLostState) { ASSERT_EQ(CheckEmptyRanksAndLostState(), PETSC_SUCCESS); }

TEST(Sweeps, WrongOptionsAreRefused) { ASSERT_EQ(CheckRefusals(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
