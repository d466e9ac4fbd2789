// SPDX-License-Identifier: Apache-2.0
// Makes matrices and PCs for the tests of submatrices, and compares matrices row by row.
#include "submatrix_pair.hpp"

namespace petsc_test {

PetscErrorCode SetValues(Mat A, int round, bool more) {
  PetscInt n, first, last;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt distance : {-7, -1, 0, 1, 7, 11}) {
      PetscInt const j = i + distance;
      if (j < 0 || j >= n || (distance == 11 && !more)) continue;
      PetscCall(MatSetValue(A, i, j, (distance == 0 ? 9 : -1) + (PetscReal)((3 * i + 5 * j + round) % 13) / 32,
                            INSERT_VALUES));
    }
  return Assemble(A);
}

PetscErrorCode MakeMatrix(PetscInt n, char const* type, Mat* A) {
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 6, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  return SetValues(*A, 0, false);
}

PetscErrorCode MakePc(Mat A, char const* prefix, PCType type, PC* pc, bool by_plugin) {
  PetscCall(
      PetscOptionsSetValue(NULL, (std::string("-") + prefix + "pc_submatrices_sptrsv").c_str(), by_plugin ? "1" : "0"));
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetOptionsPrefix(*pc, prefix));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  return PCSetUp(*pc);
}

PetscErrorCode ExpectEqual(std::string const& what, Mat expected, Mat actual) {
  PetscInt rows, cols, m, n, first, last;
  PetscCall(MatGetLocalSize(expected, &rows, &cols));
  PetscCall(MatGetLocalSize(actual, &m, &n));
  EXPECT_EQ(m, rows) << what;
  EXPECT_EQ(n, cols) << what;
  PetscCall(MatGetOwnershipRange(expected, &first, &last));
  for (PetscInt i = first; i < PetscMin(first + m, last); ++i) {
    PetscInt count[2];
    PetscInt const* j[2];
    PetscScalar const* a[2];
    PetscCall(MatGetRow(expected, i, &count[0], &j[0], &a[0]));
    PetscCall(MatGetRow(actual, i, &count[1], &j[1], &a[1]));
    EXPECT_EQ(count[1], count[0]) << what << ", row " << i;
    for (PetscInt k = 0; k < PetscMin(count[0], count[1]); ++k) {
      EXPECT_EQ(j[1][k], j[0][k]) << what << ", row " << i;
      EXPECT_EQ(a[1][k], a[0][k]) << what << ", row " << i << ", column " << j[0][k];
    }
    PetscCall(MatRestoreRow(expected, i, &count[0], &j[0], &a[0]));
    PetscCall(MatRestoreRow(actual, i, &count[1], &j[1], &a[1]));
  }
  return PETSC_SUCCESS;
}

PetscErrorCode MakeSets(Mat A, PetscInt n, PetscInt overlap, bool reversed, std::vector<IS>* sets) {
  PetscInt size, first, last;
  PetscCall(MatGetSize(A, &size, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt const begin = PetscMax(first + k * (last - first) / n - overlap, 0);
    PetscInt const end = PetscMin(first + (k + 1) * (last - first) / n + overlap, size);
    IS set;
    PetscCall(ISCreateStride(PETSC_COMM_SELF, end - begin, reversed ? end - 1 : begin, reversed ? -1 : 1, &set));
    sets->push_back(set);
  }
  return PETSC_SUCCESS;
}

PetscErrorCode ExpectUpdates(SubmatrixPair& p, int count) {
  std::string line = "new values of submatrices by sptrsv: ";
  std::string const text = ViewText(p.pc);
  if (count > 0) line += std::to_string(count) + " times";
  EXPECT_EQ(text.find(line) != std::string::npos, count > 0) << text;
  return PETSC_SUCCESS;
}

}  // namespace petsc_test
