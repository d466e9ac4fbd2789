// SPDX-License-Identifier: Apache-2.0
// Compares every solve of every kind of factor, row by row, with PETSc's own factor of the same matrix: of rows, of
// blocks, and of matrices that PETSc keeps in Kokkos or on a GPU.
#include <cmath>

#include "factor_pair.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

/// The three factors of a case: the plugin's, PETSc's own, and PETSc's own of the comparison matrix.
struct Three {
  Factor ours, own, bound;
  Vec b = nullptr, b_abs = nullptr, y = nullptr, x = nullptr, expected = nullptr, scale = nullptr;
  PetscInt n = 0;

  PetscErrorCode Create(Mat A) {
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatCreateVecs(A, &b, NULL));
    for (Vec* v : {&b_abs, &y, &x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
    PetscCall(FillVec(b, 3));
    PetscCall(FillVec(y, 4));
    PetscCall(VecCopy(b, b_abs));
    return VecAbs(b_abs);
  }
  PetscErrorCode Destroy() {
    for (Vec* v : {&b, &b_abs, &y, &x, &expected, &scale}) PetscCall(VecDestroy(v));
    return PETSC_SUCCESS;
  }
};

// Bound of the comparison. Both factors hold the same numbers and both solve by substitution, in different orders, so
// the solutions differ by rounding only. Higham, Accuracy and Stability, theorem 8.9: substitution with T errs by at
// most c u M(T)^-1 |b| in each row, with M(T) the comparison matrix; c <= n^2 + n + 1, and for a sparse T c <= 2 levels
// (k + 2), with k the longest row. The test matrices are H-matrices, for which the exact and incomplete factors of M(A)
// bound those of A: M(L)^-1 <= L(M(A))^-1, M(U)^-1 <= U(M(A))^-1. The scale of row i is therefore the solution of
// PETSc's own factor of M(A) for |b|. For two factors of at most 150 rows with k < 60, c u < 2 * 2 * 150 * 60 u = 36000
// u, 4e-12 in double. The tolerance of 9000 u, 1e-12, leaves rounding, which never adds up like that, a margin of
// hundreds, while an entry missed in row i, about 1e-2 of its scale, is detected.
constexpr PetscReal tolerance = 4500 * PETSC_MACHINE_EPSILON;

using SolveCall = PetscErrorCode (*)(Mat, Vec, Vec);

PetscErrorCode CheckSolve(char const* what, SolveCall solve, Three& t) {
  PetscCall(VecSet(t.x, std::nan("")));  // x is output only
  PetscCall(solve(t.own.mat(), t.b, t.expected));
  PetscCall(solve(t.bound.mat(), t.b_abs, t.scale));
  PetscCall(solve(t.ours.mat(), t.b, t.x));
  return ExpectRows(what, t.expected, t.x, t.scale, tolerance);
}

/// Checks a half of a solve. M(A)'s factor does not bound it, since the halves may be split elsewhere, so the scale is
/// the solution's own size: in these well-conditioned factors every row's terms have that order of magnitude, or that
/// of b.
PetscErrorCode CheckHalf(char const* what, SolveCall half, Three& t) {
  PetscReal largest;
  PetscCall(VecSet(t.x, std::nan("")));
  PetscCall(half(t.own.mat(), t.b, t.expected));
  PetscCall(VecNorm(t.expected, NORM_INFINITY, &largest));
  PetscCall(VecSet(t.scale, 1 + largest));
  PetscCall(half(t.ours.mat(), t.b, t.x));
  return ExpectRows(what, t.expected, t.x, t.scale, tolerance);
}

/// Checks the halves of a block LU or Cholesky factor, where PETSc's own factor has them.
PetscErrorCode CheckHalves(Three& t, Factoring const& setup) {
  PetscBool forward;
  PetscCall(MatHasOperation(t.own.mat(), MATOP_FORWARD_SOLVE, &forward));
  if (forward && !(setup.symmetric() && PetscDefined(USE_COMPLEX))) {  // PETSc takes no root of a complex diagonal
    PetscCall(CheckHalf("MatForwardSolve", MatForwardSolve, t));
    PetscCall(CheckHalf("MatBackwardSolve", MatBackwardSolve, t));
  }
  return PETSC_SUCCESS;
}

/// Checks x = y + F^-1 b, or its transpose, for y another vector and for y = x.
PetscErrorCode CheckAdd(Three& t, bool transposed) {
  auto const add = transposed ? MatSolveTransposeAdd : MatSolveAdd;
  auto const solve = transposed ? MatSolveTranspose : MatSolve;
  PetscCall(solve(t.own.mat(), t.b, t.expected));
  PetscCall(VecAXPY(t.expected, 1, t.y));
  PetscCall(solve(t.bound.mat(), t.b_abs, t.scale));
  PetscCall(VecShift(t.scale, 1));  // |y| <= 1
  PetscCall(VecSet(t.x, std::nan("")));
  PetscCall(add(t.ours.mat(), t.b, t.y, t.x));
  PetscCall(ExpectRows(transposed ? "MatSolveTransposeAdd" : "MatSolveAdd", t.expected, t.x, t.scale, tolerance));
  PetscCall(VecCopy(t.y, t.x));
  PetscCall(add(t.ours.mat(), t.b, t.x, t.x));
  return ExpectRows("MatSolveAdd with x == y", t.expected, t.x, t.scale, tolerance);
}

/// Compares the plugin's solve of all columns at once with PETSc's own, column by column.
PetscErrorCode CheckColumns(Three& t, bool transposed, PetscInt columns, PetscInt padding, bool in_place) {
  auto const solve = transposed ? MatSolveTranspose : MatSolve;
  std::string const what = std::string(transposed ? "MatMatSolveTranspose" : "MatMatSolve") + " of " +
                           std::to_string(columns) + " columns, padding " + std::to_string(padding) +
                           (in_place ? ", B == X" : "");
  Mat B, X;
  Vec v;
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
  return DestroyAll(&B, &X);
}

/// Checks every kind of solve, and the halves of a solve.
PetscErrorCode CheckAllSolves(Three& t, Factoring const& setup) {
  PetscCall(CheckSolve("MatSolve", MatSolve, t));
  PetscCall(CheckSolve("MatSolveTranspose", MatSolveTranspose, t));
  PetscCall(CheckAdd(t, false));
  PetscCall(CheckAdd(t, true));
  for (bool transposed : {false, true}) {
    PetscCall(CheckColumns(t, transposed, 1, 0, false));
    PetscCall(CheckColumns(t, transposed, 3, 5, false));
    PetscCall(CheckColumns(t, transposed, 5, 0, !transposed));  // PETSc refuses B == X for the transpose
  }
  PetscCall(CheckHalves(t, setup));
  return CheckSolve("MatSolve after the others", MatSolve, t);
}

/// Checks that there were one analysis and `numeric` numeric phases.
PetscErrorCode CheckPhases(Mat F, PetscInt numeric) {
  MatSpTRSVInfo info;
  PetscCall(MatSpTRSVGetInfo(F, &info));
  EXPECT_EQ(info.num_analysis, 1);
  EXPECT_EQ(info.num_numeric, numeric);
  EXPECT_GT(info.num_solves, 0);
  return PETSC_SUCCESS;
}

struct Case {
  Variant variant;
  MatType type;
  PetscInt dof;
  MatFactorType ftype;
  PetscInt levels;
  MatOrderingType ordering;
  MatFactorShiftType shift;
};

PetscErrorCode RunCase(Case const& c) {
  Mat A, M;
  Three t;
  Factoring setup, exact;
  Grid grid, comparison;
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
  PetscCall(t.ours.Symbolic(A, c.variant.type, c.variant.prefix().c_str(), setup));
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
  return PETSC_SUCCESS;
}

struct Kind {
  MatFactorType ftype;
  PetscInt levels;
};

std::vector<Case> AllCases() {
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

std::string CaseName(testing::TestParamInfo<Case> const& info) {
  Case const& c = info.param;
  return std::string(c.variant.label) + "_" + c.type + "_bs" + std::to_string(c.dof) + "_" + MatFactorTypes[c.ftype] +
         std::to_string(c.levels) + "_" + c.ordering +
         (c.shift == MAT_SHIFT_NONE ? "" : std::string("_") + MatFactorShiftTypes[c.shift]);
}

class MatrixTypeSolves : public testing::TestWithParam<Case> {};
TEST_P(MatrixTypeSolves, AgreeWithPetscRowByRow) { EXPECT_EQ((int)RunCase(GetParam()), 0); }
INSTANTIATE_TEST_SUITE_P(All, MatrixTypeSolves, testing::ValuesIn(AllCases()), CaseName);

#if defined(PETSC_USE_COMPLEX)
TEST(MatrixTypes, HermitianBlocksAreRefusedByName) {
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
  EXPECT_EQ((int)DestroyAll(&F, &A, &rows, &cols), 0);
}
#endif

}  // namespace
}  // namespace petsc_test
