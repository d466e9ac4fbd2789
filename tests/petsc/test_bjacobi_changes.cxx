// SPDX-License-Identifier: Apache-2.0
// What a program does to the KSPs of blocks: as with PETSc's block Jacobi.
#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

PetscErrorCode SetGmres(KSP block)
{
  PetscFunctionBegin;
  PetscCall(KSPSetType(block, KSPGMRES));
  PetscCall(KSPSetTolerances(block, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 50));  // so that the whole stays linear
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetJacobi(KSP block)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(block, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetLevels(KSP block)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(block, &pc));
  PetscCall(PCFactorSetLevels(pc, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetZeroPivot(KSP block)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(block, &pc));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-20));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetOtherMatrix(KSP block)
{
  Mat A, B;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(block, &A, NULL));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatShift(B, 3));
  PetscCall(KSPSetOperators(block, B, B));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode ScaleMatrix(KSP block)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(block, &A, NULL));
  PetscCall(MatScale(A, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetNullSpace(KSP block)
{
  Mat A;
  MatNullSpace constant;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(block, &A, NULL));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(MatSetNullSpace(A, constant));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode Monitor(KSP, PetscInt, PetscReal, void*) { return PETSC_SUCCESS; }
PetscErrorCode SetMonitor(KSP block)
{
  PetscFunctionBegin;
  PetscCall(KSPMonitorSet(block, Monitor, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode SetOtherType(KSP block)
{
  PC pc;
  MatSolverType type;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(block, &pc));
  PetscCall(PCFactorGetMatSolverType(pc, &type));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// @param before  the change comes before the blocks are set up
PetscErrorCode CompareChanged(char const* name, PetscErrorCode (*change)(KSP), bool before, bool apart)
{
  Three t;

  PetscFunctionBegin;
  SCOPED_TRACE(std::string(name) + (before ? " before" : " after"));
  PetscCall(t.Make({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 3));
  if (!before) PetscCall(t.Compare("before the change", together_text.c_str()));
  PetscCall(t.ForBlocks([&](PetscInt, KSP* blocks) { return change(blocks[1]); }));
  PetscCall(t.Compare("changed", (apart ? apart_text : together_text).c_str()));
  if (change != SetOtherType) {  // which the options forbid in a second set-up
    PetscCall(ChangeValues(t.A, 1));
    PetscCall(t.Compare("changed, new values"));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, BlocksChangedBeforeTheFirstSolve)
{
  ASSERT_EQ(CompareChanged("gmres", SetGmres, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("jacobi", SetJacobi, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("levels", SetLevels, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("zero pivot", SetZeroPivot, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("matrix", SetOtherMatrix, true, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("values", ScaleMatrix, true, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("null space", SetNullSpace, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("monitor", SetMonitor, true, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("type", SetOtherType, true, true), PETSC_SUCCESS);
}

TEST(BJacobiChanges, BlocksChangedAfterASolve)
{
  ASSERT_EQ(CompareChanged("gmres", SetGmres, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("jacobi", SetJacobi, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("levels", SetLevels, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("matrix", SetOtherMatrix, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("values", ScaleMatrix, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("null space", SetNullSpace, false, true), PETSC_SUCCESS);
  ASSERT_EQ(CompareChanged("monitor", SetMonitor, false, true), PETSC_SUCCESS);
}

/// A block's own KSP solves, and says what PETSc's says; the blocks stay together.
/// @param new_values  the matrix has had other values before the program first asks for the KSPs
PetscErrorCode SolveBlocks(bool new_values)
{
  Three t;
  PC pc[3];
  KSP* blocks[3];
  PetscInt n;
  Mat P;
  Vec b, x[3];
  PetscReal norm[3];
  PetscInt steps;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(t.Make({PCICC, 1, MATORDERINGRCM, KSPCG}, 4));
  PetscCall(t.Compare("before", together_text.c_str()));
  if (new_values) {
    PetscCall(ChangeValues(t.A, 5));
    PetscCall(t.Compare("before, new values", together_text.c_str()));
  }
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < 3; ++k) {
      PetscCall(KSPGetPC(t.ksp[k], &pc[k]));
      PetscCall(PCBJacobiGetSubKSP(pc[k], &n, NULL, &blocks[k]));
      PetscCall(KSPGetConvergedReason(blocks[k][2], &reason));
      PetscCall(KSPGetIterationNumber(blocks[k][2], &steps));
      EXPECT_EQ(reason, KSP_CONVERGED_ITS);
      EXPECT_EQ(steps, 1);
    }
    for (PetscInt i = 0; i < n; ++i) {
      PetscCall(KSPGetOperators(blocks[0][i], NULL, &P));
      PetscCall(MatCreateVecs(P, &b, &x[0]));
      PetscCall(FillVec(b, 4));
      for (int k = 0; k < 3; ++k) {
        if (k) PetscCall(VecDuplicate(x[0], &x[k]));
        PetscCall(KSPSolve(blocks[k][i], b, x[k]));
        PetscCall(VecNorm(x[k], NORM_2, &norm[k]));
        if (k) {
          PetscReal difference;
          PetscCall(VecAXPY(x[k], -1, x[0]));
          PetscCall(VecNorm(x[k], NORM_2, &difference));
          EXPECT_LE(difference, rounding * norm[0]) << "block " << i << " " << prefixes[k];
        }
      }
      PetscCall(VecDestroy(&b));
      for (Vec& v : x) PetscCall(VecDestroy(&v));
    }
    PetscCall(t.Compare("after", together_text.c_str()));
    PetscCall(ChangeValues(t.A, 3));
    PetscCall(t.Compare("new values", together_text.c_str()));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One block keeps its factor while the others get new values.
PetscErrorCode KeepOneFactor()
{
  Three t;

  PetscFunctionBegin;
  PetscCall(t.Make({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 3));
  PetscCall(t.Compare("before", together_text.c_str()));
  PetscCall(t.ForBlocks([](PetscInt, KSP* blocks) { return KSPSetReusePreconditioner(blocks[1], PETSC_TRUE); }));
  for (int round = 0; round < 2; ++round) {
    PetscCall(ChangeValues(t.A, round));
    PetscCall(t.Compare("one is kept", "keeps an earlier factor"));
  }
  PetscCall(t.ForBlocks([](PetscInt, KSP* blocks) { return KSPSetReusePreconditioner(blocks[1], PETSC_FALSE); }));
  PetscCall(ChangeValues(t.A, 3));
  PetscCall(t.Compare("none is kept", together_text.c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, ABlockKeepsItsFactor) { ASSERT_EQ(KeepOneFactor(), PETSC_SUCCESS); }

TEST(BJacobiChanges, BlocksSolveByThemselves)
{
  ASSERT_EQ(SolveBlocks(false), PETSC_SUCCESS);
  ASSERT_EQ(SolveBlocks(true), PETSC_SUCCESS);
}

/// The blocks' matrices get new values in each set-up, as PETSc's, and a look at the KSPs changes nothing.
/// @param between  what happens between the last set-up and that look
PetscErrorCode LookLate(PetscErrorCode (*between)(Mat))
{
  Three t;
  PC pc;
  PetscInt count[2], n;
  KSP* blocks;

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("new values", together_text.c_str()));
  if (between) PetscCall(between(t.A));
  PetscCall(CountOf("MatCreateSubMats", &count[0]));
  PetscCall(KSPGetPC(t.ksp[2], &pc));
  for (int look = 0; look < 2; ++look) PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &blocks));
  PetscCall(CountOf("MatCreateSubMats", &count[1]));
  EXPECT_EQ(count[1], count[0]);
  PetscCall(t.Compare("looked", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 2));
  PetscCall(t.Compare("later", together_text.c_str()));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The options change between two set-ups, which PETSc's set-up reads each time: all blocks have other factors then,
/// once by PETSc.
PetscErrorCode ChangeOptions()
{
  Three t;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("first", together_text.c_str()));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("new values", together_text.c_str()));
  for (std::string const type : {PCLU, PCILU}) {
    for (char const* prefix : prefixes)
      PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + "sub_pc_type").c_str(), type.c_str()));
    PetscCall(PetscOptionsSetValue(NULL, "-own_sub_mat_sptrsv_factor", type == PCLU ? "host" : "device"));
    PetscCall(ChangeValues(t.A, 2));
    PetscCall(t.Compare("new values and another PC", together_text.c_str()));
    PetscCall(ChangeValues(t.A, 3));
    PetscCall(t.Compare("new values again", together_text.c_str()));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, OptionsChangedBetweenSetUps) { ASSERT_EQ(ChangeOptions(), PETSC_SUCCESS); }

PetscErrorCode AddValues(Mat A) { return ChangeValues(A, 3); }
TEST(BJacobiChanges, BlocksLookedAtLate)
{
  ASSERT_EQ(LookLate(nullptr), PETSC_SUCCESS);
  ASSERT_EQ(LookLate(AddValues), PETSC_SUCCESS);
  ASSERT_EQ(LookLate(AddEntry), PETSC_SUCCESS);
}

/// PCSetUp() and PCApply() without a KSP, and a preconditioner kept while the matrix changes.
PetscErrorCode ApplyWithoutKsp()
{
  Three t;
  PC pc;
  Vec b, x[3];
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(MatCreateVecs(t.A, &b, &x[0]));
  PetscCall(VecSet(b, 1));
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 3; ++k) {
      if (k && !round) PetscCall(VecDuplicate(x[0], &x[k]));
      PetscCall(KSPGetPC(t.ksp[k], &pc));
      PetscCall(PCSetReusePreconditioner(pc, round == 1 ? PETSC_TRUE : PETSC_FALSE));
      PetscCall(PCSetUp(pc));
      PetscCall(PCApply(pc, b, x[k]));
      if (!k) continue;
      PetscCall(VecNorm(x[0], NORM_2, &norm));
      PetscCall(VecAXPY(x[k], -1, x[0]));
      PetscCall(VecNorm(x[k], NORM_2, &difference));
      EXPECT_LE(difference, rounding * norm) << prefixes[k] << " round " << round;
      PetscCall(ExpectView(t.ksp[k], together_text));
    }
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, AppliedWithoutAKsp) { ASSERT_EQ(ApplyWithoutKsp(), PETSC_SUCCESS); }

/// A matrix by blocks is solved block after block, and says so.
PetscErrorCode CompareBaij()
{
  Three t;
  Mat B;

  PetscFunctionBegin;
  PetscCall(t.Make({PCILU, 0, MATORDERINGNATURAL, KSPGMRES, 2}, 3));
  PetscCall(MatSetBlockSize(t.A, 2));
  PetscCall(MatConvert(t.A, MATBAIJ, MAT_INITIAL_MATRIX, &B));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(t.Compare("baij", "its matrix is of type"));
  PetscCall(ChangeValues(B, 1));
  PetscCall(t.Compare("baij, new values", "its matrix is of type"));
  PetscCall(MatDestroy(&B));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, MatricesByBlocksFallBack) { ASSERT_EQ(CompareBaij(), PETSC_SUCCESS); }

/// As smoother of a multigrid method, and in a field split: options alone.
PetscErrorCode CompareNested(std::vector<std::pair<std::string, std::string>> const& options, bool split)
{
  Mat A;
  Vec b, x[2];
  PetscInt steps[2];
  PetscReal norm, difference;
  std::string text;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(BuildParallelGrid(24, {PCICC, 0, MATORDERINGNATURAL, KSPCG}, &A));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(b, &x[1]));
  PetscCall(VecSet(b, 1));
  for (int k = 0; k < 2; ++k) {
    KSP ksp;
    PC pc;
    std::string const prefix = k ? "nested_ours_" : "nested_petsc_";
    for (auto const& [name, value] : options)
      PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + name).c_str(),
                                     value == "TYPE" ? (k ? "sptrsv" : "petsc") : value.c_str()));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, prefix.c_str()));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPFGMRES));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (split) {
      PetscInt first, last;
      IS is;
      PetscCall(MatGetOwnershipRange(A, &first, &last));
      for (PetscInt part = 0; part < 2; ++part) {
        PetscCall(ISCreateStride(PETSC_COMM_WORLD, (last - first + 1 - part) / 2, first + part, 2, &is));
        PetscCall(PCFieldSplitSetIS(pc, NULL, is));
        PetscCall(ISDestroy(&is));
      }
    }
    for (int round = 0; round < 2; ++round) {
      PetscCall(KSPSolve(ksp, b, x[k]));
      PetscCall(KSPGetIterationNumber(ksp, &steps[k]));
    }
    PetscCall(ViewText(ksp, &text));
    if (rank == 0) {
      EXPECT_EQ(text.find(together_text) != std::string::npos, k == 1) << text;
    }
    PetscCall(KSPDestroy(&ksp));
  }
  EXPECT_EQ(steps[1], steps[0]);
  PetscCall(VecNorm(x[0], NORM_2, &norm));
  PetscCall(VecAXPY(x[1], -1, x[0]));
  PetscCall(VecNorm(x[1], NORM_2, &difference));
  EXPECT_LE(difference, 1e3 * rounding * norm);
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, NestedInOtherPreconditioners)
{
  ASSERT_EQ(CompareNested({{"pc_type", "gamg"},
                           {"mg_levels_ksp_type", "richardson"},
                           {"mg_levels_pc_type", "bjacobi"},
                           {"mg_levels_pc_bjacobi_local_blocks", "3"},
                           {"mg_levels_pc_bjacobi_sptrsv_together", "true"},
                           {"mg_levels_sub_pc_type", "ilu"},
                           {"mg_levels_sub_pc_factor_mat_solver_type", "TYPE"}},
                          false),
            PETSC_SUCCESS);
  ASSERT_EQ(CompareNested({{"pc_type", "fieldsplit"},
                           {"fieldsplit_0_pc_type", "bjacobi"},
                           {"fieldsplit_0_pc_bjacobi_sptrsv_together", "true"},
                           {"fieldsplit_1_pc_bjacobi_sptrsv_together", "true"},
                           {"fieldsplit_0_ksp_type", "preonly"},
                           {"fieldsplit_1_ksp_type", "preonly"},
                           {"fieldsplit_0_pc_bjacobi_local_blocks", "4"},
                           {"fieldsplit_0_sub_pc_factor_mat_solver_type", "TYPE"},
                           {"fieldsplit_1_pc_type", "bjacobi"},
                           {"fieldsplit_1_pc_bjacobi_local_blocks", "2"},
                           {"fieldsplit_1_sub_pc_factor_mat_solver_type", "TYPE"}},
                          true),
            PETSC_SUCCESS);
}

TEST(BJacobiChanges, AWrongValueOfTheOptionIsNamed)
{
  auto const caught = Catch([&]() -> PetscErrorCode {
    PC pc;
    PetscFunctionBegin;
    PetscCall(PetscOptionsSetValue(NULL, "-wrong_pc_bjacobi_sptrsv_together", "perhaps"));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOptionsPrefix(pc, "wrong_"));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscErrorCode const code = PCSetFromOptions(pc);
    PetscCall(PCDestroy(&pc));
    PetscFunctionReturn(code);
  });
  EXPECT_NE(caught.code, PETSC_SUCCESS);
  EXPECT_NE(caught.message.find("perhaps"), std::string::npos) << caught.message;
}

}  // namespace
}  // namespace petsc_test
