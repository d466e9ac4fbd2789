// SPDX-License-Identifier: Apache-2.0
// Compares every solve of every kind of factor, row by row, with PETSc's own factor of the same matrix: of rows, of
// blocks, and of matrices that PETSc keeps in Kokkos or on a GPU.
#include "factor_checks.hpp"

namespace petsc_test {
namespace {

struct Case {
  Variant variant;
  MatType type;
  PetscInt dof;
  MatFactorType ftype;
  PetscInt levels;
  MatOrderingType ordering;
  MatFactorShiftType shift;
};

PetscErrorCode RunCase(Case const& c)
{
  Mat A, M;
  Three t;
  Factoring setup, exact;
  Grid grid, comparison;

  PetscFunctionBegin;
  setup.ftype = c.ftype;
  setup.levels = c.levels;
  setup.ordering = c.ordering;
  setup.shift = c.shift;
  setup.shift_amount = c.shift == MAT_SHIFT_NONE ? 0 : 1e-10;
  grid.dof = c.dof;
  grid.side = c.dof == 1 ? 8 : c.dof < 6 ? 5 : 3;
  // a block matrix needs whole blocks, but no symmetric pattern of entries
  grid.symmetric = setup.symmetric() || std::string(c.type) == MATSEQSBAIJ;
  grid.type = c.type;
  comparison = grid;
  comparison.type = MATSEQAIJ;
  comparison.comparison = true;
  PetscCall(BuildGrid(grid, &A));
  PetscCall(BuildGrid(comparison, &M));
  PetscCall(t.Create(A));
  PetscCall(t.ours.Symbolic(A, c.variant.type, c.variant.prefix, setup));
  PetscCall(t.own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
  PetscCall(t.bound.Symbolic(M, MATSOLVERPETSC, NULL, exact));  // its inverse bounds those of all incomplete factors
  for (unsigned seed : {1u, 2u}) {                              // new values, the same pattern
    grid.seed = comparison.seed = seed;
    PetscCall(SetGridValues(grid, A));
    PetscCall(SetGridValues(comparison, M));
    PetscCall(t.own.Numeric(A));
    PetscCall(t.ours.Numeric(A));
    PetscCall(t.bound.Numeric(M));
    PetscCall(CheckAllSolves(t, setup));
    PetscCall(CheckPhases(t.ours.mat(), (PetscInt)seed));
  }
  PetscCall(t.Destroy());
  for (Mat* m : {&A, &M}) PetscCall(MatDestroy(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Kind {
  MatFactorType ftype;
  PetscInt levels;
};

std::vector<Case> AllCases()
{
  static Kind const kinds[] = {{MAT_FACTOR_LU, 0},       {MAT_FACTOR_ILU, 0}, {MAT_FACTOR_ILU, 1}, {MAT_FACTOR_ILU, 2},
                               {MAT_FACTOR_CHOLESKY, 0}, {MAT_FACTOR_ICC, 0}, {MAT_FACTOR_ICC, 1}, {MAT_FACTOR_ICC, 2}};
  std::vector<MatType> types = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  types.push_back(MATSEQAIJKOKKOS);
#endif
#if defined(PETSC_HAVE_CUDA)
  types.push_back(MATSEQAIJCUSPARSE);
#endif
#if defined(PETSC_HAVE_HIP)
  types.push_back(MATSEQAIJHIPSPARSE);
#endif
  std::vector<Case> all;
  for (Variant const& variant : all_variants())
    for (MatType type : types)
      for (PetscInt dof : {1, 2, 3, 4, 5, 6, 7, 8, 11})
        for (Kind const& kind : kinds)
          for (MatOrderingType ordering :
               {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD, "color"}) {
            bool const by_blocks = std::string(type) == MATSEQBAIJ || std::string(type) == MATSEQSBAIJ;
            bool const symmetric = kind.ftype == MAT_FACTOR_CHOLESKY || kind.ftype == MAT_FACTOR_ICC;
            bool const natural = std::string(ordering) == MATORDERINGNATURAL;
            if (std::string(type) == MATSEQSBAIJ && !symmetric) continue;  // PETSc has no such factor
            if (by_blocks && symmetric && !natural) continue;              // PETSc has no such factor
            if (!by_blocks && dof > 3) continue;
            if (dof > 1 && !natural && !by_blocks && std::string(type) != MATSEQAIJ)
              continue;  // orderings split inodes: docs/dev/petsc_faults.md
            // all orderings with two types, for other types the natural one and one that moves rows and columns
            std::string const label = variant.label;
            if (label != "levelset" && label != "sptrsv" && !natural && std::string(ordering) != MATORDERINGND)
              continue;
            all.push_back({variant, type, dof, kind.ftype, kind.levels, ordering, MAT_SHIFT_NONE});
            if (std::string(type) != MATSEQAIJ || !natural) continue;
            for (MatFactorShiftType shift : {MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS})
              all.push_back({variant, type, dof, kind.ftype, kind.levels, ordering, shift});
          }
  return all;
}

std::string CaseName(testing::TestParamInfo<Case> const& info)
{
  Case const& c = info.param;
  return std::string(c.variant.label) + "_" + c.type + "_bs" + std::to_string(c.dof) + "_" + MatFactorTypes[c.ftype] +
         std::to_string(c.levels) + "_" + c.ordering +
         (c.shift == MAT_SHIFT_NONE ? "" : std::string("_") + MatFactorShiftTypes[c.shift]);
}

class MatrixTypeSolves : public testing::TestWithParam<Case> {};
TEST_P(MatrixTypeSolves, AgreeWithPetscRowByRow) { EXPECT_EQ((int)RunCase(GetParam()), 0); }
INSTANTIATE_TEST_SUITE_P(All, MatrixTypeSolves, testing::ValuesIn(AllCases()), CaseName);

#if defined(PETSC_USE_COMPLEX)
TEST(MatrixTypes, HermitianBlocksAreRefusedByName)
{
  Grid grid;
  Mat A, F;
  IS rows, cols;
  MatFactorInfo info;
  grid.symmetric = true;  // block size 1: for others PETSc itself refuses MAT_HERMITIAN
  grid.type = MATSEQSBAIJ;
  ASSERT_EQ((int)BuildGrid(grid, &A), 0);
  ASSERT_EQ((int)MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE), 0);
  ASSERT_EQ((int)MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE), 0);
  ASSERT_EQ((int)MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols), 0);
  ASSERT_EQ((int)MatFactorInfoInitialize(&info), 0);
  info.fill = 1;
  ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_ICC, &F), 0);
  CaughtError const caught = Catch([&] { return MatICCFactorSymbolic(F, A, rows, &info); });
  EXPECT_EQ((int)caught.code, PETSC_ERR_SUP);
  EXPECT_NE(caught.message.find("Hermitian"), std::string::npos) << caught.message;
  EXPECT_EQ((int)MatDestroy(&F), 0);
  EXPECT_EQ((int)MatDestroy(&A), 0);
  EXPECT_EQ((int)ISDestroy(&rows), 0);
  EXPECT_EQ((int)ISDestroy(&cols), 0);
}
#endif

}  // namespace
}  // namespace petsc_test
