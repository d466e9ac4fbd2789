// SPDX-License-Identifier: Apache-2.0
// Tests block factors of matrices that PETSc or the plugin refuses, that leave the range of numbers, or that have no
// rows.
#include <cmath>

#include "block_pair.hpp"

namespace petsc_test {
namespace {

/// Factors without a tolerance for pivots, and solves with a right-hand side of ones.
PetscErrorCode SolveTwoRows(Mat A, char const* type, PetscScalar* first) {
  Factor factor;
  Factoring setup;
  Vec b, x;
  PetscInt const row = 0;
  setup.zero_pivot = 0;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscErrorCode code = factor.Symbolic(A, type, NULL, setup);
  if (!code) code = factor.Numeric(A);
  if (!code) code = MatSolve(factor.mat(), b, x);
  if (!code) code = VecGetValues(x, 1, &row, first);
  for (Vec* v : {&b, &x}) PetscCall(VecDestroy(v));
  return code;
}

TEST(BlockFactors, OfBlockSizeOneHoldWhereQuotientsLeaveTheRangeOfNumbers) {
  for (PetscReal power : {1e100, 1e-100}) {  // quotients are 1e350 and 1e-350
    Mat A;
    ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 1, 2, 2, 2, NULL, &A), 0);
    ASSERT_EQ((int)MatSetValue(A, 0, 0, 1 / power / power, INSERT_VALUES), 0);
    ASSERT_EQ((int)MatSetValue(A, 0, 1, power * std::sqrt(power), INSERT_VALUES), 0);
    ASSERT_EQ((int)MatSetValue(A, 1, 1, power * power, INSERT_VALUES), 0);
    ASSERT_EQ((int)Assemble(A), 0);
    PetscScalar own, ours;
    ASSERT_EQ((int)SolveTwoRows(A, MATSOLVERPETSC, &own), 0);
    for (char const* type : some_types) {
      ASSERT_EQ((int)SolveTwoRows(A, type, &ours), 0);
      EXPECT_LE(PetscAbsScalar(ours - own), 1e-12 * PetscAbsScalar(own)) << type << " " << power;
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Sets two block rows of an upper triangle; each block is a multiple of the identity.
PetscErrorCode SetTwoBlockRows(Mat A, PetscInt bs, PetscReal first, PetscReal coupling, PetscReal second) {
  for (PetscInt r = 0; r < bs; ++r) {
    PetscCall(MatSetValue(A, r, r, first, INSERT_VALUES));
    PetscCall(MatSetValue(A, r, bs + r, coupling, INSERT_VALUES));
    PetscCall(MatSetValue(A, bs + r, bs + r, second, INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  return (PetscErrorCode)0;
}

TEST(BlockFactors, QuotientsOutsideTheRangeOfNumbersAreRefused) {
  struct Row {
    PetscReal first, coupling, second;
    bool refused;
  };
  // D^-1 U is too large, too small relative to the next pivot, in range, and negligibly small, like decaying fill
  Row const rows[] = {{1e-200, 1e150, 1e200, true}, {1e200, 1e-150, 1e-200, true}, {1e-100, 1e150, 1e200, false},
                      {1e10, 1e-305, 1, false},     {5, 1e-310, 1e-3, false},      {1e300, 1, 1, false}};
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  for (PetscInt bs : block_sizes) {
    if (bs == 1) continue;  // read in place
    for (Row const& row : rows) {
      Mat A;
      ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, bs, 2 * bs, 2 * bs, 2, NULL, &A), 0);
      ASSERT_EQ((int)SetTwoBlockRows(A, bs, row.first, row.coupling, row.second), 0);
      PetscScalar own, ours;
      ASSERT_EQ((int)SolveTwoRows(A, MATSOLVERPETSC, &own), 0);
      for (char const* type : some_types) {
        CaughtError const error = Catch([&] { return SolveTwoRows(A, type, &ours); });
        if (row.refused) {
          EXPECT_EQ((int)error.code, (int)PETSC_ERR_FP) << type << " " << bs;
          EXPECT_NE(error.message.find("Block row 0 of the factor"), std::string::npos) << error.message;
          continue;
        }
        ASSERT_EQ((int)error.code, 0) << error.message;
        EXPECT_LE(PetscAbsScalar(ours - own), 1e-12 * PetscAbsScalar(own)) << type << " " << bs << " " << row.first;
      }
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
  }
}

TEST(BlockFactors, AfterARefusalNewValuesAreTaken) {
  Mat A;
  Vec b, x;
  Factor factor;
  Factoring setup;
  PetscScalar first;
  PetscInt const row = 0;
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  setup.zero_pivot = 0;
  ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, NULL, &A), 0);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 1e-200, 1e150, 1e200), 0);
  ASSERT_EQ((int)MatCreateVecs(A, &x, &b), 0);
  ASSERT_EQ((int)VecSet(b, 1), 0);
  ASSERT_EQ((int)factor.Symbolic(A, "sptrsv", NULL, setup), 0);
  EXPECT_NE(Catch([&] { return factor.Numeric(A); }).message.find("leaves the range of numbers"), std::string::npos);
  EXPECT_NE(Catch([&] { return MatSolve(factor.mat(), b, x); }).message.find("no values"), std::string::npos);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 2, 3, 4), 0);
  ASSERT_EQ((int)factor.Numeric(A), 0);
  ASSERT_EQ((int)MatSolve(factor.mat(), b, x), 0);
  ASSERT_EQ((int)VecGetValues(x, 1, &row, &first), 0);
  EXPECT_NEAR(PetscRealPart(first), 0.125, 1e-15);
  ASSERT_EQ((int)DestroyAll(&b, &x, &A), 0);
}

