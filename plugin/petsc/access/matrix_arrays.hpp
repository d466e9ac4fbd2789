// SPDX-License-Identifier: Apache-2.0
// Reads patterns and values of matrices as arrays, in host or device memory.
#pragma once

#include <cstdint>
#include <cstring>

#include "kokkos/guarded.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Calls use(MatrixArrays) with A's pattern, that of its blocks for a matrix with blocks. The arrays are in device
/// memory if that is wanted and they are there, otherwise in host memory.
template <class Use>
PetscErrorCode WithMatrixPattern(Mat A, bool device, Use const& use)
{
  MatrixArrays arrays;
  PetscInt const *i, *j;
  PetscBool done, by_blocks;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, by_blocks, &arrays.n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "The matrix, of type %s, does not show its pattern",
             ((PetscObject)A)->type_name);
  arrays.num_entries = arrays.n ? static_cast<std::size_t>(i[arrays.n]) : 0;
  arrays.row_ptr = i;
  arrays.col_idx = j;
  if (device && shows_pattern_on_device && !by_blocks) {
    PetscMemType where = PETSC_MEMTYPE_HOST;
    PetscInt const *i_there, *j_there;
    PetscScalar* a;
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &i_there, &j_there, &a, &where));
    if (PetscMemTypeDevice(where)) {
      arrays.row_ptr = i_there;
      arrays.col_idx = j_there;
      arrays.on_device = true;
    }
  }
  PetscErrorCode const code = use(arrays);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, by_blocks, &arrays.n, &i, &j, &done));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(MatrixValues) with A's values: in device memory if that is wanted and A has values there, brought up to
/// date if the host's are newer; otherwise in host memory. Does not change A's object state.
template <class Use>
PetscErrorCode WithMatrixValues(Mat A, bool device, std::size_t size, Use const& use)
{
  PetscScalar* there = nullptr;
  PetscScalar const* a = nullptr;
  PetscMemType where = PETSC_MEMTYPE_HOST;
  PetscBool baij, sbaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  if (baij || sbaij) {  // in host memory only
    PetscCall(sbaij ? MatSeqSBAIJGetArray(A, &there) : MatSeqBAIJGetArray(A, &there));
    PetscErrorCode const used = use(MatrixValues{scalars(const_cast<PetscScalar const*>(there)), size, false});
    PetscCall(sbaij ? MatSeqSBAIJRestoreArray(A, &there) : MatSeqBAIJRestoreArray(A, &there));
    PetscCall(used);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (device) PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, &there, &where));
  if (PetscMemTypeDevice(where)) {
    PetscCall(use(MatrixValues{scalars(const_cast<PetscScalar const*>(there)), size, true}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscErrorCode const code = use(MatrixValues{scalars(a), size, false});
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Stamp of a matrix' pattern: equal stamps mean an unchanged pattern. PETSc may change a pattern in host memory in
/// place without raising the nonzero state (docs/dev/petsc_faults.md, pattern_in_place), so the stamp includes a hash
/// of it.
struct PatternStamp {
  PetscObjectId id = 0;
  PetscObjectState nonzeros = 0;
  std::size_t entries = 0;
  std::uint64_t hash = 0;  // hash of a pattern in host memory; 0 on a device

  bool operator==(PatternStamp const& other) const
  {
    return id == other.id && nonzeros == other.nonzeros && entries == other.entries && hash == other.hash;
  }
};

/// Returns a hash of numbers in their order: eight sums, which the processor computes in parallel, each of words of 64
/// bits, so that memory is read as fast as it can be.
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
/// @param device  use the pattern in device memory if it is there, for which the nonzero state suffices
inline PetscErrorCode StampPattern(Mat A, bool device, PatternStamp* stamp)
{
  PetscFunctionBegin;
  *stamp = PatternStamp{};
  PetscCall(PetscObjectGetId((PetscObject)A, &stamp->id));
  PetscCall(MatGetNonzeroState(A, &stamp->nonzeros));
  PetscCall(WithMatrixPattern(A, device, [&](MatrixArrays const& m) {
    stamp->entries = m.num_entries;
    if (!m.on_device && m.n)
      stamp->hash = HashOf(m.row_ptr, static_cast<std::size_t>(m.n) + 1) + 3 * HashOf(m.col_idx, m.num_entries);
    return PETSC_SUCCESS;
  }));
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
