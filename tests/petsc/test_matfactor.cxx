// SPDX-License-Identifier: Apache-2.0
// Compares every solve of every kind of factor, row by row, with PETSc's own factor of the same matrix.
#include "factor_checks.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

struct Case {
  Variant variant;
  Factoring setup;
  PetscInt dof;
};

PetscErrorCode RunCase(Case const& c)
{
  Mat A, M;
  Three t;
  Grid grid;

  PetscFunctionBegin;
  grid.dof = c.dof;
  grid.side = c.dof > 1 ? 5 : 8;
  grid.symmetric = c.setup.symmetric();
  PetscCall(BuildGrid(grid, &A));
  grid.comparison = true;
  PetscCall(BuildGrid(grid, &M));
  PetscCall(t.Create(A));
  PetscCall(t.ours.Symbolic(A, c.variant.type, c.variant.prefix, c.setup));
  PetscCall(t.own.Symbolic(A, MATSOLVERPETSC, NULL, c.setup));
  PetscCall(t.bound.Symbolic(M, MATSOLVERPETSC, NULL, c.setup));
  for (unsigned seed : {1u, 2u}) {
    if (seed == 2) {  // new values in the same pattern
      grid.seed = seed;
      grid.comparison = false;
      PetscCall(SetGridValues(grid, A));
      grid.comparison = true;
      PetscCall(SetGridValues(grid, M));
    }
    PetscCall(t.ours.Numeric(A));
    PetscCall(t.own.Numeric(A));
    PetscCall(t.bound.Numeric(M));
    PetscCall(CheckAllSolves(t, c.setup));
    PetscCall(CheckPhases(t.ours.mat(), (PetscInt)seed));
  }
  PetscCall(t.Destroy());
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Kind {
  char const* name;
  MatFactorType ftype;
  PetscInt levels;
};

std::vector<Case> AllCases()
{
  static Kind const kinds[] = {{"lu", MAT_FACTOR_LU, 0},         {"ilu0", MAT_FACTOR_ILU, 0},
                               {"ilu1", MAT_FACTOR_ILU, 1},      {"ilu2", MAT_FACTOR_ILU, 2},
                               {"chol", MAT_FACTOR_CHOLESKY, 0}, {"icc0", MAT_FACTOR_ICC, 0},
                               {"icc1", MAT_FACTOR_ICC, 1},      {"icc2", MAT_FACTOR_ICC, 2}};
  std::vector<Case> all;
  for (Variant const& variant : all_variants())
    for (Kind const& kind : kinds)
      for (MatOrderingType ordering :
           {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD, "color"})
        for (PetscInt dof : {1, 3})
          for (MatFactorShiftType shift :
               {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
            if (std::string(ordering) == "color" && shift != MAT_SHIFT_NONE) continue;
            Case c{variant, {}, dof};
            c.setup.ftype = kind.ftype;
            c.setup.levels = kind.levels;
            c.setup.ordering = ordering;
            c.setup.shift = shift;
            c.setup.shift_amount = shift == MAT_SHIFT_NONE ? 0 : 1e-10;
            all.push_back(c);
          }
  return all;
}

std::string CaseName(testing::TestParamInfo<Case> const& info)
{
  Factoring const& s = info.param.setup;
  return std::string(info.param.variant.label) + "_" + MatFactorTypes[s.ftype] + std::to_string(s.levels) + "_" +
         s.ordering + "_dof" + std::to_string(info.param.dof) + "_shift_" + MatFactorShiftTypes[s.shift];
}

class MatFactorSolves : public testing::TestWithParam<Case> {};
TEST_P(MatFactorSolves, AgreeWithPetscRowByRow) { EXPECT_EQ((int)RunCase(GetParam()), 0); }
INSTANTIATE_TEST_SUITE_P(All, MatFactorSolves, testing::ValuesIn(AllCases()), CaseName);

}  // namespace
}  // namespace petsc_test