// a pivot status, as KSP, SNES and TS expect it
TEST(BlockFactors, AZeroPivotIsNativeVerdictWhateverElseIsWrong) {
  Mat A;
  Factor factor;
  Factoring setup;
  MatFactorError error;
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  setup.zero_pivot = 1e-300;
  ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, NULL, &A), 0);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 1e-200, 1e150, 0), 0);
  ASSERT_EQ((int)factor.Symbolic(A, "levelset", NULL, setup), 0);
  ASSERT_EQ((int)factor.Numeric(A), 0);
  ASSERT_EQ((int)MatFactorGetError(factor.mat(), &error), 0);
  EXPECT_EQ((int)error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

TEST(BlockFactors, WhatPetscDoesNotFactorIsRefused) {
  BlockMatrix m;
  m.diagonal = Dominant;
  PetscBool available;
  Mat A;
  IS backward;
  m.type = MATSEQSBAIJ;
  ASSERT_EQ((int)Build(m, &A), 0);
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
    ASSERT_EQ((int)MatGetFactorAvailable(A, "levelset", ftype, &available), 0);
    EXPECT_EQ((bool)available, ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC) << MatFactorTypes[ftype];
  }
  ASSERT_EQ((int)MatDestroy(&A), 0);

  for (PetscInt bs : {1, 2}) {
    m.type = MATSEQBAIJ;
    m.bs = bs;
    ASSERT_EQ((int)Build(m, &A), 0);
    ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, m.rows, m.rows - 1, -1, &backward), 0);
    MatFactorInfo info;
    ASSERT_EQ((int)MatFactorInfoInitialize(&info), 0);
    info.fill = 1;
    Mat F;
    ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_ICC, &F), 0);
    CaughtError caught = Catch([&] { return MatICCFactorSymbolic(F, A, backward, &info); });
    EXPECT_EQ((int)caught.code, (int)PETSC_ERR_SUP);
    EXPECT_NE(caught.message.find("natural"), std::string::npos) << caught.message;
    caught = Catch([&] { return MatCholeskyFactorNumeric(F, A, &info); });
    EXPECT_NE((int)caught.code, 0);
    ASSERT_EQ((int)DestroyAll(&F, &backward), 0);
    if (bs == 2) {  // one index per row, which PETSc accepts if it begins with those of the block rows
      for (bool natural : {false, true}) {
        PetscInt const n = 2 * m.rows;
        ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, n, natural ? 0 : n - 1, natural ? 1 : -1, &backward), 0);
        ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_LU, &F), 0);
        caught = Catch([&] { return MatLUFactorSymbolic(F, A, backward, backward, &info); });
        EXPECT_EQ((int)caught.code, natural ? 0 : (int)PETSC_ERR_ARG_SIZ);
        EXPECT_TRUE(!natural || !MatLUFactorNumeric(F, A, &info));
        ASSERT_EQ((int)DestroyAll(&F, &backward), 0);
      }
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(BlockFactors, MatricesOfAnotherSizeAreRefused) {
  BlockMatrix m;
  m.diagonal = Dominant;
  Mat A, other, F;
  MatFactorInfo info;
  ASSERT_EQ((int)MatFactorInfoInitialize(&info), 0);
  info.fill = 1;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_ILU, &F), 0);
  for (PetscInt rows : {m.rows * 2, m.rows / 2}) {  // in blocks of 2, in blocks of 4
    BlockMatrix of_other = m;
    of_other.rows = rows;
    of_other.bs = rows < m.rows ? 4 : 2;
    ASSERT_EQ((int)Build(of_other, &other), 0);
    IS natural;
    ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, rows, 0, 1, &natural), 0);
    CaughtError const caught = Catch([&] { return MatILUFactorSymbolic(F, other, natural, natural, &info); });
    EXPECT_EQ((int)caught.code, (int)PETSC_ERR_ARG_SIZ);
    EXPECT_NE(caught.message.find("The factor was made for a matrix"), std::string::npos) << caught.message;
    ASSERT_EQ((int)DestroyAll(&natural, &other), 0);
  }
  ASSERT_EQ((int)DestroyAll(&F, &A), 0);
}

