// SPDX-License-Identifier: Apache-2.0
// Tests factors of unusual matrices: shifts that are needed, zero pivots, n = 0 and 1, NaN.
#include <cmath>

#include "factor_pair.hpp"

namespace petsc_test {
namespace {

MatFactorType const factor_types[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};

std::string VariantName(testing::TestParamInfo<Variant> const& info) { return info.param.label; }
class MatFactorEdges : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(All, MatFactorEdges, testing::ValuesIn(all_variants()), VariantName);

/// Computes |F^-1| |b| row by row, with F^-1 column by column from PETSc's own factor: the scale for factors that are
/// not H-matrices.
PetscErrorCode InverseScale(Mat own, Vec b, Vec scale)
{
  Vec unit, column;
  PetscInt n;
  PetscScalar bj;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &unit));
  PetscCall(VecDuplicate(b, &column));
  PetscCall(VecGetSize(b, &n));
  PetscCall(VecSet(scale, 0));
  for (PetscInt j = 0; j < n; ++j) {
    PetscCall(VecSet(unit, 0));
    PetscCall(VecSetValue(unit, j, 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(unit));
    PetscCall(VecAssemblyEnd(unit));
    PetscCall(MatSolve(own, unit, column));
    PetscCall(VecAbs(column));
    PetscCall(VecGetValues(b, 1, &j, &bj));
    PetscCall(VecAXPY(scale, PetscAbsScalar(bj), column));
  }
  PetscCall(VecDestroy(&unit));
  PetscCall(VecDestroy(&column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameVerdict(std::string const& what, Mat ours, Mat own, MatFactorError* verdict)
{
  MatFactorError error[2];
  PetscReal value[2];
  PetscInt row[2];

  PetscFunctionBegin;
  PetscCall(MatFactorGetError(ours, &error[0]));
  PetscCall(MatFactorGetError(own, &error[1]));
  PetscCall(MatFactorGetErrorZeroPivot(ours, &value[0], &row[0]));
  PetscCall(MatFactorGetErrorZeroPivot(own, &value[1], &row[1]));
  EXPECT_EQ((int)error[0], (int)error[1]) << what;
  EXPECT_EQ(row[0], row[1]) << what;
  EXPECT_TRUE(value[0] == value[1] || (PetscIsNanReal(value[0]) && PetscIsNanReal(value[1])))
      << what << ": " << value[0] << " " << value[1];
  *verdict = error[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares the verdict and, if there is one, the solution with PETSc's own. The factors hold the same numbers; solves
/// by substitution differ by rounding, amplified by |U^-1||L^-1| over |F^-1|, which is modest for these bands of 60
/// rows without tiny pivots (a pivot after a shift is at least 1e-3); therefore the tolerance is 1e-9 (|F^-1||b|) in
/// each row.
PetscErrorCode CompareOnce(std::string const& what, Mat A, Factor& ours, Factor& own, bool* failed)
{
  MatFactorError verdict;
  Vec b, x, expected, scale;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(VecDuplicate(b, &expected));
  PetscCall(VecDuplicate(b, &scale));
  PetscCall(FillVec(b, 5));
  PetscCall(ours.Numeric(A));
  PetscCall(own.Numeric(A));
  PetscCall(ExpectSameVerdict(what, ours.mat(), own.mat(), &verdict));
  if (!verdict) {
    PetscCall(MatSolve(own.mat(), b, expected));
    PetscCall(MatSolve(ours.mat(), b, x));
    PetscCall(InverseScale(own.mat(), b, scale));
    PetscCall(ExpectRows(what, expected, x, scale, 1e-9));
  } else {
    PetscCall(MatSolve(ours.mat(), b, x));  // PETSc's own answer to a failed factor is infinity, without an error
    PetscCall(MatSolve(own.mat(), b, expected));
    PetscScalar const *e, *a;
    PetscCall(VecGetArrayRead(expected, &e));
    PetscCall(VecGetArrayRead(x, &a));
    EXPECT_EQ(PetscRealPart(a[0]), PetscRealPart(e[0])) << what;  // the imaginary part may be NaN
    PetscCall(VecRestoreArrayRead(expected, &e));
    PetscCall(VecRestoreArrayRead(x, &a));
  }
  *failed = verdict != MAT_FACTOR_NOERROR;
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscScalar ZeroNowAndThen(PetscInt i) { return i % 7 == 3 ? 0.0 : 2.0; }
PetscScalar OftenNegative(PetscInt i) { return i % 5 == 2 ? -0.3 : 1.1; }
PetscScalar ZeroFirst(PetscInt i) { return i == 0 ? 0.0 : 3.0; }
PetscScalar ZeroSomewhere(PetscInt i) { return i == 23 ? 0.0 : 3.0; }

PetscErrorCode RunShifts(Variant const& variant, PetscInt* num_failed, PetscInt* num_good)
{
  PetscScalar (*const diagonals[])(PetscInt) = {ZeroNowAndThen, OftenNegative, ZeroFirst, ZeroSomewhere};

  PetscFunctionBegin;
  for (int kind = 0; kind < 4; ++kind)
    for (MatFactorType ftype : factor_types)
      for (int shift = 0; shift < 4; ++shift)
        for (bool reorder : {false, true}) {
          Factoring setup;
          setup.ftype = ftype;
          setup.ordering = MATORDERINGRCM;
          setup.shift = (MatFactorShiftType)shift;
          setup.shift_amount = shift ? 1e-3 : 0;
          setup.nonzero_diagonal_order = reorder;
          // PETSc's own LU does not end with this shift if rows and columns have different permutations
          if (reorder && (setup.symmetric() || shift == (int)MAT_SHIFT_POSITIVE_DEFINITE)) continue;
          std::string const what = std::string(MatFactorTypes[ftype]) + ", diagonal " + std::to_string(kind) +
                                   ", shift " + MatFactorShiftTypes[shift] + (reorder ? ", reordered" : "");
          Mat A;
          Factor ours, own;
          bool failed = false;
          PetscCall(BuildBand(60, diagonals[kind], setup.symmetric(), &A));
          PetscCall(ours.Symbolic(A, variant.type, variant.prefix, setup));
          PetscCall(own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
          PetscCall(CompareOnce(what, A, ours, own, &failed));
          ++*(failed ? num_failed : num_good);
          // good values after bad ones, in the same factor; PETSc keeps the verdict until it is cleared
          for (Mat F : {ours.mat(), own.mat()}) PetscCall(MatFactorClearError(F));
          for (PetscInt i = 0; i < 60; ++i) PetscCall(MatSetValue(A, i, i, 4, INSERT_VALUES));
          PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
          PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
          PetscCall(CompareOnce(what + ", then good values", A, ours, own, &failed));
          EXPECT_FALSE(failed) << what;
          PetscCall(MatDestroy(&A));
        }
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(MatFactorEdges, ShiftsAndZeroPivotsAreThoseOfPetsc)
{
  PetscInt num_failed = 0, num_good = 0;
  EXPECT_EQ((int)RunShifts(GetParam(), &num_failed, &num_good), 0);
  EXPECT_GT(num_failed, 3) << "the test no longer meets a zero pivot";
  EXPECT_GT(num_good, 10) << "the test no longer meets a shift that helps";
}

/// Builds zeros on the diagonal and large entries next to them, so that rows and columns must be paired differently.
PetscErrorCode BuildPairs(PetscInt pairs, Mat* A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2 * pairs, 2 * pairs, 4, NULL, A));
  for (PetscInt i = 0; i < 2 * pairs; i += 2) {
    PetscInt const next = i + 2 < 2 * pairs ? i + 2 : -1;  // MatSetValue() ignores negative columns
    for (PetscInt row : {i, i + 1}) PetscCall(MatSetValue(*A, row, row, 0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, i + 1, 4, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i + 1, i, 3, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, next, 1, INSERT_VALUES));
    PetscCall(MatSetValue(*A, next, i, 0.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// the IS of the natural ordering is marked as the identity, and stays so when columns are exchanged in it
TEST_P(MatFactorEdges, NaturalOrderingWithColumnsExchanged)
{
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    Factoring setup;
    setup.ftype = ftype;
    setup.nonzero_diagonal_order = true;
    Mat A;
    Factor ours, own;
    bool failed = true;
    ASSERT_EQ((int)BuildPairs(30, &A), 0);
    ASSERT_EQ((int)ours.Symbolic(A, GetParam().type, GetParam().prefix, setup), 0);
    ASSERT_EQ((int)own.Symbolic(A, MATSOLVERPETSC, NULL, setup), 0);
    EXPECT_EQ((int)CompareOnce(MatFactorTypes[ftype], A, ours, own, &failed), 0);
    EXPECT_FALSE(failed);
    EXPECT_EQ((int)MatDestroy(&A), 0);
  }
}

PetscErrorCode RunFailedReason(char const* type, char const* pc_type, PCFailedReason* pc_reason,
                               KSPConvergedReason* ksp_reason)
{
  Mat A;
  Vec b, x;
  KSP ksp;
  PC pc;
  bool const symmetric = std::string(pc_type) == PCICC || std::string(pc_type) == PCCHOLESKY;

  PetscFunctionBegin;
  PetscCall(BuildBand(60, ZeroFirst, symmetric, &A));
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(PCFactorSetMatSolverType(pc, type));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PCGetFailedReason(pc, pc_reason));
  PetscCall(KSPGetConvergedReason(ksp, ksp_reason));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(MatFactorEdges, FailedPcHasPetscsReason)
{
  for (char const* pc_type : {PCLU, PCILU, PCCHOLESKY, PCICC}) {
    PCFailedReason ours = PC_NOERROR, own = PC_NOERROR;
    KSPConvergedReason ours_ksp = KSP_CONVERGED_ITERATING, own_ksp = KSP_CONVERGED_ITERATING;
    EXPECT_EQ((int)RunFailedReason(GetParam().type, pc_type, &ours, &ours_ksp), 0);
    EXPECT_EQ((int)RunFailedReason(MATSOLVERPETSC, pc_type, &own, &own_ksp), 0);
    EXPECT_EQ((int)ours, (int)own) << pc_type;
    EXPECT_EQ((int)ours_ksp, (int)own_ksp) << pc_type;
    EXPECT_EQ((int)own, (int)PC_FACTOR_NUMERIC_ZEROPIVOT) << pc_type;
  }
}

PetscErrorCode RunTiny(Variant const& variant, PetscInt n)
{
  PetscFunctionBegin;
  for (MatFactorType ftype : factor_types) {
    Mat A, B, X;
    Vec b, x;
    Factor ours;
    Factoring setup;
    setup.ftype = ftype;
    PetscCall(BuildBand(n, [](PetscInt) { return PetscScalar(4); }, setup.symmetric(), &A));
    PetscCall(MatCreateVecs(A, &b, &x));
    PetscCall(VecSet(b, 2));
    PetscCall(ours.Symbolic(A, variant.type, variant.prefix, setup));
    PetscCall(ours.Numeric(A));
    PetscCall(MakeDense(n, 3, n + 2, &B));
    PetscCall(MakeDense(n, 3, n + 2, &X));
    PetscCall(MatMatSolve(ours.mat(), B, X));
    for (auto solve : {MatSolveTranspose, MatSolve}) {
      PetscCall(VecSet(x, -1));
      PetscCall(solve(ours.mat(), b, x));
      PetscReal least = 0.5;
      if (n) PetscCall(VecMin(x, NULL, &least));
      EXPECT_EQ(least, 0.5) << MatFactorTypes[ftype];
    }
    PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_SELF, PETSC_VIEWER_ASCII_INFO));
    PetscCall(MatView(ours.mat(), PETSC_VIEWER_STDOUT_SELF));
    PetscCall(PetscViewerPopFormat(PETSC_VIEWER_STDOUT_SELF));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(MatFactorEdges, NoRowsAndOneRow)
{
  EXPECT_EQ((int)RunTiny(GetParam(), 0), 0);
  EXPECT_EQ((int)RunTiny(GetParam(), 1), 0);
}

/// Checks a NaN in one entry of the matrix (row and column given) or of b: NaN in the same rows as PETSc's, and the
/// solve ends.
PetscErrorCode RunNan(Variant const& variant, MatFactorType ftype, PetscInt row, PetscInt column, bool in_matrix)
{
  Grid grid;
  Mat A;
  Vec b, x, expected, scale;
  Factor ours, own;
  Factoring setup;
  bool seen = false;
  MatFactorError verdict;
  PetscScalar const* a;
  std::string const what = std::string(MatFactorTypes[ftype]) +
                           (in_matrix ? ", NaN in the matrix at " : ", NaN in b at ") + std::to_string(row);

  PetscFunctionBegin;
  setup.ftype = ftype;
  grid.symmetric = true;
  PetscCall(BuildGrid(grid, &A));
  PetscCall(MatCreateVecs(A, &b, &x));
  for (Vec* v : {&expected, &scale}) PetscCall(VecDuplicate(b, v));
  PetscCall(FillVec(b, 5));
  if (in_matrix) PetscCall(MatSetValue(A, row, column, NAN, INSERT_VALUES));
  else PetscCall(VecSetValue(b, row, NAN, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ours.Symbolic(A, variant.type, variant.prefix, setup));
  PetscCall(own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
  PetscCall(ours.Numeric(A));
  PetscCall(own.Numeric(A));
  PetscCall(ExpectSameVerdict(what, ours.mat(), own.mat(), &verdict));
  if (!verdict) {
    PetscCall(VecSet(scale, 10));
    PetscCall(MatSolve(own.mat(), b, expected));
    PetscCall(MatSolve(ours.mat(), b, x));
    PetscCall(ExpectRows(what, expected, x, scale, 1e-12));
    PetscCall(VecGetArrayRead(x, &a));
    for (PetscInt i = 0; i < 49; ++i) seen = seen || PetscIsNanScalar(a[i]);
    EXPECT_TRUE(seen) << what;
    PetscCall(VecRestoreArrayRead(x, &a));
  }
  PetscCall(MatDestroy(&A));
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(MatFactorEdges, NanComesOutAsNan)
{
  for (MatFactorType ftype : factor_types)
    for (PetscInt row : {0, 24, 48}) {
      EXPECT_EQ((int)RunNan(GetParam(), ftype, row, row, false), 0);
      EXPECT_EQ((int)RunNan(GetParam(), ftype, row, row, true), 0);
      EXPECT_EQ((int)RunNan(GetParam(), ftype, PetscMin(row, 47), PetscMin(row, 47) + 1, true), 0);
    }
}

}  // namespace
}  // namespace petsc_test
