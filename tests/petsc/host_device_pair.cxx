// SPDX-License-Identifier: Apache-2.0
// Makes matrices and pairs of factors, and compares them bit by bit.
#include "host_device_pair.hpp"

#include <cmath>
#include <cstring>

namespace petsc_test {
namespace {

/// Tells whether both numbers are equal; in complex arithmetic, where the compilers' reciprocals differ in their last
/// bits, whether they are nearly equal.
bool Same(PetscScalar a, PetscScalar b, [[maybe_unused]] PetscReal scale) {
#if defined(PETSC_USE_COMPLEX)
  if (PetscIsInfOrNanScalar(a) || PetscIsInfOrNanScalar(b)) return PetscIsInfOrNanScalar(a) && PetscIsInfOrNanScalar(b);
  return a == b || !(PetscAbsScalar(a - b) > 1e-8 * scale);
#else
  if (PetscIsNanScalar(a) || PetscIsNanScalar(b)) return PetscIsNanScalar(a) && PetscIsNanScalar(b);
  return !std::memcmp(&a, &b, sizeof a);
#endif
}

PetscErrorCode ExpectSameVecs(char const* what, Vec host, Vec device) {
  PetscScalar const *h, *d;
  PetscInt n;
  PetscReal scale;
  PetscCall(VecNorm(host, NORM_INFINITY, &scale));
  PetscCall(VecGetLocalSize(host, &n));
  PetscCall(VecGetArrayRead(host, &h));
  PetscCall(VecGetArrayRead(device, &d));
  for (PetscInt i = 0; i < n; ++i) {
    if (Same(h[i], d[i], scale)) continue;
    ADD_FAILURE() << what << ": row " << i << " of " << n << " is " << d[i] << " by device, " << h[i] << " by host";
    break;
  }
  PetscCall(VecRestoreArrayRead(host, &h));
  return VecRestoreArrayRead(device, &d);
}

/// Checks that op(F, x) gives the same error or the same result.
template <class Op>
PetscErrorCode ExpectSameOp(char const* what, Mat host, Mat device, Op const& op) {
  Vec x, y;
  PetscCall(MatCreateVecs(host, &x, &y));
  CaughtError const h = Catch([&] { return op(host, x); }), d = Catch([&] { return op(device, y); });
  EXPECT_EQ((int)h.code, (int)d.code) << what << ": " << h.message << " | " << d.message;
  if (!h.code && !d.code) PetscCall(ExpectSameVecs(what, x, y));
  return DestroyAll(&x, &y);
}

PetscErrorCode ExpectSameDense(Mat host, Mat device) {
  Mat B, X, Y;
  Vec x, y, b;
  PetscInt n;
  PetscInt const columns = 3;
  PetscCall(MatGetSize(host, &n, NULL));
  for (Mat* m : {&B, &X, &Y}) PetscCall(MakeDense(n, columns, PetscMax(n, 1), m));
  for (PetscInt c = 0; c < columns && n; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &b));
    PetscCall(FillVec(b, 20 + (unsigned)c));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &b));
  }
  PetscCall(MatMatSolve(host, B, X));
  PetscCall(MatMatSolve(device, B, Y));
  for (PetscInt c = 0; c < columns && n; ++c) {
    PetscCall(MatDenseGetColumnVecRead(X, c, &x));
    PetscCall(MatDenseGetColumnVecRead(Y, c, &y));
    PetscCall(ExpectSameVecs("MatMatSolve", x, y));
    PetscCall(MatDenseRestoreColumnVecRead(X, c, &x));
    PetscCall(MatDenseRestoreColumnVecRead(Y, c, &y));
  }
  for (Mat* m : {&B, &X, &Y}) PetscCall(MatDestroy(m));
  return PETSC_SUCCESS;
}

/// Checks that both pivot statuses are equal. PETSc may report a wrong row of a symmetric factor, but never none. It
/// reports the last zero pivot: after one, C's products of infinite complex numbers are infinite where those of C++ are
/// NaN, which never counts as zero.
PetscErrorCode ExpectSamePivotStatus(Mat host, Mat device) {
  PivotStatus h, d;
  MatFactorType ftype;
  PetscInt n;
  PetscCall(GetPivotStatus(host, &h));
  PetscCall(GetPivotStatus(device, &d));
  EXPECT_EQ((int)h.error, (int)d.error);
  PetscCall(MatGetSize(host, &n, NULL));
  if (d.error == MAT_FACTOR_NOERROR || h.error != d.error) return PETSC_SUCCESS;
  EXPECT_TRUE(Same(h.value, d.value, h.value)) << h.value << " " << d.value;
  PetscCall(MatGetFactorType(host, &ftype));
  if (ftype == MAT_FACTOR_LU || ftype == MAT_FACTOR_ILU) {
    if (PetscDefined(USE_COMPLEX)) EXPECT_LE(d.row, h.row);
    else EXPECT_EQ(d.row, h.row);
  }
  EXPECT_GE(d.row, 0);
  EXPECT_LT(d.row, n);
  return PETSC_SUCCESS;
}