TEST(BlockFactors, ValuesOfAnotherTypeAreRefused) {
  BlockMatrix m;
  m.diagonal = Dominant;
  Mat A;
  Factor factor;
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)factor.Symbolic(A, "levelset", NULL, setup), 0);
  ASSERT_EQ((int)factor.Numeric(A), 0);
  ASSERT_EQ((int)MatConvert(A, MATSEQAIJ, MAT_INPLACE_MATRIX, &A), 0);
  CaughtError const caught = Catch([&] { return factor.Numeric(A); });
  EXPECT_EQ((int)caught.code, (int)PETSC_ERR_ARG_WRONG);
  EXPECT_NE(caught.message.find("was of a matrix of type seqbaij, this one is of type seqaij"), std::string::npos)
      << caught.message;
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

// PETSc's own numeric phase crashes for block size 2: docs/dev/petsc_faults.md
TEST(BlockFactors, SymmetricOnesWithoutRows) {
  BlockMatrix m;
  m.rows = 0;
  m.diagonal = Dominant;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (MatFactorType ftype : {MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
      for (PetscInt bs : block_sizes) {
        Mat A;
        Vec b, x;
        IS stride;
        Factor ours;
        Factoring setup;
        m.type = type;
        m.bs = bs;
        setup.ftype = ftype;
        ASSERT_EQ((int)Build(m, &A), 0);
        ASSERT_EQ((int)MatCreateVecs(A, &x, &b), 0);
        ASSERT_EQ((int)ours.Symbolic(A, "levelset", NULL, setup), 0);
        ASSERT_EQ((int)ours.Numeric(A), 0);
        ASSERT_EQ((int)MatSolve(ours.mat(), b, x), 0);
        ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, &stride), 0);  // any identity will do
        ASSERT_EQ((int)ours.Make(A, "levelset", NULL, MAT_FACTOR_CHOLESKY), 0);
        ASSERT_EQ((int)MatCholeskyFactorSymbolic(ours.mat(), A, stride, &ours.info), 0);
        ASSERT_EQ((int)MatCholeskyFactorNumeric(ours.mat(), A, &ours.info), 0);
        ASSERT_EQ((int)DestroyAll(&stride, &b, &x, &A), 0);
      }
}

}  // namespace
}  // namespace petsc_test
