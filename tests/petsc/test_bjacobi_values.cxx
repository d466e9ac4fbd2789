// SPDX-License-Identifier: Apache-2.0
// New values that are copied from the rank's matrix in one go: as by PETSc's set-up, whenever somebody looks.
#include <algorithm>

#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

/// How often PETSc cuts blocks from a matrix in f().
template <class F>
PetscErrorCode CountCuts(F const& f, PetscInt* count)
{
  PetscInt before;

  PetscFunctionBegin;
  PetscCall(CountOf("MatCreateSubMats", &before));
  PetscCall(f());
  PetscCall(CountOf("MatCreateSubMats", count));
  *count -= before;
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
    PetscCall(CountCuts([&] { return SolveOnce(t.ksp[k]); }, &cuts));
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

/// A pattern that changes in place, without PETSc's count of such changes.
PetscErrorCode ChangeInPlace()
{
  Three t;
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("new values", together_text.c_str()));
  PetscCall(MatGetOwnershipRange(t.A, &first, NULL));
  PetscCall(MatSetValue(t.A, first + 1, first, 0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(t.A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(t.A, MAT_FINAL_ASSEMBLY));
#if PETSC_VERSION_GE(3, 21, 0)
  PetscCall(MatEliminateZeros(t.A, PETSC_TRUE));
#endif
  for (int round = 2; round < 4; ++round) {
    PetscCall(t.Compare("without an entry, round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, OnAPatternThatChangesInPlace) { ASSERT_EQ(ChangeInPlace(), PETSC_SUCCESS); }

/// A set-up that ends with an error, which the program mends.
PetscErrorCode FailInTheMiddle()
{
  Three t;
  PC pc;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  for (int k = 0; k < 3; ++k) {
    std::string const option = "-" + std::string(prefixes[k]) + "sub_ksp_type";
    PetscCall(PetscOptionsSetValue(NULL, option.c_str(), "no_such_type"));
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    EXPECT_NE(Catch([&] { return PCSetUp(pc); }).code, PETSC_SUCCESS) << prefixes[k];
    PetscCall(PetscOptionsClearValue(NULL, option.c_str()));
  }
  PetscCall(t.Compare("after the error"));
  PetscCall(ChangeValues(t.A, 2));
  PetscCall(t.Compare("new values after the error", together_text.c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, AfterAnError) { ASSERT_EQ(FailInTheMiddle(), PETSC_SUCCESS); }

/// The second row's entry beside its diagonal, on each rank.
PetscErrorCode SetNeighbour(Mat A, PetscReal value)
{
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(SetEntry(A, first + 1, first, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Values that a solver refuses; the program mends them and solves again, with nothing else said.
PetscErrorCode RefuseValues(char const* type)
{
  Mat A;
  KSP ksp;
  BlockWay way;

  PetscFunctionBegin;
  SCOPED_TRACE(type);
  way.type = type;
  PetscCall(PetscOptionsSetValue(NULL, "-own_sub_mat_sptrsv_storage", "single"));
  PetscCall(BuildParallelGrid(12, way, &A));
  PetscCall(MakeBlockKsp(A, way, "own_", 3, {}, &ksp));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(SolveOnce(ksp));
  PetscCall(SetNeighbour(A, 1e300));
  for (int k = 0; k < 2; ++k) {
    CaughtError const error = Catch([&] { return SolveOnce(ksp); });
    EXPECT_NE(error.code, PETSC_SUCCESS);
    EXPECT_NE(error.message.find("single"), std::string::npos) << error.message;
  }
  PetscCall(SetNeighbour(A, -0.5));
  PetscCall(SolveOnce(ksp));
  PetscCall(ExpectView(ksp, together_text));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsClearValue(NULL, "-own_sub_mat_sptrsv_storage"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, AfterThoseThatWereRefused)
{
  ASSERT_EQ(RefuseValues(PCBJACOBI), PETSC_SUCCESS);
  ASSERT_EQ(RefuseValues(PCASM), PETSC_SUCCESS);
}

/// Rows by their diagonals, whose order new values change.
PetscErrorCode OrderByDiagonal(Mat A, MatOrderingType, IS* rows, IS* cols)
{
  PetscInt n;
  Vec diagonal;
  std::vector<PetscInt> order;
  PetscScalar const* d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < n; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](PetscInt i, PetscInt j) { return PetscRealPart(d[i]) < PetscRealPart(d[j]); });
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, order.data(), PETSC_COPY_VALUES, rows));
  PetscCall(ISSetPermutation(*rows));
  PetscCall(PetscObjectReference((PetscObject)*rows));
  *cols = *rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A symbolic phase after values that were copied at once orders by these.
PetscErrorCode OrderAnew()
{
  Three t;

  PetscFunctionBegin;
  PetscCall(MatOrderingRegister("by_diagonal", OrderByDiagonal));
  PetscCall(t.Make({PCICC, 0, "by_diagonal", KSPGMRES}, 3));
  PetscCall(t.Compare("icc", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("icc, new values", together_text.c_str()));
  for (char const* prefix : prefixes)
    PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + "sub_pc_type").c_str(), PCILU));
  PetscCall(ChangeValues(t.A, 3));
  PetscCall(t.Compare("ilu, new values", together_text.c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, AreThoseThatOrderingsSee) { ASSERT_EQ(OrderAnew(), PETSC_SUCCESS); }

/// What the blocks' matrices say of themselves.
PetscErrorCode SetFlags()
{
  Three t;
  PetscBool known[3], is[3];

  PetscFunctionBegin;
  PetscCall(t.Make({PCICC, 0, MATORDERINGNATURAL, KSPCG}, 3));
  PetscCall(MatSetOption(t.A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(t.Compare("symmetric", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(MatSetOption(t.A, MAT_SPD, PETSC_TRUE));
  PetscCall(t.Compare("new values", together_text.c_str()));
  for (int k = 0; k < 3; ++k) {
    PC pc;
    KSP* blocks;
    Mat P;
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &blocks));
    PetscCall(KSPGetOperators(blocks[1], NULL, &P));
    PetscCall(MatIsSPDKnown(P, &known[k], &is[k]));
    EXPECT_EQ(known[k], known[0]) << prefixes[k];
    if (known[k]) {
      EXPECT_EQ(is[k], is[0]) << prefixes[k];
    }
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiValues, ComeWithTheMatrixsFlags) { ASSERT_EQ(SetFlags(), PETSC_SUCCESS); }

TEST(BJacobiValues, OtherWays) { ASSERT_EQ(OtherWays(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
