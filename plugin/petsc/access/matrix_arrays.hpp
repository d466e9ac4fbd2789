// SPDX-License-Identifier: Apache-2.0
// Reads patterns and values of matrices as arrays, in host or device memory.
#pragma once

#include <cstdint>
#include <cstring>

#include "kokkos/guarded.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Access to A's pattern until the end of the scope; for a matrix with blocks, to the pattern of its blocks.
class PatternAccess : public MatrixArrays {
 public:
  ~PatternAccess()
  {
    PetscInt rows;
    PetscBool done;
    if (matrix_) (void)MatRestoreRowIJ(matrix_, 0, PETSC_FALSE, by_blocks_, &rows, &i_, &j_, &done);
  }
  PatternAccess& operator=(PatternAccess&&) = delete;

  /// Gets the arrays.
  /// @param device  whether to prefer arrays in device memory, if A has them
  PetscErrorCode Get(Mat A, bool device)
  {
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks_, MATSEQBAIJ, MATSEQSBAIJ, ""));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, by_blocks_, &n, &row_ptr, &col_idx, &done));
    PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "The matrix, of type %s, does not show its pattern", ((PetscObject)A)->type_name);
    matrix_ = A;
    i_ = row_ptr;
    j_ = col_idx;
    num_entries = n ? static_cast<std::size_t>(i_[n]) : 0;
    if (device && shows_pattern_on_device && !by_blocks_) {
      PetscMemType where = PETSC_MEMTYPE_HOST;
      PetscInt const *i, *j;
      PetscScalar* a;
      PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, &where));
      on_device = PetscMemTypeDevice(where);
      if (on_device) row_ptr = i, col_idx = j;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  Mat matrix_ = nullptr;
  PetscInt const *i_ = nullptr, *j_ = nullptr;
  PetscBool by_blocks_ = PETSC_FALSE;
};

/// Access to A's values until the end of the scope. A's object state does not change.
class ValueAccess : public MatrixValues {
 public:
  ~ValueAccess()
  {
    if (!matrix_) return;
    if (sbaij_) (void)MatSeqSBAIJRestoreArray(matrix_, &a_);
    else if (baij_) (void)MatSeqBAIJRestoreArray(matrix_, &a_);
    else (void)MatSeqAIJRestoreArrayRead(matrix_, &read_);
  }
  ValueAccess& operator=(ValueAccess&&) = delete;

  /// Gets the array: in device memory if `device` is true and A has values there, otherwise in host memory. If the host
  /// has newer values, PETSc first copies them to the device.
  /// @param entries  number of A's values
  PetscErrorCode Get(Mat A, bool device, std::size_t entries)
  {
    PetscMemType where = PETSC_MEMTYPE_HOST;
    PetscBool aij;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij_));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij_));
    aij = (PetscBool)(!baij_ && !sbaij_);  // the other types have values in host memory only
    if (sbaij_) PetscCall(MatSeqSBAIJGetArray(A, &a_));
    else if (baij_) PetscCall(MatSeqBAIJGetArray(A, &a_));
    else if (device) PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, &a_, &where));
    on_device = PetscMemTypeDevice(where);
    if (aij && !on_device) PetscCall(MatSeqAIJGetArrayRead(A, &read_));
    if (!on_device) matrix_ = A;
    data = scalars(aij && !on_device ? read_ : a_);
    size = entries;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  Mat matrix_ = nullptr;  // null if there is nothing to restore
  PetscScalar* a_ = nullptr;
  PetscScalar const* read_ = nullptr;
  PetscBool baij_ = PETSC_FALSE, sbaij_ = PETSC_FALSE;
};

/// Stamp of a matrix' pattern: equal stamps mean equal patterns. For a pattern in host memory the stamp is a hash,
/// since PETSc may change a pattern without raising the nonzero state (docs/dev/petsc_faults.md, pattern_in_place), and
/// may replace a pattern by an equal one.
struct PatternStamp {
  PetscObjectId id = 0;
  PetscObjectState nonzeros = 0;
  std::size_t entries = 0;
  std::uint64_t hash = 0;  // hash of a pattern in host memory; 0 on a device

  bool operator==(PatternStamp const& other) const
  {
    bool const same_matrix = id == other.id && nonzeros == other.nonzeros;
    return entries == other.entries && hash == other.hash && (hash || same_matrix);
  }
};

/// Returns a hash of a sequence of numbers. It combines eight sums of 64-bit words, which the processor computes in
/// parallel, so that the hash takes no longer than reading the memory.
inline std::uint64_t HashOf(PetscInt const* numbers, std::size_t count)
{
  constexpr std::uint64_t prime = 0x9e3779b97f4a7c15ULL;
  constexpr std::size_t lanes = 8, per_word = sizeof(std::uint64_t) / sizeof(PetscInt);
  std::uint64_t sums[lanes] = {1, 2, 3, 4, 5, 6, 7, 8};
  auto const add = [&](std::size_t lane, std::uint64_t word) {
    sums[lane] = (sums[lane] ^ word) * prime;
    sums[lane] ^= sums[lane] >> 29;
  };
  std::size_t k = 0;
  for (; k + lanes * per_word <= count; k += lanes * per_word) {
    std::uint64_t words[lanes];
    std::memcpy(words, numbers + k, sizeof words);
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, words[lane]);
  }
  for (; k < count; ++k) add(k % lanes, static_cast<std::uint64_t>(numbers[k]));
  std::uint64_t all = count;
  for (std::uint64_t sum : sums) all = (all ^ sum) * prime;
  return all ^ (all >> 32);
}

/// Computes the stamp of A's pattern.
/// @param device  whether to use a pattern in device memory, if A has one; the nonzero state then suffices as a stamp
inline PetscErrorCode StampPattern(Mat A, bool device, PatternStamp* stamp)
{
  PatternAccess m;

  PetscFunctionBegin;
  *stamp = PatternStamp{};
  PetscCall(PetscObjectGetId((PetscObject)A, &stamp->id));
  PetscCall(MatGetNonzeroState(A, &stamp->nonzeros));
  PetscCall(m.Get(A, device));
  stamp->entries = m.num_entries;
  if (!m.on_device && m.n)
    stamp->hash = HashOf(m.row_ptr, static_cast<std::size_t>(m.n) + 1) + 3 * HashOf(m.col_idx, m.num_entries);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns A's base type, seqaij, seqbaij or seqsbaij, as a pointer that can be compared; null for other types.
inline MatType BaseType(Mat A)
{
  static MatType const types[] = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
  PetscBool is = PETSC_FALSE;

  for (MatType type : types)
    if (!PetscObjectBaseTypeCompare((PetscObject)A, type, &is) && is) return type;
  return nullptr;
}

}  // namespace sptrsv_petsc
