// SPDX-License-Identifier: Apache-2.0
// PETSc's rules for small pivots: shifts, pivot statuses, rounding.
#include "factor/pivot_rules.hpp"

#include <cstring>
#include <vector>

#include "access/inner_factor.hpp"
#include "access/matrix_arrays.hpp"
#include "base/fma_probe.hpp"
#include "base/native_factor.hpp"

namespace sptrsv_petsc {
namespace {

/// Prefix of the matrix that FactorThreeRows() makes. Options for the program's own matrices, such as -mat_view
/// binary:FILE, therefore do not apply to that matrix.
constexpr char probe_prefix[] = "sptrsv_probe_";

/// Factors a dense matrix of three rows. One entry of the factor is d - l u, where d is the rounded product of l and u.
/// The entry is 0 if the factorization rounds l u before it subtracts.
PetscErrorCode FactorThreeRows(bool symmetric, bool inodes, bool* uses_fma)
{
  PetscScalar const l = FmaProbe(), u = l, d = l * u;
  PetscInt const row_ptr[] = {0, 3, 6, 9}, col_idx[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  PetscScalar const a[] = {1, u, u, l, 9, d, l, d, 9};
  Mat A, F = nullptr;
  IS natural;
  MatFactorInfo info;
  PetscScalar entry;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetOptionsPrefix(A, probe_prefix));
  PetscCall(MatSetSizes(A, 3, 3, 3, 3));
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatSetOption(A, MAT_USE_INODES, inodes ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row_ptr, col_idx, a));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 3, 0, 1, &natural));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(GetPetscFactor(A, symmetric ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, &F));
  PetscCall(MatSetOptionsPrefix(F, probe_prefix));
  if (symmetric) {
    PetscScalar* values;
    PetscCall(MatICCFactorSymbolic(F, A, natural, &info));
    PetscCall(MatCholeskyFactorNumeric(F, A, &info));
    PetscCall(MatSeqSBAIJGetArray(F, &values));
    entry = values[3];  // U's rows have their pivots last: row 1 begins here
    PetscCall(MatSeqSBAIJRestoreArray(F, &values));
  } else {
    PetscScalar const* values;
    PetscCall(MatILUFactorSymbolic(F, A, natural, natural, &info));
    PetscCall(MatLUFactorNumeric(F, A, &info));
    PetscCall(MatSeqAIJGetArrayRead(F, &values));
    entry = values[4];  // three entries of L, then row 2 of U, then row 1
    PetscCall(MatSeqAIJRestoreArrayRead(F, &values));
  }
  *uses_fma = entry != PetscScalar(0);
  PetscCall(ISDestroy(&natural));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds out whether PETSc's factorization uses fused multiply-add, which depends on PETSc's compiler. Lets PETSc
