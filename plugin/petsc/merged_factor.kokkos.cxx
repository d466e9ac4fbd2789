// SPDX-License-Identifier: Apache-2.0
#include "merged_factor.hpp"

#include <algorithm>
#include <cstring>

#include "gathered_blocks.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode Say(std::string* obstacle, char const* text)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { *obstacle = text; }));
  PetscFunctionReturn(PETSC_SUCCESS);
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

}  // namespace

PetscErrorCode MergedFactor::Reset()
{
  PetscFunctionBegin;
  PetscCall(WriteKept());
  usable_ = by_backend_ = false;
  selected_ = PatternStamp{};
  patterns_.clear();
  blocks_.clear();
  PetscCall(MatDestroy(&factor_));
  PetscCall(MatDestroy(&matrix_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Mat_SpTRSV const* MergedFactor::Block::Find(Mat F) const
{
  Mat_SpTRSV const* f = F == factor ? GetIfOurs(F) : nullptr;
  return f && ((PetscObject)F)->id == id ? f : nullptr;
}

bool MergedFactor::Holds(std::vector<Mat> const& blocks) const
{
  return std::equal(blocks.begin(), blocks.end(), blocks_.begin(), blocks_.end(), [](Mat F, Block const& block) {
    Mat_SpTRSV const* f = block.Find(F);
    return f && f->num_symbolic_calls == block.num_symbolic && f->num_numeric_calls == block.num_numeric;
  });
}

bool MergedFactor::knows(std::vector<Mat> const& blocks) const
{
  return factor_ &&
         std::equal(blocks.begin(), blocks.end(), blocks_.begin(), blocks_.end(), [](Mat F, Block const& block) {
           Mat_SpTRSV const* f = block.Find(F);
           return f && f->num_symbolic_calls == block.num_symbolic;
         });
}

PetscErrorCode MergedFactor::CheckAlike(std::vector<Mat> const& blocks, std::string* obstacle) const
{
  std::size_t b = 0;
  // all members are of type PetscReal
  auto const differs = [](MatFactorInfo const& one, MatFactorInfo const& other) {
    auto const *a = reinterpret_cast<PetscReal const*>(&one), *b = reinterpret_cast<PetscReal const*>(&other);
    return !std::equal(a, a + sizeof one / sizeof *a, b);
  };

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

PetscErrorCode MergedFactor::MakeMatrix(std::vector<Mat> const& blocks)
{
  bool const device = Get(blocks.front())->backend.device;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&matrix_));
  selected_ = PatternStamp{};
  PetscCall(MergeMatrices(blocks, &matrix_));
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { patterns_.assign(blocks.size(), PatternStamp{}); }));
  for (std::size_t b = 0; b < blocks.size(); ++b)
    PetscCall(StampPattern(Get(blocks[b])->postponed.matrix, device, &patterns_[b]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the blocks' matrices still have the patterns that matrix_ has, which can change in place.
PetscErrorCode MergedFactor::HasPatterns(std::vector<Mat> const& blocks, bool* has) const
{
  bool const device = Get(blocks.front())->backend.device;
  PatternStamp now;

  PetscFunctionBegin;
  *has = blocks.size() == patterns_.size();
  for (std::size_t b = 0; b < blocks.size() && *has; ++b) {
    PetscCall(StampPattern(Get(blocks[b])->postponed.matrix, device, &now));
    *has = now == patterns_[b];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the backend, of the block diagonal matrix. Without factor_ afterwards: the host is to factor.
PetscErrorCode MergedFactor::SymbolicOfMatrix(std::vector<Mat> const& blocks, Mat of_triangles)
{
  PostponedPhases const& p = Get(blocks.front())->postponed;
  IS rows, cols = nullptr;

  PetscFunctionBegin;
  PetscCall(MakeMatrix(blocks));
  PetscCall(CreateMerged(blocks, matrix_, &factor_));
  PetscCall(Guarded(factor_, [&] { Get(factor_)->backend = Get(of_triangles)->backend; }));
  Get(factor_)->backend_given = true;  // the blocks', whose matrices may be on a device
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
  PetscLogDouble begin;
  sptrsv::OptionValues options;

  PetscFunctionBegin;
  for (Mat F : blocks) {
    PetscCall(CatchUpInside(F));
    if (F->factorerrortype) PetscCall(Say(obstacle, "a block has a zero pivot"));
    if (Get(F)->pattern.view.block_size) PetscCall(Say(obstacle, "PETSc stores this kind of factor by blocks"));
  }
  if (NumEntries(blocks) > (std::size_t)PETSC_MAX_INT)
    PetscCall(Say(obstacle, "the factors have more entries than a PetscInt counts"));
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
  PetscCall(EndAnalysis(factor_, begin));
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
    PetscErrorCode const made = SymbolicOfMatrix(blocks, of_triangles);
    if (factor_) PetscCall(MatDestroy(&of_triangles));
    else factor_ = of_triangles;
    PetscCall(made);
  }
  if (!by_backend_) PetscCall(SymbolicOfTriangles(blocks, obstacle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::NumericOfMatrix(std::vector<Mat> const& blocks, std::string* obstacle)
{
  MatFactorInfo const* const info = &Get(blocks.front())->postponed.numeric_info;
  bool same;

  PetscFunctionBegin;
  Get(factor_)->takes_kept = !behind_.empty();
  if (behind_.empty()) {
    PetscCall(HasPatterns(blocks, &same));
    if (!same) PetscCall(MakeMatrix(blocks));  // the factor keeps its own pattern, as PETSc's does
    PetscCall(CopyValues(blocks, matrix_));
  }
  PetscBool const stops = matrix_->erroriffailure;
  matrix_->erroriffailure = PETSC_FALSE;  // the block itself is to say which of its pivots fails
  PetscCall(MatFactorClearError(factor_));
  PetscErrorCode const code = IsSymmetric(Get(factor_)->kind) ? MatCholeskyFactorNumeric(factor_, matrix_, info)
                                                              : MatLUFactorNumeric(factor_, matrix_, info);
  matrix_->erroriffailure = stops;
  PetscCall(code);
  // a shift begins all anew with other pivots: of the block alone that needs it
  if (factor_->factorerrortype) PetscCall(Say(obstacle, "a block has a zero pivot"));
  else if (Get(factor_)->num_shifts) PetscCall(Say(obstacle, "a block has shifted pivots"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::NumericOfTriangles(std::vector<Mat> const& blocks, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(factor_);
  std::vector<Places> places;

  PetscFunctionBegin;
  PetscCall(Guarded(factor_, [&] { places = PlacesOf(blocks); }));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Mat const F = blocks[b];
    Places const& p = places[b];
    PetscCall(CatchUpInside(F));
    if (F->factorerrortype) PetscCall(Say(obstacle, "a block has a zero pivot"));
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

PetscErrorCode MergedFactor::Note(std::vector<Mat> const& blocks)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    blocks_.clear();
    for (Mat F : blocks)
      blocks_.push_back({F, ((PetscObject)F)->id, Get(F)->num_symbolic_calls, Get(F)->num_numeric_calls});
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With KSPSetReusePreconditioner() of blocks their numeric phases are not called, and the factors of all stay. Of some
/// of them only, each block has its own from then on, and those that are kept must be there.
PetscErrorCode MergedFactor::CheckReuse(std::vector<Mat> const& blocks, bool* all) const
{
  std::size_t kept = 0, waiting = blocks.size();

  PetscFunctionBegin;
  for (std::size_t b = 0; b < blocks.size() && blocks.size() == blocks_.size(); ++b) {
    Mat_SpTRSV const* f = blocks_[b].Find(blocks[b]);
    if (!f || f->num_numeric_calls != blocks_[b].num_numeric) continue;
    ++kept;
    if (f->postponed.numeric) waiting = b;
  }
  *all = usable_ && kept == blocks.size();
  PetscCheck(
      kept == blocks.size() || waiting == blocks.size(), PETSC_COMM_SELF, PETSC_ERR_SUP,
      "Block %d is to keep a factor of earlier values, which it had together with others, and others are factored "
      "anew; set KSPSetReusePreconditioner() before the first set-up since the last application, or leave the "
      "blocks apart",
      (int)waiting);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::FactorAll(std::vector<Mat> const& blocks, std::string* obstacle)
{
  bool reused;

  PetscFunctionBegin;
  PetscCall(CheckReuse(blocks, &reused));
  if (reused) PetscFunctionReturn(PETSC_SUCCESS);
  usable_ = false;
  PetscCall(CheckAlike(blocks, obstacle));
  if (!obstacle->empty()) {
    PetscCall(Reset());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!knows(blocks)) {
    PetscCall(Reset());
    PetscCall(Symbolic(blocks, obstacle));
    if (!obstacle->empty()) {
      PetscCall(Reset());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (by_backend_) PetscCall(NumericOfMatrix(blocks, obstacle));
  else PetscCall(NumericOfTriangles(blocks, obstacle));
  PetscCall(Note(blocks));
  usable_ = obstacle->empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::Factor(std::vector<Mat> const& blocks, std::string* obstacle)
{
  PetscFunctionBegin;
  PetscCall(FactorAll(blocks, obstacle));
  if (!obstacle->empty()) PetscCall(WriteKept());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
