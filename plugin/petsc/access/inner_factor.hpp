// SPDX-License-Identifier: Apache-2.0
// Reads PETSc's own factors: their patterns and values as arrays for the backend.
#pragma once

#include <vector>

#include "access/block_factor.hpp"
#include "access/orderings.hpp"
#include "kokkos/guarded.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Pattern of PETSc's own factor. The arrays in `view` belong to that factor, or to the other members.
struct InnerPattern {
  FactorArrays view;
  BlockFactor blocks;                   ///< for a factor with dense blocks
  std::vector<PetscInt> row_ptr_upper;  ///< LU: offsets of U's rows, last row first
  IS row_is = nullptr, col_is = nullptr;
  PetscInt const *row_indices = nullptr, *col_indices = nullptr;
};

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

/// Reads the rows of an LU or ILU factor without dense blocks: L's rows, then U's, last row first, each ending in its
/// inverted diagonal. Finds the end of U's rows by these diagonals, and checks that their number of entries is the one
/// that PETSc reports: otherwise the factor would be misread.
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
  p.view.num_entries = static_cast<std::size_t>(k);
  p.view.row_ptr_lower = i;
  p.view.row_ptr_upper = p.row_ptr_upper.data();
  p.view.col_idx = j;
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
  // with inodes PETSc does not sum row by row; U is then summed in the order that is faster for inodes
  PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));  // A's, since the factor is not assembled yet
  p.view.has_inodes = num_inodes > 0;
  PetscCall(MatSeqAIJGetCSRAndMemType(inner, &i, &j, &a, &where));
  PetscCheck(PetscMemTypeHost(where), PetscObjectComm((PetscObject)inner), PETSC_ERR_SUP,
             "PETSc's factor is not in host memory");
  PetscCall(AccessLURows(inner, i, j, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether U's rows end in their diagonal, so that a Cholesky factor of PETSc can be read in place.
inline bool DiagonalsLast(PetscInt n, PetscInt const* i, PetscInt const* j)
{
  for (PetscInt r = 0; r < n; ++r)
    if (i[r + 1] <= i[r] || j[i[r + 1] - 1] != r) return false;
  return true;
}

/// Reads the pattern of a seqbaij or seqsbaij factor. With block size 1 it is read in place (a symmetric one if its
/// rows end in their diagonal), otherwise as a BlockFactor.
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
  // not restored: i and j are the factor's own arrays, which stay valid
  if (p.view.symmetric() && bs == 1 && DiagonalsLast(rows, i, j)) {
    p.view.num_entries = rows ? static_cast<std::size_t>(i[rows]) : 0;
    p.view.row_ptr_upper = i;
    p.view.col_idx = j;
  } else if (!p.view.symmetric() && bs == 1) {
    PetscCall(AccessLURows(inner, i, j, p));
  } else {
    PetscCall(AccessBlockPattern(inner, bs, rows, i, j, p.view.symmetric(), p.blocks));
    p.view.block_size = bs;
    p.view.num_entries = p.blocks.col_idx.size();
    p.view.row_ptr_lower = p.view.symmetric() ? nullptr : p.blocks.row_ptr_lower.data();
    p.view.row_ptr_upper = p.blocks.row_ptr_upper.data();
    p.view.col_idx = p.blocks.col_idx.data();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the orderings of a factor of n rows as permutations of its rows.
inline PetscErrorCode AccessOrderings(PetscInt n, IS rows, IS cols, InnerPattern& p)
{
  PetscFunctionBegin;
  PetscCall(AccessPermutation(rows, n, &p.row_is, &p.row_indices));
  PetscCall(AccessPermutation(cols, n, &p.col_is, &p.col_indices));
  p.view.row_perm = p.row_indices;
  p.view.col_perm = p.col_indices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the pattern and the orderings of PETSc's own factor.
/// @param A           the factored matrix
/// @param rows, cols  orderings of the symbolic phase; cols is null for Cholesky
inline PetscErrorCode AccessPattern(Mat inner, Mat A, MatFactorType ftype, IS rows, IS cols, InnerPattern& p)
{
  PetscBool const cholesky = (PetscBool)(ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC);
  PetscBool aij;
  IS row_is, col_is;

  PetscFunctionBegin;
  PetscCall(ReleasePattern(p));
  PetscCall(MatGetSize(inner, &p.view.n, NULL));
  p.view.kind = cholesky ? FactorKind::cholesky : FactorKind::lu;
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQAIJ, &aij));
  if (aij) PetscCall(AccessLUPattern(inner, A, p));
  else PetscCall(AccessRowsOfBlocks(inner, p));
  PetscCall(ExpandOrdering(rows, std::max<PetscInt>(1, p.view.block_size), &row_is));
  PetscCall(ExpandOrdering(cholesky ? rows : cols, std::max<PetscInt>(1, p.view.block_size), &col_is));
  PetscCall(AccessOrderings(p.view.n, row_is, col_is, p));
  PetscCall(ISDestroy(&row_is));
  PetscCall(ISDestroy(&col_is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that D^-1 U is in the range of numbers.
/// @param row  the first block row where it is not, or -1
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

/// Calls use(values) with the values of p.view, which are valid until the next call or ReleasePattern().
template <class Use>
PetscErrorCode WithFactorValues(Mat inner, InnerPattern& p, Use const& use)
{
  PetscBool aij, sbaij;
  PetscErrorCode code;
  PetscScalar* a;
  PetscScalar const* a_read;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQAIJ, &aij));
  PetscCall(PetscObjectTypeCompare((PetscObject)inner, MATSEQSBAIJ, &sbaij));
  if (aij) {
    PetscCall(MatSeqAIJGetArrayRead(inner, &a_read));
    code = use(scalars(a_read));
    PetscCall(MatSeqAIJRestoreArrayRead(inner, &a_read));
  } else {
    PetscCallCXX(AllocateBlockValues(p.blocks));
    PetscCall(sbaij ? MatSeqSBAIJGetArray(inner, &a) : MatSeqBAIJGetArray(inner, &a));
    PetscInt out_of_range = p.blocks.bs ? TakeBlockValues(p.blocks, scalars(a)) : -1;
    if (inner->factorerrortype) out_of_range = -1;  // PETSc's verdict is the answer, and no solve follows
    code = out_of_range < 0 ? use(p.blocks.bs ? p.blocks.values.data() : scalars(a)) : PETSC_SUCCESS;
    PetscCall(sbaij ? MatSeqSBAIJRestoreArray(inner, &a) : MatSeqBAIJRestoreArray(inner, &a));
    PetscCall(RequireRange((PetscObject)inner, out_of_range, p.blocks.bs));
  }
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
