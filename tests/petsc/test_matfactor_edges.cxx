// SPDX-License-Identifier: Apache-2.0
// Tests factors of unusual matrices, n = 0 and 1, NaN and infinity, what follows a zero pivot, and refusals: matrices
// of other shapes and types, solves that PETSc's own factors refuse too, calls in the wrong order. fuzz_calls compares
// shifts and zero pivots with PETSc's.
#include <cmath>
#include <tuple>

#include "factor_pair.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

MatFactorType const factor_types[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};

std::string VariantName(testing::TestParamInfo<Variant> const& info) { return info.param.label; }
class MatFactorEdges : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(All, MatFactorEdges, testing::ValuesIn(all_variants()), VariantName);

PetscErrorCode RunTiny(Variant const& variant, PetscInt n) {
  for (MatFactorType ftype : factor_types) {
    Mat A, B, X;
    Vec b, x;
    Factor ours;
    Factoring setup;
    setup.ftype = ftype;
    PetscCall(BuildBand(n, [](PetscInt) { return PetscScalar(4); }, setup.symmetric(), &A));
    PetscCall(MatCreateVecs(A, &b, &x));
    PetscCall(VecSet(b, 2));
    PetscCall(ours.Symbolic(A, variant.type, variant.prefix().c_str(), setup));
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
    PetscCall(DestroyAll(&A, &B, &X, &b, &x));
  }
  return PETSC_SUCCESS;
}

TEST_P(MatFactorEdges, NoRowsAndOneRow) {
  EXPECT_EQ((int)RunTiny(GetParam(), 0), 0);
  EXPECT_EQ((int)RunTiny(GetParam(), 1), 0);
}

