// SPDX-License-Identifier: Apache-2.0
// Blocks of a rank solved together, beside PETSc's block Jacobi: on 1, 2 and 4 ranks.
#include "bjacobi_pair.hpp"

namespace petsc_test {
namespace {

constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-12;

std::vector<BlockWay> const& ways()
{
  static std::vector<BlockWay> const all = {
      {PCILU, 0, MATORDERINGNATURAL, KSPGMRES}, {PCILU, 1, MATORDERINGNATURAL, KSPGMRES},
      {PCILU, 0, MATORDERINGRCM, KSPGMRES},     {PCILU, 0, "color", KSPGMRES},
      {PCILU, 2, MATORDERINGRCM, KSPBCGS},      {PCILU, 0, MATORDERINGNATURAL, KSPGMRES, 3},
      {PCILU, 1, MATORDERINGRCM, KSPGMRES, 2},  {PCICC, 0, MATORDERINGNATURAL, KSPCG},
      {PCICC, 1, MATORDERINGRCM, KSPCG},        {PCICC, 0, "color", KSPCG, 2},
      {PCLU, 0, MATORDERINGND, KSPGMRES},       {PCCHOLESKY, 0, MATORDERINGND, KSPCG}};
  return all;
}

std::string NameOf(BlockWay const& way, PetscInt blocks)
{
  return std::string(way.pc) + std::to_string(way.levels) + " " + way.ordering + " dof " + std::to_string(way.dof) +
         ", " + std::to_string(blocks) + " blocks";
}

/// KSPs by the four ways of bjacobi_pair.hpp.
struct Four {
  KSP petsc = nullptr, apart = nullptr, together = nullptr, own = nullptr;

