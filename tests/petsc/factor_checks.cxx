// SPDX-License-Identifier: Apache-2.0
// Implements the checks of factors, and the bounds that they use.
#include "factor_checks.hpp"

#include <cmath>

#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

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

PetscErrorCode CheckSolve(char const* what, SolveCall solve, Three& t)
{
  PetscFunctionBegin;
  PetscCall(VecSet(t.x, std::nan("")));  // x is output only
  PetscCall(solve(t.own.mat(), t.b, t.expected));
  PetscCall(solve(t.bound.mat(), t.b_abs, t.scale));
  PetscCall(solve(t.ours.mat(), t.b, t.x));
  PetscCall(ExpectRows(what, t.expected, t.x, t.scale, tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks a half of a solve. M(A)'s factor does not bound it, since the halves may be split elsewhere, so the scale is
/// the solution's own size: in these well-conditioned factors every row's terms have that order of magnitude, or that
/// of b.
PetscErrorCode CheckHalf(char const* what, SolveCall half, Three& t)
{
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(VecSet(t.x, std::nan("")));
  PetscCall(half(t.own.mat(), t.b, t.expected));
  PetscCall(VecNorm(t.expected, NORM_INFINITY, &largest));
  PetscCall(VecSet(t.scale, 1 + largest));
  PetscCall(half(t.ours.mat(), t.b, t.x));
  PetscCall(ExpectRows(what, t.expected, t.x, t.scale, tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks the halves of a block LU or Cholesky factor, where PETSc's own factor has them.
PetscErrorCode CheckHalves(Three& t, Factoring const& setup)
{
  PetscBool forward;

  PetscFunctionBegin;
  PetscCall(MatHasOperation(t.own.mat(), MATOP_FORWARD_SOLVE, &forward));
  if (forward && !(setup.symmetric() && PetscDefined(USE_COMPLEX))) {  // PETSc takes no root of a complex diagonal
    PetscCall(CheckHalf("MatForwardSolve", MatForwardSolve, t));
    PetscCall(CheckHalf("MatBackwardSolve", MatBackwardSolve, t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks x = y + F^-1 b, or its transpose, for y another vector and for y = x.
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares the plugin's solve of all columns at once with PETSc's own, column by column.
PetscErrorCode CheckColumns(Three& t, bool transposed, PetscInt columns, PetscInt padding, bool in_place)
{
  auto const solve = transposed ? MatSolveTranspose : MatSolve;
  std::string const what = std::string(transposed ? "MatMatSolveTranspose" : "MatMatSolve") + " of " +
                           std::to_string(columns) + " columns, padding " + std::to_string(padding) +
                           (in_place ? ", B == X" : "");
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

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
  PetscCall(CheckHalves(t, setup));
  PetscCall(CheckSolve("MatSolve after the others", MatSolve, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPhases(Mat F, PetscInt numeric)
{
  MatSpTRSVInfo info;

  PetscFunctionBegin;
  PetscCall(MatSpTRSVGetInfo(F, &info));
  EXPECT_EQ(info.num_analysis, 1);
  EXPECT_EQ(info.num_numeric, numeric);
  EXPECT_GT(info.num_solves, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace petsc_test