/// Checks a NaN in one entry of the matrix (row and column given) or of b: NaN in the same rows as PETSc's, and the
/// solve ends.
PetscErrorCode RunNan(Variant const& variant, MatFactorType ftype, PetscInt row, PetscInt column, bool in_matrix) {
  Grid grid;
  Mat A;
  Vec b, x, expected, scale;
  Factor ours, own;
  Factoring setup;
  bool seen = false;
  MatFactorError error[2];
  PetscScalar const* a;
  std::string const what = std::string(MatFactorTypes[ftype]) +
                           (in_matrix ? ", NaN in the matrix at " : ", NaN in b at ") + std::to_string(row);
  setup.ftype = ftype;
  grid.symmetric = true;
  PetscCall(BuildGrid(grid, &A));
  PetscCall(MatCreateVecs(A, &b, &x));
  for (Vec* v : {&expected, &scale}) PetscCall(VecDuplicate(b, v));
  PetscCall(FillVec(b, 5));
  if (in_matrix) PetscCall(MatSetValue(A, row, column, NAN, INSERT_VALUES));
  else PetscCall(VecSetValue(b, row, NAN, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(ours.Symbolic(A, variant.type, variant.prefix().c_str(), setup));
  PetscCall(own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
  PetscCall(ours.Numeric(A));
  PetscCall(own.Numeric(A));
  PetscCall(MatFactorGetError(ours.mat(), &error[0]));
  PetscCall(MatFactorGetError(own.mat(), &error[1]));
  EXPECT_EQ(error[0], error[1]) << what;
  if (!error[1]) {
    PetscCall(VecSet(scale, 10));
    PetscCall(MatSolve(own.mat(), b, expected));
    PetscCall(MatSolve(ours.mat(), b, x));
    PetscCall(ExpectRows(what, expected, x, scale, 1e-12));
    PetscCall(VecGetArrayRead(x, &a));
    for (PetscInt i = 0; i < 49; ++i) seen = seen || PetscIsNanScalar(a[i]);
    EXPECT_TRUE(seen) << what;
    PetscCall(VecRestoreArrayRead(x, &a));
  }
  PetscCall(DestroyAll(&A, &b, &x, &expected, &scale));
  return PETSC_SUCCESS;
}

TEST_P(MatFactorEdges, NanComesOutAsNan) {
  for (MatFactorType ftype : factor_types)
    for (PetscInt row : {0, 24, 48}) {
      EXPECT_EQ((int)RunNan(GetParam(), ftype, row, row, false), 0);
      EXPECT_EQ((int)RunNan(GetParam(), ftype, row, row, true), 0);
      EXPECT_EQ((int)RunNan(GetParam(), ftype, PetscMin(row, 47), PetscMin(row, 47) + 1, true), 0);
    }
}

PetscScalar OftenNegative(PetscInt i) { return i % 5 == 2 ? -0.3 : 1.1; }

/// Checks that a factor whose row 0 has no diagonal entry, since the columns are exchanged, is refused, and the matrix
/// given back; or, with that entry, factored.
void ExpectMissingDiagonal(Mat A, Factoring const& setup, bool there) {
  PetscInt references;
  {
    Factor factor;
    CaughtError const error = Catch([&] { return factor.Symbolic(A, "levelset", NULL, setup); });
    EXPECT_EQ((int)error.code, there ? 0 : (int)PETSC_ERR_SUP) << error.message;
    EXPECT_EQ(error.message.find("row 0 of the factor has its diagonal at row 0, column 1") == std::string::npos, there)
        << error.message;
    EXPECT_TRUE(!there || !factor.Numeric(A));
  }
  ASSERT_EQ((int)PetscObjectGetReference((PetscObject)A, &references), 0);
  EXPECT_EQ(references, 1);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

// PETSc may add such an entry twice
TEST(MatFactor, DiagonalsThatOrderingsPutWhereThereIsNoEntryAreNotFilled) {
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  setup.levels = 1;
  setup.diagonal_fill = 1;
  setup.row_perm = {0, 1, 2, 3};
  setup.col_perm = {1, 0, 2, 3};
  for (bool entries : {false, true}) {
    Mat A;
    ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 4, 3, NULL, &A), 0);
    for (PetscInt i = 0; i < 4; ++i) ASSERT_EQ((int)MatSetValue(A, i, i, 2, INSERT_VALUES), 0);
    for (PetscInt i = 0; i < 2 && entries; ++i) ASSERT_EQ((int)MatSetValue(A, i, 1 - i, 5, INSERT_VALUES), 0);
    ASSERT_EQ((int)Assemble(A), 0);
    ExpectMissingDiagonal(A, setup, entries);
  }
}

// PETSc's own LU writes beyond its arrays
TEST(MatFactor, LuWithoutADiagonalIsRefused) {
  constexpr PetscInt n = 60;
  Factoring setup;
  for (PetscInt i = 0; i < n; ++i) {
    setup.row_perm.push_back(i);
    setup.col_perm.push_back((i + 1) % n);
  }
  for (bool filled : {false, true}) {
    Mat A;
    ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, &A), 0);
    for (PetscInt i = 0; i < n; ++i) {
      PetscInt const first = filled ? 1 : -1;  // the factor's first column; MatSetValue() ignores negative ones
      ASSERT_EQ((int)MatSetValue(A, i, i, 2, INSERT_VALUES), 0);
      ASSERT_EQ((int)MatSetValue(A, i, first, i == 0 ? 3 : 1, INSERT_VALUES), 0);
    }
    ASSERT_EQ((int)MatSetValue(A, 0, n - 1, 1, INSERT_VALUES), 0);
    // the factor's first row: with a full first column and row, fill makes the factor full
    for (PetscInt j = 0; j < n && filled; ++j) ASSERT_EQ((int)MatSetValue(A, 0, j, j == 1 ? 9 : 1, INSERT_VALUES), 0);
    ASSERT_EQ((int)Assemble(A), 0);
    ExpectMissingDiagonal(A, setup, filled);
  }
}

TEST(MatFactor, NegativeDiagonalHasNoForwardSolve) {
  Factoring setup;
  setup.ftype = MAT_FACTOR_CHOLESKY;
  auto const run = [&](char const* type, bool backward) {
    Mat A;
    Vec b, x;
    Factor factor;
    EXPECT_EQ((int)BuildBand(20, OftenNegative, true, &A), 0);
    EXPECT_EQ((int)MatCreateVecs(A, &b, &x), 0);
    EXPECT_EQ((int)VecSet(b, 1), 0);
    EXPECT_EQ((int)factor.Symbolic(A, type, NULL, setup), 0);
    EXPECT_EQ((int)factor.Numeric(A), 0);
    CaughtError const caught =
        Catch([&] { return backward ? MatBackwardSolve(factor.mat(), b, x) : MatForwardSolve(factor.mat(), b, x); });
    EXPECT_EQ((int)MatSolve(factor.mat(), b, x), 0);  // solves work after the error
    EXPECT_EQ((int)DestroyAll(&b, &x, &A), 0);
    return caught;
  };
  for (bool backward : {false, true}) {
    CaughtError const ours = run("levelset", backward);
    EXPECT_NE((int)run(MATSOLVERPETSC, backward).code, 0) << "PETSc's own accepts it now";
    EXPECT_EQ((int)ours.code, PETSC_ERR_SUP);
    EXPECT_NE(ours.message.find("square root"), std::string::npos) << ours.message;
  }
}

