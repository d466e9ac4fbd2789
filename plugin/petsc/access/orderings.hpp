// SPDX-License-Identifier: Apache-2.0
// Checks the orderings of a symbolic phase, and reads them as permutations of rows.
#pragma once

#include <algorithm>
#include <vector>

#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {

/// Indices of a permutation, null for the identity. Compares the indices themselves with the identity: ISIdentity()
/// caches its result, which is wrong once MatReorderForNonzeroDiagonal() has overwritten the indices.
class Permutation {
 public:
  ~Permutation()
  {
    if (is_) (void)ISRestoreIndices(is_, &indices_);
    (void)ISDestroy(&is_);
  }
  Permutation& operator=(Permutation&&) = delete;

  /// Reads a permutation of n rows, and keeps a reference to it.
  PetscErrorCode Get(IS is, PetscInt n)
  {
    PetscInt size, row = 0;

    PetscFunctionBegin;
    if (!is) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(ISGetLocalSize(is, &size));
    PetscCheck(size == n, PetscObjectComm((PetscObject)is), PETSC_ERR_ARG_SIZ,
               "Ordering has %" PetscInt_FMT " entries for a factor of %" PetscInt_FMT
               " rows; use an ordering of the matrix",
               size, n);
    PetscCall(ISGetIndices(is, &indices_));
    while (row < n && indices_[row] == row) ++row;
    if (row == n) {
      PetscCall(ISRestoreIndices(is, &indices_));
      indices_ = nullptr;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscObjectReference((PetscObject)is));
    is_ = is;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscInt const* indices() const { return indices_; }

 private:
  IS is_ = nullptr;
  PetscInt const* indices_ = nullptr;
};

/// Expands an ordering of blocks of bs rows to an ordering of rows, which the caller destroys.
inline PetscErrorCode ExpandOrdering(IS is, PetscInt bs, IS* expanded)
{
  PetscInt size;
  PetscInt const* blocks;

  PetscFunctionBegin;
  *expanded = is;
  if (!is || bs == 1) {
    PetscCall(PetscObjectReference((PetscObject)is));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ISGetLocalSize(is, &size));
  PetscCall(ISGetIndices(is, &blocks));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, size, blocks, PETSC_COPY_VALUES, expanded));
  PetscCall(ISRestoreIndices(is, &blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds whether the first `size` indices are a permutation of 0 to size - 1.
inline PetscErrorCode IsPermutation(MPI_Comm comm, PetscInt const* indices, PetscInt size, bool* is)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(comm, [&] {
    std::vector<char> seen(static_cast<std::size_t>(size), 0);
    *is = std::all_of(indices, indices + size,
                      [&](PetscInt k) { return k >= 0 && k < size && !seen[static_cast<std::size_t>(k)]++; });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks an ordering, since PETSc's symbolic phase does not, and cuts it to one index per row, or per block row of a
/// matrix with blocks. PETSc ignores the rest of a longer ordering, such as one with an index per row of a matrix with
/// blocks. A symmetric factor of a matrix with blocks takes only the natural ordering (in others PETSc crashes for
/// seqbaij with block size 1). The caller destroys `fitting`.
inline PetscErrorCode FitOrdering(Mat A, MatFactorType ftype, IS is, IS* fitting)
{
  PetscBool by_blocks;
  PetscInt given, n, bs = 1;
  PetscInt const* indices;
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  bool permutation = false;

  PetscFunctionBegin;
  *fitting = nullptr;
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISGetLocalSize(is, &given));
  if (by_blocks) PetscCall(MatGetBlockSize(A, &bs));
  PetscInt const size = n / bs;
  PetscCall(ISGetIndices(is, &indices));
  if (given >= size) PetscCall(IsPermutation(comm, indices, size, &permutation));
  PetscInt moved = 0;
  while (permutation && moved < size && indices[moved] == moved) ++moved;
  // PETSc does not recognize an IS of type stride without entries as the natural ordering
  if (permutation && (given > size || !size))
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, size, indices, PETSC_COPY_VALUES, fitting));
  PetscCall(ISRestoreIndices(is, &indices));
  PetscCheck(permutation, comm, PETSC_ERR_ARG_SIZ,
             "The ordering, of %" PetscInt_FMT " entries, does not begin with a permutation of the %" PetscInt_FMT
             " %s of this matrix of type %s, block size %" PetscInt_FMT "; use an ordering of the matrix",
             given, size, by_blocks ? "block rows" : "rows", ((PetscObject)A)->type_name, bs);
  bool const symmetric = ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC;
  if (by_blocks && symmetric && moved < size) PetscCall(ISDestroy(fitting));
  PetscCheck(!by_blocks || !symmetric || moved == size, comm, PETSC_ERR_SUP,
             "PETSc factors a matrix of type %s by %s in the natural ordering only; use -pc_factor_mat_ordering_type "
             "natural, or a matrix of type %s",
             ((PetscObject)A)->type_name, MatFactorTypes[ftype], MATSEQAIJ);
  if (*fitting) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)is));
  *fitting = is;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
