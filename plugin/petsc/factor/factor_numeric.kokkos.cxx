// SPDX-License-Identifier: Apache-2.0
// The numeric phase: by the backend from A's values, where they lie, or by PETSc's own factor inside.
#include "access/matrix_checks.hpp"
#include "factor/factor_state.hpp"

namespace sptrsv_petsc {
namespace {

/// Makes PETSc look up where A's diagonal lies: from 3.25 on its LU with inodes and shift positive_definite reads it
/// without having looked, and crashes. MatGetDiagonal() would do, but not of a matrix on a GPU.
PetscErrorCode FindDiagonal(Mat A)
{
  IS zeros;

  PetscFunctionBegin;
  PetscCall(MatFindZeroDiagonals(A, &zeros));
  PetscCall(ISDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before PETSc's numeric phase: what it factors is current, and its factor has no pivot error that the caller cleared.
PetscErrorCode PrepareInner(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscBool aij;
  PetscScalar const* a;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (aij) {  // a device matrix gets its host values
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  if (lu_with_inodes_needs_diagonal && f->pattern.view.has_inodes &&
      info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE)
    PetscCall(FindDiagonal(A));
  if (!F->factorerrortype) PetscCall(MatFactorClearError(f->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of numbers, each with its place. Four sums, so that they do not wait for each other.
std::uint64_t HashOf(PetscInt const* numbers, std::size_t count)
{
  constexpr std::uint64_t prime = 0x9e3779b97f4a7c15ULL;
  std::uint64_t sums[4] = {1, 2, 3, 4};
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t& sum = sums[k % 4];
    sum = (sum ^ static_cast<std::uint64_t>(numbers[k])) * prime;
    sum ^= sum >> 29;
  }
  std::uint64_t all = count;
  for (std::uint64_t sum : sums) all = (all ^ sum) * prime;
  return all ^ (all >> 32);
}

/// The solver's factorization for A's pattern, and the flops of one pass over it.
/// @param obstacle  where the backend cannot factor it: why; NULL: that is an error
PetscErrorCode MakeFactorization(Mat F, Mat A, sptrsv::FactorizationReport* report, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  f->factored = PatternStamp{};
  PetscCall(WithMatrixPattern(A, f->backend.device, [&](MatrixArrays arrays) {
    arrays.partition = f->partition;
    auto const bs = static_cast<std::size_t>(std::max<PetscInt>(1, f->pattern.view.block_size));
    f->matrix_entries = arrays.num_entries * bs * bs;
    return Guarded(F, [&] {
      try {
        *report = f->solver->make_factorization(arrays);
      } catch (std::exception const& e) {  // of memory, too
        f->solver->drop_factorization();
        if (!obstacle) throw;
        *obstacle = e.what();
      }
    });
  }));
  f->factorization = *report;
  f->factor_flops = 2 * (PetscLogDouble)report->updates + (PetscLogDouble)report->entries;
  if (!obstacle || obstacle->empty()) PetscCall(StampPattern(A, f->backend.device, &f->factored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The factorization for A, which is made anew where the last one was for another pattern: the symbolic phase may have
/// been of another matrix.
PetscErrorCode RenewFactorization(Mat F, Mat A, Stream stream)
{
  Mat_SpTRSV* f = Get(F);
  PatternStamp now;
  sptrsv::FactorizationReport report;
  std::string obstacle;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, f->backend.device, &now));
  if (now == f->factored) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(F, [&] { f->solver->follow(stream); }));
  PetscCall(MakeFactorization(F, A, &report, f->place.asked == FactorChoice::device ? nullptr : &obstacle));
  char const* const prefix = ((PetscObject)F)->prefix;
  PetscCheck(obstacle.empty(), PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "This matrix has another pattern than that of the symbolic phase, and the backend cannot factor it: %s; "
             "repeat the symbolic phase, or use -%smat_sptrsv_factor host",
             obstacle.c_str(), prefix ? prefix : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's greatest shift of a seqsbaij matrix with blocks of 1, which has its upper triangle alone.
PetscErrorCode GreatestShift(Mat F, Mat A, MatFactorInfo const* info, double* amount)
{
  PetscReal top = info->zeropivot;
  std::vector<PetscReal> sums;
  sptrsv::RowPartition const partition = Get(F)->partition;

  PetscFunctionBegin;
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(Guarded(F, [&] { sums.assign((std::size_t)m.n, 0); }));
    PetscCall(WithMatrixValues(A, false, m.num_entries, [&](MatrixValues const& values) {
      auto const* const a = reinterpret_cast<PetscScalar const*>(values.data);
      for (PetscInt i = 0; i < m.n; ++i) {  // in PETSc's order
        PetscReal& sum = sums[(std::size_t)i];
        for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
          if (m.col_idx[k] == i) sum -= PetscRealPart(a[k]);
        for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
          if (m.col_idx[k] == i || !partition.couples(i, m.col_idx[k], m.n)) continue;
          sum += PetscAbsScalar(a[k]);
          sums[(std::size_t)m.col_idx[k]] += PetscAbsScalar(a[k]);
        }
        top = std::max(top, sum);
      }
      return PETSC_SUCCESS;
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  *amount = (double)(PetscReal)(top * 1.1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's rules for small pivots. @param contracts  whether PETSc's compiler contracts.
PetscErrorCode RulesOf(MatFactorInfo const* info, bool contracts, sptrsv::PivotRules* rules)
{
  PetscFunctionBegin;
  rules->zero_pivot = (double)info->zeropivot;
  rules->amount = (double)info->shiftamount;
  rules->contract = contracts;
  if (info->shifttype == (PetscReal)MAT_SHIFT_NONZERO) rules->shift = sptrsv::Shift::nonzero;
  else if (info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE) rules->shift = sptrsv::Shift::positive_definite;
  else if (info->shifttype == (PetscReal)MAT_SHIFT_INBLOCKS) rules->shift = sptrsv::Shift::in_blocks;
  else rules->shift = sptrsv::Shift::none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc's numeric phases of blocks do otherwise.
/// - Blocks of 2 and more know neither `zeropivot` nor types of shifts. Those with a kernel of their own shift pivots
///   of exactly 0 by `shiftamount`; symmetric ones of 4 are inverted without interchanges, whatever
///   `pivotinblocks` says, and LU of 4 does not shift where the type of shift is none.
/// - Cholesky of seqbaij with blocks of 1 has no greatest amount, so that positive_definite finds no shift.
PetscErrorCode RulesOfBlocks(Mat F, Mat A, MatFactorInfo const* info, sptrsv::PivotRules* rules)
{
  Mat_SpTRSV* f = Get(F);
  PetscInt const bs = f->pattern.view.block_size;
  bool const symmetric = f->pattern.view.symmetric();
  bool const natural = !f->pattern.row_indices && !f->pattern.col_indices;

  PetscFunctionBegin;
  if (bs > 1) {
    rules->contract = false;
    bool const shifts = bs != 4 || symmetric || rules->shift != sptrsv::Shift::none;
    if (bs <= 7 && shifts) rules->block_shift = (bs == 3 ? .333 : .25) * (double)info->shiftamount;
    else if (bs == 15 && !symmetric && natural) rules->block_shift = (double)info->shiftamount;
    rules->block_shift_is_relative = bs <= 7;
    rules->interchange_in_blocks = !(symmetric && bs == 4);
  } else if (symmetric && rules->shift == sptrsv::Shift::positive_definite) {
    if (f->pattern.blocks.bs == 1) rules->greatest_amount = 0;
    else if (std::strcmp(f->matrix_type, MATSEQSBAIJ) == 0)
      PetscCall(GreatestShift(F, A, info, &rules->greatest_amount));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The verdict on pivots as PETSc's own numeric phase leaves it.
PetscErrorCode TakeVerdict(Mat F, Mat A, MatFactorInfo const* info, sptrsv::PivotVerdict const& verdict)
{
  PetscFunctionBegin;
  if (verdict.num_shifts)
    PetscCall(PetscInfo(A, "%lld shifts of type %s, the last by %g\n", verdict.num_shifts,
                        MatFactorShiftTypesDetail[(int)info->shifttype], verdict.shift_amount));
  PetscInt const bs = Get(F)->pattern.view.block_size;
  if (verdict.zero_row >= 0 && bs > 1) {  // PETSc names the row in its block, and keeps none
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "Zero pivot, row %" PetscInt_FMT,
               (PetscInt)(verdict.first_row % bs));
    PetscCall(PetscInfo(A, "Zero pivot in row %lld, of block row %lld\n", verdict.first_row, verdict.first_row / bs));
    F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (verdict.zero_row < 0) {
    if (!F->factorerrortype) PetscCall(RequireRange((PetscObject)F, (PetscInt)verdict.out_of_range_row, bs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  auto const first = (PetscInt)verdict.first_row, last = (PetscInt)verdict.zero_row;
  if (verdict.endless) {
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Zero pivot in row %" PetscInt_FMT
               ", value %g, that no shift of type %s changes; PETSc would try for "
               "ever. Use another -pc_factor_shift_type, or a -pc_factor_shift_amount other than %g",
               first, verdict.first_value, MatFactorShiftTypesDetail[(int)info->shifttype], verdict.shift_amount);
    PetscCall(PetscInfo(A, "Zero pivot in row %" PetscInt_FMT " that no shift changes\n", first));
  } else {
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "Zero pivot row %" PetscInt_FMT " value %g tolerance %g", first, verdict.first_value,
               (double)info->zeropivot);
    PetscCall(PetscInfo(A, "Zero pivot in row %" PetscInt_FMT ", value %g, tolerance %g\n", last, verdict.zero_value,
                        (double)info->zeropivot));
  }
  F->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  F->factorerror_zeropivot_row = verdict.endless ? first : last;
  F->factorerror_zeropivot_value = (PetscReal)(verdict.endless ? verdict.first_value : verdict.zero_value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The whole numeric phase by the solver.
PetscErrorCode FactorByBackend(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin, end;
  sptrsv::PivotRules rules;
  sptrsv::PivotVerdict verdict;
  Stream stream;
  bool contracts;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(PetscContracts(f->pattern.view.symmetric(), f->pattern.view.has_inodes, &contracts));
  PetscCall(RulesOf(info, contracts, &rules));
  PetscCall(RulesOfBlocks(F, A, info, &rules));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(RenewFactorization(F, A, stream));
  auto const factor = [&](MatrixValues const& values) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(Guarded(F, [&] {
      f->solver->follow(stream);
      verdict = f->solver->factor(values, rules);
    }));
    if (f->backend.device && !values.on_device)
      PetscCall(PetscLogCpuToGpu((PetscLogDouble)(values.size * sizeof(Scalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  PetscCall(Logged(events.numeric, (PetscObject)F, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (f->backend.device) PetscCall(PetscLogGpuTimeBegin());
    PetscErrorCode const factored = WithMatrixValues(A, f->backend.device, f->matrix_entries, factor);
    if (f->backend.device) PetscCall(PetscLogGpuTimeEnd());  // on an error too, or PETSc refuses all later ones
    PetscCall(factored);
    if (f->backend.device) {
      PetscCall(PetscLogGpuFlops(f->factor_flops * verdict.passes));
    } else {
      PetscCall(PetscLogFlops(f->factor_flops * verdict.passes));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  f->num_shifts = verdict.num_shifts;
  PetscCall(TakeVerdict(F, A, info, verdict));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  f->own_values = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does PETSc's numeric phase of f->inner, and takes its verdict on pivots.
PetscErrorCode FactorInner(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat const inner = Get(F)->inner;
  Mat factored;

  PetscFunctionBegin;
  PetscCall(CheckRows(F, A, nullptr));
  PetscCall(MatrixForPetsc(F, A, &factored));
  PetscCall(PrepareInner(F, factored, info));
  if (!IsSymmetric(Get(F)->kind)) {
    PetscCall(MatLUFactorNumeric(inner, factored, info));
  } else if (A->rmap->n) {  // PETSc's crashes without rows: docs/petsc_faults.md
    PetscCall(MatCholeskyFactorNumeric(inner, factored, info));
  }
  F->factorerrortype = inner->factorerrortype;
  F->factorerror_zeropivot_value = inner->factorerror_zeropivot_value;
  F->factorerror_zeropivot_row = inner->factorerror_zeropivot_row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings the values of f->inner to the solver.
PetscErrorCode TakeValues(Mat F)
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
          if (!F->factorerrortype) throw;  // else the verdict on pivots is the answer, and nothing is solved
        }
      });
    };
    PetscFunctionBegin;
    PetscCall(WithFactorValues(f->inner, f->pattern, update));
    if (f->backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(f->pattern.view.num_values() * sizeof(Scalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  f->own_values = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The numeric phase of F's kind.
PetscErrorCode FactorNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;  // until the new values are there
  PetscCheck(f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  PetscCall(CheckSizes(F, A));
  PetscCheck(BaseType(A) == f->matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
             "The symbolic phase was of a matrix of type %s, this one is of type %s; repeat the symbolic phase",
             f->matrix_type, ((PetscObject)A)->type_name);
  if (f->place.own) {
    PetscCall(FactorByBackend(F, A, info));
  } else {
    PetscCall(FactorInner(F, A, info));
    PetscCall(TakeValues(F));
  }
  ++f->num_numeric;
  f->numeric_done = PETSC_TRUE;
  F->assembled = F->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode StampPattern(Mat A, bool device, PatternStamp* stamp)
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

PetscErrorCode CheckRows(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscObjectId id;
  PetscObjectState nonzeros;
  sptrsv::RowRules rules;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  PetscCall(MatGetNonzeroState(A, &nonzeros));
  if (!info && id == f->checked_id && nonzeros == f->checked_nonzeros) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRowRules(A, f->kind, f->rows, f->cols, info, &rules));
  PetscCall(RequireProperRows(A, rules));
  f->checked_id = id;
  f->checked_nonzeros = nonzeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

MatType BaseType(Mat A)
{
  static MatType const types[] = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
  PetscBool is = PETSC_FALSE;

  for (MatType type : types)
    if (!PetscObjectBaseTypeCompare((PetscObject)A, type, &is) && is) return type;
  return nullptr;
}

PetscErrorCode CheckSizes(Mat F, Mat A)
{
  PetscBool aij;
  PetscInt bs_of_factor, bs;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == F->rmap->n && A->cmap->n == F->cmap->n, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The factor was made for a matrix of %" PetscInt_FMT " rows, this one has %" PetscInt_FMT
             "; make another factor by MatGetFactor()",
             F->rmap->n, A->rmap->n);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(MatGetBlockSize(F, &bs_of_factor));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(aij || bs == bs_of_factor, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The factor was made for a matrix with blocks of %" PetscInt_FMT ", this one has blocks of %" PetscInt_FMT
             "; make another factor by MatGetFactor()",
             bs_of_factor, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where the host is faster, that is the obstacle.
static void PlaceByEstimate(Mat_SpTRSV* f, sptrsv::FactorizationReport const& report, std::string& obstacle)
{
  FactorEstimate const estimate = EstimateFactor(report, f->pattern.view.block_size);
  char text[96];
  std::snprintf(text, sizeof text, "estimated at %.2g ms, on the host at %.2g", 1e3 * estimate.device,
                1e3 * estimate.host);
  f->place.reason = text;
  if (report.listed && estimate.host >= estimate.device) return;
  std::snprintf(text, sizeof text, "estimated at %.2g ms, on the device at %.2g", 1e3 * estimate.host,
                1e3 * estimate.device);
  obstacle = report.listed ? text : "too many updates to list: " + std::to_string(report.updates);
  f->solver->drop_factorization();
}

PetscErrorCode ReadFactorPlace(Mat F, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  FactorPlace& place = f->place;
  char const* const prefix = ((PetscObject)F)->prefix;
  std::string obstacle;

  PetscFunctionBegin;
  PetscCall(ReadFactorChoice((PetscObject)F, &place.asked));
  bool const automatic = place.asked == FactorChoice::automatic;
  PetscCall(Guarded(F, [&] {
    if (place.asked == FactorChoice::host) obstacle = "asked for";
    else if (FactorsOnHost(info)) obstacle = "-pc_factor_mat_factor_on_host";
    else if (automatic && !f->backend.device) obstacle = "the solves run on the host";
  }));
  PetscCheck(obstacle.empty() || place.asked != FactorChoice::device, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "Option -%smat_sptrsv_factor is 'device', but %s%s; choose automatic or host", prefix ? prefix : "",
             obstacle[0] == '-' ? "there is " : "", obstacle.c_str());
  place.own = obstacle.empty();
  PetscCall(Guarded(F, [&] { place.reason = place.own ? "asked for" : obstacle; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseFactorPlace(Mat F, Mat A)
{
  Mat_SpTRSV* f = Get(F);
  sptrsv::FactorizationReport report;
  std::string obstacle;

  PetscFunctionBegin;
  if (!f->place.own) PetscFunctionReturn(PETSC_SUCCESS);
  bool const automatic = f->place.asked == FactorChoice::automatic;
  PetscCall(MakeFactorization(F, A, &report, automatic ? &obstacle : nullptr));
  if (automatic && obstacle.empty()) PetscCall(Guarded(F, [&] { PlaceByEstimate(f, report, obstacle); }));
  if (obstacle.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  f->place.own = false;
  PetscCall(Guarded(F, [&] { f->place.reason = obstacle; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(FactorNumeric(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(FactorNumeric(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
