// SPDX-License-Identifier: Apache-2.0
// New values that are copied from the rank's matrix in one go: as by PETSc's set-up, whenever somebody looks.
#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

/// How often PETSc has cut blocks from a matrix so far; a parallel one is cut by way of its rank's part, which counts
/// too.
PetscErrorCode CountOfCuts(PetscInt* count)
{
  PetscLogEvent id;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId("MatCreateSubMats", &id));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, id, &info));
  *count = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Cuts in f().
template <class F>
PetscErrorCode CountCuts(F const& f, PetscInt* count)
{
  PetscInt before;

  PetscFunctionBegin;
  PetscCall(CountOfCuts(&before));
  PetscCall(f());
  PetscCall(CountOfCuts(count));
  *count -= before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveOnce(KSP ksp, Mat A)
{
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets up all three for the values of now, and expects so many cuts of PETSc's for each.
/// Where matrices are on a GPU, the values of `together_` may be computed there, too.
PetscErrorCode ExpectCuts(Three& t, PetscInt petscs, PetscInt together, PetscInt own)
{
  PetscInt const expected[] = {petscs, together, own};
  PetscInt cuts;

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    PetscCall(CountCuts([&] { return SolveOnce(t.ksp[k], t.A); }, &cuts));
    if (k == 1 && OnDevice()) continue;
    EXPECT_EQ(cuts, expected[k]) << prefixes[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The blocks' matrices of `own_` have the same entries as those of PETSc's.
PetscErrorCode ExpectSameBlocks(Three& t, char const* what)
{
  PC pc;
  PetscInt n;
  KSP *expected, *actual;
  Mat E, A;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(t.ksp[0], &pc));
  PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &expected));
  PetscCall(KSPGetPC(t.ksp[2], &pc));
  PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &actual));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(KSPGetOperators(expected[b], NULL, &E));
    PetscCall(KSPGetOperators(actual[b], NULL, &A));
    PetscCall(MatEqual(E, A, &same));
    EXPECT_TRUE(same) << what << ", block " << b;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// @param between  what happens to the matrix between the last set-up and the look at the blocks, or null
PetscErrorCode CopiedAtOnce(BlockWay const& way, PetscErrorCode (*between)(Mat))
{
  Three t;

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(t.Make(way, 3));
  PetscCall(ExpectCuts(t, 1, 1, 1));
  for (int round = 1; round < 4; ++round) {
    PetscCall(ChangeValues(t.A, round));
    PetscCall(ExpectCuts(t, 1, 1, 0));
    PetscCall(t.Compare("round " + std::to_string(round), together_text.c_str()));
  }
  if (between) PetscCall(between(t.A));
  PetscCall(ExpectSameBlocks(t, "looked at"));
  for (int round = 4; round < 6; ++round) {  // the program may change the blocks from now on
    PetscCall(ChangeValues(t.A, round));
    PetscCall(ExpectCuts(t, 1, 1, 1));
    PetscCall(t.Compare("looked at, round " + std::to_string(round), together_text.c_str()));
    PetscCall(ExpectSameBlocks(t, "looked at again"));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaleAll(Mat A) { return MatScale(A, 3); }
PetscErrorCode AddEntry(Mat A)
{
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatSetValue(A, first + 1, first + 6, (PetscReal)-0.2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, AreCopiedAtOnce)
{
  ASSERT_EQ(CopiedAtOnce({}, nullptr), PETSC_SUCCESS);
  ASSERT_EQ(CopiedAtOnce({PCICC, 1, MATORDERINGRCM, KSPCG}, nullptr), PETSC_SUCCESS);
  ASSERT_EQ(CopiedAtOnce({PCLU, 0, MATORDERINGND, KSPGMRES}, nullptr), PETSC_SUCCESS);
  ASSERT_EQ(CopiedAtOnce({PCILU, 0, MATORDERINGNATURAL, KSPGMRES, 2}, nullptr), PETSC_SUCCESS);
}

TEST(BJacobiValues, BlocksHaveThoseOfTheLastSetUp)
{
  ASSERT_EQ(CopiedAtOnce({}, ScaleAll), PETSC_SUCCESS);
  ASSERT_EQ(CopiedAtOnce({}, AddEntry), PETSC_SUCCESS);
}

/// Two set-ups without a solve between them; one before the matrix changes in place.
PetscErrorCode SetUpTwice()
{
  Three t;
  PC pc;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  for (int round = 1; round < 3; ++round) {
    PetscCall(ChangeValues(t.A, round));
    for (KSP ksp : t.ksp) {
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetUp(pc));
    }
  }
  // what is applied is the matrix of the set-up
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetReusePreconditioner(pc, PETSC_TRUE));
  }
  PetscCall(MatScale(t.A, 3));
  PetscCall(t.Compare("changed in place after the set-up", together_text.c_str()));
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetReusePreconditioner(pc, PETSC_FALSE));
  }
  PetscCall(t.Compare("set up for them", together_text.c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, AreThoseOfTheSetUp) { ASSERT_EQ(SetUpTwice(), PETSC_SUCCESS); }

/// Other matrices for the same KSPs: of the same pattern, and of one that PETSc cannot tell from it by a count.
PetscErrorCode OtherMatrices()
{
  Three t;
  Mat B, C;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(MatDuplicate(t.A, MAT_COPY_VALUES, &B));
  PetscCall(ChangeValues(B, 2));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(t.Compare("another matrix", together_text.c_str()));
  PetscCall(ChangeValues(B, 3));
  PetscCall(t.Compare("its new values", together_text.c_str()));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, t.A, t.A));
  PetscCall(t.Compare("the first again", together_text.c_str()));
  PetscCall(BuildParallelGrid(12, {PCILU, 0, MATORDERINGNATURAL, KSPGMRES}, &C));
  PetscCall(ChangeValues(C, 4));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, C, C));
  PetscCall(t.Compare("one that was built alike", together_text.c_str()));
  PetscCall(AddEntry(C));
  PetscCall(t.Compare("with one more entry", together_text.c_str()));
  PetscCall(ChangeValues(C, 1));
  PetscCall(t.Compare("with one more entry, new values", together_text.c_str()));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, OfOtherMatrices) { ASSERT_EQ(OtherMatrices(), PETSC_SUCCESS); }

