// SPDX-License-Identifier: Apache-2.0
// Reads PETSc's own factors: their patterns and values as arrays for the backend.
#pragma once

#include <vector>

#include "access/block_factor.hpp"
#include "access/orderings.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Pattern of PETSc's own factor. The arrays of `view` belong to that factor or to the other members.
struct InnerPattern {
  FactorArrays view;
  BlockFactor blocks;                   ///< for a factor with dense blocks
  std::vector<PetscInt> row_ptr_upper;  ///< LU: offsets of U's rows, last row first
  Permutation rows, cols;
};

/// Reads the rows of an LU or ILU factor without dense blocks: L's rows, then U's rows from the last to the first, each
/// row of U ending in its inverted diagonal entry. Finds the end of each row of U by that entry. Checks that the rows
/// have the number of entries that PETSc reports; another number means another layout.
inline PetscErrorCode AccessLURows(Mat inner, PetscInt const* i, PetscInt const* j, InnerPattern& p)
{
  PetscInt const n = p.view.n;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(inner, MAT_LOCAL, &info));
  auto const counted = (PetscInt)info.nz_used;
  PetscCall(Guarded(inner, [&] { p.row_ptr_upper.resize(static_cast<std::size_t>(n) + 1); }));
  PetscInt k = n ? i[n] : 0;
  p.row_ptr_upper[0] = k;
  for (PetscInt r = n - 1; r >= 0; --r) {
    while (k >= counted || j[k] != r) {
      PetscCheck(k < counted && j[k] > r && j[k] < n, PetscObjectComm((PetscObject)inner), PETSC_ERR_PLIB,
                 "Row %" PetscInt_FMT
                 " of PETSc's factor has no diagonal where it should end; this PETSc stores factors in another way",
                 r);
      ++k;
    }
    p.row_ptr_upper[n - r] = ++k;
  }
  PetscCheck(k == counted || n == 0, PetscObjectComm((PetscObject)inner), PETSC_ERR_PLIB,
             "PETSc's factor has %" PetscInt_FMT " entries, of which its rows show %" PetscInt_FMT
             "; this PETSc stores factors in another way",
             counted, k);
  p.view.lower = {i, j, static_cast<std::size_t>(k)};
  p.view.upper = {p.row_ptr_upper.data(), j, static_cast<std::size_t>(k)};
  p.view.upper_reversed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the pattern of a seqaij factor.
