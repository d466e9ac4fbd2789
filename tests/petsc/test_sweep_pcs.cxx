// SPDX-License-Identifier: Apache-2.0
// Tests set-ups and options of the PC type sor, and its approximate sweeps. test_pc_pairs.cxx compares Krylov methods.
#include "sweep_pair.hpp"

namespace petsc_test {
namespace {

/// Checks that PCSetUp() analyzes the matrix and takes its values, and that sweeps do neither.
PetscErrorCode CheckSetUp() {
  SweepPair p;
  std::string fresh, renewed, applied;
  PetscCall(p.Create(6, 1));
  fresh = ViewText(p.pc);
  PetscCall(MatScale(p.ours, 2));
  PetscCall(PCSetUp(p.pc));
  renewed = ViewText(p.pc);
  PetscCall(PCApply(p.pc, p.b, p.x[1]));
  applied = ViewText(p.pc);
  EXPECT_NE(fresh.find("1 analysis, 1 numeric update, 0 solves"), std::string::npos) << fresh;
  EXPECT_NE(renewed.find("1 analysis, 2 numeric updates, 0 solves"), std::string::npos) << renewed;
  EXPECT_NE(applied.find("1 analysis, 2 numeric updates, 1 solve\n"), std::string::npos) << applied;
  return p.Destroy();
}

TEST(SweepsOnOneRank, AnalyzeInTheSetUp) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CheckSetUp(), PETSC_SUCCESS);
}

PetscErrorCode CheckRefusals() {
  Mat A;
  std::string const length(150, 'l'), of_long = "-" + length + "_pc_sor_sptrsv";
  auto const set_up = [&](std::string const& prefix, std::string const& options, PCType type = PCSOR) {
    return Catch([&]() -> PetscErrorCode {
      PC pc;
      PetscCall(PetscOptionsInsertString(NULL, options.c_str()));
      PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
      PetscCall(PCSetOptionsPrefix(pc, prefix.c_str()));
      PetscCall(PCSetType(pc, type));
      PetscCall(PCSetOperators(pc, A, A));
      PetscErrorCode const code = PCSetUp(pc);
      PetscCall(PCDestroy(&pc));
      return code;
    });
  };
  auto const expect = [](CaughtError const& caught, int code, std::string const& words) {
    EXPECT_EQ((int)caught.code, code) << words;
    EXPECT_NE(caught.message.find(words), std::string::npos) << caught.message;
  };
  PetscCall(MakeMatrix(5, 1, MATAIJ, 0, &A));
  expect(set_up("unknown_", "-unknown_pc_sor_sptrsv fastest"), PETSC_ERR_ARG_UNKNOWN_TYPE,
         "-unknown_pc_sor_sptrsv is 'fastest'; choose one of off, ");
  expect(set_up("empty_", "-empty_pc_sor_sptrsv"), PETSC_ERR_ARG_WRONG,
         "Option -empty_pc_sor_sptrsv has no value; give a type, or off");
  expect(set_up("both_", "-both_pc_sor_sptrsv off -both_pc_sor_ordering color"), PETSC_ERR_ARG_INCOMP,
         "-both_pc_sor_ordering color");
  expect(set_up("misspelled_", "-misspelled_pc_sor_ordering colour"), PETSC_ERR_ARG_UNKNOWN_TYPE,
         "-misspelled_pc_sor_ordering is 'colour'");
  expect(set_up(length + "_", of_long + " fastest"), PETSC_ERR_ARG_UNKNOWN_TYPE, of_long + " is 'fastest'");
  PetscCall(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, &A));
  for (std::string const option : {"-blocks_pc_sor_sptrsv levelset", "-ordered_pc_sor_ordering color"}) {
    std::string const prefix = option.substr(1, option.find('_'));
    expect(set_up(prefix, option), PETSC_ERR_SUP,
           "-" + prefix + "pc_sor_ordering: sptrsv has no sweeps over a matrix of type");
  }
  EXPECT_EQ(set_up("without_", "").code, PETSC_SUCCESS);
  auto const later = Catch([&]() -> PetscErrorCode {  // options that come after the first set-up
    PC pc;
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOptionsPrefix(pc, "later_"));
    PetscCall(PCSetType(pc, PCSOR));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetUp(pc));
    PetscCall(PetscOptionsSetValue(NULL, "-later_pc_sor_sptrsv", "levelset"));
    PetscCall(MatScale(A, 2));
    PetscErrorCode const code = PCSetUp(pc);
    PetscCall(PCDestroy(&pc));
    return code;
  });
  EXPECT_EQ(later.code, PETSC_ERR_SUP);
  PetscCall(MatDestroy(&A));
  // in the set-up: an error in the solve leaves PETSc's eisenstat with another right-hand side
  for (PetscInt const dof : {1, 3}) {
    PetscCall(MakeMatrix(5, dof, MATAIJ, 0, &A));
    expect(set_up("twostage_", "-twostage_pc_sor_sptrsv iterated", PCEISENSTAT), PETSC_ERR_SUP,
           "-twostage_pc_sor_sptrsv iterated: Eisenstat's form needs exact solves");
    PetscCall(MatDestroy(&A));
  }
  return PETSC_SUCCESS;
}

