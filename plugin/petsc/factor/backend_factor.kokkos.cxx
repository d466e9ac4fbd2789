// SPDX-License-Identifier: Apache-2.0
// The backend's factorization: symbolic phase of levels of fill, numeric phase, and the choice between host and device.
#include "factor/backend_factor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "access/matrix_checks.hpp"
#include "factor/factor_state.hpp"
#include "factor/pivot_rules.hpp"

namespace sptrsv_petsc {
namespace {

/// Largest number of levels of fill for which the backend finds the pattern. With more levels factors are nearly
/// complete, and a search for paths is the wrong way to find those.
constexpr int most_levels = 16;

/// Tells whether the backend finds the pattern of this factor by levels of fill, and how many levels, as PETSc reads
/// them.
bool HasLevels(MatFactorType ftype, MatFactorInfo const* info, int* levels)
{
  bool const has = (ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC) && info->diagonal_fill == 0 &&
                   info->levels < most_levels + 1;
  if (has) *levels = (int)info->levels;
  return has;
}

/// Finds whether PETSc's ILU(0) takes orderings for the identity that are not (`reordered_identity` in
/// docs/dev/petsc_faults.md). PETSc's pattern then differs from the backend's.
PetscErrorCode CountAsIdentity(Mat F, int levels, PetscBool* count)
{
  Mat_SpTRSV* f = Get(F);
  PetscBool rows = PETSC_FALSE, cols = PETSC_FALSE;

  PetscFunctionBegin;
  if (levels == 0 && (f->pattern.row_indices || f->pattern.col_indices)) {
    PetscCall(ISIdentity(f->rows, &rows));
    PetscCall(ISIdentity(f->cols, &cols));
  }
  *count = (PetscBool)(rows && cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Estimated seconds of a numeric phase: PETSc's on one core, with the copy of the factor, and the backend's on a GPU.
struct FactorEstimate {
  double host = 0, device = 0;
};

/// Estimates numeric phases. Fitted to an NVIDIA H200 and one core of its host (docs/dev/factorization.md).
/// @param block_size  side of the dense blocks; 0: the factor has none
FactorEstimate EstimateFactor(sptrsv::FactorizationReport const& report, PetscInt block_size)
{
  auto const levels = static_cast<double>(report.levels), entries = static_cast<double>(report.entries),
             updates = static_cast<double>(report.updates), rows = static_cast<double>(report.rows);
  FactorEstimate e;
  if (block_size > 1) {  // PETSc has kernels for small sizes; A is copied to the device
    double const of_row = rows > 0 ? entries / rows / static_cast<double>(block_size) : 0;  // blocks of L and U per row
    e.host = 20e-6 + 4.5e-9 * entries + 0.4e-9 * updates;
    e.device = 40e-6 + 1.6e-9 * entries + levels * (1e-6 + 0.45e-6 * of_row);
    return e;
  }
  e.host = 20e-6 + 10e-9 * entries + 1.2e-9 * updates;
  // a row subtracts its pivot rows one after the other
  double const of_level = 1.2e-6 + 30e-9 * (rows > 0 ? entries / rows / 2 : 0);
  e.device = 40e-6 + levels * of_level + 0.03e-9 * entries + 0.02e-9 * updates +
             50e-9 * static_cast<double>(report.longest_row);
  return e;
}

/// Returns why the host is to compute values whose updates are too many to list: searching for them takes longer.
std::string TooMany(sptrsv::FactorizationReport const& report)
{
  return "too many updates to list, up to " + std::to_string(report.updates);
}

}  // namespace

/// Makes F's pattern and its solver.
/// @param made      out: false for a matrix that the backend refuses, and with an obstacle
/// @param obstacle  out: as in AnalyzeFill()
PetscErrorCode BackendFactor::MakeSolverForFill(Mat F, Mat A, MatFactorInfo const* info, int levels,
                                                sptrsv::Options const& options, bool* made, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(F);
  PetscInt num_inodes = 0;
  FillFactor what;
  FactorArrays& view = f->pattern.view;
  PetscBool identity = PETSC_FALSE;
  Stream stream;

  PetscFunctionBegin;
  *made = false;
  what.levels = levels;
  if (asked_ == FactorChoice::automatic)
    what.accept = [&](sptrsv::FactorizationReport const& report) {
      if (!report.listed) *obstacle = TooMany(report);
      return report.listed;
    };
  what.symmetric = IsSymmetric(f->kind);
  if (!what.symmetric) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  what.has_inodes = num_inodes > 0;
  PetscCall(AccessOrderings(A->rmap->n, f->rows, what.symmetric ? f->rows : f->cols, f->pattern));
  if (!what.symmetric) PetscCall(CountAsIdentity(F, levels, &identity));
  if (identity) PetscFunctionReturn(PETSC_SUCCESS);
  what.row_perm = f->pattern.row_indices;
  what.col_perm = f->pattern.col_indices;
  PetscCall(FindRowRules(A, f->kind, f->rows, f->cols, info, &what.rules));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(WithMatrixPattern(A, f->backend.device, [&](MatrixArrays const& arrays) {
    what.matrix = arrays;
    return Guarded(F, [&] {
      try {
        f->solver = MakeFillSolver(f->backend.device, stream, f->requested, what, options);
        *made = f->solver != nullptr;
      } catch (sptrsv::ImproperRow const&) {
      } catch (sptrsv::MissingDiagonal const&) {
      } catch (sptrsv::Unsupported const&) {
      } catch (std::exception const&) {  // also for lack of memory
        if (asked_ == FactorChoice::device) throw;
      }
    });
  }));
  if (!*made) PetscFunctionReturn(PETSC_SUCCESS);
  view.kind = what.symmetric ? FactorKind::cholesky : FactorKind::lu;
  view.n = A->rmap->n;
  view.num_entries = f->solver->num_entries();
  view.has_inodes = what.has_inodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::AnalyzeFill(Mat F, Mat A, MatFactorInfo const* info, sptrsv::Options const& options,
                                          bool* done, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(F);
  int levels = 0;

  PetscFunctionBegin;
  *done = false;
  obstacle->clear();
  if (std::strcmp(f->matrix_type, MATSEQAIJ) != 0 || !HasLevels(f->kind, info, &levels))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Logged(events.analysis, (PetscObject)F, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MakeSolverForFill(F, A, info, levels, options, done, obstacle));
    if (*done) PetscCall(AnalyzeMatrix(F, A, obstacle));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  *done = *done && obstacle->empty();
  if (*done) {
    FactorArrays const& view = f->pattern.view;
    auto const entries = (PetscReal)view.num_entries, of_matrix = (PetscReal)num_values_;
    fill_given_ = info->fill;
    fill_needed_ = view.symmetric() ? 2 * entries / (of_matrix + view.n) : entries / of_matrix;
    if (of_matrix == 0) fill_needed_ = view.symmetric() ? 0 : 1;
  } else {
    f->solver.reset();
    PetscCall(ReleasePattern(f->pattern));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::AnalyzeMatrix(Mat F, Mat A, std::string* obstacle)
{
  bool const automatic = asked_ == FactorChoice::automatic;

  PetscFunctionBegin;
  obstacle->clear();
  PetscCall(MakeFactorization(F, A, automatic, automatic ? obstacle : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the solver's factorization for A's pattern.
/// @param compare   compare with the host before most of the work, which is an obstacle if it is faster
/// @param obstacle  out: why the backend does not factor A; null: an error reports it
PetscErrorCode BackendFactor::MakeFactorization(Mat F, Mat A, bool compare, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(F);
  sptrsv::FactorizationOptions options;

  PetscFunctionBegin;
  stamp_ = PatternStamp{};
  options.complete = f->kind == MAT_FACTOR_LU || f->kind == MAT_FACTOR_CHOLESKY;
  if (compare)
    options.accept = [&](sptrsv::FactorizationReport const& report) {
      *obstacle = CompareWithHost(F, report);
      return obstacle->empty();
    };
  PetscCall(WithMatrixPattern(A, f->backend.device, [&](MatrixArrays const& arrays) {
    auto const bs = static_cast<std::size_t>(std::max<PetscInt>(1, f->pattern.view.block_size));
    num_values_ = arrays.num_entries * bs * bs;
    return Guarded(F, [&] {
      try {
        report_ = f->solver->make_factorization(arrays, options);
      } catch (std::exception const& e) {  // also for lack of memory
        if (!obstacle) {
          f->solver->drop_factorization();
          throw;
        }
        *obstacle = e.what();
      }
      if (obstacle && !obstacle->empty()) f->solver->drop_factorization();
    });
  }));
  flops_ = 2 * (PetscLogDouble)report_.updates + (PetscLogDouble)report_.entries;
  if (!obstacle || obstacle->empty()) PetscCall(StampPattern(A, f->backend.device, &stamp_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the factorization again if A's pattern is not the one that it was made for, since the symbolic phase may have
/// been for another matrix.
PetscErrorCode BackendFactor::RenewFactorization(Mat F, Mat A, Stream stream)
{
  Mat_SpTRSV* f = Get(F);
  PatternStamp now;
  std::string obstacle;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, f->backend.device, &now));
  if (now == stamp_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(F, [&] { f->solver->follow(stream); }));
  PetscCall(MakeFactorization(F, A, false, asked_ == FactorChoice::device ? nullptr : &obstacle));
  char const* const prefix = ((PetscObject)F)->prefix;
  PetscCheck(obstacle.empty(), PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "This matrix has another pattern than that of the symbolic phase, and the backend cannot factor it: %s; "
             "repeat the symbolic phase, or use -%smat_sptrsv_factor host",
             obstacle.c_str(), prefix ? prefix : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares estimates of both numeric phases. Returns why the host is to compute the values: it is faster, or the
/// updates are too many to list; otherwise an empty text.
std::string BackendFactor::CompareWithHost(Mat F, sptrsv::FactorizationReport const& report)
{
  if (!report.listed) return TooMany(report);
  FactorEstimate const estimate = EstimateFactor(report, Get(F)->pattern.view.block_size);
  bool const by_device = estimate.host >= estimate.device;
  char text[96];
  std::snprintf(text, sizeof text, "estimated at %.2g ms, on the %s at %.2g",
                1e3 * std::min(estimate.device, estimate.host), by_device ? "host" : "device",
                1e3 * std::max(estimate.device, estimate.host));
  if (!by_device) return text;
  reason_ = text;
  return {};
}

PetscErrorCode BackendFactor::Compute(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin, end;
  sptrsv::PivotRules rules;
  sptrsv::PivotVerdict verdict;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(FindPivotRules(F, A, info, &rules));
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
    PetscErrorCode const factored = WithMatrixValues(A, f->backend.device, num_values_, factor);
    if (f->backend.device) PetscCall(PetscLogGpuTimeEnd());  // after an error too, or PETSc refuses all later ones
    PetscCall(factored);
    if (f->backend.device) {
      PetscCall(PetscLogGpuFlops(flops_ * verdict.passes));
    } else {
      PetscCall(PetscLogFlops(flops_ * verdict.passes));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(SetVerdict(F, A, info, verdict));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::CopyInvertedPivots(Mat F, Scalar* to)
{
  PetscFunctionBegin;
  PetscCall(Guarded(F, [&] { Get(F)->solver->copy_inverted_pivots(to); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::GetInfo(Mat F, MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  if (symbolic_) {
    PetscCall(symbolic_->GetInfo(F, type, info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  info->block_size = 1;  // as PETSc's seqaij factors have
  info->nz_allocated = info->nz_used = (PetscLogDouble)Get(F)->pattern.view.num_entries;
  info->fill_ratio_given = fill_given_;
  info->fill_ratio_needed = fill_needed_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::View(Mat F, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "  factored by sptrsv on the %s (%s)\n", Get(F)->backend.name(), reason_.c_str()));
  if (report_.listed)
    PetscCall(PetscViewerASCIIPrintf(viewer, "     %lld updates, listed in %.2f MB\n", report_.updates,
                                     (double)report_.list_bytes / 1e6));
  else
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "     %lld updates at most, searched for each time: lists would be too long\n", report_.updates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
