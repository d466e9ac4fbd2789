// SPDX-License-Identifier: Apache-2.0
// Every solve of every kind of factor, row by row against PETSc's own factor of the same matrix.
#include "factor_pair.hpp"
#include "sptrsv_petsc.h"

#include <cmath>

namespace petsc_test {
namespace {

// The measure. Both factors hold the same numbers and both solve by substitution, in different orders, so
// the solutions differ by rounding only. Higham, Accuracy and Stability, theorem 8.9: substitution with T
// errs by at most c u M(T)^-1 |b| in each row, M(T) the comparison matrix; c is at most n^2 + n + 1, and for
// a sparse T 2 levels (k + 2), k the longest row. The test matrices are H-matrices, for which the exact and
// incomplete factors of M(A) bound those of A: M(L)^-1 <= L(M(A))^-1, M(U)^-1 <= U(M(A))^-1. So the scale of
// row i is what PETSc's own factor of M(A) makes of |b|. Two factors of at most 150 rows with k < 60:
// c u < 2 * 2 * 150 * 60 * 1.1e-16 = 4e-12, and 1e-12 leaves rounding, which never adds up like that, a
// margin of hundreds, while an entry missed in row i, some 1e-2 of its scale, is seen at once.
constexpr PetscReal tolerance = 1e-12;

struct Case {
  Variant variant;
  Factoring setup;
  PetscInt dof;
};

/// The three factors of a case: ours, PETSc's own, and PETSc's own of the comparison matrix.
struct Three {
  Factor ours, own, bound;
  Vec b = nullptr, b_abs = nullptr, y = nullptr, x = nullptr, expected = nullptr, scale = nullptr;
  PetscInt n = 0;

  PetscErrorCode Create(Mat A)
  {
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatCreateVecs(A, &b, NULL));
    for (Vec* v : {&b_abs, &y, &x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
    PetscCall(FillVec(b, 3));
    PetscCall(FillVec(y, 4));
    PetscCall(VecCopy(b, b_abs));
    PetscCall(VecAbs(b_abs));
    PetscFunctionReturn(0);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    for (Vec* v : {&b, &b_abs, &y, &x, &expected, &scale}) PetscCall(VecDestroy(v));
    PetscFunctionReturn(0);
  }
};

using SolveCall = PetscErrorCode (*)(Mat, Vec, Vec);

PetscErrorCode CheckSolve(char const* what, SolveCall solve, Three& t)
{
  PetscFunctionBegin;
  PetscCall(VecSet(t.x, std::nan("")));  // x is output only
  PetscCall(solve(t.own.mat(), t.b, t.expected));
  PetscCall(solve(t.bound.mat(), t.b_abs, t.scale));
  PetscCall(solve(t.ours.mat(), t.b, t.x));
  PetscCall(ExpectRows(what, t.expected, t.x, t.scale, tolerance));
  PetscFunctionReturn(0);
}

/// x = y + F^-1 b (or its transpose), y another vector and y the very vector x.
PetscErrorCode CheckAdd(Three& t, bool transposed)
{
  auto const add = transposed ? MatSolveTransposeAdd : MatSolveAdd;
  auto const solve = transposed ? MatSolveTranspose : MatSolve;

  PetscFunctionBegin;
  PetscCall(solve(t.own.mat(), t.b, t.expected));
  PetscCall(VecAXPY(t.expected, 1, t.y));
  PetscCall(solve(t.bound.mat(), t.b_abs, t.scale));
  PetscCall(VecShift(t.scale, 1));  // |y| <= 1
  PetscCall(VecSet(t.x, std::nan("")));
  PetscCall(add(t.ours.mat(), t.b, t.y, t.x));
  PetscCall(ExpectRows(transposed ? "MatSolveTransposeAdd" : "MatSolveAdd", t.expected, t.x, t.scale, tolerance));
  PetscCall(VecCopy(t.y, t.x));
  PetscCall(add(t.ours.mat(), t.b, t.x, t.x));
  PetscCall(ExpectRows("MatSolveAdd with x == y", t.expected, t.x, t.scale, tolerance));
  PetscFunctionReturn(0);
}

/// Ours of all columns at once against PETSc's own of one after the other.
PetscErrorCode CheckColumns(Three& t, bool transposed, PetscInt columns, PetscInt padding, bool in_place)
{
  auto const solve = transposed ? MatSolveTranspose : MatSolve;
  std::string const what = std::string(transposed ? "MatMatSolveTranspose" : "MatMatSolve") + " of " + std::to_string(columns) +
                           " columns, padding " + std::to_string(padding) + (in_place ? ", B == X" : "");
  Mat B, X;
  Vec v;

  PetscFunctionBegin;
  PetscCall(MakeDense(t.n, columns, t.n + padding, &B));
  PetscCall(MakeDense(t.n, columns, t.n + 2 * padding, &X));
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &v));
    PetscCall(FillVec(v, 10 + (unsigned)c));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &v));
  }
  PetscCall((transposed ? MatMatSolveTranspose : MatMatSolve)(t.ours.mat(), B, in_place ? B : X));
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(FillVec(t.y, 10 + (unsigned)c));
    PetscCall(solve(t.own.mat(), t.y, t.expected));
    PetscCall(VecAbs(t.y));
    PetscCall(solve(t.bound.mat(), t.y, t.scale));
    PetscCall(MatDenseGetColumnVecRead(in_place ? B : X, c, &v));
    PetscCall(ExpectRows(what + ", column " + std::to_string(c), t.expected, v, t.scale, tolerance));
    PetscCall(MatDenseRestoreColumnVecRead(in_place ? B : X, c, &v));
  }
  PetscCall(FillVec(t.y, 4));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(0);
}