/// What the options say of factors between two set-ups.
PetscErrorCode ChangeOption(char const* option, char const* value, BlockWay const& way)
{
  Three t;

  PetscFunctionBegin;
  SCOPED_TRACE(option);
  PetscCall(t.Make(way, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("new values", together_text.c_str()));
  for (char const* prefix : prefixes)
    PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + option).c_str(), value));
  for (int round = 2; round < 4; ++round) {
    PetscCall(ChangeValues(t.A, round));
    PetscCall(t.Compare("another option, new values"));
  }
  PetscCall(ExpectSameBlocks(t, "another option"));
  for (char const* prefix : prefixes)
    PetscCall(PetscOptionsClearValue(NULL, ("-" + std::string(prefix) + option).c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, WithOtherOptions)
{
  ASSERT_EQ(ChangeOption("sub_pc_factor_levels", "2", {}), PETSC_SUCCESS);
  ASSERT_EQ(ChangeOption("sub_pc_factor_shift_type", "nonzero", {}), PETSC_SUCCESS);
  ASSERT_EQ(ChangeOption("sub_pc_factor_zeropivot", "1e-3", {}), PETSC_SUCCESS);
  ASSERT_EQ(ChangeOption("sub_ksp_type", "gmres", {PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}), PETSC_SUCCESS);
  ASSERT_EQ(ChangeOption("sub_pc_type", "jacobi", {}), PETSC_SUCCESS);
  ASSERT_EQ(ChangeOption("sub_ksp_reuse_preconditioner", "true", {}), PETSC_SUCCESS);
}

PetscErrorCode Shift(PC, PetscInt n, IS const*, IS const*, Mat blocks[], void*)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < n; ++b) PetscCall(MatShift(blocks[b], b + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The program changes the blocks' matrices in each set-up.
PetscErrorCode ModifySubMatrices()
{
  Three t;
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(t.Make({}, 3));
  for (int round = 0; round < 3; ++round) {
    if (round == 1) {
      for (KSP ksp : t.ksp) {
        PetscCall(KSPGetPC(ksp, &pc));
        PetscCall(PCSetModifySubMatrices(pc, Shift, NULL));
      }
    }
    PetscCall(ExpectCuts(t, 1, 1, 1));
    PetscCall(t.Compare("round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, OfMatricesThatTheProgramModifies) { ASSERT_EQ(ModifySubMatrices(), PETSC_SUCCESS); }

/// The blocks' own A beside their P, and a PC that is emptied between set-ups.
PetscErrorCode OtherWays()
{
  Three t;
  PC pc;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetUseAmat(pc, PETSC_TRUE));
  }
  for (int round = 0; round < 3; ++round) {
    PetscCall(t.Compare("with A, round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(t.Destroy());
  PetscCall(t.Make({}, 3));
  for (int round = 0; round < 4; ++round) {
    PetscCall(t.Compare("emptied, round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
    if (round % 2 == 0) continue;
    for (KSP ksp : t.ksp) {
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetUp(pc));
      PetscCall(PCReset(pc));
      PetscCall(KSPSetOperators(ksp, t.A, t.A));
    }
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, OtherWays) { ASSERT_EQ(OtherWays(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
