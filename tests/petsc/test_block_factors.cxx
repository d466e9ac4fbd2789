// SPDX-License-Identifier: Apache-2.0
// What PETSc's factors by blocks do and entries alone would not: pivoting and shifts inside blocks, errors, changed
// patterns. All beside PETSc's own factor of the same matrix.
#include <cmath>
#include <functional>

#include "factor_pair.hpp"

namespace petsc_test {
namespace {

constexpr PetscReal tolerance = 1e6 * PETSC_MACHINE_EPSILON;  // of well-conditioned systems of at most 150 rows

/// Blocks of bs in a block pentadiagonal matrix of 12 block rows, the diagonal ones by diagonal(r, c).
struct BlockMatrix {
  MatType type = MATSEQBAIJ;
  PetscInt bs = 2, rows = 12;
  std::function<PetscScalar(PetscInt block, PetscInt r, PetscInt c)> diagonal;
  PetscReal coupling = 0.3;
};

PetscErrorCode SetBlocks(BlockMatrix const& m, Mat A)
{
  PetscFunctionBegin;
  for (PetscInt I = 0; I < m.rows; ++I)
    for (PetscInt J : {I - 5, I - 1, I, I + 1, I + 5}) {
      if (J < 0 || J >= m.rows) continue;
      if (std::string(m.type) == MATSEQSBAIJ && J < I) continue;
      for (PetscInt r = 0; r < m.bs; ++r)
        for (PetscInt c = 0; c < m.bs; ++c) {
          PetscScalar v = I == J ? m.diagonal(I, r, c) : m.coupling * ((r + c) % 3 ? 0.5 : -1.0) / (PetscReal)m.bs;
          PetscCall(MatSetValue(A, I * m.bs + r, J * m.bs + c, v, INSERT_VALUES));
        }
    }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Build(BlockMatrix const& m, Mat* A)
{
  PetscInt const n = m.bs * m.rows;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, m.type));
  PetscCall(MatSetBlockSize(*A, m.bs));
  PetscCall(MatSeqBAIJSetPreallocation(*A, m.bs, 5, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, m.bs, 3, NULL));
  PetscCall(SetBlocks(m, *A));
  if (std::string(m.type) == MATSEQSBAIJ) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Zeros on the diagonal, but blocks that pivoting can invert: 4 from corner to corner the other way.
PetscScalar ZeroDiagonal(PetscInt bs, PetscInt r, PetscInt c)
{
  if (bs % 2 && r == bs / 2 && c == bs / 2) return 4;
  return r + c == bs - 1 ? 4 : 0;
}

/// Symmetric, of both signs, so that ICC's shift has something to do.
PetscScalar Indefinite(PetscInt block, PetscInt r, PetscInt c)
{
  if (r != c) return 0.3;
  return (block + r) % 3 == 1 ? -2 : 3;
}

PetscErrorCode ExpectSame(std::string const& what, Mat own, Mat ours)
{
  Vec b, x, expected, scale;
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(own, &b, NULL));
  for (Vec* v : {&x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
  PetscCall(FillVec(b, 5));
  for (auto const solve : {MatSolve, MatSolveTranspose}) {
    PetscCall(solve(own, b, expected));
    PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
    PetscCall(VecSet(scale, 1 + largest));
    PetscCall(VecSet(x, std::nan("")));
    PetscCall(solve(ours, b, x));
    PetscCall(ExpectRows(what, expected, x, scale, tolerance));
  }
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Pair {
  Factor own, ours;

  PetscErrorCode Symbolic(Mat A, Factoring const& setup, char const* type)
  {
    PetscFunctionBegin;
    PetscCall(own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
    PetscCall(ours.Symbolic(A, type, NULL, setup));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Numeric(Mat A)
  {
    PetscFunctionBegin;
    PetscCall(own.Numeric(A));
    PetscCall(ours.Numeric(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode Compare(BlockMatrix const& m, Factoring const& setup, char const* type)
{
  Mat A;
  MatFactorError own, ours;
  std::string const what = std::string(type) + ", " + m.type + " " + std::to_string(m.bs) + ", " +
                           MatFactorTypes[setup.ftype] + " " + std::to_string(setup.levels) + ", " + setup.ordering;

  PetscFunctionBegin;
  PetscCall(Build(m, &A));
  {
    Pair pair;
    PetscCall(pair.Symbolic(A, setup, type));
    PetscCall(pair.Numeric(A));
    PetscCall(MatFactorGetError(pair.own.mat(), &own));
    PetscCall(MatFactorGetError(pair.ours.mat(), &ours));
    EXPECT_EQ(own, ours) << what;
    if (!own) PetscCall(ExpectSame(what, pair.own.mat(), pair.ours.mat()));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr PetscInt block_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11};
constexpr char const* some_types[] = {"sequential", "levelset", "tiled", "sptrsv"};

TEST(BlockFactors, PivotInsideBlocksAsPetscDoes)
{
  BlockMatrix m;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    m.diagonal = [&](PetscInt, PetscInt r, PetscInt c) { return ZeroDiagonal(bs, r, c); };
    for (char const* type : some_types)
      for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND}) {
        Factoring setup;
        setup.ordering = ordering;
        ASSERT_EQ((int)Compare(m, setup, type), 0);
        setup.ftype = MAT_FACTOR_ILU;
        for (setup.levels = 0; setup.levels < 3; ++setup.levels) ASSERT_EQ((int)Compare(m, setup, type), 0);
      }
  }
}

/// x of an upper triangle of two rows with a right-hand side of ones.
PetscErrorCode SolveTwoRows(Mat A, char const* type, PetscScalar* first)
{
  Mat F;
  IS rows, cols;
  Vec b, x;
  MatFactorInfo info;
  PetscScalar const* values;

  PetscFunctionBegin;
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;  // and no pivot is too small
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(MatGetFactor(A, type, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, rows, cols, &info));
  PetscCall(MatLUFactorNumeric(F, A, &info));
  PetscCall(MatSolve(F, b, x));
  PetscCall(VecGetArrayRead(x, &values));
  *first = values[0];
  PetscCall(VecRestoreArrayRead(x, &values));
  for (Vec* v : {&b, &x}) PetscCall(VecDestroy(v));
  for (IS* is : {&rows, &cols}) PetscCall(ISDestroy(is));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn((PetscErrorCode)0);
}

TEST(BlockFactors, OfBlockSizeOneHoldWhereQuotientsLeaveTheRangeOfNumbers)
{
  for (PetscReal power : {1e100, 1e-100}) {  // quotients are 1e350 and 1e-350
    Mat A;
    ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 1, 2, 2, 2, NULL, &A), 0);
    ASSERT_EQ((int)MatSetValue(A, 0, 0, 1 / power / power, INSERT_VALUES), 0);
    ASSERT_EQ((int)MatSetValue(A, 0, 1, power * std::sqrt(power), INSERT_VALUES), 0);
    ASSERT_EQ((int)MatSetValue(A, 1, 1, power * power, INSERT_VALUES), 0);
    ASSERT_EQ((int)MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY), 0);
    ASSERT_EQ((int)MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY), 0);
    PetscScalar own, ours;
    ASSERT_EQ((int)SolveTwoRows(A, MATSOLVERPETSC, &own), 0);
    for (char const* type : some_types) {
      ASSERT_EQ((int)SolveTwoRows(A, type, &ours), 0);
      EXPECT_LE(PetscAbsScalar(ours - own), 1e-12 * PetscAbsScalar(own)) << type << " " << power;
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Two block rows of an upper triangle, each block a multiple of the identity.
PetscErrorCode SetTwoBlockRows(Mat A, PetscInt bs, PetscReal first, PetscReal coupling, PetscReal second)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < bs; ++r) {
    PetscCall(MatSetValue(A, r, r, first, INSERT_VALUES));
    PetscCall(MatSetValue(A, r, bs + r, coupling, INSERT_VALUES));
    PetscCall(MatSetValue(A, bs + r, bs + r, second, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

TEST(BlockFactors, QuotientsOutsideTheRangeOfNumbersAreRefused)
{
  struct Row {
    PetscReal first, coupling, second;
    bool refused;
  };
  // D^-1 U: too large, too small beside the next pivot, in range; and too small to be felt, as decaying fill is
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
        petsc_test::CaughtError const error = petsc_test::Catch([&] { return SolveTwoRows(A, type, &ours); });
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

TEST(BlockFactors, AfterARefusalNewValuesAreTaken)
{
  Mat A, F;
  Vec b, x;
  IS rows, cols;
  MatFactorInfo info{};
  PetscScalar const* values;
  info.fill = 1;
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, NULL, &A), 0);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 1e-200, 1e150, 1e200), 0);
  ASSERT_EQ((int)MatCreateVecs(A, &x, &b), 0);
  ASSERT_EQ((int)VecSet(b, 1), 0);
  ASSERT_EQ((int)MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols), 0);
  ASSERT_EQ((int)MatGetFactor(A, "sptrsv", MAT_FACTOR_LU, &F), 0);
  ASSERT_EQ((int)MatLUFactorSymbolic(F, A, rows, cols, &info), 0);
  EXPECT_NE(
      petsc_test::Catch([&] { return MatLUFactorNumeric(F, A, &info); }).message.find("leaves the range of numbers"),
      std::string::npos);
  EXPECT_NE(petsc_test::Catch([&] { return MatSolve(F, b, x); }).message.find("no values"), std::string::npos);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 2, 3, 4), 0);
  ASSERT_EQ((int)MatLUFactorNumeric(F, A, &info), 0);
  ASSERT_EQ((int)MatSolve(F, b, x), 0);
  ASSERT_EQ((int)VecGetArrayRead(x, &values), 0);
  EXPECT_NEAR(PetscRealPart(values[0]), 0.125, 1e-15);
  ASSERT_EQ((int)VecRestoreArrayRead(x, &values), 0);
  for (Vec* v : {&b, &x}) ASSERT_EQ((int)VecDestroy(v), 0);
  for (IS* is : {&rows, &cols}) ASSERT_EQ((int)ISDestroy(is), 0);
  ASSERT_EQ((int)MatDestroy(&F), 0);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

TEST(BlockFactors, ShiftAndInvertIndefiniteBlocksAsPetscDoes)
{
  BlockMatrix m;
  m.diagonal = Indefinite;
  for (MatType matrix : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : block_sizes)
      for (char const* type : some_types)
        for (MatFactorShiftType shift : {MAT_SHIFT_NONE, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_NONZERO}) {
          // for seqbaij of block size 1 PETSc looks for a shift for ever: docs/petsc_faults.md
          if (shift == MAT_SHIFT_POSITIVE_DEFINITE && bs == 1 && std::string(matrix) == MATSEQBAIJ) continue;
          m.type = matrix;
          m.bs = bs;
          Factoring setup;
          setup.shift = shift;
          setup.shift_amount = 1e-3;
          setup.ftype = MAT_FACTOR_CHOLESKY;
          ASSERT_EQ((int)Compare(m, setup, type), 0);
          setup.ftype = MAT_FACTOR_ICC;
          for (setup.levels = 0; setup.levels < 3; ++setup.levels) ASSERT_EQ((int)Compare(m, setup, type), 0);
        }
}

TEST(BlockFactors, SingularBlocksAreReportedAsPetscDoes)
{
  BlockMatrix m;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    m.coupling = 0;
    m.diagonal = [](PetscInt block, PetscInt r, PetscInt c) { return block == 7 ? 0.0 : r == c ? 2.0 : 0.1; };
    Factoring setup;
    setup.ftype = MAT_FACTOR_ILU;
    Mat A;
    ASSERT_EQ((int)Build(m, &A), 0);
    for (PetscBool fail : {PETSC_FALSE, PETSC_TRUE}) {
      ASSERT_EQ((int)MatSetErrorIfFailure(A, fail), 0);
      Pair pair;
      ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
      CaughtError const own = Catch([&] { return pair.own.Numeric(A); });
      CaughtError const ours = Catch([&] { return pair.ours.Numeric(A); });
      EXPECT_EQ((int)own.code, (int)ours.code) << bs;
      EXPECT_EQ(own.message, ours.message);
      if (fail) {
        EXPECT_NE((int)ours.code, 0) << bs;
      }
      if (own.code) continue;
      MatFactorError own_error, our_error;
      ASSERT_EQ((int)MatFactorGetError(pair.own.mat(), &own_error), 0);
      ASSERT_EQ((int)MatFactorGetError(pair.ours.mat(), &our_error), 0);
      EXPECT_EQ(own_error, our_error);
      EXPECT_EQ(our_error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

PetscScalar Dominant(PetscInt, PetscInt r, PetscInt c) { return r == c ? 4.0 : 0.2 + 0.1 * (PetscReal)r; }

/// change(A, m) between the symbolic and the numeric phase.
void ExpectSameAfter(char const* what, std::function<PetscErrorCode(Mat, BlockMatrix const&)> const& change,
                     MatFactorType ftype)
{
  BlockMatrix m;
  m.diagonal = Dominant;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    Mat A;
    Factoring setup;
    setup.ftype = ftype;
    ASSERT_EQ((int)Build(m, &A), 0);
    {
      Pair pair;
      ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
      ASSERT_EQ((int)pair.Numeric(A), 0);
      ASSERT_EQ((int)change(A, m), 0);
      ASSERT_EQ((int)pair.Numeric(A), 0);
      ASSERT_EQ((int)ExpectSame(std::string(what) + ", " + std::to_string(bs), pair.own.mat(), pair.ours.mat()), 0);
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(BlockFactors, FollowChangesOfTheMatrixBetweenPhases)
{
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    ExpectSameAfter(
        "zeroed rows",
        [](Mat A, BlockMatrix const& m) {
          PetscInt const rows[] = {0, 3 * m.bs, 3 * m.bs + m.bs - 1};
          return MatZeroRows(A, m.bs > 1 ? 3 : 2, rows, 5, NULL, NULL);
        },
        ftype);
    ExpectSameAfter(
        "transposed in place", [](Mat A, BlockMatrix const&) { return MatTranspose(A, MAT_INPLACE_MATRIX, &A); },
        ftype);
    ExpectSameAfter(
        "insides replaced",
        [](Mat A, BlockMatrix const& m) {
          Mat other;
          BlockMatrix changed = m;
          changed.coupling = 0.7;
          PetscFunctionBegin;
          PetscCall(Build(changed, &other));
          PetscCall(MatHeaderReplace(A, &other));
          PetscFunctionReturn(PETSC_SUCCESS);
        },
        ftype);
  }
}

TEST(BlockFactors, WhatPetscDoesNotFactorIsRefused)
{
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
    ASSERT_EQ((int)MatDestroy(&F), 0);
    ASSERT_EQ((int)ISDestroy(&backward), 0);
    if (bs == 2) {  // one index per row, which PETSc takes if it begins with those of the block rows
      for (bool natural : {false, true}) {
        PetscInt const n = 2 * m.rows;
        ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, n, natural ? 0 : n - 1, natural ? 1 : -1, &backward), 0);
        ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_LU, &F), 0);
        caught = Catch([&] { return MatLUFactorSymbolic(F, A, backward, backward, &info); });
        EXPECT_EQ((int)caught.code, natural ? 0 : (int)PETSC_ERR_ARG_SIZ);
        EXPECT_TRUE(!natural || !MatLUFactorNumeric(F, A, &info));
        ASSERT_EQ((int)MatDestroy(&F), 0);
        ASSERT_EQ((int)ISDestroy(&backward), 0);
      }
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(BlockFactors, MatricesOfAnotherSizeAreRefused)
{
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
    ASSERT_EQ((int)ISDestroy(&natural), 0);
    ASSERT_EQ((int)MatDestroy(&other), 0);
  }
  ASSERT_EQ((int)MatDestroy(&F), 0);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

// PETSc's own numeric phase crashes for block size 2: docs/petsc_faults.md
TEST(BlockFactors, SymmetricOnesWithoutRows)
{
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (MatFactorType ftype : {MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
      for (PetscInt bs : block_sizes) {
        BlockMatrix m;
        m.type = type;
        m.bs = bs;
        m.rows = 0;
        m.diagonal = Dominant;
        Mat A;
        Vec b, x;
        ASSERT_EQ((int)Build(m, &A), 0);
        ASSERT_EQ((int)MatCreateVecs(A, &x, &b), 0);
        Factor ours;
        Factoring setup;
        setup.ftype = ftype;
        ASSERT_EQ((int)ours.Symbolic(A, "levelset", NULL, setup), 0);
        ASSERT_EQ((int)ours.Numeric(A), 0);
        ASSERT_EQ((int)MatSolve(ours.mat(), b, x), 0);
        for (Vec* v : {&b, &x}) ASSERT_EQ((int)VecDestroy(v), 0);
        ASSERT_EQ((int)MatDestroy(&A), 0);
      }
}

TEST(BlockFactors, SymmetricOnesWithoutRowsTakeAStride)
{
  BlockMatrix m;
  m.rows = 0;
  m.diagonal = Dominant;
  MatFactorInfo info;
  ASSERT_EQ((int)MatFactorInfoInitialize(&info), 0);
  info.fill = 3;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : {1, 2}) {
      Mat A, F;
      IS natural;
      m.type = type;
      m.bs = bs;
      ASSERT_EQ((int)Build(m, &A), 0);
      ASSERT_EQ((int)ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, &natural), 0);
      ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_CHOLESKY, &F), 0);
      ASSERT_EQ((int)MatCholeskyFactorSymbolic(F, A, natural, &info), 0);
      ASSERT_EQ((int)MatCholeskyFactorNumeric(F, A, &info), 0);
      ASSERT_EQ((int)ISDestroy(&natural), 0);
      ASSERT_EQ((int)MatDestroy(&F), 0);
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
}

// as KSP, SNES and TS expect it
TEST(BlockFactors, AZeroPivotIsPetscsVerdictWhateverElseIsWrong)
{
  Mat A, F;
  IS rows, cols;
  MatFactorInfo info;
  MatFactorError error;
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  ASSERT_EQ((int)MatFactorInfoInitialize(&info), 0);
  info.fill = 3;
  info.zeropivot = 1e-300;
  ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, NULL, &A), 0);
  ASSERT_EQ((int)SetTwoBlockRows(A, 2, 1e-200, 1e150, 0), 0);
  ASSERT_EQ((int)MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols), 0);
  ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_LU, &F), 0);
  ASSERT_EQ((int)MatLUFactorSymbolic(F, A, rows, cols, &info), 0);
  ASSERT_EQ((int)MatLUFactorNumeric(F, A, &info), 0);
  ASSERT_EQ((int)MatFactorGetError(F, &error), 0);
  EXPECT_EQ((int)error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
  for (IS* is : {&rows, &cols}) ASSERT_EQ((int)ISDestroy(is), 0);
  ASSERT_EQ((int)MatDestroy(&F), 0);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

TEST(BlockFactors, ValuesOfAnotherTypeAreRefused)
{
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

// PETSc's own keeps the pattern of the first one: docs/petsc_faults.md
TEST(BlockFactors, SymmetricOnesFollowChangedPatterns)
{
  for (PetscInt bs : {1, 2, 3, 8})
    for (MatFactorType ftype : {MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
      BlockMatrix m;
      m.bs = bs;
      m.diagonal = Dominant;
      Mat A, copy;
      Factor before, ours, own;
      Factoring setup;
      setup.ftype = ftype;
      ASSERT_EQ((int)Build(m, &A), 0);
      ASSERT_EQ((int)before.Symbolic(A, "levelset", NULL, setup), 0);
      ASSERT_EQ((int)before.Numeric(A), 0);
      ASSERT_EQ((int)MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), 0);
      PetscInt const last = m.rows * bs - 1;
      ASSERT_EQ((int)MatSetValue(A, 0, last, 0.5, INSERT_VALUES), 0);
      ASSERT_EQ((int)MatSetValue(A, last, 0, 0.5, INSERT_VALUES), 0);
      ASSERT_EQ((int)MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY), 0);
      ASSERT_EQ((int)MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY), 0);
      ASSERT_EQ((int)MatDuplicate(A, MAT_COPY_VALUES, &copy), 0);
      ASSERT_EQ((int)ours.Symbolic(A, "levelset", NULL, setup), 0);
      ASSERT_EQ((int)ours.Numeric(A), 0);
      ASSERT_EQ((int)own.Symbolic(copy, MATSOLVERPETSC, NULL, setup), 0);
      ASSERT_EQ((int)own.Numeric(copy), 0);
      Vec b, x[2];
      ASSERT_EQ((int)MatCreateVecs(A, &x[0], &b), 0);
      ASSERT_EQ((int)VecDuplicate(x[0], &x[1]), 0);
      ASSERT_EQ((int)FillVec(b, 3), 0);
      ASSERT_EQ((int)MatSolve(ours.mat(), b, x[0]), 0);
      ASSERT_EQ((int)MatSolve(own.mat(), b, x[1]), 0);
      ASSERT_EQ((int)VecSet(b, 1), 0);
      EXPECT_EQ(
          (int)ExpectRows(std::string(MatFactorTypes[ftype]) + " " + std::to_string(bs), x[1], x[0], b, tolerance), 0);
      for (Vec* v : {&b, &x[0], &x[1]}) ASSERT_EQ((int)VecDestroy(v), 0);
      ASSERT_EQ((int)MatDestroy(&copy), 0);
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
}

TEST(BlockFactors, InformationIsThatOfPetscsFactor)
{
  BlockMatrix m;
  m.bs = 3;
  m.diagonal = Dominant;
  Mat A, F;
  MatInfo own_info, our_info;
  PetscInt bs;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_ILU, &F), 0);
  EXPECT_EQ((int)MatGetInfo(F, MAT_LOCAL, &our_info), 0) << "before the symbolic phase";
  ASSERT_EQ((int)MatGetBlockSize(F, &bs), 0);
  EXPECT_EQ(bs, 3);
  ASSERT_EQ((int)MatDestroy(&F), 0);
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  setup.levels = 1;
  {
    Pair pair;
    ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
    ASSERT_EQ((int)pair.Numeric(A), 0);
    ASSERT_EQ((int)MatGetInfo(pair.own.mat(), MAT_LOCAL, &own_info), 0);
    ASSERT_EQ((int)MatGetInfo(pair.ours.mat(), MAT_LOCAL, &our_info), 0);
    EXPECT_EQ(own_info.nz_used, our_info.nz_used);
    EXPECT_EQ(own_info.fill_ratio_needed, our_info.fill_ratio_needed);
    EXPECT_EQ(own_info.block_size, our_info.block_size);
  }
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

PetscErrorCode Iterations(Mat A, char const* type, MatFactorType ftype, MatOrderingType ordering, PetscInt levels,
                          PetscInt* iterations)
{
  KSP ksp;
  PC pc;
  Vec b, x;

  PetscFunctionBegin;
  bool const symmetric = ftype == MAT_FACTOR_ICC;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, symmetric ? PCICC : PCILU));
  PetscCall(PCFactorSetMatSolverType(pc, type));
  PetscCall(PCFactorSetMatOrderingType(pc, ordering));
  PetscCall(PCFactorSetLevels(pc, levels));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 9));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BlockFactors, IterationsAreThoseOfPetscsOwn)
{
  for (PetscInt bs : block_sizes)
    for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
      for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
        for (PetscInt levels : {0, 1, 2})
          for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM, "color"}) {
            if (ftype == MAT_FACTOR_ILU && std::string(type) == MATSEQSBAIJ) continue;
            if (ftype == MAT_FACTOR_ICC && std::string(ordering) != MATORDERINGNATURAL) continue;
            Grid grid;
            grid.dof = bs;
            grid.side = bs > 5 ? 6 : 9;
            grid.type = type;
            grid.symmetric = ftype == MAT_FACTOR_ICC;
            Mat A;
            PetscInt own, ours;
            ASSERT_EQ((int)BuildGrid(grid, &A), 0);
            // PETSc's ICC hangs where seqbaij of block size 1 needs a shift: docs/petsc_faults.md
            ASSERT_EQ((int)MatShift(A, bs > 1 ? -0.3 : 0), 0);
            ASSERT_EQ((int)Iterations(A, MATSOLVERPETSC, ftype, ordering, levels, &own), 0);
            ASSERT_EQ((int)Iterations(A, "sptrsv", ftype, ordering, levels, &ours), 0);
            EXPECT_EQ(own, ours) << type << " " << bs << " " << MatFactorTypes[ftype] << levels << " " << ordering;
            ASSERT_EQ((int)MatDestroy(&A), 0);
          }
}

}  // namespace
}  // namespace petsc_test