TEST(MatFactor, NonSquareIsRefusedByItsSize) {
  Mat A, F = nullptr;
  ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 6, 1, NULL, &A), 0);
  ASSERT_EQ((int)Assemble(A), 0);
  CaughtError const caught = Catch([&] { return MatGetFactor(A, "levelset", MAT_FACTOR_LU, &F); });
  EXPECT_EQ((int)caught.code, PETSC_ERR_ARG_SIZ);
  EXPECT_NE(caught.message.find("4 by 6"), std::string::npos) << caught.message;
  EXPECT_EQ((int)MatDestroy(&A), 0);
}

// docs/troubleshooting.md names these types and the message
TEST(MatFactor, OtherMatrixTypesAreRefusedByPetsc) {
  Mat made[3], F = nullptr;
  ASSERT_EQ((int)MatCreateSeqDense(PETSC_COMM_SELF, 4, 4, NULL, &made[0]), 0);
  ASSERT_EQ((int)MatCreateShell(PETSC_COMM_SELF, 4, 4, 4, 4, NULL, &made[1]), 0);
  ASSERT_EQ((int)MatCreateSeqSELL(PETSC_COMM_SELF, 4, 4, 1, NULL, &made[2]), 0);
  for (Mat& A : made) {
    ASSERT_EQ((int)MatSetUp(A), 0);
    CaughtError const caught = Catch([&] { return MatGetFactor(A, "levelset", MAT_FACTOR_LU, &F); });
    EXPECT_EQ((int)caught.code, PETSC_ERR_MISSING_FACTOR);
    EXPECT_NE(caught.message.find(std::string("MatSolverType ") + "levelset" + " does not support matrix type "),
              std::string::npos)
        << caught.message;
    EXPECT_EQ((int)MatDestroy(&A), 0);
  }
}

