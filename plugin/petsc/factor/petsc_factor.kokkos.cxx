// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor inside a factor of type sptrsv: symbolic and numeric phases.
#include "factor/petsc_factor.hpp"

#include "access/matrix_checks.hpp"
#include "base/native_factor.hpp"

namespace sptrsv_petsc {
namespace {

/// Gets the matrix for PETSc's symbolic phase: a copy of A for a symmetric factor of seqbaij, otherwise A. For such a
/// factor PETSc stores a converted copy in the matrix, and keeps using that copy even after a change of the pattern
/// (docs/dev/petsc_faults.md, icc_baij_stale). The caller destroys `matrix`.
PetscErrorCode MatrixForSymbolic(Mat A, MatFactorType ftype, Mat* matrix)
{
  PetscBool baij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  if (baij && IsSymmetric(ftype)) {
    PetscBool known, symmetric;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, matrix));
    PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
    if (known) PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, symmetric));  // MatDuplicate() drops a false option
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

/// Makes PETSc find the positions of A's diagonal entries. From 3.25 on, PETSc's LU with inodes and shift
/// positive_definite reads these positions although nothing has computed them, and crashes. MatGetDiagonal() would find
/// them too, but not for a matrix on a GPU.
PetscErrorCode FindDiagonal(Mat A)
{
  IS zeros;

  PetscFunctionBegin;
  PetscCall(MatFindZeroDiagonals(A, &zeros));
  PetscCall(ISDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode PetscFactor::Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                    FactorArrays* pattern, std::unique_ptr<FactorSource>*)
{
  Mat matrix;

  PetscFunctionBegin;
  PetscCall(CheckRows(task, A, info));
  PetscCall(GetPetscFactor(A, task.kind, &inner_));
  PetscCheck(inner_, PetscObjectComm((PetscObject)task.F), PETSC_ERR_SUP,
             "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[task.kind],
             ((PetscObject)A)->type_name,
             PetscDefined(USE_COMPLEX)
                 ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric"
                 : "");
  PetscCall(MatrixForSymbolic(A, task.kind, &matrix));
  PetscErrorCode const code = PetscSymbolic(task.kind, inner_, matrix, task.rows, task.cols, info);
  PetscCall(MatDestroy(&matrix));
  PetscCall(code);
  PetscCall(event.Begin());
  PetscCall(AccessPattern(inner_, A, task.symmetric(), task.rows, task.cols, pattern_));
  *pattern = pattern_.view;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that PETSc factors A's rows correctly. A numeric phase skips the check if A's pattern has not changed since
/// the last check.
/// @param info  of the symbolic phase; null in a numeric phase
PetscErrorCode PetscFactor::CheckRows(FactorTask const& task, Mat A, MatFactorInfo const* info)
{
  PatternStamp now;
  sptrsv::RowRules rules;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, false, &now));
  if (!info && now == checked_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRowRules(A, task.kind, task.rows, task.cols, info, &rules));
  PetscCall(RequireProperRows(A, rules));
  checked_ = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares PETSc's numeric phase: brings A's values in host memory up to date, and clears the inner factor's pivot
/// error if the caller has cleared that of F.
PetscErrorCode PetscFactor::PrepareInner(FactorTask const& task, Mat A, MatFactorInfo const* info)
{
  PetscBool aij;
  PetscScalar const* a;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (aij) {  // copies newer values from a device
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  if (lu_with_inodes_needs_diagonal && pattern_.view.has_inodes &&
      info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE)
    PetscCall(FindDiagonal(A));
  if (!task.F->factorerrortype) PetscCall(MatFactorClearError(inner_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does PETSc's numeric phase, and copies its error state (MatFactorError) to F.
PetscErrorCode PetscFactor::Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                    std::optional<FactorArrays>*, FactorValueArrays* values)
{
  Mat const F = task.F;

  PetscFunctionBegin;
  PetscCall(CheckRows(task, A, nullptr));
  PetscCall(PrepareInner(task, A, info));
  if (!task.symmetric()) {
    PetscCall(MatLUFactorNumeric(inner_, A, info));
  } else if (A->rmap->n) {  // PETSc crashes without rows: docs/dev/petsc_faults.md
    PetscCall(MatCholeskyFactorNumeric(inner_, A, info));
  }
  F->factorerrortype = inner_->factorerrortype;
  F->factorerror_zeropivot_value = inner_->factorerror_zeropivot_value;
  F->factorerror_zeropivot_row = inner_->factorerror_zeropivot_row;
  PetscCall(event.Begin());
  PetscCall(AccessValues(inner_, pattern_, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::CopyInvertedPivots(FactorTask const&, Scalar* to)
{
  FactorArrays const& p = pattern_.view;
  FactorValueArrays values;

  PetscFunctionBegin;
  PetscCall(AccessValues(inner_, pattern_, &values));
  for (PetscInt k = 0; k < p.n; ++k)
    if (values.inverse) to[k] = values.inverse[k];
    else if (values.upper) to[k] = values.upper[p.upper.row_ptr[p.upper_reversed ? p.n - k : k + 1] - 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::GetInfo(MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  PetscCall(MatGetInfo(inner_, type, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscFactor::View(FactorTask const&, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  factored by PETSc on the host (%s)\n", reason_.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
