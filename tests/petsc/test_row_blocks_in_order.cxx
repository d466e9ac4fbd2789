// SPDX-License-Identifier: Apache-2.0
// Compares factors by -mat_sptrsv_blocks with PETSc's factor of the matrix without the entries between blocks:
// orderings, shifts, types.
#include "improper_rows.hpp"
#include "row_block_cases.hpp"

namespace petsc_test {
namespace {

/// Copies A without the entries between `blocks` blocks of rows, whose sizes are counted as PCSetUp_BJacobi() does.
PetscErrorCode DropBetween(Mat A, PetscInt blocks, Mat* kept)
{
  PetscInt n, bs;
  std::vector<PetscInt> block;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  for (PetscInt b = 0; b < blocks; ++b)
    block.insert(block.end(), (std::size_t)(bs * ((n / bs) / blocks + ((n / bs) % blocks > b))), b);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 30, NULL, kept));
  PetscCall(MatSetBlockSize(*kept, bs));
  PetscCall(MatSetOption(*kept, MAT_USE_INODES, PETSC_FALSE));  // an ordering of A may part its inodes
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt count;
    PetscInt const* columns;
    PetscScalar const* values;
    PetscCall(MatGetRow(A, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k)
      if (block[(std::size_t)i] == block[(std::size_t)columns[k]])
        PetscCall(MatSetValue(*kept, i, columns[k], values[k], INSERT_VALUES));
    PetscCall(MatRestoreRow(A, i, &count, &columns, &values));
  }
  PetscCall(MatAssemblyBegin(*kept, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*kept, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
/// Sets -mat_sptrsv_blocks for the prefixes host_ and device_, for which test_main.cxx sets who factors.
PetscErrorCode SetBlocks(PetscInt blocks)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-host_mat_sptrsv_blocks", std::to_string(blocks).c_str()));
  PetscCall(PetscOptionsSetValue(NULL, "-device_mat_sptrsv_blocks", std::to_string(blocks).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors A in a given ordering.
/// @param prefix  prefix of options; null: PETSc's own factor
PetscErrorCode FactorIn(Mat A, Case const& c, IS rows, IS cols, char const* prefix, Mat* F)
{
  MatFactorInfo info;
  Vec diagonal;

  PetscFunctionBegin;
  PetscCall(MatFactorInfoInitialize(&info));
  info.levels = (PetscReal)c.levels;
  info.fill = 5;
  info.zeropivot = 100 * PETSC_MACHINE_EPSILON;
  info.shifttype = (PetscReal)c.shift;
  info.shiftamount = 1e-3;
  PetscCall(MatCreateVecs(A, &diagonal, NULL));  // PETSc's own factor crashes if the diagonal was never asked for
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(MatGetFactor(A, prefix ? "levelset" : MATSOLVERPETSC, c.ftype, F));
  if (prefix) PetscCall(MatSetOptionsPrefix(*F, prefix));
  switch (c.ftype) {
    case MAT_FACTOR_LU: PetscCall(MatLUFactorSymbolic(*F, A, rows, cols, &info)); break;
    case MAT_FACTOR_ILU: PetscCall(MatILUFactorSymbolic(*F, A, rows, cols, &info)); break;
    case MAT_FACTOR_CHOLESKY: PetscCall(MatCholeskyFactorSymbolic(*F, A, rows, &info)); break;
    default: PetscCall(MatICCFactorSymbolic(*F, A, rows, &info));
  }
  if (c.symmetric()) PetscCall(MatCholeskyFactorNumeric(*F, A, &info));
  else PetscCall(MatLUFactorNumeric(*F, A, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares factors of A in an ordering with PETSc's factor of the filtered matrix.
/// @param swap_columns  swap columns 2i and 2i+1 of the factor, so that its diagonal is not A's
PetscErrorCode CompareOrdered(Mat A, Case const& c, PetscInt blocks, MatOrderingType ordering, bool swap_columns)
{
  Mat kept, F[3];
  IS rows, cols;
  Vec b, x[3];
  MatInfo info[3];

  PetscFunctionBegin;
  PetscCall(DropBetween(A, blocks, &kept));
  PetscCall(MatGetOrdering(A, ordering, &rows, &cols));
  if (swap_columns) {
    PetscInt n;
    PetscInt const* old;
    PetscCall(ISGetLocalSize(cols, &n));
    PetscCall(ISGetIndices(cols, &old));
    std::vector<PetscInt> swapped(old, old + n);
    PetscCall(ISRestoreIndices(cols, &old));
    for (std::size_t k = 0; k + 1 < swapped.size(); k += 2) std::swap(swapped[k], swapped[k + 1]);
    PetscCall(ISDestroy(&cols));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, swapped.data(), PETSC_COPY_VALUES, &cols));
  }
  PetscCall(SetBlocks(blocks));
  PetscCall(FactorIn(kept, c, rows, cols, NULL, &F[0]));
  PetscCall(FactorIn(A, c, rows, cols, "host_", &F[1]));
  PetscCall(FactorIn(A, c, rows, cols, "device_", &F[2]));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(FillPositive(b, 4));
  for (int k = 0; k < 3; ++k) {
    if (k) PetscCall(VecDuplicate(x[0], &x[k]));
    PetscCall(MatSolve(F[k], b, x[k]));
    PetscCall(MatGetInfo(F[k], MAT_LOCAL, &info[k]));
  }
  std::string const what = c.name() + ", " + ordering + (swap_columns ? ", columns swapped, " : ", ") +
                           MatFactorShiftTypes[c.shift] + ", " + std::to_string(blocks) + " blocks";
  for (int k = 1; k < 3; ++k) {
    PetscCall(ExpectRows(what + ", " + factor_choices[k - 1], x[0], x[k], x[0], 100 * rounding));
    EXPECT_EQ(info[k].nz_used, info[0].nz_used) << what;
    EXPECT_NEAR(info[k].fill_ratio_needed, info[0].fill_ratio_needed, 1e-6) << what;
  }
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  for (Mat& f : F) PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares the backend's factor with one of the filtered matrix, with both matrices converted to the type of the case.
/// @param reference  prefix of that factor's options; null: PETSc's own
/// @param less       amount that is subtracted from the diagonal
PetscErrorCode CompareConverted(Case const& c, PetscInt blocks, char const* reference, PetscReal less = 0)
{
  Mat A, kept, typed[2], F[2];
  IS natural;
  Vec b, x[2];
  char const* const prefix[] = {reference, "device_"};

  PetscFunctionBegin;
  PetscCall(BuildMatrix({MATSEQAIJ, c.dof, c.ftype}, 7, &A));
  PetscCall(MatShift(A, -less));
  PetscCall(DropBetween(A, blocks, &kept));
  for (Mat m : {A, kept}) PetscCall(MatSetOption(m, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(kept, c.type, MAT_INITIAL_MATRIX, &typed[0]));
  PetscCall(MatConvert(A, c.type, MAT_INITIAL_MATRIX, &typed[1]));
  PetscCall(PetscOptionsSetValue(NULL, "-filtered_mat_sptrsv_factor", "device"));
  PetscCall(SetBlocks(blocks));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillPositive(b, 4));
  for (int k = 0; k < 2; ++k) {
    PetscInt bs;
    PetscCall(MatGetBlockSize(typed[k], &bs));
    EXPECT_EQ(bs, c.dof);
    PetscCall(ISCreateStride(PETSC_COMM_SELF, 49, 0, 1, &natural));
    PetscCall(FactorIn(typed[k], c, natural, natural, prefix[k], &F[k]));
    PetscCall(MatSolve(F[k], b, x[k]));
    PetscCall(ISDestroy(&natural));
    PetscCall(MatDestroy(&F[k]));
    PetscCall(MatDestroy(&typed[k]));
  }
  PetscCall(ExpectRows(c.name() + ", " + std::to_string(blocks) + " blocks", x[0], x[1], x[0], 100 * rounding));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&kept));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares with the backend's factor of the filtered matrix where PETSc's own has leftovers.
TEST(RowBlocksInOrder, WithoutLeftovers)
{
  int compared = 0;
  for (Case const& c : AllCases())
    for (PetscInt blocks : {2, 5, 49})
      if (c.has_leftovers()) {
        ASSERT_EQ(CompareConverted(c, blocks, "filtered_"), PETSC_SUCCESS) << c.name();
        ++compared;
      }
  EXPECT_EQ(compared, 30);
}

/// Tests that the matrix is filtered in its own order of rows, whatever the factor's order is.
TEST(RowBlocksInOrder, AreThoseOfTheFilteredMatrix)
{
  for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC, MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY})
    for (PetscInt levels : {0, 2})
      for (MatOrderingType ordering :
           {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, (MatOrderingType) "blockcolor"})
        for (PetscInt blocks : {1, 4, 10}) {
          Case const c{MATSEQAIJ, 1, ftype, levels};
          Mat A;
          ASSERT_EQ((int)BuildMatrix(c, 8, &A), 0);
          EXPECT_EQ(CompareOrdered(A, c, blocks, ordering, false), PETSC_SUCCESS) << c.name() << ordering;
          ASSERT_EQ((int)MatDestroy(&A), 0);
        }
}

/// Tests orderings that part rows with equal columns in their block: PETSc's LU would be wrong, or crash, if it took
/// them for an inode.
TEST(RowBlocksInOrder, OrderingsMayPartRowsThatAreEqualInTheirBlock)
{
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU})
    for (PetscInt dof : {2, 3})
      for (MatOrderingType ordering : {MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, (MatOrderingType) "color"})
        for (PetscInt blocks : {4, 9, 18}) {
          Case const c{MATSEQAIJ, dof, ftype, 0};
          Mat A;
          ASSERT_EQ((int)BuildMatrix(c, 6, &A), 0);
          EXPECT_EQ(CompareOrdered(A, c, blocks, ordering, false), PETSC_SUCCESS) << c.name() << ordering;
          ASSERT_EQ((int)MatDestroy(&A), 0);
        }
}

TEST(RowBlocksInOrder, RowsAndColumnsApart)
{
  for (PetscInt levels : {0, 1}) {
    Case const c{MATSEQAIJ, 1, MAT_FACTOR_ILU, levels};
    Mat A;
    ASSERT_EQ((int)BuildBand(48, [](PetscInt) -> PetscScalar { return 0.25; }, false, &A), 0);
    for (PetscInt blocks : {1, 2, 4})
      EXPECT_EQ(CompareOrdered(A, c, blocks, MATORDERINGNATURAL, true), PETSC_SUCCESS) << levels;
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Tests that a shift applies to the whole factor, and that its greatest amount is that of the filtered matrix.
TEST(RowBlocksInOrder, ShiftsAreThoseOfTheFilteredMatrix)
{
  for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    for (MatFactorShiftType shift : {MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
      Case const c{MATSEQAIJ, 1, ftype, 0, shift};
      Mat A;
      auto const diagonal = [](PetscInt i) -> PetscScalar { return i % 5 == 3 ? 0.1 : 3; };
      ASSERT_EQ((int)BuildBand(45, diagonal, c.symmetric(), &A), 0);
      for (PetscInt blocks : {1, 4}) EXPECT_EQ(CompareOrdered(A, c, blocks, MATORDERINGNATURAL, false), PETSC_SUCCESS);
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
}

/// Tests the greatest amount of a shift for a matrix that stores only its upper triangle, which PETSc computes
/// differently.
TEST(RowBlocksInOrder, ShiftsOfUpperTriangles)
{
  Case const c{MATSEQSBAIJ, 1, MAT_FACTOR_ICC, 0, MAT_SHIFT_POSITIVE_DEFINITE};
  for (PetscInt blocks : {1, 3, 10}) EXPECT_EQ(CompareConverted(c, blocks, NULL, 1.3), PETSC_SUCCESS);
}
/// Compares numeric phases of a matrix that lacks entries of the symbolic phase's matrix.
PetscErrorCode CompareOtherMatrix(PetscInt blocks)
{
  Mat A[2], kept[2], F[3];
  IS rows, cols;
  Vec b, x[3];
  MatFactorInfo info;
  char const* const prefixes[] = {NULL, "host_", "device_"};

  PetscFunctionBegin;
  PetscCall(BuildMatrix({MATSEQAIJ, 1, MAT_FACTOR_ICC}, 8, &A[0]));
  PetscCall(BuildMatrix({MATSEQAIJ, 1, MAT_FACTOR_ILU}, 8, &A[1]));
  for (int k = 0; k < 2; ++k) PetscCall(DropBetween(A[k], blocks, &kept[k]));
  PetscCall(MatGetOrdering(A[0], MATORDERINGNATURAL, &rows, &cols));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(SetBlocks(blocks));
  PetscCall(MatCreateVecs(A[0], &x[0], &b));
  PetscCall(FillPositive(b, 4));
  for (int k = 0; k < 3; ++k) {
    Mat const* const of = k ? A : kept;
    if (k) PetscCall(VecDuplicate(x[0], &x[k]));
    PetscCall(MatGetFactor(of[0], k ? "levelset" : MATSOLVERPETSC, MAT_FACTOR_ILU, &F[k]));
    PetscCall(MatSetOptionsPrefix(F[k], prefixes[k]));
    PetscCall(MatILUFactorSymbolic(F[k], of[0], rows, cols, &info));
    PetscCall(MatLUFactorNumeric(F[k], of[0], &info));
    PetscCall(MatLUFactorNumeric(F[k], of[1], &info));
    PetscCall(MatSolve(F[k], b, x[k]));
    PetscCall(ExpectRows("another matrix, " + std::to_string(k), x[0], x[k], x[0], rounding));
  }
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  for (Mat& f : F) PetscCall(MatDestroy(&f));
  for (int k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&A[k]));
    PetscCall(MatDestroy(&kept[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks a numeric phase of a copy of the matrix, for which the filtered matrix is made again.
PetscErrorCode CompareDuplicate(MatType type, MatFactorType ftype, PetscInt blocks)
{
  Mat A, typed, copy, F;
  IS natural;
  Vec b, x[2];
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCall(BuildMatrix({MATSEQAIJ, 1, MAT_FACTOR_ICC}, 6, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &typed));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  info.shifttype = (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE;
  PetscCall(SetBlocks(blocks));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillPositive(b, 4));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 36, 0, 1, &natural));
  PetscCall(MatGetFactor(typed, "levelset", ftype, &F));
  PetscCall(MatSetOptionsPrefix(F, "host_"));
  bool const symmetric = ftype == MAT_FACTOR_ICC;
  if (symmetric) PetscCall(MatICCFactorSymbolic(F, typed, natural, &info));
  else PetscCall(MatILUFactorSymbolic(F, typed, natural, natural, &info));
  PetscCall(MatDuplicate(typed, MAT_COPY_VALUES, &copy));
  for (int k = 0; k < 2; ++k) {
    Mat const of = k ? copy : typed;
    PetscCall(symmetric ? MatCholeskyFactorNumeric(F, of, &info) : MatLUFactorNumeric(F, of, &info));
    PetscCall(MatSolve(F, b, x[k]));
  }
  PetscCall(ExpectRows(std::string(type) + ", duplicate", x[0], x[1], x[0], rounding));
  PetscCall(ISDestroy(&natural));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  for (Mat* m : {&A, &typed, &copy, &F}) PetscCall(MatDestroy(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(RowBlocksInOrder, OfADuplicate)
{
  for (PetscInt blocks : {1, 3}) {
    EXPECT_EQ(CompareDuplicate(MATSEQSBAIJ, MAT_FACTOR_ICC, blocks), PETSC_SUCCESS);
    EXPECT_EQ(CompareDuplicate(MATSEQBAIJ, MAT_FACTOR_ILU, blocks), PETSC_SUCCESS);
    EXPECT_EQ(CompareDuplicate(MATSEQAIJ, MAT_FACTOR_ILU, blocks), PETSC_SUCCESS);
  }
}

TEST(RowBlocksInOrder, OfAnotherMatrix)
{
  for (PetscInt blocks : {1, 3}) EXPECT_EQ(CompareOtherMatrix(blocks), PETSC_SUCCESS);
}

/// Tests rows whose columns are out of order: sorted in the copy that PETSc factors, refused by the backend.
PetscErrorCode CompareUnsorted()
{
  Case const c{MATSEQAIJ, 1, MAT_FACTOR_ILU, 1};
  ArrayMatrix const sorted(RingRows(20)), reversed(Reversed(RingRows(20))), twice(Repeated(RingRows(20), 3, 1));
  Mat kept, F[2], none = nullptr;
  IS natural;
  Vec b, x[2];

  PetscFunctionBegin;
  PetscCall(DropBetween(sorted.mat(), 3, &kept));
  PetscCall(SetBlocks(3));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 20, 0, 1, &natural));
  PetscCall(FactorIn(kept, c, natural, natural, NULL, &F[0]));
  PetscCall(FactorIn(reversed.mat(), c, natural, natural, "host_", &F[1]));
  PetscCall(MatCreateVecs(kept, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillPositive(b, 4));
  for (int k = 0; k < 2; ++k) PetscCall(MatSolve(F[k], b, x[k]));
  PetscCall(ExpectRows("columns out of order", x[0], x[1], x[0], rounding));
  CaughtError error = Catch([&] { return FactorIn(reversed.mat(), c, natural, natural, "device_", &none); });
  EXPECT_EQ((int)error.code, (int)PETSC_ERR_SUP);
  EXPECT_NE(error.message.find("columns are out of order"), std::string::npos) << error.message;
  PetscCall(MatDestroy(&none));
  error = Catch([&] { return FactorIn(twice.mat(), c, natural, natural, "host_", &none); });
  EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_WRONG);
  EXPECT_NE(error.message.find("row 3 stores column"), std::string::npos) << error.message;
  PetscCall(MatDestroy(&none));
  PetscCall(ISDestroy(&natural));
  PetscCall(VecDestroy(&b));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&x[k]));
    PetscCall(MatDestroy(&F[k]));
  }
  PetscCall(MatDestroy(&kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(RowBlocksInOrder, OfRowsOutOfOrder) { EXPECT_EQ(CompareUnsorted(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