inline PetscErrorCode AccessLUPattern(Mat inner, Mat A, InnerPattern& p)
{
  PetscInt const *i, *j;
  PetscScalar* a;
  PetscMemType where;
  PetscInt num_inodes = 0;

  PetscFunctionBegin;
  // if A has inodes, PETSc does not sum row by row; the plugin then sums U's rows backward, which is faster
  PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));  // A's inodes: `inner` is not assembled yet
  p.view.has_inodes = num_inodes > 0;
  PetscCall(MatSeqAIJGetCSRAndMemType(inner, &i, &j, &a, &where));
  PetscCheck(PetscMemTypeHost(where), PetscObjectComm((PetscObject)inner), PETSC_ERR_SUP,
             "PETSc's factor is not in host memory");
  PetscCall(AccessLURows(inner, i, j, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether each row of U ends in its diagonal entry, so that PETSc's Cholesky factor can be read in place.
inline bool DiagonalsLast(PetscInt n, PetscInt const* i, PetscInt const* j)
{
  for (PetscInt r = 0; r < n; ++r)
    if (i[r + 1] <= i[r] || j[i[r + 1] - 1] != r) return false;
  return true;
}

/// Reads the pattern of a seqbaij or seqsbaij factor. A factor with block size 1 is read in place, a symmetric one only
/// if each row of U ends in its diagonal entry. Other factors are read as a BlockFactor.
inline PetscErrorCode AccessRowsOfBlocks(Mat inner, InnerPattern& p)
{
  PetscInt const *i, *j;
  PetscInt rows, bs;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(inner, &bs));
  PetscCall(MatGetRowIJ(inner, 0, PETSC_FALSE, PETSC_TRUE, &rows, &i, &j, &done));
  PetscCheck(done && rows * bs == p.view.n, PetscObjectComm((PetscObject)inner), PETSC_ERR_SUP,
             "PETSc's factor of type %s does not show its pattern", ((PetscObject)inner)->type_name);
  // no MatRestoreRowIJ(): i and j are the factor's own arrays, which stay valid
  if (p.view.symmetric() && bs == 1 && DiagonalsLast(rows, i, j)) {
    p.view.upper = {i, j, rows ? static_cast<std::size_t>(i[rows]) : 0};
  } else if (!p.view.symmetric() && bs == 1) {
    PetscCall(AccessLURows(inner, i, j, p));
  } else {
    PetscCall(AccessBlockPattern(inner, bs, rows, i, j, p.view.symmetric(), p.blocks));
    p.view.block_size = bs;
    p.view.has_pivots = false;
    auto const& col_idx = p.blocks.col_idx;
    p.view.upper = {p.blocks.row_ptr_upper.data(), col_idx.data(), col_idx.size()};
    if (!p.view.symmetric()) p.view.lower = {p.blocks.row_ptr_lower.data(), col_idx.data(), col_idx.size()};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the pattern and the orderings of PETSc's own factor.
/// @param A           the factored matrix
/// @param rows, cols  orderings of the symbolic phase; cols is null for Cholesky
inline PetscErrorCode AccessPattern(Mat inner, Mat A, bool symmetric, IS rows, IS cols, InnerPattern& p)
{
  PetscBool aij;
  IS row_is, col_is;

  PetscFunctionBegin;
  PetscCall(MatGetSize(inner, &p.view.n, NULL));
  p.view.kind = symmetric ? FactorKind::cholesky : FactorKind::lu;
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQAIJ, &aij));
  if (aij) PetscCall(AccessLUPattern(inner, A, p));
  else PetscCall(AccessRowsOfBlocks(inner, p));
  PetscCall(ExpandOrdering(rows, std::max<PetscInt>(1, p.view.block_size), &row_is));
  PetscCall(ExpandOrdering(symmetric ? rows : cols, std::max<PetscInt>(1, p.view.block_size), &col_is));
  PetscCall(p.rows.Get(row_is, p.view.n));
  PetscCall(p.cols.Get(col_is, p.view.n));
  p.view.row_perm = p.rows.indices();
  p.view.col_perm = p.cols.indices();
  PetscCall(ISDestroy(&row_is));
  PetscCall(ISDestroy(&col_is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reports an error if an entry of D^-1 U overflows or loses its precision by underflow.
/// @param row  the first block row with such an entry, or -1
inline PetscErrorCode RequireRange(PetscObject object, PetscInt row, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCheck(row < 0, PetscObjectComm(object), PETSC_ERR_FP,
             "Block row %" PetscInt_FMT " of the factor, with blocks of %" PetscInt_FMT
             ": D^-1 U, of its diagonal block D and its row of U, leaves the range of numbers; scale the matrix "
             "(-ksp_diagonal_scale), or convert it to %s",
             row, bs, MATSEQAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the factor's values, which stay valid until the next numeric phase.
inline PetscErrorCode AccessValues(Mat inner, InnerPattern& p, FactorValueArrays* values)
{
  PetscBool aij, sbaij;
  PetscScalar* a;
  PetscScalar const* a_read;
  Scalar const* data;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQAIJ, &aij));
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQSBAIJ, &sbaij));
  if (aij) {
    PetscCall(MatSeqAIJGetArrayRead(inner, &a_read));
    data = scalars(a_read);
    PetscCall(MatSeqAIJRestoreArrayRead(inner, &a_read));
  } else {
    PetscCallCXX(AllocateBlockValues(p.blocks));
    PetscCall(sbaij ? MatSeqSBAIJGetArray(inner, &a) : MatSeqBAIJGetArray(inner, &a));
    PetscInt out_of_range = p.blocks.bs ? TakeBlockValues(p.blocks, scalars(a)) : -1;
    if (inner->factorerrortype) out_of_range = -1;  // PETSc has reported a bad pivot: no solve follows
    data = p.blocks.bs ? p.blocks.values.data() : scalars(a);
    PetscCall(sbaij ? MatSeqSBAIJRestoreArray(inner, &a) : MatSeqBAIJRestoreArray(inner, &a));
    PetscCall(RequireRange((PetscObject)inner, out_of_range, p.blocks.bs));
  }
  *values = {data, data, p.view.block_size ? data + p.view.num_entries() : nullptr};
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
