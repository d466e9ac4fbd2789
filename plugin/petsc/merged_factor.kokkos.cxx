// SPDX-License-Identifier: Apache-2.0
#include "merged_factor.hpp"

#include <cstring>

#include "factor_state.hpp"

namespace sptrsv_petsc {
namespace {

PetscInt NumRows(std::vector<Mat> const& blocks)
{
  PetscInt n = 0;
  for (Mat F : blocks) n += F->rmap->n;
  return n;
}

/// Of all triangles, where PETSc has factored.
std::size_t NumEntries(std::vector<Mat> const& blocks)
{
  std::size_t total = 0;
  for (Mat F : blocks) total += Get(F)->pattern.view.num_entries;
  return total;
}

char const* PrefixOf(Mat F)
{
  char const* const prefix = ((PetscObject)F)->prefix;
  return prefix ? prefix : "";
}

/// A factor without phases, with the options and the type of the blocks' factors.
PetscErrorCode CreateMerged(std::vector<Mat> const& blocks, Mat matrix, Mat* F)
{
  Mat_SpTRSV const* first = Get(blocks.front());

  PetscFunctionBegin;
  PetscCall(CreateFactor(matrix, first->kind, first->requested.c_str(), F));
  PetscCall(MatSetOptionsPrefix(*F, PrefixOf(blocks.front())));
  Get(*F)->kind = first->kind;
  Get(*F)->matrix_type = MATSEQAIJ;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The orderings of the blocks as one of all rows. `which` picks one of a block's.
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

/// The block diagonal matrix of the blocks' matrices, of their type.
PetscErrorCode MergeMatrices(std::vector<Mat> const& blocks, Mat* merged)
{
  std::vector<PetscInt> row_ptr{0}, col_idx;
  std::vector<PetscScalar> values;
  PetscInt const n = NumRows(blocks);
  PetscInt first = 0;
  bool inodes = true;

  PetscFunctionBegin;
  for (Mat F : blocks) {
    Mat const A = Get(F)->postponed.matrix;
    PetscInt num_inodes = 0;
    PetscScalar const* a;
    PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
    if (A->rmap->n && !num_inodes) inodes = false;
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscErrorCode const code = WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
      return Guarded(A, [&] {
        PetscInt const begin = row_ptr.back();
        for (PetscInt i = 0; i < m.n; ++i) row_ptr.push_back(begin + m.row_ptr[i + 1]);
        for (std::size_t k = 0; k < m.num_entries; ++k) col_idx.push_back(first + m.col_idx[k]);
        values.insert(values.end(), a, a + m.num_entries);
      });
    });
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
    PetscCall(code);
    first += A->rmap->n;
  }
  Mat const A = Get(blocks.front())->postponed.matrix;
  PetscBool known, symmetric;
  PetscCall(MatCreate(PETSC_COMM_SELF, merged));
  PetscCall(MatSetSizes(*merged, n, n, n, n));
  PetscCall(MatSetType(*merged, ((PetscObject)A)->type_name));
  // rows of inodes have one ordering; where a block has none, its orderings may split them
  PetscCall(MatSetOption(*merged, MAT_USE_INODES, inodes ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSeqAIJSetPreallocationCSR(*merged, row_ptr.data(), col_idx.data(), values.data()));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (known) PetscCall(MatSetOption(*merged, MAT_SYMMETRIC, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// New values of the blocks' matrices.
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

/// Where the triangles of one block's factor begin in the arrays of all.
struct Places {
  std::size_t lower = 0, upper = 0, num_lower = 0, num_upper = 0;
};

/// L's rows block after block, then U's: of LU, whose rows lie last first, those of the last block first.
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

/// The pattern of all triangles, and room for their values.
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

}  // namespace

PetscErrorCode MergedFactor::Reset()
{
  PetscFunctionBegin;
  usable_ = by_backend_ = false;
  blocks_.clear();
  PetscCall(MatDestroy(&factor_));
  PetscCall(MatDestroy(&matrix_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool MergedFactor::Holds(std::vector<Mat> const& blocks) const
{
  return std::equal(blocks.begin(), blocks.end(), blocks_.begin(), blocks_.end(), [](Mat F, Block const& block) {
    Mat_SpTRSV const* f = F == block.factor ? GetIfOurs(F) : nullptr;
    return f && ((PetscObject)F)->id == block.id && f->num_symbolic_calls == block.num_symbolic &&
           f->num_numeric_calls == block.num_numeric;
  });
}

PetscErrorCode MergedFactor::CheckAlike(std::vector<Mat> const& blocks, std::string* obstacle) const
{
  std::size_t b = 0;
  auto const differs = [](auto const& one, auto const& other) { return std::memcmp(&one, &other, sizeof one) != 0; };

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    for (; b < blocks.size() && obstacle->empty(); ++b) {
      Mat_SpTRSV const *f = GetIfOurs(blocks[b]), *first = Get(blocks.front());
      std::string const name = "block " + std::to_string(b);
      if (!f) {
        *obstacle = name + " is not factored by sptrsv";
        return;
      }
      PostponedPhases const& p = f->postponed;
      if (!p.matrix || !p.numeric) *obstacle = name + " keeps an earlier factor";
      else if (std::strcmp(f->matrix_type, MATSEQAIJ) != 0)
        *obstacle = "its matrix is of type " + std::string(f->matrix_type);
      else if (f->kind != first->kind) *obstacle = name + " has another kind of factor than block 0";
      else if (f->requested != first->requested) *obstacle = name + " has another type of solver than block 0";
      else if (std::strcmp(PrefixOf(blocks[b]), PrefixOf(blocks.front())) != 0)
        *obstacle = name + " has other options than block 0";
      else if (differs(p.symbolic_info, first->postponed.symbolic_info) ||
               differs(p.numeric_info, first->postponed.numeric_info))
        *obstacle = name + " is factored with other parameters than block 0";
      else if (std::strcmp(((PetscObject)p.matrix)->type_name, ((PetscObject)first->postponed.matrix)->type_name) != 0)
        *obstacle = name + " has a matrix of another type than block 0";
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the backend, of the block diagonal matrix. Without factor_ afterwards: the host is to factor.
PetscErrorCode MergedFactor::SymbolicOfMatrix(std::vector<Mat> const& blocks)
{
  PostponedPhases const& p = Get(blocks.front())->postponed;
  IS rows, cols = nullptr;

  PetscFunctionBegin;
  PetscCall(MergeMatrices(blocks, &matrix_));
  PetscCall(CreateMerged(blocks, matrix_, &factor_));
  PetscCall(MergeOrderings(blocks, &PostponedPhases::rows, &rows));
  if (p.cols) PetscCall(MergeOrderings(blocks, &PostponedPhases::cols, &cols));
  MatFactorInfo const* const info = &p.symbolic_info;
  PetscErrorCode code;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));  // then the block itself is to say what is wrong
  switch (Get(blocks.front())->kind) {
    case MAT_FACTOR_LU: code = MatLUFactorSymbolic(factor_, matrix_, rows, cols, info); break;
    case MAT_FACTOR_ILU: code = MatILUFactorSymbolic(factor_, matrix_, rows, cols, info); break;
    case MAT_FACTOR_CHOLESKY: code = MatCholeskyFactorSymbolic(factor_, matrix_, rows, info); break;
    default: code = MatICCFactorSymbolic(factor_, matrix_, rows, info);
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  by_backend_ = !code && Get(factor_)->place.own;
  if (by_backend_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&factor_));
  PetscCall(MatDestroy(&matrix_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the triangles of the blocks' factors by PETSc.
PetscErrorCode MergedFactor::SymbolicOfTriangles(std::vector<Mat> const& blocks, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(factor_);
  Mat const A = Get(blocks.front())->postponed.matrix;
  PetscLogDouble begin, end;
  sptrsv::OptionValues options;

  PetscFunctionBegin;
  for (Mat F : blocks) {
    PetscCall(CatchUpInside(F));
    if (F->factorerrortype) *obstacle = "a block has a zero pivot";
    if (Get(F)->pattern.view.block_size) *obstacle = "PETSc stores this kind of factor by blocks";
  }
  if (NumEntries(blocks) > (std::size_t)PETSC_MAX_INT)
    *obstacle = "the factors have more entries than a PetscInt counts";
  if (!obstacle->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(BeginAnalysis(factor_, A, &Get(blocks.front())->postponed.symbolic_info, options));
  f->place = Get(blocks.front())->place;
  PetscCall(MergeOrderings(blocks, &PostponedPhases::rows, &f->rows));
  if (!IsSymmetric(f->kind)) PetscCall(MergeOrderings(blocks, &PostponedPhases::cols, &f->cols));
  PetscCall(Logged(events.analysis, (PetscObject)factor_, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(Guarded(factor_, [&] { GatherTriangles(blocks, f->pattern); }));
    PetscCall(AccessOrderings(f->pattern.view.n, f->rows, f->cols ? f->cols : f->rows, f->pattern));
    PetscCall(MakeSolver(factor_, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_analysis = end - begin;
  ++f->num_analysis;
  CountFlops(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::Symbolic(std::vector<Mat> const& blocks, std::string* obstacle)
{
  PostponedPhases const& p = Get(blocks.front())->postponed;
  PetscInt const n = NumRows(blocks);
  sptrsv::OptionValues options;
  Mat rows;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, NULL, &rows));  // for the sizes
  PetscErrorCode const code = CreateMerged(blocks, rows, &factor_);
  PetscCall(MatDestroy(&rows));
  PetscCall(code);
  PetscCall(BeginAnalysis(factor_, p.matrix, &p.symbolic_info, options));
  if (Get(factor_)->place.own) {
    Mat of_triangles = factor_;
    factor_ = nullptr;
    PetscErrorCode const made = SymbolicOfMatrix(blocks);
    if (factor_) PetscCall(MatDestroy(&of_triangles));
    else factor_ = of_triangles;
    PetscCall(made);
  }
  if (!by_backend_) PetscCall(SymbolicOfTriangles(blocks, obstacle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::NumericOfMatrix(std::vector<Mat> const& blocks, Mat values, std::string* obstacle)
{
  MatFactorInfo const* const info = &Get(blocks.front())->postponed.numeric_info;

  PetscFunctionBegin;
  if (values) PetscCall(MatDestroy(&matrix_));
  else if (matrix_) PetscCall(CopyValues(blocks, matrix_));
  else PetscCall(MergeMatrices(blocks, &matrix_));
  Mat const A = values ? values : matrix_;
  PetscBool const stops = A->erroriffailure;
  A->erroriffailure = PETSC_FALSE;  // the block itself is to say which of its pivots fails
  PetscCall(MatFactorClearError(factor_));
  PetscErrorCode const code = IsSymmetric(Get(factor_)->kind) ? MatCholeskyFactorNumeric(factor_, A, info)
                                                              : MatLUFactorNumeric(factor_, A, info);
  A->erroriffailure = stops;
  PetscCall(code);
  // a shift begins all anew with other pivots: of the block alone that needs it
  if (factor_->factorerrortype) *obstacle = "a block has a zero pivot";
  else if (Get(factor_)->num_shifts) *obstacle = "a block has shifted pivots";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::NumericOfTriangles(std::vector<Mat> const& blocks, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(factor_);
  auto const places = PlacesOf(blocks);

  PetscFunctionBegin;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Mat const F = blocks[b];
    Places const& p = places[b];
    PetscCall(CatchUpInside(F));
    if (F->factorerrortype) *obstacle = "a block has a zero pivot";
    if (!Get(F)->pattern.view.n) continue;
    PetscCall(WithFactorValues(Get(F)->inner, Get(F)->pattern, [&](Scalar const* values) {
      Scalar* const to = f->pattern.blocks.values.data();
      std::copy(values, values + p.num_lower, to + p.lower);
      std::copy(values + p.num_lower, values + p.num_lower + p.num_upper, to + p.upper);
      return PETSC_SUCCESS;
    }));
  }
  if (!obstacle->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TakeValues(factor_));
  ++f->num_numeric;
  f->numeric_done = PETSC_TRUE;
  factor_->assembled = factor_->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::Keep(std::vector<Mat> const& blocks)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    blocks_.clear();
    for (Mat F : blocks)
      blocks_.push_back({F, ((PetscObject)F)->id, Get(F)->num_symbolic_calls, Get(F)->num_numeric_calls});
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::Factor(std::vector<Mat> const& blocks, Mat values, std::string* obstacle)
{
  PetscFunctionBegin;
  usable_ = false;
  PetscCall(CheckAlike(blocks, obstacle));
  if (!obstacle->empty()) {
    PetscCall(Reset());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool same = factor_ && blocks.size() == blocks_.size();
  for (std::size_t b = 0; same && b < blocks.size(); ++b)
    same = blocks[b] == blocks_[b].factor && ((PetscObject)blocks[b])->id == blocks_[b].id &&
           Get(blocks[b])->num_symbolic_calls == blocks_[b].num_symbolic;
  if (!same) {
    PetscCall(Reset());
    PetscCall(Symbolic(blocks, obstacle));
    if (!obstacle->empty()) {
      PetscCall(Reset());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (by_backend_) PetscCall(NumericOfMatrix(blocks, same ? values : nullptr, obstacle));
  else PetscCall(NumericOfTriangles(blocks, obstacle));
  PetscCall(Keep(blocks));
  usable_ = obstacle->empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