PetscErrorCode CheckAllSolves(Three& t, Factoring const& setup)
{
  PetscFunctionBegin;
  PetscCall(CheckSolve("MatSolve", MatSolve, t));
  PetscCall(CheckSolve("MatSolveTranspose", MatSolveTranspose, t));
  PetscCall(CheckAdd(t, false));
  PetscCall(CheckAdd(t, true));
  for (bool transposed : {false, true}) {
    PetscCall(CheckColumns(t, transposed, 1, 0, false));
    PetscCall(CheckColumns(t, transposed, 3, 5, false));
    PetscCall(CheckColumns(t, transposed, 5, 0, !transposed));  // PETSc refuses B == X for the transpose
  }
  if (setup.symmetric()) {
    PetscCall(CheckSolve("MatForwardSolve", MatForwardSolve, t));
    PetscCall(CheckSolve("MatBackwardSolve", MatBackwardSolve, t));
  }
  PetscCall(CheckSolve("MatSolve after the others", MatSolve, t));
  PetscFunctionReturn(0);
}

PetscErrorCode CheckPhases(Mat F, PetscInt numeric)
{
  MatSpTRSVInfo info;

  PetscFunctionBegin;
  PetscCall(MatSpTRSVGetInfo(F, &info));
  EXPECT_EQ(info.num_analysis, 1);
  EXPECT_EQ(info.num_numeric, numeric);
  EXPECT_GT(info.num_solves, 0);
  PetscFunctionReturn(0);
}

PetscErrorCode RunCase(Case const& c)
{
  Mat A, M;
  Three t;
  Grid grid;

  PetscFunctionBegin;
  grid.dof       = c.dof;
  grid.side      = c.dof > 1 ? 5 : 8;
  grid.symmetric = c.setup.symmetric();
  PetscCall(BuildGrid(grid, &A));
  grid.comparison = true;
  PetscCall(BuildGrid(grid, &M));
  PetscCall(t.Create(A));
  PetscCall(t.ours.Symbolic(A, c.variant.type, c.variant.prefix, c.setup));
  PetscCall(t.own.Symbolic(A, MATSOLVERPETSC, NULL, c.setup));
  PetscCall(t.bound.Symbolic(M, MATSOLVERPETSC, NULL, c.setup));
  for (unsigned seed : {1u, 2u}) {
    if (seed == 2) {  // new values, the same pattern
      grid.seed       = seed;
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
  PetscFunctionReturn(0);
}

struct Kind {
  char const* name;
  MatFactorType ftype;
  PetscInt levels;
};

std::vector<Case> AllCases()
{
  static Kind const kinds[] = {{"lu", MAT_FACTOR_LU, 0},         {"ilu0", MAT_FACTOR_ILU, 0}, {"ilu1", MAT_FACTOR_ILU, 1}, {"ilu2", MAT_FACTOR_ILU, 2},
                               {"chol", MAT_FACTOR_CHOLESKY, 0}, {"icc0", MAT_FACTOR_ICC, 0}, {"icc1", MAT_FACTOR_ICC, 1}, {"icc2", MAT_FACTOR_ICC, 2}};
  std::vector<Case> all;
  for (Variant const& variant : all_variants())
    for (Kind const& kind : kinds)
      for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD})
        for (PetscInt dof : {1, 3})
          for (MatFactorShiftType shift : {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
            Case c{variant, {}, dof};
            c.setup.ftype        = kind.ftype;
            c.setup.levels       = kind.levels;
            c.setup.ordering     = ordering;
            c.setup.shift        = shift;
            c.setup.shift_amount = shift == MAT_SHIFT_NONE ? 0 : 1e-10;
            // PETSc's own fault: LU and ILU with this shift read past an array where there are inodes
            if (dof > 1 && shift == MAT_SHIFT_POSITIVE_DEFINITE && !c.setup.symmetric()) continue;
            all.push_back(c);
          }
  return all;
}

std::string CaseName(testing::TestParamInfo<Case> const& info)
{
  Factoring const& s = info.param.setup;
  return std::string(info.param.variant.label) + "_" + MatFactorTypes[s.ftype] + std::to_string(s.levels) + "_" + s.ordering + "_dof" +
         std::to_string(info.param.dof) + "_shift_" + MatFactorShiftTypes[s.shift];
}

class MatFactorSolves : public testing::TestWithParam<Case> {};
TEST_P(MatFactorSolves, AgreeWithPetscRowByRow)
{
  EXPECT_EQ((int)RunCase(GetParam()), 0);
}
INSTANTIATE_TEST_SUITE_P(All, MatFactorSolves, testing::ValuesIn(AllCases()), CaseName);

}  // namespace
}  // namespace petsc_test
