// SPDX-License-Identifier: Apache-2.0
// Finds where the values of submatrices come from by cutting them out of a matrix whose values are numbers of entries,
// and broadcasts values along the star forests that this gives.
#include "subdomains/value_sources.hpp"

#include <algorithm>

#include "access/matrix_arrays.hpp"
#include "access/matrix_values_to_write.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode CountEntries(Mat A, PetscInt* count)
{
  PetscFunctionBegin;
  *count = 0;
  if (A)
    PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
      *count = (PetscInt)m.num_entries;
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether two matrices have the same entries in the same order.
PetscErrorCode SamePattern(Mat A, Mat B, bool* same)
{
  PetscFunctionBegin;
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& a) {
    return WithMatrixPattern(B, false, [&](MatrixArrays const& b) {
      *same = a.n == b.n && a.num_entries == b.num_entries &&
              (!a.n || (std::equal(a.row_ptr, a.row_ptr + a.n + 1, b.row_ptr) &&
                        std::equal(a.col_idx, a.col_idx + a.num_entries, b.col_idx)));
      return PETSC_SUCCESS;
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode GetBlocks(Mat A, Mat blocks[2])
{
  PetscBool parallel;

  PetscFunctionBegin;
  blocks[0] = A;
  blocks[1] = nullptr;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NumberEntries(Mat A, EntryNumbers* numbers)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  Mat blocks[2];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(GetBlocks(A, blocks));
  numbers->num_blocks = blocks[1] ? 2 : 1;
  for (int b = 0; b < 2; ++b) PetscCall(CountEntries(blocks[b], &numbers->counts[b]));
  PetscCall(Guarded(A, [&] {
    numbers->firsts.assign((std::size_t)size + 1, 0);
    numbers->diagonal_counts.assign((std::size_t)size, 0);
  }));
  PetscInt64 const mine = (PetscInt64)numbers->counts[0] + numbers->counts[1], inside = numbers->counts[0];
  PetscCallMPI(MPI_Allgather(&mine, 1, MPIU_INT64, numbers->firsts.data() + 1, 1, MPIU_INT64, comm));
  PetscCallMPI(MPI_Allgather(&inside, 1, MPIU_INT64, numbers->diagonal_counts.data(), 1, MPIU_INT64, comm));
  for (std::size_t r = 0; r < (std::size_t)size; ++r) numbers->firsts[r + 1] += numbers->firsts[r];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeNumbered(Mat A, EntryNumbers const& numbers, Mat* numbered)
{
  Mat blocks[2];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscInt64 first = numbers.firsts[(std::size_t)rank];
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, numbered));
  PetscCheck(*numbered, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "MatDuplicate() has made no matrix");
  PetscCall(GetBlocks(*numbered, blocks));
  for (int b = 0; b < numbers.num_blocks && blocks[b]; ++b) {
    Mat const block = blocks[b];
    PetscInt const count = numbers.counts[b];
    PetscScalar* a;
    PetscCall(MatSeqAIJGetArrayWrite(block, &a));
    for (PetscInt k = 0; k < count; ++k) a[k] = (PetscScalar)(PetscReal)(first + k);
    PetscCall(MatSeqAIJRestoreArrayWrite(block, &a));
    PetscCall(PetscObjectStateIncrease((PetscObject)block));
    first += count;
  }
  (*numbered)->submat_singleis = A->submat_singleis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Adds the star forests of a leaf whose values are numbers of A's entries; null: this rank has fewer leaves.
PetscErrorCode ValueSources::Add(Mat A, EntryNumbers const& numbers, Mat numbered)
{
  PetscInt *leaves[2], num_leaves[2] = {0, 0}, num_values;
  PetscSFNode* roots[2];
  PetscScalar const* a = nullptr;

  PetscFunctionBegin;
  PetscCall(Guarded(A, [&] { forests_.push_back({nullptr, nullptr}); }));
  PetscCall(CountEntries(numbered, &num_values));
  for (int block = 0; block < numbers.num_blocks; ++block) {
    PetscCall(PetscMalloc1(num_values, &leaves[block]));
    PetscCall(PetscMalloc1(num_values, &roots[block]));
  }
  if (numbered) PetscCall(MatSeqAIJGetArrayRead(numbered, &a));
  std::size_t rank = 0;
  for (PetscInt k = 0; k < num_values; ++k) {
    auto const number = (PetscInt64)PetscRealPart(a[k]);
    if (number < numbers.firsts[rank] || number >= numbers.firsts[rank + 1])
      rank = (std::size_t)(std::upper_bound(numbers.firsts.begin(), numbers.firsts.end(), number) -
                           numbers.firsts.begin() - 1);
    PetscInt64 const at = number - numbers.firsts[rank], inside = numbers.diagonal_counts[rank];
    int const block = at >= inside;
    PetscInt const leaf = num_leaves[block]++;
    leaves[block][leaf] = k;
    roots[block][leaf].rank = (PetscInt)rank;
    roots[block][leaf].index = (PetscInt)(block ? at - inside : at);
  }
  if (numbered) PetscCall(MatSeqAIJRestoreArrayRead(numbered, &a));
  for (int block = 0; block < numbers.num_blocks; ++block) {
    PetscSF& forest = forests_.back()[(std::size_t)block];
    if (num_leaves[block] == num_values) PetscCall(PetscFree(leaves[block]));  // leaf k is value k: PETSc takes null
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &forest));
    PetscCall(PetscSFSetGraph(forest, numbers.counts[block], num_leaves[block], leaves[block], PETSC_OWN_POINTER,
                              roots[block], PETSC_OWN_POINTER));
    PetscCall(PetscSFSetUp(forest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ValueSources::Find(Mat A, EntryNumbers const& numbers, std::vector<Mat> const& numbered,
                                  std::vector<Mat> const& leaves, bool* same)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  PetscInt most_leaves = (PetscInt)leaves.size();
  int equal = numbered.size() == leaves.size();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most_leaves, 1, MPIU_INT, MPI_MAX, comm));
  for (std::size_t k = 0; equal && k < leaves.size(); ++k) {
    bool of_leaf = false;
    PetscCall(SamePattern(numbered[k], leaves[k], &of_leaf));
    equal = of_leaf;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, comm));
  *same = equal;
  for (std::size_t k = 0; equal && k < (std::size_t)most_leaves; ++k)
    PetscCall(Add(A, numbers, k < numbered.size() ? numbered[k] : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ValueSources::TakeValues(Mat A, std::vector<Mat> const& leaves) const
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  auto const take = [&](PetscSF sf, Mat block, PetscScalar* to, PetscMemType there) -> PetscErrorCode {
    PetscInt num_roots;
    PetscFunctionBegin;
    if (!block) PetscFunctionReturn(PETSC_SUCCESS);  // on all ranks: A is sequential
    PetscCall(PetscSFGetGraph(sf, &num_roots, NULL, NULL, NULL));
    PetscCall(WithMatrixValues(block, true, (std::size_t)num_roots, [&](MatrixValues const& values) -> PetscErrorCode {
      PetscMemType const here = values.on_device ? there : PETSC_MEMTYPE_HOST;
      PetscFunctionBegin;
      PetscCall(PetscSFBcastWithMemTypeBegin(sf, MPIU_SCALAR, here, values.data, there, to, MPI_REPLACE));
      PetscCall(PetscSFBcastEnd(sf, MPIU_SCALAR, values.data, to, MPI_REPLACE));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (std::size_t k = 0; k < forests_.size(); ++k) {
    auto const both = [&](PetscScalar* to, PetscMemType there) -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(take(forests_[k][0], blocks[0], to, there));
      PetscCall(take(forests_[k][1], blocks[1], to, there));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    if (k < leaves.size()) PetscCall(WithMatrixValuesToWrite(leaves[k], both));
    else PetscCall(both(nullptr, device_memory_of(blocks[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