PetscScalar NewDiagonal(PetscScalar value, PetscInt i, Diagonal diagonal) {
  if (diagonal == Diagonal::negated && i % 7 == 3) return (PetscReal)-0.3 * value;
  if (diagonal == Diagonal::scaled && i % 11 == 5) return (PetscReal)0.4 * value;
  if (diagonal == Diagonal::zeroed && i % 13 == 4) return 0;
  return value;
}

}  // namespace

PetscErrorCode BuildMatrix(sptrsv::support::CsrMatrix const& from, Diagonal diagonal, MatType type, bool inodes,
                           Mat* A) {
  auto const n = (PetscInt)from.num_rows;
  std::vector<PetscInt> const row_ptr(from.row_ptr.begin(), from.row_ptr.end());
  std::vector<PetscInt> const col_idx(from.col_idx.begin(), from.col_idx.end());
  std::vector<PetscScalar> values(from.values.begin(), from.values.end());
  PetscBool aij;
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt k = row_ptr[(size_t)i]; k < row_ptr[(size_t)i + 1]; ++k)
      if (col_idx[(size_t)k] == i) values[(size_t)k] = NewDiagonal(values[(size_t)k], i, diagonal);
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, inodes ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, row_ptr.data(), col_idx.data(), values.data()));
  PetscCall(PetscStrcmp(type, MATSEQAIJ, &aij));
  if (!aij) PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  return PETSC_SUCCESS;
}

PetscErrorCode BuildCsr(std::vector<PetscInt> const& row_ptr, std::vector<PetscInt> const& col_idx,
                        std::vector<PetscScalar> const& values, Mat* A) {
  auto const n = (PetscInt)row_ptr.size() - 1;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE));
  return MatSeqAIJSetPreallocationCSR(*A, row_ptr.data(), col_idx.data(), values.data());
}

PetscErrorCode ChangeValues(Mat A, unsigned seed) {
  PetscScalar* a;
  MatInfo info;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(A, &a));
  for (size_t k = 0; k < (size_t)info.nz_used; ++k) a[k] *= 1 + (PetscReal)((k * 7919 + seed * 104729) % 1000) / 8192;
  return MatSeqAIJRestoreArray(A, &a);
}

PetscErrorCode HostDevicePair::Symbolic(Mat A, Factoring const& setup, char const* type) {
  PetscCall(host.Make(A, type, "host_", setup.ftype));
  PetscCall(device.Make(A, type, "device_", setup.ftype));
  PetscCall(device.Symbolic(A, setup));
  return host.Symbolic(A, setup);
}

PetscErrorCode HostDevicePair::Numeric(Mat A) {
  PetscCall(device.Numeric(A));
  return host.Numeric(A);
}

PetscErrorCode ExpectSame(Mat host, Mat device) {
  Vec b;
  PetscInt h[3] = {0, 0, 0}, d[3] = {0, 0, 0};
  MatFactorType ftype;
  PivotStatus pivot_status;
  PetscCall(MatGetFactorType(host, &ftype));
  PetscCall(ExpectSamePivotStatus(host, device));
  PetscCall(GetPivotStatus(host, &pivot_status));
  if (PetscDefined(USE_COMPLEX) && pivot_status.error) return PETSC_SUCCESS;
  PetscCall(MatCreateVecs(host, &b, NULL));
  PetscCall(FillVec(b, 3));
  PetscCall(ExpectSameOp("MatSolve", host, device, [&](Mat F, Vec x) { return MatSolve(F, b, x); }));
  PetscCall(ExpectSameOp("MatSolveTranspose", host, device, [&](Mat F, Vec x) { return MatSolveTranspose(F, b, x); }));
  PetscCall(ExpectSameOp("MatGetDiagonal", host, device, [&](Mat F, Vec x) { return MatGetDiagonal(F, x); }));
  PetscCall(ExpectSameDense(host, device));
  if (ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC) {
    PetscCall(ExpectSameOp("MatForwardSolve", host, device, [&](Mat F, Vec x) { return MatForwardSolve(F, b, x); }));
    PetscCall(ExpectSameOp("MatBackwardSolve", host, device, [&](Mat F, Vec x) { return MatBackwardSolve(F, b, x); }));
    PetscCall(MatGetInertia(host, h, h + 1, h + 2));
    PetscCall(MatGetInertia(device, d, d + 1, d + 2));
    EXPECT_TRUE(std::equal(h, h + 3, d));
  }
  return VecDestroy(&b);
}

PetscErrorCode ExpectNear(std::string const& what, Mat own, Mat ours) {
  Vec b, x, expected, scale;
  PetscReal largest;
  PetscInt bs;
  PetscCall(MatGetBlockSize(own, &bs));
  PetscCall(MatCreateVecs(own, &b, NULL));
  for (Vec* v : {&x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
  PetscCall(FillVec(b, 5));
  for (auto const solve : {MatSolve, MatSolveTranspose}) {
    if (solve == MatSolveTranspose && bs == 15) continue;  // docs/dev/petsc_faults.md, baij_transpose_15
    PetscCall(solve(own, b, expected));
    PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
    PetscCall(VecSet(scale, 1 + largest));
    PetscCall(VecSet(x, std::nan("")));
    PetscCall(solve(ours, b, x));
    PetscCall(ExpectRows(what, expected, x, scale, 1e6 * PETSC_MACHINE_EPSILON));  // for at most 400 rows
  }
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  return PETSC_SUCCESS;
}

}  // namespace petsc_test
