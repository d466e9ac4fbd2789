// SPDX-License-Identifier: Apache-2.0
#include "gathered_blocks.hpp"

namespace sptrsv_petsc {

PetscInt NumRows(std::vector<Mat> const& blocks)
{
  PetscInt n = 0;
  for (Mat F : blocks) n += F->rmap->n;
  return n;
}

std::size_t NumEntries(std::vector<Mat> const& blocks)
{
  std::size_t total = 0;
  for (Mat F : blocks) total += Get(F)->pattern.view.num_entries;
  return total;
}

PetscErrorCode MergeOrderings(std::vector<Mat> const& blocks, IS PostponedPhases::* which, IS* merged)
{
  std::vector<PetscInt> all;
  PetscInt first = 0, n;
  PetscInt const* indices;

  PetscFunctionBegin;
  PetscCall(Guarded(blocks.front(), [&] { all.reserve((std::size_t)NumRows(blocks)); }));
  for (Mat F : blocks) {
    IS const is = Get(F)->postponed.*which;
    PetscCall(MatGetSize(F, &n, NULL));
    if (is) PetscCall(ISGetIndices(is, &indices));
    for (PetscInt k = 0; k < n; ++k) all.push_back(first + (is ? indices[k] : k));
    if (is) PetscCall(ISRestoreIndices(is, &indices));
    first += n;
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, first, all.data(), PETSC_COPY_VALUES, merged));
  PetscCall(ISSetPermutation(*merged));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// Of a matrix that is made of them and does not own them.
struct MatrixStorage {
  std::vector<PetscInt> row_ptr, col_idx;
  std::vector<PetscScalar> values;
};

PetscErrorCode DestroyStorage(void* storage)
{
  PetscFunctionBegin;
  delete static_cast<MatrixStorage*>(storage);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The rows of a block's matrix behind those that are there, in columns from `first` on; no values.
PetscErrorCode Append(Mat A, PetscInt first, MatrixStorage& to)
{
  PetscFunctionBegin;
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
    return Guarded(A, [&] {
      PetscInt const begin = to.row_ptr.back();
      auto const append = [](std::vector<PetscInt>& all, PetscInt const* part, std::size_t count, PetscInt shift) {
        std::size_t const old = all.size();
        all.resize(old + count);
        std::transform(part, part + count, all.data() + old, [=](PetscInt k) { return shift + k; });
      };
      append(to.row_ptr, m.row_ptr + 1, (std::size_t)m.n, begin);
      append(to.col_idx, m.col_idx, m.num_entries, first);
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode MergeMatrices(std::vector<Mat> const& blocks, Mat* merged)
{
  Mat const A = Get(blocks.front())->postponed.matrix;
  MatrixStorage* storage = nullptr;
  PetscContainer container;
  PetscInt const n = NumRows(blocks);
  PetscInt first = 0;
  std::size_t entries = 0;
  PetscBool known, symmetric;
  bool all_known = true, all_symmetric = true;

  PetscFunctionBegin;
  for (Mat F : blocks)
    PetscCall(WithMatrixPattern(Get(F)->postponed.matrix, false, [&](MatrixArrays const& m) {
      entries += m.num_entries;
      return PETSC_SUCCESS;
    }));
  PetscCall(Guarded(A, [&] { storage = new MatrixStorage; }));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, storage));
  PetscCall(ContainerSetDestroy<DestroyStorage>(container));
  PetscCall(Guarded(A, [&] {
    storage->row_ptr.reserve((std::size_t)n + 1);
    storage->row_ptr.push_back(0);
    storage->col_idx.reserve(entries);
    storage->values.resize(entries);
  }));
  for (Mat F : blocks) {
    PetscCall(Append(Get(F)->postponed.matrix, first, *storage));
    first += F->rmap->n;
  }
  PetscCall(WithoutViews([&] {
    return MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, storage->row_ptr.data(), storage->col_idx.data(),
                                     storage->values.data(), merged);
  }));
  PetscCall(PetscObjectCompose((PetscObject)*merged, "SpTRSV_Storage", (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  for (Mat F : blocks) {
    PetscCall(MatIsSymmetricKnown(Get(F)->postponed.matrix, &known, &symmetric));
    all_known = all_known && known;
    all_symmetric = all_symmetric && symmetric;
  }
  if (all_known) PetscCall(MatSetOption(*merged, MAT_SYMMETRIC, all_symmetric ? PETSC_TRUE : PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyValues(std::vector<Mat> const& blocks, Mat merged)
{
  PetscScalar *to, *next;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayWrite(merged, &to));
  next = to;
  for (Mat F : blocks) {
    Mat const A = Get(F)->postponed.matrix;
    PetscScalar const* a;
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
      std::copy(a, a + m.num_entries, next);
      next += m.num_entries;
      return PETSC_SUCCESS;
    }));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  PetscCall(MatSeqAIJRestoreArrayWrite(merged, &to));
  PetscCall(PetscObjectStateIncrease((PetscObject)merged));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindEntries(Mat A, std::vector<Mat> const& matrices, Mat merged, std::vector<PetscInt>* places)
{
  PetscInt first = 0, n;
  bool same = true;
  auto const find = [&](MatrixArrays const& all, MatrixArrays const& blocks, PetscInt last) {
    same = same && last <= all.n && last <= blocks.n;
    for (PetscInt i = first; same && i < last; ++i) {
      PetscInt const *const row = all.col_idx + all.row_ptr[i], *const end = all.col_idx + all.row_ptr[i + 1];
      PetscInt const* const from = std::lower_bound(row, end, first);
      PetscInt const* const to = std::lower_bound(from, end, last);
      same = std::equal(from, to, blocks.col_idx + blocks.row_ptr[i], blocks.col_idx + blocks.row_ptr[i + 1]);
      for (PetscInt const* at = from; same && at < to; ++at) places->push_back((PetscInt)(at - all.col_idx));
    }
    first = last;
  };

  PetscFunctionBegin;
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& all) {
    return WithMatrixPattern(merged, false, [&](MatrixArrays const& blocks) -> PetscErrorCode {
      PetscFunctionBegin;
      for (Mat B : matrices) {
        PetscCall(MatGetLocalSize(B, &n, NULL));
        PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { find(all, blocks, first + n); }));
      }
      same = same && first == all.n && first == blocks.n;
      PetscFunctionReturn(PETSC_SUCCESS);
    });
  }));
  if (!same) places->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteValues(std::vector<PetscScalar> const& values, std::vector<Mat> const& matrices)
{
  PetscScalar const* next = values.data();
  PetscObjectState state;

  PetscFunctionBegin;
  for (Mat B : matrices) {
    PetscScalar* to;
    PetscCall(PetscObjectStateGet((PetscObject)B, &state));
    PetscCall(MatSeqAIJGetArrayWrite(B, &to));
    PetscCall(WithMatrixPattern(B, false, [&](MatrixArrays const& m) {
      std::copy(next, next + m.num_entries, to);
      next += m.num_entries;
      return PETSC_SUCCESS;
    }));
    PetscCall(MatSeqAIJRestoreArrayWrite(B, &to));
    PetscCall(PetscObjectStateSet((PetscObject)B, state));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<Places> PlacesOf(std::vector<Mat> const& blocks)
{
  std::vector<Places> places(blocks.size());
  std::size_t at = 0;
  bool const symmetric = IsSymmetric(Get(blocks.front())->kind);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    FactorArrays const& v = Get(blocks[b])->pattern.view;
    places[b].num_lower = symmetric || !v.n ? 0 : (std::size_t)v.row_ptr_lower[v.n];
    places[b].num_upper = v.num_entries - places[b].num_lower;
    places[b].lower = at;
    at += places[b].num_lower;
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    Places& p = places[symmetric ? k : blocks.size() - 1 - k];
    p.upper = at;
    at += p.num_upper;
  }
  return places;
}

void GatherTriangles(std::vector<Mat> const& blocks, InnerPattern& to)
{
  BlockFactor& arrays = to.blocks;
  auto const places = PlacesOf(blocks);
  auto const n = (std::size_t)NumRows(blocks);
  bool const symmetric = IsSymmetric(Get(blocks.front())->kind);
  std::size_t const total = NumEntries(blocks);
  std::size_t row = 0;
  to.view.has_inodes = true;
  arrays.col_idx.resize(total);
  arrays.row_ptr_upper.assign(n + 1, 0);
  if (!symmetric) arrays.row_ptr_lower.assign(n + 1, 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    FactorArrays const& v = Get(blocks[b])->pattern.view;
    auto const rows = (std::size_t)v.n, first = symmetric ? row : n - row - rows;  // U's
    Places const& p = places[b];
    auto const shift = [&](PetscInt column) { return (PetscInt)row + column; };
    PetscInt const* const columns = v.col_idx;
    std::transform(columns, columns + p.num_lower, arrays.col_idx.data() + p.lower, shift);
    std::transform(columns + p.num_lower, columns + v.num_entries, arrays.col_idx.data() + p.upper, shift);
    for (std::size_t k = 1; k <= rows; ++k) {
      if (!symmetric) arrays.row_ptr_lower[row + k] = (PetscInt)p.lower + v.row_ptr_lower[k];
      arrays.row_ptr_upper[first + k] = (PetscInt)(p.upper + (std::size_t)v.row_ptr_upper[k] - p.num_lower);
    }
    if (rows && !v.has_inodes) to.view.has_inodes = false;
    row += rows;
  }
  arrays.row_ptr_upper[0] = symmetric ? 0 : arrays.row_ptr_lower[n];
  arrays.values.resize(total);
  to.view.kind = symmetric ? FactorKind::cholesky : FactorKind::lu;
  to.view.n = (PetscInt)n;
  to.view.num_entries = total;
  to.view.row_ptr_lower = symmetric ? nullptr : arrays.row_ptr_lower.data();
  to.view.row_ptr_upper = arrays.row_ptr_upper.data();
  to.view.col_idx = arrays.col_idx.data();
}

}  // namespace sptrsv_petsc
