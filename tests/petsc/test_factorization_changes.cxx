// SPDX-License-Identifier: Apache-2.0
// Tests the backend's factors of matrices that change in ways that PETSc does not announce or does not expect, and that
// making them has no side effects.
#include <petscksp.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "host_device_pair.hpp"

namespace petsc_test {
namespace {

Factoring SetupOf(MatFactorType ftype) {
  Factoring setup;
  setup.ftype = ftype;
  return setup;
}

/// Returns the number of rows of the matrix that the program's -mat_view has written last.
PetscErrorCode RowsInFile(char const* prefix, std::string const& file, PetscInt* rows) {
  Factor factor;
  PetscViewer viewer;
  Mat A, read;
  PetscCall(PetscOptionsSetValue(NULL, "-mat_view", ("binary:" + file).c_str()));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 50, 50, 3, NULL, &A));
  PetscCall(MatSetFromOptions(A));
  for (PetscInt i = 0; i < 50; ++i) {
    PetscCall(MatSetValue(A, i, i, 4, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscCall(factor.Make(A, "levelset", prefix, MAT_FACTOR_ILU));
  PetscCall(factor.Symbolic(A, SetupOf(MAT_FACTOR_ILU)));
  PetscCall(factor.Numeric(A));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_view"));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, &read));
  PetscCall(MatSetType(read, MATSEQAIJ));
  PetscCall(MatLoad(read, viewer));
  PetscCall(MatGetSize(read, rows, NULL));
  PetscCall(PetscViewerDestroy(&viewer));
  return DestroyAll(&read, &A);
}

/// Checks that -mat_view does not show the matrix of three rows with which the plugin probes PETSc's compiler once per
/// process; must be the first test that factors.
TEST(FactorizationChanges, TheProgramsOwnViewsAreLeftAlone) {
  char name[] = "/tmp/sptrsv_view_XXXXXX";
  int const handle = mkstemp(name);
  ASSERT_GE(handle, 0);
  PetscInt rows = 0;
  EXPECT_EQ((int)RowsInFile("device_", name, &rows), 0);
  EXPECT_EQ(rows, 50);
  std::remove(name);
  std::remove((std::string(name) + ".info").c_str());
}

/// Puts block (i, j), with a dominant diagonal if i == j.
PetscErrorCode PutBlock(Mat A, PetscInt i, PetscInt j, PetscInt bs) {
  std::vector<PetscScalar> block;
  for (PetscInt r = 0; r < bs; ++r)
    for (PetscInt c = 0; c < bs; ++c)
      block.push_back(PetscReal(0.1) / PetscReal(1 + i + j + r + c) + (i == j && r == c ? 5 : 0));
  return MatSetValuesBlocked(A, 1, &i, 1, &j, block.data(), INSERT_VALUES);
}

/// Makes an arrow whose head comes first, so that its factors are full; then adds blocks, for which PETSc 3.18 leaves
/// the nonzero state of the matrix unchanged.
PetscErrorCode AddBlocks(MatType type, PetscInt bs) {
  PetscInt const rows = 8;
  bool const symmetric = type == std::string(MATSEQSBAIJ);
  HostDevicePair pair;
  Mat A;
  if (symmetric) PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, bs, rows * bs, rows * bs, rows, NULL, &A));
  else PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, bs, rows * bs, rows * bs, rows, NULL, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < rows; ++i) {
    PetscCall(PutBlock(A, i, i, bs));
    PetscCall(PutBlock(A, 0, i, bs));
    if (!symmetric) PetscCall(PutBlock(A, i, 0, bs));
  }
  PetscCall(Assemble(A));
  PetscCall(pair.Symbolic(A, SetupOf(symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU)));
  PetscCall(pair.Numeric(A));
  PetscCall(ExpectNear("beside PETSc's", pair.host.mat(), pair.device.mat()));
  for (PetscInt i = 1; i + 1 < rows; i += 2) {
    PetscCall(PutBlock(A, i, i + 1, bs));
    if (!symmetric) PetscCall(PutBlock(A, i + 1, i, bs));
  }
  PetscCall(Assemble(A));
  PetscCall(pair.Numeric(A));
  PetscCall(ExpectNear("beside PETSc's", pair.host.mat(), pair.device.mat()));
  return MatDestroy(&A);
}

TEST(FactorizationChanges, BlocksAddedInPlace) {
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : {1, 2, 3}) EXPECT_EQ((int)AddBlocks(type, bs), 0) << type << " " << bs;
}

/// Makes a matrix that is full, or has about a third of the entries.
PetscErrorCode Scattered(PetscInt n, bool full, Mat* A) {
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, A));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j)
      if (i == j || full || (i + j) % 3 == 0)
        PetscCall(MatSetValue(*A, i, j, i == j ? 20 : 1 / PetscReal(1 + i + 2 * j), INSERT_VALUES));
  return Assemble(*A);
}

/// Fills a submatrix again from another matrix, with fewer entries: PETSc writes its arrays, and leaves its nonzero
/// state unchanged.
PetscErrorCode ReuseSubmatrix(MatFactorType ftype) {
  PetscInt const n = 12;
  HostDevicePair pair;
  Mat all, some, A;
  IS rows;
  PetscCall(Scattered(n, true, &all));
  PetscCall(Scattered(n, false, &some));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n - 2, 0, 1, &rows));
  PetscCall(MatCreateSubMatrix(all, rows, rows, MAT_INITIAL_MATRIX, &A));
  PetscCall(pair.Symbolic(A, SetupOf(ftype)));
  PetscCall(pair.Numeric(A));
  PetscCall(ExpectNear("beside PETSc's", pair.host.mat(), pair.device.mat()));
  PetscCall(MatCreateSubMatrix(some, rows, rows, MAT_REUSE_MATRIX, &A));
  PetscCall(pair.Numeric(A));
  PetscCall(ExpectNear("beside PETSc's", pair.host.mat(), pair.device.mat()));
  PetscCall(DestroyAll(&rows, &all, &some, &A));
  return PETSC_SUCCESS;
}

TEST(FactorizationChanges, SubmatricesFilledAnew) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) EXPECT_EQ((int)ReuseSubmatrix(ftype), 0);
}

PetscErrorCode Dense(MatFactorType ftype, char const* prefix) {
  Factor factor;
  Mat A, dense;
  PetscCall(Scattered(5, true, &A));
  PetscCall(MatConvert(A, MATSEQDENSE, MAT_INITIAL_MATRIX, &dense));
  PetscCall(factor.Make(A, "levelset", prefix, ftype));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode const code = factor.Symbolic(dense, SetupOf(ftype));
  PetscCall(PetscPopErrorHandler());
  EXPECT_EQ((int)code, (int)PETSC_ERR_SUP) << prefix;
  PetscCall(factor.Symbolic(A, SetupOf(ftype)));  // continues with the kind that it was made for
  PetscCall(factor.Numeric(A));
  return DestroyAll(&dense, &A);
}

TEST(FactorizationChanges, OtherTypesAreRefused) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU})
    for (char const* prefix : {"host_", "device_"}) EXPECT_EQ((int)Dense(ftype, prefix), 0);
}

}  // namespace
}  // namespace petsc_test
