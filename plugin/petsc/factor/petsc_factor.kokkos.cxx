// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor inside a factor of type sptrsv: symbolic and numeric phases.
#include "factor/petsc_factor.hpp"

#include "access/matrix_checks.hpp"
#include "factor/factor_state.hpp"

namespace sptrsv_petsc {
namespace {

/// Gets the matrix for PETSc's symbolic phase: a copy of A for a symmetric factor of seqbaij, otherwise A. For such a
/// factor PETSc leaves a converted copy in the matrix, and uses it from then on, even after a change of the pattern
/// (docs/dev/petsc_faults.md, icc_baij_stale). The caller destroys the matrix.
PetscErrorCode MatrixForSymbolic(Mat A, MatFactorType ftype, Mat* matrix)
{
  PetscBool baij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  if (baij && IsSymmetric(ftype)) {
    PetscBool known, symmetric;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, matrix));
    PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
    if (known) PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, symmetric));  // MatDuplicate() drops it if it is false
  } else {
    PetscCall(PetscObjectReference((PetscObject)A));
    *matrix = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscSymbolic(MatFactorType ftype, Mat inner, Mat matrix, IS rows, IS cols, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  switch (ftype) {
    case MAT_FACTOR_LU:
      PetscCall(RefuseMissingDiagonal(matrix, rows, cols, MAT_FACTOR_LU));
      PetscCall(MatLUFactorSymbolic(inner, matrix, rows, cols, info));
      break;
    case MAT_FACTOR_ILU:
      if (info->diagonal_fill != 0) PetscCall(RefuseMissingDiagonal(matrix, rows, cols, MAT_FACTOR_ILU));
      PetscCall(MatILUFactorSymbolic(inner, matrix, rows, cols, info));
      break;
    case MAT_FACTOR_CHOLESKY: PetscCall(MatCholeskyFactorSymbolic(inner, matrix, rows, info)); break;
    default: PetscCall(MatICCFactorSymbolic(inner, matrix, rows, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes PETSc find the positions of A's diagonal: from 3.25 on its LU with inodes and shift positive_definite reads
/// them without finding them, and crashes. MatGetDiagonal() would find them too, but not for a matrix on a GPU.
PetscErrorCode FindDiagonal(Mat A)
{
  IS zeros;

  PetscFunctionBegin;
  PetscCall(MatFindZeroDiagonals(A, &zeros));
  PetscCall(ISDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares PETSc's numeric phase: brings A's values in host memory up to date, and clears an error of pivots in the
/// inner factor that the caller has cleared in F.
PetscErrorCode PrepareInner(Mat F, Mat inner, Mat A, MatFactorInfo const* info)
{
  PetscBool aij;
  PetscScalar const* a;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (aij) {  // copies newer values from a device
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  if (lu_with_inodes_needs_diagonal && Get(F)->pattern.view.has_inodes &&
      info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE)
    PetscCall(FindDiagonal(A));
  if (!F->factorerrortype) PetscCall(MatFactorClearError(inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode PetscFactor::Analyze(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  Mat matrix;

  PetscFunctionBegin;
  PetscCall(CheckRows(F, A, info));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, f->kind, &inner_));
  PetscCheck(inner_, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[f->kind],
             ((PetscObject)A)->type_name,
             PetscDefined(USE_COMPLEX)
                 ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric"
                 : "");
  PetscCall(MatrixForSymbolic(A, f->kind, &matrix));
  PetscErrorCode const code = PetscSymbolic(f->kind, inner_, matrix, f->rows, f->cols, info);
  PetscCall(MatDestroy(&matrix));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::ReadPattern(Mat F, Mat A)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCall(AccessPattern(inner_, A, f->kind, f->rows, f->cols, f->pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that PETSc factors A's rows correctly. A numeric phase skips the check if A's pattern has not changed since
/// the last one.
/// @param info  of the symbolic phase; null in a numeric phase
PetscErrorCode PetscFactor::CheckRows(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PatternStamp now;
  sptrsv::RowRules rules;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, false, &now));
  if (!info && now == checked_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRowRules(A, f->kind, f->rows, f->cols, info, &rules));
  PetscCall(RequireProperRows(A, rules));
  checked_ = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does PETSc's numeric phase, and takes its verdict on pivots.
PetscErrorCode PetscFactor::Factor(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(CheckRows(F, A, nullptr));
  PetscCall(PrepareInner(F, inner_, A, info));
  if (!IsSymmetric(Get(F)->kind)) {
    PetscCall(MatLUFactorNumeric(inner_, A, info));
  } else if (A->rmap->n) {  // PETSc crashes without rows: docs/dev/petsc_faults.md
    PetscCall(MatCholeskyFactorNumeric(inner_, A, info));
  }
  F->factorerrortype = inner_->factorerrortype;
  F->factorerror_zeropivot_value = inner_->factorerror_zeropivot_value;
  F->factorerror_zeropivot_row = inner_->factorerror_zeropivot_row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings the values of PETSc's factor to the solver.
PetscErrorCode PetscFactor::TakeValues(Mat F)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin, end;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(Logged(events.numeric, (PetscObject)F, [&]() -> PetscErrorCode {
    auto const update = [&](Scalar const* values) {
      return Guarded(F, [&] {
        f->solver->follow(stream);
        try {
          f->solver->update(values);
        } catch (sptrsv::SingleRange const&) {
          if (!F->factorerrortype) throw;  // otherwise the verdict is the answer
        }
      });
    };
    PetscFunctionBegin;
    PetscCall(WithFactorValues(inner_, f->pattern, update));
    if (f->backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(f->pattern.view.num_values() * sizeof(Scalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::Compute(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Factor(F, A, info));
  PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::CopyInvertedPivots(Mat F, Scalar* to)
{
  Mat_SpTRSV* f = Get(F);
  FactorArrays const& pattern = f->pattern.view;

  PetscFunctionBegin;
  PetscCall(WithFactorValues(inner_, f->pattern, [&](Scalar const* values) {
    for (PetscInt k = 0; k < pattern.n; ++k) {
      auto const last = [&](PetscInt row) { return static_cast<std::size_t>(pattern.row_ptr_upper[row + 1]) - 1; };
      std::size_t at = pattern.num_entries + static_cast<std::size_t>(k);
      if (!pattern.block_size) at = last(pattern.symmetric() ? k : pattern.n - 1 - k);
      to[k] = values[at];
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::GetInfo(Mat, MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  PetscCall(MatGetInfo(inner_, type, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::View(Mat, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  factored by PETSc on the host (%s)\n", reason_.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
