// SPDX-License-Identifier: Apache-2.0
// Pivots of a block that fail or are shifted: as with PETSc's block Jacobi.
#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

/// @param options  of the blocks, for as long as it lasts
PetscErrorCode CompareZeroPivot(bool from_the_start, std::vector<std::string> const& options = {})
{
  Three t;
  KSPConvergedReason reason[3];

  PetscFunctionBegin;
  for (char const* prefix : prefixes)
    for (auto const& option : options)
      PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + option).c_str(), "true"));
  PetscCall(t.Make({}, 3));
  if (!from_the_start) PetscCall(t.Compare("good pivots", together_text.c_str()));
  PetscCall(SetPivot(t.A, 0));
  for (int k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetConvergedReason(t.ksp[k], &reason[k]));
    EXPECT_EQ(reason[k], reason[0]) << prefixes[k];
    if (k && reason[0] < 0) PetscCall(ExpectView(t.ksp[k], "a block has a zero pivot"));
  }
  if (from_the_start || options.empty()) {  // else the first factors are kept
    EXPECT_EQ(reason[0], KSP_DIVERGED_PC_FAILED);
  }
  PetscCall(SetPivot(t.A, 4));  // versions differ in whether the PC recovers
  for (int k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetConvergedReason(t.ksp[k], &reason[k]));
    EXPECT_EQ(reason[k], reason[0]) << prefixes[k] << " good pivots again";
    if (k && reason[0] > 0) PetscCall(ExpectView(t.ksp[k], together_text));
  }
  PetscCall(t.Destroy());
  for (char const* prefix : prefixes)
    for (auto const& option : options)
      PetscCall(PetscOptionsClearValue(NULL, ("-" + std::string(prefix) + option).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where a failure is to be an error: the one that PETSc raises, of the block's row.
PetscErrorCode CompareZeroPivotErrors(bool from_the_start)
{
  Three t;
  Vec b, x;
  CaughtError caught[3];

  PetscFunctionBegin;
  PetscCall(t.Make({}, 3));
  PetscCall(MatCreateVecs(t.A, &b, &x));
  PetscCall(VecSet(b, 1));
  for (KSP ksp : t.ksp) PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  if (!from_the_start) PetscCall(t.Compare("good pivots", together_text.c_str()));
  PetscCall(SetPivot(t.A, 0));
  for (int k = 0; k < 3; ++k) {
    caught[k] = Catch([&] { return KSPSolve(t.ksp[k], b, x); });
    EXPECT_EQ(caught[k].code, PETSC_ERR_MAT_LU_ZRPVT) << prefixes[k];
    EXPECT_EQ(caught[k].message, caught[0].message) << prefixes[k];
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, AZeroPivotIsPetscsError)
{
  ASSERT_EQ(CompareZeroPivotErrors(true), PETSC_SUCCESS);
  ASSERT_EQ(CompareZeroPivotErrors(false), PETSC_SUCCESS);
}

TEST(BJacobiChanges, AZeroPivotFailsAsInPetsc)
{
  ASSERT_EQ(CompareZeroPivot(true), PETSC_SUCCESS);
  ASSERT_EQ(CompareZeroPivot(false), PETSC_SUCCESS);
  ASSERT_EQ(CompareZeroPivot(true, {"sub_ksp_reuse_preconditioner"}), PETSC_SUCCESS);
  ASSERT_EQ(CompareZeroPivot(false, {"sub_ksp_reuse_preconditioner"}), PETSC_SUCCESS);
}

/// A block fails on one rank alone: ranks that solve together and those that do not need the same exchanges.
PetscErrorCode FailOnOneRank()
{
  Three t;
  PC pc;
  Mat B, X;
  PetscInt n, N;
  PetscMPIInt rank;
  KSPConvergedReason reason[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(t.Make({}, 3));
  PetscCall(t.Compare("good pivots", together_text.c_str()));
  PetscCall(SetPivot(t.A, rank == 0 ? 0 : 4));
  PetscCall(MatGetLocalSize(t.A, &n, NULL));
  PetscCall(MatGetSize(t.A, &N, NULL));
  for (int k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetConvergedReason(t.ksp[k], &reason[k]));
    EXPECT_EQ(reason[k], reason[0]) << prefixes[k];
    PetscCall(KSPGetPC(t.ksp[k], &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, 2, NULL, &B));
    PetscCall(MatSetRandom(B, NULL));
    PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    PetscCall(PCMatApply(pc, B, X));  // and comes to an end
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, AZeroPivotOnOneRank) { ASSERT_EQ(FailOnOneRank(), PETSC_SUCCESS); }

PetscErrorCode CompareShift(char const* type, BlockWay const& way)
{
  Three t;

  PetscFunctionBegin;
  SCOPED_TRACE(type);
  for (char const* prefix : prefixes)
    PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + "sub_pc_factor_shift_type").c_str(), type));
  PetscCall(t.Make(way, 3));
  PetscCall(t.Compare("good pivots", together_text.c_str()));
  PetscCall(SetPivot(t.A, 0));
  PetscCall(t.Compare("a shifted pivot"));
  PetscCall(ExpectView(t.ksp[2], "a block has shifted pivots"));
  PetscCall(ExpectView(t.ksp[1], together_text));  // PETSc factors, a block at a time
  PetscCall(SetPivot(t.A, 4));
  PetscCall(t.Compare("good pivots again", together_text.c_str()));
  PetscCall(t.Destroy());
  for (char const* prefix : prefixes)
    PetscCall(PetscOptionsClearValue(NULL, ("-" + std::string(prefix) + "sub_pc_factor_shift_type").c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BJacobiChanges, AShiftIsOfOneBlockAlone)
{
  ASSERT_EQ(CompareShift("nonzero", {PCILU, 0, MATORDERINGNATURAL, KSPGMRES}), PETSC_SUCCESS);
  ASSERT_EQ(CompareShift("positive_definite", {PCILU, 1, MATORDERINGRCM, KSPGMRES}), PETSC_SUCCESS);
  ASSERT_EQ(CompareShift("inblocks", {PCILU, 0, MATORDERINGNATURAL, KSPGMRES}), PETSC_SUCCESS);
  ASSERT_EQ(CompareShift("positive_definite", {PCICC, 0, MATORDERINGNATURAL, KSPGMRES}), PETSC_SUCCESS);
}

}  // namespace
}  // namespace petsc_test