/// factor a matrix of three rows, once per process and kind of factor.
/// @param inodes  LU: whether successive rows have equal columns, for which PETSc has other code
PetscErrorCode PetscUsesFma(bool symmetric, bool inodes, bool* uses_fma)
{
  static int known[3] = {-1, -1, -1};  // the process has one PETSc
  int& answer = known[symmetric ? 2 : inodes];

  PetscFunctionBegin;
  if (answer < 0) {
    PetscCall(FactorThreeRows(symmetric, inodes, uses_fma));
    answer = *uses_fma;
  }
  *uses_fma = answer != 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Computes PETSc's greatest shift for a seqsbaij matrix with block size 1, which stores only its upper triangle.
PetscErrorCode GreatestShift(Mat A, MatFactorInfo const* info, double* amount)
{
  PetscReal top = info->zeropivot;
  std::vector<PetscReal> sums;
  PatternAccess m;
  ValueAccess values;

  PetscFunctionBegin;
  PetscCall(m.Get(A, false));
  PetscCall(values.Get(A, false, m.num_entries));
  PetscCall(Guarded(A, [&] { sums.assign((std::size_t)m.n, 0); }));
  auto const* const a = reinterpret_cast<PetscScalar const*>(values.data);
  for (PetscInt i = 0; i < m.n; ++i) {  // sums in PETSc's order
    PetscReal& sum = sums[(std::size_t)i];
    for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
      if (m.col_idx[k] == i) sum -= PetscRealPart(a[k]);
    for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
      if (m.col_idx[k] == i) continue;
      sum += PetscAbsScalar(a[k]);
      sums[(std::size_t)m.col_idx[k]] += PetscAbsScalar(a[k]);
    }
    top = std::max(top, sum);
  }
  *amount = (double)(PetscReal)(top * 1.1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets those of PETSc's rules for small pivots that do not depend on dense blocks.
/// @param uses_fma  whether PETSc's factorization uses fused multiply-add
PetscErrorCode RulesOf(MatFactorInfo const* info, bool uses_fma, sptrsv::PivotRules* rules)
{
  PetscFunctionBegin;
  rules->zero_pivot = (double)info->zeropivot;
  rules->amount = (double)info->shiftamount;
  rules->contract = uses_fma;
  if (info->shifttype == (PetscReal)MAT_SHIFT_NONZERO) rules->shift = sptrsv::Shift::nonzero;
  else if (info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE) rules->shift = sptrsv::Shift::positive_definite;
  else if (info->shifttype == (PetscReal)MAT_SHIFT_INBLOCKS) rules->shift = sptrsv::Shift::in_blocks;
  else rules->shift = sptrsv::Shift::none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Changes the rules to those of PETSc's numeric phases for matrices with blocks.
/// - Blocks of 2 by 2 or larger ignore `zeropivot` and the type of shift. For block sizes with a kernel of their own,
/// PETSc shifts pivots of exactly 0 by a multiple of `shiftamount`; but LU with blocks of 4 does not shift if the type
/// of shift is none. Symmetric blocks of 4 are inverted without interchanges, whatever `pivotinblocks` is.
/// - Cholesky of seqbaij with block size 1 has no greatest shift, so positive_definite finds no shift.
PetscErrorCode RulesOfBlocks(FactorTask const& task, FactorArrays const& pattern, Mat A, MatFactorInfo const* info,
                             sptrsv::PivotRules* rules)
{
  PetscInt const bs = pattern.block_size;
  bool const symmetric = pattern.symmetric();
  bool const natural = !pattern.row_perm && !pattern.col_perm;

  PetscFunctionBegin;
  if (bs > 1) {
    rules->contract = false;
    bool const shifts = bs != 4 || symmetric || rules->shift != sptrsv::Shift::none;
    if (bs <= 7 && shifts) rules->block_shift = (bs == 3 ? .333 : .25) * (double)info->shiftamount;
    else if (bs == 15 && !symmetric && natural) rules->block_shift = (double)info->shiftamount;
    rules->block_shift_is_relative = bs <= 7;
    rules->interchange_in_blocks = !(symmetric && bs == 4);
  } else if (symmetric && rules->shift == sptrsv::Shift::positive_definite) {
    if (bs == 1) rules->greatest_amount = 0;
    else if (std::strcmp(task.matrix_type, MATSEQSBAIJ) == 0)
      PetscCall(GreatestShift(A, info, &rules->greatest_amount));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode FindPivotRules(FactorTask const& task, FactorArrays const& pattern, Mat A, MatFactorInfo const* info,
                              sptrsv::PivotRules* rules)
{
  bool uses_fma = false;

  PetscFunctionBegin;
  PetscCall(PetscUsesFma(pattern.symmetric(), pattern.has_inodes, &uses_fma));
  PetscCall(RulesOf(info, uses_fma, rules));
  PetscCall(RulesOfBlocks(task, pattern, A, info, rules));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetPivotStatus(Mat F, PetscInt bs, Mat A, MatFactorInfo const* info,
                              sptrsv::PivotStatus const& pivot_status)
{
  PetscFunctionBegin;
  if (pivot_status.num_shifts)
    PetscCall(PetscInfo(A, "%lld shifts of type %s, the last by %g\n", pivot_status.num_shifts,
                        MatFactorShiftTypesDetail[(int)info->shifttype], pivot_status.shift_amount));
  if (pivot_status.zero_row >= 0 && bs > 1) {  // PETSc names the row within its block, and does not store it
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "Zero pivot, row %" PetscInt_FMT,
               (PetscInt)(pivot_status.first_row % bs));
    PetscCall(PetscInfo(A, "Zero pivot in row %lld, of block row %lld\n", pivot_status.first_row,
                        pivot_status.first_row / bs));
    F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pivot_status.zero_row < 0) {
    if (pivot_status.out_of_range_row >= 0 && !F->factorerrortype)
      PetscCall(RequireRange((PetscObject)F, (PetscInt)pivot_status.out_of_range_row, bs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  auto const first = (PetscInt)pivot_status.first_row, last = (PetscInt)pivot_status.zero_row;
  if (pivot_status.endless) {
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Zero pivot in row %" PetscInt_FMT
               ", value %g, that no shift of type %s changes; PETSc would try for "
               "ever. Use another -pc_factor_shift_type, or a -pc_factor_shift_amount other than %g",
               first, pivot_status.first_value, MatFactorShiftTypesDetail[(int)info->shifttype],
               pivot_status.shift_amount);
    PetscCall(PetscInfo(A, "Zero pivot in row %" PetscInt_FMT " that no shift changes\n", first));
  } else {
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Zero pivot row %" PetscInt_FMT " value %g tolerance %g", first, pivot_status.first_value,
               (double)info->zeropivot);
    PetscCall(PetscInfo(A, "Zero pivot in row %" PetscInt_FMT ", value %g, tolerance %g\n", last,
                        pivot_status.zero_value, (double)info->zeropivot));
  }
  F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  F->factorerror_zeropivot_row = pivot_status.endless ? first : last;
  F->factorerror_zeropivot_value =
      (PetscReal)(pivot_status.endless ? pivot_status.first_value : pivot_status.zero_value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
