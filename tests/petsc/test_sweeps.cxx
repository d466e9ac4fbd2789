// SPDX-License-Identifier: Apache-2.0
// Compares MatSOR() by the plugin, row by row, with PETSc's own: directions, guesses, omega, shifts, Eisenstat's form,
// inodes, orders, ranks, changes of the matrix.
#include "sweep_pair.hpp"

namespace petsc_test {
namespace {

bool OnHost() { return MatTypeOfRun() == MATAIJ; }

PetscErrorCode CompareAll(std::string const& type, PetscInt dof) {
  SweepPair p;
  struct Numbers {
    PetscReal omega, shift;
  };
  PetscCall(p.Create(9, dof, ("pc_sor_sptrsv " + type).c_str()));
  for (Numbers const n : {Numbers{1, 0}, Numbers{1.4, 0}, Numbers{0.7, 0.3}, Numbers{1, 0.5}, Numbers{1, -0.2}})
    for (int const local : {1, 4})  // SOR_FORWARD_SWEEP and SOR_LOCAL_FORWARD_SWEEP
      for (int const kind : {1, 2, 3})
        for (bool const zero_guess : {true, false})
          for (PetscInt const times : {1, 2}) {
            if (local == 1 && !OneRank()) continue;
            std::string const what = type + (dof > 1 ? ", by inodes" : "") + ", flags " + std::to_string(local * kind) +
                                     ", omega " + std::to_string((double)n.omega) + ", shift " +
                                     std::to_string((double)n.shift) + (zero_guess ? ", zero guess" : ", guess") +
                                     ", times " + std::to_string(times);
            // tiles sum in an order of their own; compilers and Kokkos divide complex numbers differently
            bool const in_order = type != "tiled" && !PetscDefined(USE_COMPLEX);
            bool const exact = OnHost() && in_order && zero_guess && kind != 3 && times == 1 && dof == 1;
            PetscCall(p.Compare(what, local * kind | (zero_guess ? SOR_ZERO_INITIAL_GUESS : 0), n.omega, n.shift, times,
                                1, exact));
          }
  PetscCall(p.Compare(type + ", its and lits", SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 1, 0, 2, 3));
  for (int const kind : {4, 8, 12})  // PETSc's own sweeps, which leave x as it is
    for (int const guess : {0, (int)SOR_ZERO_INITIAL_GUESS})
      PetscCall(p.Compare(type + ", omega 0", kind | guess, 0, 0, 1, 1));
  if (OneRank())
    for (Numbers const n : {Numbers{1, 0}, Numbers{1.4, 0}, Numbers{0.7, 0.3}}) {
      PetscCall(p.Compare(type + ", Eisenstat", SOR_EISENSTAT, n.omega, n.shift, 1, 1));
      // PETSc's sweeps by inodes ignore SOR_APPLY_UPPER
      if (dof == 1 || n.omega != 1) PetscCall(p.Compare(type + ", U", SOR_APPLY_UPPER, n.omega, n.shift, 1, 1));
    }
  return p.Destroy();
}

TEST(Sweeps, HaveTheResultsOfPetsc) {
  for (char const* type : {"sptrsv", "sequential", "syncfree", "tiled"})
    for (PetscInt const dof : {1, 3}) ASSERT_EQ(CompareAll(type, dof), PETSC_SUCCESS);
}

PetscErrorCode CompareChanges(PetscInt dof) {
  SweepPair p;
  int const flags = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  PetscCall(p.Create(8, dof));
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
  PetscCall(PCDestroy(&p.pc));  // then PETSc sweeps
  PetscCall(p.Change(1.5, false));
  PetscCall(p.Compare("after the PC", flags, 1, 0, 1, 1));
  return p.Destroy();
}

TEST(Sweeps, FollowChangesOfTheMatrix) {
  for (PetscInt const dof : {1, 3}) ASSERT_EQ(CompareChanges(dof), PETSC_SUCCESS);
}

/// Compares sweeps in the order `color` with PETSc's sweeps over the permuted matrix.
PetscErrorCode CompareOrder(PetscReal omega, bool zero_guess) {
  SweepPair p;
  Mat permuted;
  IS rows, cols, inverse;
  Vec right, x, ours;
  PetscCall(p.Create(8, 1, "pc_sor_ordering color"));
  PetscCall(MatGetOrdering(p.native, "color", &rows, &cols));
  PetscCall(MatPermute(p.native, rows, rows, &permuted));
  PetscCall(ISInvertPermutation(rows, PETSC_DECIDE, &inverse));
  PetscCall(VecDuplicate(p.b, &right));
  PetscCall(VecDuplicate(p.b, &x));
  PetscCall(VecDuplicate(p.x[1], &ours));
  PetscCall(VecCopy(p.b, right));
  PetscCall(VecPermute(right, rows, PETSC_FALSE));
  PetscCall(FillVec(x, 8));
  PetscCall(SweepPair::CopyTo(x, p.x[1]));
  PetscCall(VecPermute(x, rows, PETSC_FALSE));
  PetscCall(SweepPair::CopyTo(p.b, ours));
  auto const flag = (MatSORType)(SOR_SYMMETRIC_SWEEP | (zero_guess ? SOR_ZERO_INITIAL_GUESS : 0));
  PetscCall(MatSOR(permuted, right, omega, flag, 0, 2, 1, x));
  PetscCall(MatSOR(p.ours, ours, omega, flag, 0, 2, 1, p.x[1]));
  PetscCall(VecPermute(x, inverse, PETSC_FALSE));
  PetscCall(ExpectRows("in the order color", x, p.x[1], p.scale, rounding));
  for (IS* is : {&rows, &cols, &inverse}) PetscCall(ISDestroy(is));
  PetscCall(DestroyAll(&right, &x, &ours, &permuted));
  return p.Destroy();
}

TEST(SweepsOnOneRank, InAnOrder) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  for (PetscReal const omega : {1.0, 1.3})
    for (bool const zero_guess : {true, false}) ASSERT_EQ(CompareOrder(omega, zero_guess), PETSC_SUCCESS);
}

/// Checks the errors for diagonals: that of a zero is PETSc's; a missing entry names the row.
PetscErrorCode CheckDiagonals() {
  SweepPair p;
  Mat missing;
  int const flags = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  auto const sweep = [&](Mat m, Vec x, PetscReal shift) {
    return Catch([&] { return MatSOR(m, p.b, 1, (MatSORType)flags, shift, 1, 1, x); });
  };
  PetscCall(p.Create(6, 1));
  for (Mat m : {p.native, p.ours}) {
    PetscCall(MatSetValue(m, 17, 17, 0, INSERT_VALUES));
    PetscCall(Assemble(m));
  }
  auto const expected = sweep(p.native, p.x[0], 0), got = sweep(p.ours, p.x[1], 0);
  EXPECT_EQ(got.code, expected.code);
  EXPECT_EQ(got.message, expected.message);
  EXPECT_EQ(sweep(p.ours, p.x[1], 0).code, expected.code) << "the second time";
  for (int k = 0; k < 2; ++k) {  // a negative shift makes it a failure that the PC reports
    MatFactorError error;
    Mat const m = k ? p.ours : p.native;
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
  PetscCall(Assemble(missing));
  PetscCall(PCCreate(PETSC_COMM_SELF, &p.pc));
  PetscCall(PCSetOptionsPrefix(p.pc, "sweeps_"));
  PetscCall(PCSetType(p.pc, PCSOR));
  PetscCall(PCSetOperators(p.pc, missing, missing));
  PetscCall(PCSetUp(p.pc));
  auto const none = sweep(missing, p.x[0], 0);
  EXPECT_EQ(none.code, PETSC_ERR_ARG_WRONGSTATE);
  EXPECT_NE(none.message.find("row 7 has no diagonal entry"), std::string::npos) << none.message;
  PetscCall(MatDestroy(&missing));
  return p.Destroy();
}

TEST(SweepsOnOneRank, ZeroAndMissingDiagonals) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CheckDiagonals(), PETSC_SUCCESS);
}