TEST(Sweeps, WrongOptionsAreRefused) { ASSERT_EQ(CheckRefusals(), PETSC_SUCCESS); }

/// Compares damped Jacobi sweeps of the PC type sor with PETSc's KSPRICHARDSON and PCJACOBI.
/// @param symmetric  two sweeps for each exchange between ranks; otherwise one
PetscErrorCode CheckJacobi(PetscInt dof, bool symmetric, PetscInt sweeps, bool guess) {
  Mat A[2];
  Vec x[2], right[2], scale;
  for (bool const ours : {false, true}) {
    KSP ksp;
    PC pc;
    PetscCall(MakeMatrix(12, dof, ours ? MatTypeOfRun().c_str() : MATAIJ, 1, &A[ours]));
    PetscCall(MatCreateVecs(A[ours], &x[ours], &right[ours]));
    PetscCall(FillVec(right[ours], 5));
    PetscCall(VecSet(x[ours], 0.5));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, ours ? "jacobi_" : "native_"));
    PetscCall(KSPSetOperators(ksp, A[ours], A[ours]));
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)guess));
    PetscCall(KSPSetType(ksp, KSPRICHARDSON));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
    PetscInt const limit = ours && symmetric ? sweeps / 2 : sweeps;
    PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, limit));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, ours ? PCSOR : PCJACOBI));
    if (ours) PetscCall(PCSORSetSymmetric(pc, symmetric ? SOR_LOCAL_SYMMETRIC_SWEEP : SOR_LOCAL_FORWARD_SWEEP));
    else PetscCall(KSPRichardsonSetScale(ksp, 0.6));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, right[ours], x[ours]));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(VecDuplicate(x[0], &scale));
  PetscCall(VecSet(scale, 1));
  PetscCall(
      ExpectRows(std::to_string(sweeps) + (guess ? " sweeps from a guess" : " sweeps"), x[0], x[1], scale, rounding));
  for (Vec* v : {&x[0], &x[1], &right[0], &right[1], &scale}) PetscCall(VecDestroy(v));
  for (Mat& m : A) PetscCall(MatDestroy(&m));
  return PETSC_SUCCESS;
}

TEST(Sweeps, JacobiSweepsAreThoseOfRichardson) {
  ASSERT_EQ((int)PetscOptionsInsertString(
                NULL, "-jacobi_pc_sor_sptrsv iterated -jacobi_mat_sptrsv_iterated_sweeps 0 -jacobi_pc_sor_omega 0.6"),
            0);
  for (PetscInt const dof : {1, 3})
    for (bool const symmetric : {false, true}) {
      if (symmetric && !OneRank()) continue;
      for (PetscInt const sweeps : {2, 4, 6})
        for (bool const guess : {false, true}) ASSERT_EQ(CheckJacobi(dof, symmetric, sweeps, guess), PETSC_SUCCESS);
    }
}

/// Solves by GMRES with two-stage sweeps, and checks the residual and the flops of one sweep.
PetscErrorCode CheckTwoStage(PetscInt dof) {
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;
  KSPConvergedReason reason;
  PetscReal norm, size;
  PetscLogDouble flops[2], begin;
  PetscCall(MakeMatrix(12, dof, MatTypeOfRun().c_str(), 1, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 5));
  for (int k = 0; k < 2; ++k) {
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, k ? "twostage_" : "sweeps_"));
    PetscCall(KSPSetType(ksp, KSPGMRES));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSOR));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    EXPECT_GT(reason, 0) << (k ? "two-stage" : "exact");
    PetscCall(PetscGetFlops(&begin));
    PetscCall(PCApply(pc, b, x));
    PetscCall(PetscGetFlops(&flops[k]));
    flops[k] -= begin;
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPDestroy(&ksp));
  }
  // forward three triangles, a product with A, backward three triangles: 8 halves of A for 2
  if (PetscDefined(USE_LOG) && MatTypeOfRun() == MATAIJ) {
    EXPECT_NEAR(flops[1] / flops[0], 4, 0.5);
  }
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  EXPECT_LE(norm, 1e-4 * size);
  return DestroyAll(&b, &x, &A);
}

TEST(Sweeps, InTwoStages) {
  ASSERT_EQ((int)PetscOptionsInsertString(NULL,
                                          "-sweeps_pc_sor_sptrsv sptrsv -twostage_pc_sor_sptrsv iterated "
                                          "-twostage_mat_sptrsv_iterated_sweeps 3"),
            0);
  for (PetscInt const dof : {1, 3}) ASSERT_EQ(CheckTwoStage(dof), PETSC_SUCCESS);
}

}  // namespace
}  // namespace petsc_test
