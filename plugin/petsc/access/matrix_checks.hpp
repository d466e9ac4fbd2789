// SPDX-License-Identifier: Apache-2.0
// Checks for matrices that PETSc would factor wrongly, or crash on, without an error of its own.
#pragma once

#include <algorithm>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "sptrsv/proper_rows.hpp"

namespace sptrsv_petsc {

/// Finds the rules that A's rows have to follow for PETSc to factor A correctly. PETSc sorts the rows that it factors,
/// with two exceptions. Without fill and in an ordering that PETSc takes for natural, it reads A's rows as they are
/// stored. For a symmetric factor of a matrix with blocks, it converts the matrix, whose columns must ascend. PETSc
/// never adds up two entries of a row in the same column.
/// @param rows, cols  the orderings, which may be null; cols is not read for a symmetric factor
/// @param info        null for a numeric phase, which takes columns in any order
inline PetscErrorCode FindRowRules(Mat A, MatFactorType ftype, IS rows, IS cols, MatFactorInfo const* info,
                                   sptrsv::RowRules* rules)
{
  bool const symmetric = ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC;
  bool const without_fill = info && (ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC) && (PetscInt)info->levels == 0;
  PetscBool by_blocks, row_identity = PETSC_TRUE, col_identity = PETSC_TRUE;
  PetscInt bs = 1;

  PetscFunctionBegin;
  *rules = sptrsv::RowRules{};
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  if (by_blocks) PetscCall(MatGetBlockSize(A, &bs));
  if (rows) PetscCall(ISIdentity(rows, &row_identity));
  if (cols && !symmetric) PetscCall(ISIdentity(cols, &col_identity));
  bool const natural = row_identity && col_identity;
  rules->block_size = (int)bs;
  rules->upper_alone = symmetric && natural && bs == 1;
  if (symmetric && bs > 1) rules->order = sptrsv::ColumnOrder::ascending;
  else if (without_fill && natural)
    rules->order = symmetric ? sptrsv::ColumnOrder::upper_ascending : sptrsv::ColumnOrder::lower_ascending;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that A's rows follow the rules, in host memory.
inline PetscErrorCode RequireProperRows(Mat A, sptrsv::RowRules const& rules)
{
  PatternAccess m;

  PetscFunctionBegin;
  PetscCall(m.Get(A, false));
  PetscCall(Guarded(A, [&] { sptrsv::check_rows(m.n, m.row_ptr, m.col_idx, rules); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Rows of a matrix in the order in which LU eliminates them.
struct EliminatedRows {
  PetscInt n;
  PetscInt const *begin, *col, *row_of, *col_of;  ///< A's row row_of[k] becomes row k, its column col_of[k] column k
  std::vector<PetscInt> positions;                ///< positions of A's columns in the factor

  bool has_diagonal(PetscInt k) const
  {
    PetscInt const *const first = col + begin[row_of[k]], *const last = col + begin[row_of[k] + 1];
    return std::find(first, last, col_of[k]) != last;  // columns may be in any order
  }
  /// Tells whether LU fills the diagonal entry of row k: whether a path through earlier rows leads from k back to k.
  bool fills_diagonal(PetscInt k, std::vector<PetscInt>& reached) const
  {
    std::vector<PetscInt> next{k};
    while (!next.empty()) {
      PetscInt const row = row_of[next.back()];
      next.pop_back();
      for (PetscInt e = begin[row]; e < begin[row + 1]; ++e) {
        PetscInt const to = positions[(std::size_t)col[e]];
        if (to == k) return true;
        if (to > k || reached[(std::size_t)to] == k) continue;
        reached[(std::size_t)to] = k;
        next.push_back(to);
      }
    }
    return false;
  }
  /// Returns the first row of the factor without a diagonal entry, or -1. Skips rows whose diagonal entry comes from
  /// A's diagonal: PETSc checks these itself.
  /// @param fill  whether a diagonal entry may come from fill
  PetscInt missing_diagonal(bool fill) const
  {
    std::vector<PetscInt> reached(fill ? (std::size_t)n : 0, -1);
    for (PetscInt k = 0; k < n; ++k)
      if (row_of[k] != col_of[k] && !has_diagonal(k) && !(fill && fills_diagonal(k, reached))) return k;
    return -1;
  }
};

/// Refuses orderings with which a diagonal entry of the factor would be missing. To be called before PETSc's symbolic
/// phase of LU, and of ILU with info->diagonal_fill. In LU PETSc would write past its arrays (docs/dev/petsc_faults.md,
/// lu_missing_diagonal). In ILU PETSc would add the entry, twice where it is also fill (diagonal_fill_twice); the
/// plugin could then not find the ends of U's rows.
/// @param rows, cols  orderings as FitOrdering() returns them
inline PetscErrorCode RefuseMissingDiagonal(Mat A, IS rows, IS cols, MatFactorType ftype)
{
  PetscBool by_blocks, done;
  EliminatedRows e{};
  PetscInt missing = -1;
  bool empty = false;

  PetscFunctionBegin;
  if (!rows || !cols) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, by_blocks, &e.n, &e.begin, &e.col,
                        &done));  // by_blocks: block rows; for aij that would show inodes
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetIndices(rows, &e.row_of));
  PetscCall(ISGetIndices(cols, &e.col_of));
  PetscCall(GuardedOn(PetscObjectComm((PetscObject)A), [&] {
    if (std::equal(e.row_of, e.row_of + e.n, e.col_of)) return;
    e.positions.resize((std::size_t)e.n);
    for (PetscInt k = 0; k < e.n; ++k) e.positions[(std::size_t)e.col_of[k]] = k;
    missing = e.missing_diagonal(ftype == MAT_FACTOR_LU);
  }));
  PetscInt const row = missing < 0 ? 0 : e.row_of[missing], col = missing < 0 ? 0 : e.col_of[missing];
  if (missing >= 0) empty = e.begin[row] == e.begin[row + 1];
  PetscCall(ISRestoreIndices(rows, &e.row_of));
  PetscCall(ISRestoreIndices(cols, &e.col_of));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, by_blocks, &e.n, &e.begin, &e.col, &done));
  char const* const remedy = empty ? "that row has no entries at all, so that the matrix is singular: give it some"
                             : ftype == MAT_FACTOR_LU
                                 ? "leave that option out, or use the same ordering for rows and columns"
                                 : "leave out that option or -pc_factor_diagonal_fill, or use the same ordering for "
                                   "rows and columns";
  PetscCheck(missing < 0, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "With these orderings row %" PetscInt_FMT " of the factor has its diagonal at row %" PetscInt_FMT
             ", column %" PetscInt_FMT
             " of the matrix%s, where there is no entry%s. Rows and columns are ordered differently, as "
             "-pc_factor_nonzeros_along_diagonal orders them; %s",
             missing, row, col, by_blocks ? ", counted in blocks" : "", ftype == MAT_FACTOR_LU ? ", nor any fill" : "",
             remedy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