/// Checks that ranks without rows, and a matrix that has lost what was composed with it, sweep as PETSc's.
PetscErrorCode CheckEmptyRanksAndLostState() {
  SweepPair p;
  Mat more[2];
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(p.Create(1, 1));  // one row
  PetscCall(p.Compare("one row", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 2, 1));
  PetscCall(p.Destroy());
  PetscCall(p.Create(5, 1));
  for (int k = 0; k < 2; ++k) {
    PetscCall(MakeMatrix(5, 1, k ? MatTypeOfRun().c_str() : MATAIJ, 1, &more[k]));
    PetscCall(MatSetOption(more[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetValue(more[k], 0, 24, 0.5, INSERT_VALUES));
    PetscCall(Assemble(more[k]));
    PetscCall(MatAXPY(k ? p.ours : p.native, 1, more[k], DIFFERENT_NONZERO_PATTERN));
  }
  PetscCall(p.Compare("after MatAXPY()", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 1, 1));
  PetscCall(PCSetUp(p.pc));
  PetscCall(p.Compare("after another set-up", SOR_LOCAL_SYMMETRIC_SWEEP, 1, 0, 1, 1));
  for (Mat& m : more) PetscCall(MatDestroy(&m));
  return p.Destroy();
}

TEST(Sweeps, EmptyRanksAndLostState) { ASSERT_EQ(CheckEmptyRanksAndLostState(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
