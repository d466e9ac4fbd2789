// SPDX-License-Identifier: Apache-2.0
// Odd orders of calls with blocks that are solved together, and what a program can see beside the solution: as PETSc's.
#include <array>
#include <cstdio>
#include <filesystem>

#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

/// @param type  of the PC
PetscErrorCode MakeAs(Three& t, char const* type)
{
  BlockWay way;

  PetscFunctionBegin;
  way.type = type;
  PetscCall(t.Make(way, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An error, not a crash, where the PC has lost its matrix.
PetscErrorCode SetUpBlocksOfNothing(char const* type)
{
  Three t;
  PC pc;

  PetscFunctionBegin;
  SCOPED_TRACE(type);
  PetscCall(MakeAs(t, type));
  PetscCall(t.Compare("before", together_text.c_str()));
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCReset(pc));
    EXPECT_NE(Catch([&] { return KSPSetUpOnBlocks(ksp); }).code, PETSC_SUCCESS);
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, BlocksAreSetUpAfterReset)
{
  ASSERT_EQ(SetUpBlocksOfNothing(PCBJACOBI), PETSC_SUCCESS);
  ASSERT_EQ(SetUpBlocksOfNothing(PCASM), PETSC_SUCCESS);
}

/// A set-up whose values are replaced before anything is solved.
PetscErrorCode ReplaceValues(char const* type)
{
  Three t;
  std::array<KSPConvergedReason, 3> reason;

  PetscFunctionBegin;
  SCOPED_TRACE(type);
  PetscCall(MakeAs(t, type));
  PetscCall(t.Compare("before", together_text.c_str()));
  PetscCall(SetPivot(t.A, 0));
  for (KSP ksp : t.ksp) {
    PetscCall(KSPSetOperators(ksp, t.A, t.A));
    PetscCall(KSPSetUp(ksp));
  }
  PetscCall(SetPivot(t.A, 4));
  for (std::size_t k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetConvergedReason(t.ksp[k], &reason[k]));
    EXPECT_EQ(reason[k], reason[0]) << prefixes[k];
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, ValuesAreReplacedBeforeASolve)
{
  ASSERT_EQ(ReplaceValues(PCBJACOBI), PETSC_SUCCESS);
  ASSERT_EQ(ReplaceValues(PCASM), PETSC_SUCCESS);
}

/// What the blocks' KSPs say of a set-up that fails, before anything is solved.
PetscErrorCode CompareReasons()
{
  Three t;
  PC pc;
  PetscInt n;
  KSP* blocks;
  std::array<std::vector<KSPConvergedReason>, 3> reasons;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(SetPivot(t.A, 0));
  for (std::size_t k = 0; k < 3; ++k) {
    PetscCall(KSPSetUp(t.ksp[k]));
    PetscCall(KSPSetUpOnBlocks(t.ksp[k]));
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &blocks));
    reasons[k].resize((std::size_t)n);
    for (PetscInt b = 0; b < n; ++b) PetscCall(KSPGetConvergedReason(blocks[b], &reasons[k][(std::size_t)b]));
    EXPECT_EQ(reasons[k], reasons[0]) << prefixes[k];
  }
  EXPECT_EQ(reasons[0][1], KSP_DIVERGED_PC_FAILED);
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, BlocksSayThatTheyFailed) { ASSERT_EQ(CompareReasons(), PETSC_SUCCESS); }

PetscErrorCode FailOnce(PC, PetscInt, IS const*, IS const*, Mat*, void* times)
{
  PetscFunctionBegin;
  PetscCheck((*static_cast<int*>(times))++ > 0, PETSC_COMM_SELF, PETSC_ERR_USER, "the program's own error");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The first set-up fails in PETSc's part; the next ones are as if it had not been.
PetscErrorCode FailFirst(char const* type)
{
  Three t;
  PC pc;
  int times[3] = {};

  PetscFunctionBegin;
  SCOPED_TRACE(type);
  PetscCall(MakeAs(t, type));
  for (int k = 0; k < 3; ++k) {
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    PetscCall(PCSetModifySubMatrices(pc, FailOnce, &times[k]));
    EXPECT_NE(Catch([&] { return PCSetUp(pc); }).code, PETSC_SUCCESS) << prefixes[k];
  }
  for (int round = 0; round < 3; ++round) {
    PetscCall(t.Compare("round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, TheFirstSetUpFails) { ASSERT_EQ(FailFirst(PCBJACOBI), PETSC_SUCCESS); }

/// Sizes of what -mat_view writes: the matrix of all blocks is nobody's but ours.
PetscErrorCode ViewMatrices()
{
  PetscMPIInt size;
  std::array<std::uintmax_t, 3> bytes;
  std::string const file = "bjacobi_calls_mat_view.txt";
  std::string const value = "ascii:" + file + ":ascii_info:append";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);  // ranks would write over each other's
  for (std::size_t k = 0; k < 3; ++k) {
    BlockWay const way;
    Mat A;
    KSP ksp;
    std::remove(file.c_str());
    PetscCall(BuildParallelGrid(12, way, &A));
    PetscCall(MakeBlockKsp(A, way, prefixes[k], 3, {}, &ksp));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_view", value.c_str()));
    PetscCall(SolveOnce(ksp));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_view"));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    bytes[k] = std::filesystem::file_size(file);
    EXPECT_EQ(bytes[k], bytes[0]) << prefixes[k];
  }
  EXPECT_GT(bytes[0], 0);
  std::remove(file.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, TheMergedMatrixIsNotViewed) { ASSERT_EQ(ViewMatrices(), PETSC_SUCCESS); }

/// Every kind of application counts as PETSc counts it.
PetscErrorCode CountIterations()
{
  Three t;
  PC pc;
  Vec b, x;
  Mat B, X;
  PetscInt n, N;
  std::array<std::vector<PetscInt>, 3> counts;

  PetscFunctionBegin;
  PetscCall(t.Make({PCICC, 0, MATORDERINGNATURAL, KSPCG}, 3));
  PetscCall(MatCreateVecs(t.A, &b, &x));
  PetscCall(VecSet(b, 1));
  PetscCall(MatGetLocalSize(t.A, &n, NULL));
  PetscCall(MatGetSize(t.A, &N, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, 3, NULL, &B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  for (std::size_t k = 0; k < 3; ++k) {
    KSP* blocks;
    PetscInt its;
    PetscCall(KSPSetUp(t.ksp[k]));
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &blocks));
    auto const count = [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(KSPGetTotalIterations(blocks[1], &its));
      counts[k].push_back(its);
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    PetscCall(PCApply(pc, b, x));
    PetscCall(count());
    PetscCall(PCApplySymmetricLeft(pc, b, x));
    PetscCall(PCApplySymmetricRight(pc, b, x));
    PetscCall(count());
    PetscCall(PCMatApply(pc, B, X));
    PetscCall(count());
    EXPECT_EQ(counts[k], counts[0]) << prefixes[k];
    PetscCall(ExpectView(t.ksp[k], k ? together_text : ""));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiCalls, IterationsAreCounted) { ASSERT_EQ(CountIterations(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
