// SPDX-License-Identifier: Apache-2.0
// The only code that turns PETSc's factors and their orderings into arrays for the backend.
#pragma once

#include <vector>

#include "any_solver.hpp"

namespace sptrsv_petsc {

/// The pattern of PETSc's own factor. The arrays belong to the factor, but for those made here.
struct InnerPattern {
  FactorPattern<PetscInt> view;
  std::vector<PetscInt> row_ptr_upper;  ///< LU: U's rows as they lie, last first
  IS row_is = nullptr, col_is = nullptr;
  PetscInt const *row_indices = nullptr, *col_indices = nullptr;
};

/// A permutation's indices, or null where it is the identity. Holds a reference to the IS.
inline PetscErrorCode AccessPermutation(IS is, PetscInt n, IS* held, PetscInt const** indices)
{
  PetscBool identity = PETSC_TRUE;
  PetscInt  size;

  PetscFunctionBegin;
  *held    = nullptr;
  *indices = nullptr;
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &size));
  PetscCheck(size == n, PetscObjectComm((PetscObject)is), PETSC_ERR_ARG_SIZ, "Ordering has %" PetscInt_FMT " entries for a factor of %" PetscInt_FMT " rows; use an ordering of the matrix", size, n);
  PetscCall(ISIdentity(is, &identity));
  if (identity) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)is));
  *held = is;
  PetscCall(ISGetIndices(is, indices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ReleasePattern(InnerPattern& p)
{
  PetscFunctionBegin;
  if (p.row_is) PetscCall(ISRestoreIndices(p.row_is, &p.row_indices));
  if (p.col_is) PetscCall(ISRestoreIndices(p.col_is, &p.col_indices));
  PetscCall(ISDestroy(&p.row_is));
  PetscCall(ISDestroy(&p.col_is));
  p = InnerPattern{};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LU and ILU: a seqaij factor. L's rows lie first, then U's, last row first, each ending in its
/// diagonal, stored inverted; where U's rows end is found by looking for those diagonals.
inline PetscErrorCode AccessLUPattern(Mat inner, Mat A, InnerPattern& p)
{
  PetscInt const *i, *j;
  PetscScalar*    a;
  PetscMemType    where;
  PetscInt const  n = p.view.n;
  PetscInt        num_inodes = 0;

  PetscFunctionBegin;
  // with inodes PETSc sums in another order than by rows; then ours may be the faster one for them
  PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));  // of A: the factor is not assembled yet
  p.view.has_inodes = num_inodes > 0;
  PetscCall(MatSeqAIJGetCSRAndMemType(inner, &i, &j, &a, &where));
  PetscCheck(PetscMemTypeHost(where), PetscObjectComm((PetscObject)inner), PETSC_ERR_SUP, "PETSc's factor is not in host memory");
  PetscCallCXX(p.row_ptr_upper.resize(static_cast<std::size_t>(n) + 1));
  PetscInt k         = n ? i[n] : 0;
  p.row_ptr_upper[0] = k;
  for (PetscInt r = n - 1; r >= 0; --r) {
    while (j[k] != r) {
      PetscCheck(j[k] > r && j[k] < n, PetscObjectComm((PetscObject)inner), PETSC_ERR_PLIB, "Row %" PetscInt_FMT " of PETSc's factor has no diagonal where it should end; this PETSc stores factors in another way", r);
      ++k;
    }
    p.row_ptr_upper[n - r] = ++k;
  }
  p.view.num_entries   = static_cast<std::size_t>(k);
  p.view.row_ptr_lower = i;
  p.view.row_ptr_upper = p.row_ptr_upper.data();
  p.view.col_idx       = j;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Cholesky and ICC: a seqsbaij factor of block size 1, rows of U with the diagonal last.
inline PetscErrorCode AccessCholeskyPattern(Mat inner, InnerPattern& p)
{
  PetscInt const *i, *j;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(inner, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));
  PetscCheck(done && n == p.view.n, PetscObjectComm((PetscObject)inner), PETSC_ERR_SUP, "PETSc's Cholesky factor does not show its pattern");
  for (PetscInt r = 0; r < n; ++r) PetscCheck(i[r + 1] > i[r] && j[i[r + 1] - 1] == r, PetscObjectComm((PetscObject)inner), PETSC_ERR_PLIB, "Row %" PetscInt_FMT " of PETSc's factor does not end in its diagonal; this PETSc stores factors in another way", r);
  p.view.num_entries   = n ? static_cast<std::size_t>(i[n]) : 0;
  p.view.row_ptr_upper = i;
  p.view.col_idx       = j;
  // not restored: for block size 1 the arrays are the factor's own and stay where they are
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// @param A           the matrix that is factored.
/// @param rows, cols  the orderings given to the symbolic phase; cols NULL for Cholesky.
inline PetscErrorCode AccessPattern(Mat inner, Mat A, MatFactorType ftype, IS rows, IS cols, InnerPattern& p)
{
  PetscBool const cholesky = (PetscBool)(ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC);

  PetscFunctionBegin;
  PetscCall(ReleasePattern(p));
  PetscCall(MatGetSize(inner, &p.view.n, NULL));
  p.view.cholesky = cholesky;
  PetscCall(AccessPermutation(rows, p.view.n, &p.row_is, &p.row_indices));
  PetscCall(AccessPermutation(cholesky ? rows : cols, p.view.n, &p.col_is, &p.col_indices));
  p.view.row_perm = p.row_indices;
  p.view.col_perm = p.col_indices;
  if (cholesky) PetscCall(AccessCholeskyPattern(inner, p));
  else PetscCall(AccessLUPattern(inner, A, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(values) with the array of the factor's values.
template <class Use>
PetscErrorCode WithFactorValues(Mat inner, bool cholesky, Use const& use)
{
  PetscFunctionBegin;
  if (cholesky) {
    PetscScalar* a;
    PetscCall(MatSeqSBAIJGetArray(inner, &a));
    PetscCall(use(scalars(a)));
    PetscCall(MatSeqSBAIJRestoreArray(inner, &a));
  } else {
    PetscScalar const* a;
    PetscCall(MatSeqAIJGetArrayRead(inner, &a));
    PetscCall(use(scalars(a)));
    PetscCall(MatSeqAIJRestoreArrayRead(inner, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
