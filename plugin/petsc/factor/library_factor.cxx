// SPDX-License-Identifier: Apache-2.0
// Factors of CHOLMOD, UMFPACK and KLU inside a factor of type sptrsv.
#include "factor/library_factor.hpp"

#include <petsctime.h>

#include "access/matrix_checks.hpp"

namespace sptrsv_petsc {
namespace {

/// Adds the seconds of a scope to a number.
class Seconds {
 public:
  explicit Seconds(PetscLogDouble* sum) : sum_(sum) { (void)PetscTime(&begin_); }
  ~Seconds()
  {
    PetscLogDouble now = 0;
    if (!PetscTime(&now)) *sum_ += now - begin_;
  }
  Seconds& operator=(Seconds&&) = delete;

 private:
  PetscLogDouble *sum_, begin_ = 0;
};

/// Arrays of A in host memory, as a library reads them.
class LibraryMatrix : public HostMatrix {
 public:
  /// @param num_values  number of A's values, or 0 for the pattern alone
  PetscErrorCode Get(Mat A, std::size_t num_values)
  {
    PetscFunctionBegin;
    PetscCall(pattern_.Get(A, false));
    n = pattern_.n;
    row_ptr = pattern_.row_ptr;
    col_idx = pattern_.col_idx;
    if (num_values) {
      PetscCall(values_.Get(A, false, num_values));
      values = reinterpret_cast<PetscScalar const*>(values_.data);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  PatternAccess pattern_;
  ValueAccess values_;
};

}  // namespace

PetscErrorCode LibraryFactor::CheckKinds(FactorTask const& task, Mat A) const
{
  bool const cholesky = choice_ == FactorChoice::cholmod;
  MPI_Comm const comm = PetscObjectComm((PetscObject)task.F);
  PetscBool by_blocks;
  PetscInt bs = 1;

  PetscFunctionBegin;
  PetscCheck(task.kind == (cholesky ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU), comm, PETSC_ERR_SUP,
             "Option -%smat_sptrsv_factor is '%s', which computes no %s; use -pc_type %s, or choose %s", task.prefix(),
             FactorOptions::words.begin()[static_cast<int>(choice_)], MatFactorTypes[task.kind],
             cholesky ? "cholesky" : "lu",
             task.kind == MAT_FACTOR_CHOLESKY ? "cholmod"
             : task.kind == MAT_FACTOR_LU     ? "umfpack or klu"
                                              : "automatic");
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  if (by_blocks) PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(bs == 1, comm, PETSC_ERR_SUP,
             "Option -%smat_sptrsv_factor: libraries factor no matrix of type %s with blocks of %" PetscInt_FMT
             "; convert it to %s by MatConvert()",
             task.prefix(), ((PetscObject)A)->type_name, bs, MATSEQAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::AnalyzeMatrix(FactorTask const& task, Mat A)
{
  sptrsv::RowRules rules;
  LibraryMatrix matrix;
  PatternStamp stamp;
  IS const cols = task.symmetric() ? task.rows : task.cols;

  PetscFunctionBegin;
  rules.order = sptrsv::ColumnOrder::ascending;
  PetscCall(RequireProperRows(A, rules));
  stamp_ = {};  // until the analysis has succeeded
  has_pattern_ = false;
  PetscCall(StampPattern(A, false, &stamp));
  num_values_ = stamp.entries;
  PetscCall(matrix.Get(A, num_values_));
  n_ = matrix.n;
  if (task.rows) PetscCall(ISGetIndices(task.rows, &matrix.rows));
  if (cols) PetscCall(ISGetIndices(cols, &matrix.cols));
  PetscErrorCode code = PETSC_SUCCESS;
  if (num_values_) {  // libraries refuse a matrix without entries
    Seconds const seconds(&seconds_analysis_);
    code = library_->Analyze(task.F, matrix);
  }
  if (task.rows) PetscCall(ISRestoreIndices(task.rows, &matrix.rows));
  if (cols) PetscCall(ISRestoreIndices(cols, &matrix.cols));
  PetscCall(code);
  stamp_ = stamp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::Analyze(FactorTask const& task, Mat A, MatFactorInfo const*, LoggedEvent&, FactorArrays*,
                                      std::unique_ptr<FactorSource>*)
{
  PetscFunctionBegin;
  PetscCall(CheckKinds(task, A));
  PetscCall(AnalyzeMatrix(task, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reports a zero pivot in a row of A as PETSc's own numeric phases do.
static PetscErrorCode SetZeroPivot(FactorTask const& task, Mat A, PetscInt row)
{
  PetscFunctionBegin;
  PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, task.symmetric() ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT,
             "Zero pivot%s, row %" PetscInt_FMT, task.symmetric() ? ", or the matrix is not positive definite" : "",
             row);
  PetscCall(PetscInfo(A, "Zero pivot in row %" PetscInt_FMT "\n", row));
  task.F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  task.F->factorerror_zeropivot_row = row;
  task.F->factorerror_zeropivot_value = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

FactorArrays LibraryFactor::ArraysOf(FactorTask const& task) const
{
  auto const of = [](FactorRows const& rows) -> TriangleArrays {
    return {rows.row_ptr.data(), rows.col_idx.data(), rows.col_idx.size()};
  };
  FactorArrays arrays;
  arrays.kind = task.symmetric() ? FactorKind::cholesky : FactorKind::lu;
  arrays.has_pivots = !task.symmetric();
  arrays.n = n_;
  arrays.upper = of(rows_.upper);
  if (!task.symmetric()) arrays.lower = of(rows_.lower);
  arrays.row_perm = rows_.row_perm.data();
  arrays.col_perm = task.symmetric() ? rows_.row_perm.data() : rows_.col_perm.data();
  return arrays;
}

/// Copies the library's factor, and sets `pattern` if it has another pattern than before.
PetscErrorCode LibraryFactor::TakePattern(FactorTask const& task, std::optional<FactorArrays>* pattern)
{
  Seconds const seconds(&seconds_copy_);
  bool const keeps = has_pattern_ && library_->has_fixed_pattern();
  LibraryFactorRows next;

  PetscFunctionBegin;
  if (!n_) {
    PetscCall(Caught(task.F, [&] {
      for (FactorRows* rows : {&next.lower, &next.upper}) rows->row_ptr.allocate(1), rows->row_ptr[0] = 0;
    }));
  } else {
    PetscCall(library_->Copy(task.F, !keeps, keeps ? &rows_ : &next));
  }
  if (keeps) PetscFunctionReturn(PETSC_SUCCESS);
  if (has_pattern_ && next.same_pattern(rows_)) {
    rows_.lower.values = std::move(next.lower.values);
    rows_.upper.values = std::move(next.upper.values);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  rows_ = std::move(next);
  has_pattern_ = true;
  ++num_patterns_;
  *pattern = ArraysOf(task);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::Compute(FactorTask const& task, Mat A, MatFactorInfo const*, LoggedEvent& event,
                                      std::optional<FactorArrays>* pattern, FactorValueArrays* values)
{
  LibraryMatrix matrix;
  PatternStamp now;
  PetscInt zero_row = -1;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, false, &now));
  if (!(now == stamp_)) PetscCall(AnalyzeMatrix(task, A));
  if (n_ && !num_values_) zero_row = 0;
  if (num_values_) {
    Seconds const seconds(&seconds_factor_);
    PetscCall(matrix.Get(A, num_values_));
    PetscCall(library_->Factor(task.F, matrix, &zero_row));
  }
  if (zero_row >= 0) {
    values->available = false;
    PetscCall(SetZeroPivot(task, A, zero_row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(event.Begin());
  PetscCall(TakePattern(task, pattern));
  *values = {scalars(rows_.lower.values.data()), scalars(rows_.upper.values.data()), scalars(rows_.inverse.data())};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::CopyInvertedPivots(FactorTask const& task, Scalar* to)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n_; ++k) {
    auto const row = static_cast<std::size_t>(k);
    to[k] = task.symmetric() ? rows_.inverse[row]
                             : rows_.upper.values[static_cast<std::size_t>(rows_.upper.row_ptr[row + 1]) - 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::GetInfo(MatInfoType, MatInfo* info)
{
  std::size_t const entries = rows_.lower.col_idx.size() + rows_.upper.col_idx.size() + rows_.inverse.size();

  PetscFunctionBegin;
  info->block_size = 1;
  info->nz_allocated = info->nz_used = (PetscLogDouble)entries;
  info->fill_ratio_needed = num_values_ ? (PetscLogDouble)entries / (PetscLogDouble)num_values_ : 0;
  info->memory = (PetscLogDouble)memory_bytes();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LibraryFactor::View(FactorTask const&, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  factored by %s on the host (%s)\n", library_->name().c_str(),
                                   library_->choice().c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "     seconds: ordering %.3f, factors %.3f, copies %.3f\n",
                                   seconds_analysis_, seconds_factor_, seconds_copy_));
  if (num_patterns_ > 1)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "     %" PetscInt_FMT " patterns, each analyzed for the solves: pivots or "
                                     "the matrix have changed\n",
                                     num_patterns_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