// PETSc passes all types whose name begins like a supported one to the plugin; those of MKL have blocks, too
TEST(MatFactor, TypesMadeFromOthersAreAcceptedOrRefusedByName) {
  for (auto const& [type, derived, accepted] :
       {std::tuple(MATSEQAIJ, "seqaijmkl", true), std::tuple(MATSEQBAIJ, "seqbaijmkl", false),
        std::tuple(MATSEQSBAIJ, "seqsbaijmkl", false)}) {
    Grid grid;
    grid.symmetric = true;
    grid.type = type;
    Mat A, F = nullptr;
    ASSERT_EQ((int)BuildGrid(grid, &A), 0);
    ASSERT_EQ((int)PetscObjectChangeTypeName((PetscObject)A, derived), 0);
    CaughtError const caught = Catch([&] { return MatGetFactor(A, "levelset", MAT_FACTOR_ICC, &F); });
    EXPECT_EQ((int)caught.code, accepted ? 0 : PETSC_ERR_SUP) << derived << ": " << caught.message;
    EXPECT_EQ(caught.message.find(std::string("type ") + derived + "; convert it to " + type) != std::string::npos,
              !accepted)
        << caught.message;
    EXPECT_EQ((int)MatDestroy(&F), 0);
    EXPECT_EQ((int)PetscObjectChangeTypeName((PetscObject)A, type), 0);
    EXPECT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(MatFactor, SolvesBeforeNumericAreOutOfOrder) {
  for (MatFactorType ftype : factor_types) {
    Factoring setup;
    setup.ftype = ftype;
    Grid grid;
    grid.symmetric = true;
    Mat A, B, bare;
    Vec b, x;
    Factor factor;
    ASSERT_EQ((int)BuildGrid(grid, &A), 0);
    ASSERT_EQ((int)MatCreateVecs(A, &b, &x), 0);
    ASSERT_EQ((int)MakeDense(49, 2, 49, &B), 0);
    ASSERT_EQ((int)MatGetFactor(A, "levelset", ftype, &bare), 0);
    ASSERT_EQ((int)factor.Symbolic(A, "levelset", NULL, setup), 0);
    for (Mat F : {bare, factor.mat()}) {
      std::string const what =
          std::string(MatFactorTypes[ftype]) + (F == bare ? " before symbolic" : " before numeric");
      EXPECT_EQ((int)Catch([&] { return MatSolve(F, b, x); }).code, PETSC_ERR_ORDER) << what;
      EXPECT_EQ((int)Catch([&] { return MatSolveTranspose(F, b, x); }).code, PETSC_ERR_ORDER) << what;
      EXPECT_EQ((int)Catch([&] { return MatSolveAdd(F, b, x, x); }).code, PETSC_ERR_ORDER) << what;
      EXPECT_EQ((int)Catch([&] { return MatMatSolve(F, B, B); }).code, PETSC_ERR_ORDER) << what;
    }
    CaughtError const caught = Catch([&] { return MatSolve(factor.mat(), b, x); });
    EXPECT_NE(caught.message.find("PCSetUp()"), std::string::npos) << caught.message;
    EXPECT_EQ((int)factor.Numeric(A), 0);
    EXPECT_EQ((int)MatSolve(factor.mat(), b, x), 0);
    EXPECT_EQ((int)DestroyAll(&bare, &A, &B, &b, &x), 0);
  }
}

/// Checks that a factor has no error once a zero pivot is replaced and the error cleared, whoever computes the values.
TEST(MatFactor, ClearedErrorsDoNotComeBack) {
  for (char const* prefix : {"host_", "device_"}) {
    Mat A;
    Factor factor;
    PivotStatus found;
    ASSERT_EQ((int)BuildBand(20, OftenNegative, false, &A), 0);
    ASSERT_EQ((int)factor.Symbolic(A, "levelset", prefix, Factoring()), 0);
    for (PetscReal pivot : {0, 4}) {
      ASSERT_EQ((int)MatSetValue(A, 0, 0, pivot, INSERT_VALUES), 0);
      ASSERT_EQ((int)Assemble(A), 0);
      ASSERT_EQ((int)MatFactorClearError(factor.mat()), 0);
      ASSERT_EQ((int)factor.Numeric(A), 0);
      ASSERT_EQ((int)GetPivotStatus(factor.mat(), &found), 0);
      EXPECT_EQ(found.error, pivot == 0 ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR) << prefix;
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Checks the signs of D = (2, -3, infinity, 5), and D^-1 b for three b in one vector.
TEST(MatFactor, InertiaAndSolvesOfSeveralVectors) {
  PetscReal const d[] = {2, -3, INFINITY, 5};
  Mat A;
  Vecs b, x;
  Factor factor;
  Factoring setup;
  PetscInt count[3];
  PetscScalar const *from, *to;
  setup.ftype = MAT_FACTOR_CHOLESKY;
  ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 4, 1, NULL, &A), 0);
  for (PetscInt i = 0; i < 4; ++i) ASSERT_EQ((int)MatSetValue(A, i, i, d[i], INSERT_VALUES), 0);
  ASSERT_EQ((int)Assemble(A), 0);
  for (char const* type : {MATSOLVERPETSC, "levelset"}) {
    ASSERT_EQ((int)factor.Symbolic(A, type, NULL, setup), 0);
    ASSERT_EQ((int)factor.Numeric(A), 0);
    ASSERT_EQ((int)MatGetInertia(factor.mat(), &count[0], &count[1], &count[2]), 0);
    EXPECT_EQ(std::vector<PetscInt>(count, count + 3), (std::vector<PetscInt>{1, 1, 2})) << type;
  }
  ASSERT_EQ((int)VecsCreateSeq(PETSC_COMM_SELF, 4, 3, &b), 0);
  ASSERT_EQ((int)VecsDuplicate(b, &x), 0);
  ASSERT_EQ((int)FillVec(b->v, 21), 0);
  ASSERT_EQ((int)MatSolves(factor.mat(), b, x), 0);
  ASSERT_EQ((int)VecGetArrayRead(b->v, &from), 0);
  ASSERT_EQ((int)VecGetArrayRead(x->v, &to), 0);
  for (int k = 0; k < 12; ++k) EXPECT_LT(PetscAbsScalar(to[k] - from[k] / d[k % 4]), 1e-12) << "entry " << k;
  ASSERT_EQ((int)VecRestoreArrayRead(b->v, &from), 0);
  ASSERT_EQ((int)VecRestoreArrayRead(x->v, &to), 0);
  for (Vecs v : {b, x}) ASSERT_EQ((int)VecsDestroy(v), 0);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

TEST(MatFactorInfo, GetInfoRefusesOtherMatrices) {
  Mat A;
  MatSpTRSVInfo info;
  Grid grid;
  ASSERT_EQ((int)BuildGrid(grid, &A), 0);
  EXPECT_EQ((int)Catch([&] { return MatSpTRSVGetInfo(A, &info); }).code, PETSC_ERR_ARG_WRONG);
  EXPECT_EQ((int)MatDestroy(&A), 0);
}

}  // namespace
}  // namespace petsc_test
