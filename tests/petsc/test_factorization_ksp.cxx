// SPDX-License-Identifier: Apache-2.0
// Tests the backend's factors through KSP: repeated set-ups, reuse of ordering and fill, and the view.
#include <fstream>
#include <iterator>

#include "host_device_pair.hpp"
#include "sptrsv_support/generators.hpp"

namespace petsc_test {
namespace {

struct Way {
  char const* pc;
  char const* ordering;
  bool reuse;
  PetscInt levels = 0;
};

PetscErrorCode MakeKsp(Mat A, Way const& way, char const* prefix, KSP* ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetType(*ksp, KSPBCGS));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, way.pc));
  PetscCall(PCFactorSetMatOrderingType(pc, way.ordering));
  PetscCall(PCFactorSetMatSolverType(pc, "levelset"));
  if (way.levels) PetscCall(PCFactorSetLevels(pc, way.levels));
  PetscCall(PCFactorSetFill(pc, 2.5));
  if (way.reuse) {
    PetscCall(PCFactorSetReuseOrdering(pc, PETSC_TRUE));
    PetscCall(PCFactorSetReuseFill(pc, PETSC_TRUE));
  }
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks where the view says that the factor of `ksp` was computed.
PetscErrorCode ExpectView(KSP ksp, char const* text)
{
  char name[] = "factorization_ksp.XXXXXX";
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, name, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::ifstream file(name);
  std::string const all{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(all.find(text), std::string::npos) << all;
  std::remove(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameSteps(Way const& way)
{
  Mat A;
  KSP ksp[2];
  Vec b, x[2];
  PetscInt steps[2];
  PetscReal rest[2];
  PetscBool same;

  PetscFunctionBegin;
  SCOPED_TRACE(std::string(way.pc) + " " + way.ordering + " " + std::to_string(way.levels));
  bool const by_levels = way.pc == std::string(PCILU) || way.pc == std::string(PCICC);
  PetscCall(BuildMatrix(sptrsv::support::generate("lap2d:20"), Diagonal::kept, MATSEQAIJ, true, &A));
  PetscCall(MakeKsp(A, way, "host_", &ksp[0]));
  PetscCall(MakeKsp(A, way, "device_", &ksp[1]));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(b, &x[1]));
  PetscCall(FillVec(b, 9));
  for (int round = 0; round < 6; ++round) {
    PetscCall(MatShift(A, (PetscReal)0.1));  // the same pattern
    if (round == 3) {                        // another pattern
      PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      PetscCall(MatSetValue(A, 3, 57, -0.1, INSERT_VALUES));
      PetscCall(MatSetValue(A, 57, 3, -0.1, INSERT_VALUES));
      PetscCall(Assemble(A));
    }
    for (int k : {0, 1}) {
      PetscCall(KSPSetOperators(ksp[k], A, A));
      PetscCall(KSPSolve(ksp[k], b, x[k]));
      PetscCall(KSPGetIterationNumber(ksp[k], &steps[k]));
      PetscCall(KSPGetResidualNorm(ksp[k], &rest[k]));
    }
    EXPECT_EQ(steps[0], steps[1]);
    EXPECT_EQ(rest[0], rest[1]);
    PetscCall(VecEqual(x[0], x[1], &same));
    EXPECT_TRUE(same);
  }
  PetscCall(ExpectView(ksp[0], "factored by PETSc on the host (asked for)"));
  PetscCall(ExpectView(ksp[1], "factored by sptrsv on the"));
  PetscCall(ExpectView(ksp[0], "beyond PETSc's own factor"));
  PetscCall(ExpectView(ksp[1], by_levels ? "beyond the matrix" : "beyond PETSc's own factor"));
  for (int k : {0, 1}) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(VecDestroy(&x[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(FactorizationKsp, StepsWithNewValuesAndPatterns)
{
  for (char const* pc : {PCILU, PCICC, PCLU, PCCHOLESKY})
    for (char const* ordering : {MATORDERINGNATURAL, MATORDERINGRCM})
      for (bool reuse : {false, true}) EXPECT_EQ((int)ExpectSameSteps({pc, ordering, reuse}), 0);
  for (char const* pc : {PCILU, PCICC})
    for (bool reuse : {false, true})
      for (PetscInt levels : {1, 3}) EXPECT_EQ((int)ExpectSameSteps({pc, MATORDERINGRCM, reuse, levels}), 0);
}

/// Checks columns that are permuted for a nonzero diagonal in natural order: the pattern of PETSc's ILU(0) is then
/// wrong (docs/dev/petsc_faults.md), and the plugin's must be the same.
PetscErrorCode ExpectSameReordered(PetscInt levels)
{
  Mat A;
  PC pc[2];
  Vec b, x[2];
  PetscBool same;

  PetscFunctionBegin;
  SCOPED_TRACE(levels);
  PetscCall(BuildMatrix(sptrsv::support::generate("lap2d:12"), Diagonal::kept, MATSEQAIJ, false, &A));
  for (PetscInt i = 1; i < 144; i += 5) PetscCall(MatSetValue(A, i, i, 0, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(b, &x[1]));
  PetscCall(FillVec(b, 3));
  for (int k : {0, 1}) {
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc[k]));
    PetscCall(PCSetOptionsPrefix(pc[k], k ? "device_" : "host_"));
    PetscCall(PCSetType(pc[k], PCILU));
    PetscCall(PCFactorSetMatSolverType(pc[k], "levelset"));
    PetscCall(PCFactorSetLevels(pc[k], levels));
    PetscCall(PCFactorReorderForNonzeroDiagonal(pc[k], 1e-10));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(PCApply(pc[k], b, x[k]));
    PetscCall(PCDestroy(&pc[k]));
  }
  PetscCall(VecEqual(x[0], x[1], &same));
  EXPECT_TRUE(same);
  for (Vec* v : {&b, &x[0], &x[1]}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(FactorizationKsp, NonzerosAlongTheDiagonalInNaturalOrder)
{
  for (PetscInt levels : {0, 1, 2}) EXPECT_EQ((int)ExpectSameReordered(levels), 0);
}

}  // namespace
}  // namespace petsc_test