  PetscErrorCode Make(Mat A, BlockWay const& way, PetscInt blocks, std::vector<PetscInt> const& lens = {})
  {
    PetscFunctionBegin;
    PetscCall(MakeBlockKsp(A, way, "petsc_", blocks, lens, &petsc));
    PetscCall(MakeBlockKsp(A, way, "apart_", blocks, lens, &apart));
    PetscCall(MakeBlockKsp(A, way, "together_", blocks, lens, &together));
    PetscCall(MakeBlockKsp(A, way, "own_", blocks, lens, &own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Compare(std::string const& what)
  {
    PetscFunctionBegin;
    PetscCall(ExpectSameApplications(what + ", together beside PETSc", petsc, together, rounding));
    PetscCall(ExpectSameApplications(what + ", together beside apart", apart, together, OnDevice() ? rounding : 0));
    PetscCall(ExpectSameApplications(what + ", factored together beside PETSc", petsc, own, rounding));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    for (KSP* ksp : {&petsc, &apart, &together, &own}) PetscCall(KSPDestroy(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode CompareAll(BlockWay const& way, PetscInt blocks)
{
  Mat A;
  Four four;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(14, way, &A));
  PetscCall(four.Make(A, way, blocks));
  PetscCall(four.Compare(NameOf(way, blocks)));
  if (blocks > 1) {
    PetscCall(ExpectView(four.together, std::to_string(blocks) + " blocks of a rank " + together_text));
    PetscCall(ExpectView(four.own, together_text));
    PetscCall(ExpectView(four.own, way.pc == std::string(PCLU) || way.pc == std::string(PCCHOLESKY)
                                       ? "factored by"
                                       : "factored by sptrsv on the "));
  }
  for (int round = 0; round < 2; ++round) {
    PetscCall(ChangeValues(A, round));
    PetscCall(four.Compare(NameOf(way, blocks) + ", new values"));
    if (blocks > 1) PetscCall(ExpectView(four.own, together_text));
  }
  PetscCall(four.Destroy());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, SolvesAsPetsc)
{
  for (BlockWay const& way : ways())
    for (PetscInt blocks : {1, 2, 8}) ASSERT_EQ(CompareAll(way, blocks), PETSC_SUCCESS);
}

PetscErrorCode CompareUneven(bool empty)
{
  BlockWay const way{PCILU, 1, MATORDERINGRCM, KSPGMRES};
  Mat A;
  Four four;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(11, way, &A));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  std::vector<PetscInt> const lens = empty ? std::vector<PetscInt>{5, 0, n - 5} : std::vector<PetscInt>{1, n - 8, 2, 5};
  PetscCall(four.Make(A, way, (PetscInt)lens.size(), lens));
  PetscCall(four.Compare("uneven blocks"));
  PetscCall(ExpectView(four.together, together_text));
  PetscCall(ExpectView(four.own, together_text));
  PetscCall(four.Destroy());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, UnevenBlocks) { ASSERT_EQ(CompareUneven(false), PETSC_SUCCESS); }
TEST(BJacobi, AnEmptyBlock) { ASSERT_EQ(CompareUneven(true), PETSC_SUCCESS); }

/// Ranks may have different numbers of blocks, and one block is PETSc's own affair.
PetscErrorCode CompareDifferentRanks()
{
  BlockWay const way{};
  Mat A;
  Four four;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(BuildParallelGrid(11, way, &A));
  PetscCall(four.Make(A, way, rank ? 2 + rank : 1));
  PetscCall(four.Compare("as many blocks as the rank says"));
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(ExpectView(four.together, together_text));
  PetscCall(four.Destroy());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, OtherNumbersOnOtherRanks) { ASSERT_EQ(CompareDifferentRanks(), PETSC_SUCCESS); }

PetscErrorCode CompareNewPattern()
{
  BlockWay const way{PCILU, 1, MATORDERINGNATURAL, KSPGMRES};
  Mat A;
  Four four;
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(12, way, &A));
  PetscCall(four.Make(A, way, 3));
  PetscCall(four.Compare("first pattern"));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatSetValue(A, first + 2, first + 7, -0.3, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(four.Compare("another pattern"));
  PetscCall(ExpectView(four.own, together_text));
  PetscCall(ExpectView(four.together, together_text));
  PetscCall(four.Destroy());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, AnotherPattern) { ASSERT_EQ(CompareNewPattern(), PETSC_SUCCESS); }

/// PCReset(), another matrix of another size, and back to a type that is not bjacobi and to it again.
PetscErrorCode CompareAfterReset()
{
  BlockWay const way{PCICC, 0, MATORDERINGNATURAL, KSPCG};
  Mat A, B;
  Four four;
  PC pc;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(10, way, &A));
  PetscCall(BuildParallelGrid(13, way, &B));
  PetscCall(four.Make(A, way, 4));
  PetscCall(four.Compare("before KSPReset()"));
  for (KSP ksp : {four.petsc, four.apart, four.together, four.own}) {
    PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, B, B));
  }
  PetscCall(four.Compare("after KSPReset()"));
  PetscCall(ExpectView(four.together, together_text));
  for (KSP ksp : {four.petsc, four.apart, four.together, four.own}) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(KSPSetUp(ksp));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscCall(PCBJacobiSetLocalBlocks(pc, 2, NULL));
    PetscCall(KSPSetFromOptions(ksp));
  }
  PetscCall(four.Compare("after PCSetType()"));
  PetscCall(ExpectView(four.together, "2 blocks of a rank " + together_text));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));  // before the KSPs
  PetscCall(four.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, ResetAndUsedAgain) { ASSERT_EQ(CompareAfterReset(), PETSC_SUCCESS); }

/// Nothing of ours is said where PETSc factors.
PetscErrorCode ExpectSilence()
{
  BlockWay const way{};
  Mat A;
  KSP ksp;
  std::string text;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(10, way, &A));
  PetscCall(MakeBlockKsp(A, way, "petsc_", 3, {}, &ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(ViewText(ksp, &text));
  EXPECT_EQ(text.find("sptrsv"), std::string::npos) << text;
  EXPECT_EQ(text.find("one after the other"), std::string::npos) << text;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Without the option blocks are PETSc's.
PetscErrorCode ExpectDefault()
{
  Mat A;
  KSP ksp;
  std::string text;

  PetscFunctionBegin;
  PetscCall(BuildParallelGrid(10, {}, &A));
  PetscCall(PetscOptionsSetValue(NULL, "-default_sub_pc_factor_mat_solver_type", "sptrsv"));
  PetscCall(MakeBlockKsp(A, {}, "default_", 3, {}, &ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(ViewText(ksp, &text));
  EXPECT_EQ(text.find(together_text), std::string::npos) << text;
  EXPECT_EQ(text.find("one after the other"), std::string::npos) << text;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobi, IsPetscsWithoutTheOption) { ASSERT_EQ(ExpectDefault(), PETSC_SUCCESS); }

TEST(BJacobi, LeavesPetscsFactorsAlone) { ASSERT_EQ(ExpectSilence(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
