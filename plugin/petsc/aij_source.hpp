// SPDX-License-Identifier: Apache-2.0
// The matrix that PETSc factors for us: the user's own if it is seqaij, a seqaij copy of it if it has blocks.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "petsc_compat.hpp"

namespace sptrsv_petsc {

/// `copy` is null where the user's matrix itself is factored; rows and cols are orderings of its rows.
struct AijSource {
  Mat                   copy = nullptr;
  std::vector<PetscInt> position;  // where each entry of the copy lies in the user's array
  IS                    rows = nullptr, cols = nullptr;

  Mat of(Mat A) const { return copy ? copy : A; }
};

/// Calls use(values) with the array of a block matrix' values, which are only read. PETSc counts giving the array
/// back as a change (3.26), and would factor anew at each application; so the matrix' state is put back.
template <class Use>
PetscErrorCode WithBlockValues(Mat A, bool symmetric, Use const& use)
{
  PetscObjectState state;
  PetscScalar*     a;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(symmetric ? MatSeqSBAIJGetArray(A, &a) : MatSeqBAIJGetArray(A, &a));
  PetscCall(use(a));
  PetscCall(symmetric ? MatSeqSBAIJRestoreArray(A, &a) : MatSeqBAIJRestoreArray(A, &a));
  PetscCall(PetscObjectStateSet((PetscObject)A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Position of block (I, J) among the blocks of row I, columns ascending; -1 if it is not there.
inline PetscInt FindBlock(PetscInt const* i, PetscInt const* j, PetscInt I, PetscInt J)
{
  PetscInt const* const at = std::lower_bound(j + i[I], j + i[I + 1], J);
  return at != j + i[I + 1] && *at == J ? static_cast<PetscInt>(at - j) : -1;
}

/// Fills source.position: blocks lie by rows, each by columns; of a symmetric matrix the upper ones only.
inline PetscErrorCode MapBlocks(Mat A, bool symmetric, AijSource& source)
{
  PetscInt        bs, n, blocks, rows;
  PetscInt const *i, *j, *bi, *bj;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &blocks, &bi, &bj, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "A matrix of type %s does not show its pattern; convert it to %s", ((PetscObject)A)->type_name, MATSEQAIJ);
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetRowIJ(source.copy, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
  PetscCheck(done && rows == n && blocks * bs == n, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "PETSc's conversion of %s to %s has other rows", ((PetscObject)A)->type_name, MATSEQAIJ);
  PetscCallCXX(source.position.resize(static_cast<std::size_t>(i[n])));
  for (PetscInt r = 0; r < n; ++r) {
    for (PetscInt k = i[r]; k < i[r + 1]; ++k) {
      bool const     mirrored = symmetric && r / bs > j[k] / bs;
      PetscInt const row = mirrored ? j[k] : r, col = mirrored ? r : j[k], block = FindBlock(bi, bj, row / bs, col / bs);
      PetscCheck(block >= 0, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Entry (%" PetscInt_FMT ", %" PetscInt_FMT ") of PETSc's conversion to %s is in no block of the matrix", r, j[k], MATSEQAIJ);
      source.position[static_cast<std::size_t>(k)] = (block * bs + col % bs) * bs + row % bs;
    }
  }
  PetscCall(MatRestoreRowIJ(source.copy, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &blocks, &bi, &bj, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the map says what PETSc's conversion did, to the bit.
inline PetscErrorCode CheckMap(Mat A, bool symmetric, AijSource const& source)
{
  PetscScalar const* copy;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayRead(source.copy, &copy));
  PetscCall(WithBlockValues(A, symmetric, [&](PetscScalar const* a) {
    for (std::size_t k = 0; k < source.position.size(); ++k) PetscCheck(!std::memcmp(copy + k, a + source.position[k], sizeof *a), PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "This PETSc keeps the blocks of type %s in another way; convert the matrix to %s", ((PetscObject)A)->type_name, MATSEQAIJ);
    return PETSC_SUCCESS;
  }));
  PetscCall(MatSeqAIJRestoreArrayRead(source.copy, &copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An ordering of the rows from one of the blocks, if it is one.
inline PetscErrorCode ExpandOrdering(IS is, PetscInt n, PetscInt bs, IS* expanded)
{
  PetscInt        size;
  PetscInt const* blocks;

  PetscFunctionBegin;
  *expanded = is;
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &size));
  if (size == n || size * bs != n) {  // of another size: refused later, with its own message
    PetscCall(PetscObjectReference((PetscObject)is));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ISGetIndices(is, &blocks));
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, size, blocks, PETSC_COPY_VALUES, expanded));
  PetscCall(ISRestoreIndices(is, &blocks));
  PetscCall(ISSetPermutation(*expanded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the copy and the map.
inline std::size_t MemoryBytes(AijSource const& source)
{
  std::size_t const entries = source.position.size();
  PetscInt          n       = 0;

  if (!source.copy || MatGetSize(source.copy, &n, NULL)) return 0;
  return entries * (sizeof(PetscScalar) + 2 * sizeof(PetscInt)) + static_cast<std::size_t>(n) * sizeof(PetscInt);
}

inline PetscErrorCode ReleaseSource(AijSource& source)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&source.copy));
  PetscCall(ISDestroy(&source.rows));
  PetscCall(ISDestroy(&source.cols));
  source = AijSource{};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// For the symbolic phase. @param rows, cols  orderings of A's rows, or of its blocks; may be NULL.
inline PetscErrorCode AccessSource(Mat A, IS rows, IS cols, AijSource& source)
{
  PetscBool baij, sbaij;
  PetscInt  n, bs;

  PetscFunctionBegin;
  PetscCall(ReleaseSource(source));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  if (PetscDefined(USE_COMPLEX) && sbaij) {
    PetscBool known, hermitian;
    PetscCall(MatIsHermitianKnown(A, &known, &hermitian));
    PetscCheck(!known || !hermitian, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "A Hermitian matrix of type %s; PETSc has no Hermitian factorization: convert it to %s for LU or ILU, or leave MAT_HERMITIAN unset if it is symmetric", MATSEQSBAIJ, MATSEQAIJ);
  }
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(ExpandOrdering(rows, n, baij || sbaij ? bs : 1, &source.rows));
  PetscCall(ExpandOrdering(cols, n, baij || sbaij ? bs : 1, &source.cols));
  if (baij || sbaij) {
    PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &source.copy));
    PetscCall(MapBlocks(A, sbaij, source));
    PetscCall(CheckMap(A, sbaij, source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before a numeric phase: the copy gets A's values by position (PETSc's MAT_REUSE_MATRIX corrupts them for
/// sbaij), a device matrix its host values.
inline PetscErrorCode RefreshSource(Mat A, AijSource& source)
{
  PetscFunctionBegin;
  if (source.copy) {
    PetscBool    sbaij;
    PetscScalar* copy;
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
    PetscCall(MatSeqAIJGetArray(source.copy, &copy));
    PetscCall(WithBlockValues(A, sbaij, [&](PetscScalar const* a) {
      for (std::size_t k = 0; k < source.position.size(); ++k) copy[k] = a[source.position[k]];
      return PETSC_SUCCESS;
    }));
    PetscCall(MatSeqAIJRestoreArray(source.copy, &copy));
  } else {
    PetscScalar const* a;
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes PETSc look up where A's diagonal lies: from 3.25 on its LU with inodes and shift positive_definite reads it
/// without having looked, and crashes. MatGetDiagonal() would do, but not of a matrix on a GPU.
inline PetscErrorCode FindDiagonal(Mat A)
{
  IS zeros;

  PetscFunctionBegin;
  PetscCall(MatFindZeroDiagonals(A, &zeros));
  PetscCall(ISDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
