// SPDX-License-Identifier: Apache-2.0
// The backend's factorization: symbolic phase of levels of fill, numeric phase, and the choice between host and device.
#include "factor/backend_factor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "access/matrix_checks.hpp"
#include "factor/pivot_rules.hpp"

namespace sptrsv_petsc {
namespace {

/// Largest number of levels of fill for which the backend finds the pattern. With more levels, factors are nearly
/// complete, and a search for paths is a slow way to find their patterns.
constexpr int most_levels = 16;

/// Tells whether the backend finds the pattern of this factor by levels of fill. Truncates info->levels as PETSc does.
bool HasLevels(MatFactorType ftype, MatFactorInfo const* info, int* levels)
{
  bool const has = (ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC) && info->diagonal_fill == 0 &&
                   info->levels < most_levels + 1;
  if (has) *levels = (int)info->levels;
  return has;
}

/// Finds whether PETSc's ILU(0) mistakes these orderings for the identity (`reordered_identity` in
/// docs/dev/petsc_faults.md). PETSc's pattern then differs from the backend's.
PetscErrorCode CountAsIdentity(FactorTask const& task, int levels, bool is_identity, PetscBool* count)
{
  PetscBool rows = PETSC_FALSE, cols = PETSC_FALSE;

  PetscFunctionBegin;
  if (levels == 0 && !is_identity && !task.symmetric()) {
    PetscCall(ISIdentity(task.rows, &rows));
    PetscCall(ISIdentity(task.cols, &cols));
  }
  *count = (PetscBool)(rows && cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Estimated seconds of a numeric phase: `host` for PETSc on one core and the copy of the factor to the device,
/// `device` for the backend on a GPU.
struct FactorEstimate {
  double host = 0, device = 0;
};

/// Estimates times of a numeric phase, fitted to an NVIDIA H200 and a core of its host (docs/dev/factorization.md).
/// @param block_size  side of the dense blocks; 0: the factor has none
FactorEstimate EstimateFactor(sptrsv::FactorizationReport const& report, PetscInt block_size)
{
  auto const levels = static_cast<double>(report.levels), entries = static_cast<double>(report.entries),
             updates = static_cast<double>(report.updates), rows = static_cast<double>(report.rows);
  FactorEstimate e;
  if (block_size > 1) {  // PETSc has kernels for small blocks; `device` includes a copy of A
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

/// Returns the reason for values by the host: too many updates to list, each of which a device would have to find.
std::string TooMany(sptrsv::FactorizationReport const& report)
{
  return "too many updates to list, up to " + std::to_string(report.updates);
}

}  // namespace

/// Finds the pattern by levels of fill, and stores it in `fill_`. Leaves `fill_` null for a matrix that the backend
/// refuses; PETSc's symbolic phase then reports the fault.
/// @param declined  out: why the host computes the values; empty if it does not
PetscErrorCode BackendFactor::FindFill(FactorTask const& task, Mat A, MatFactorInfo const* info, int levels,
                                       std::string* declined)
{
  PetscInt num_inodes = 0;
  FillFactor what;
  PetscBool identity = PETSC_FALSE;
  Stream stream;
  PatternAccess arrays;

  PetscFunctionBegin;
  what.levels = levels;
  if (asked_ == FactorChoice::automatic)
    what.accept = [&](sptrsv::FactorizationReport const& report) {
      if (!report.listed) *declined = TooMany(report);
      return report.listed;
    };
  what.symmetric = task.symmetric();
  if (!what.symmetric) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  what.has_inodes = num_inodes > 0;
  PetscCall(rows_.Get(task.rows, A->rmap->n));
  PetscCall(cols_.Get(what.symmetric ? task.rows : task.cols, A->rmap->n));
  what.row_perm = rows_.indices();
  what.col_perm = cols_.indices();
  PetscCall(CountAsIdentity(task, levels, !what.row_perm && !what.col_perm, &identity));
  if (identity) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRowRules(A, task.kind, task.rows, task.cols, info, &what.rules));
  PetscCall(CurrentStream(task.backend.kokkos, &stream));
  PetscCall(arrays.Get(A, task.backend.device));
  what.matrix = arrays;
  PetscCall(Guarded(task.F, [&] {
    try {
      fill_ = MakeFillPattern(task.backend.device, stream, what);
    } catch (sptrsv::ImproperRow const&) {
    } catch (sptrsv::MissingDiagonal const&) {
    } catch (sptrsv::Unsupported const&) {
    } catch (std::exception const&) {  // also for lack of memory
      if (asked_ == FactorChoice::device) throw;
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets `instead` to PETSc's own factor; keeps the result of its symbolic phase, if there is one.
PetscErrorCode BackendFactor::Decline(Mat F, std::string const& reason, std::unique_ptr<FactorSource>* instead)
{
  PetscFunctionBegin;
  PetscCall(Guarded(F, [&] {
    if (!symbolic_) symbolic_ = std::make_unique<PetscFactor>(reason);
    symbolic_->set_reason(reason);
  }));
  *instead = std::move(symbolic_);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                      FactorArrays* pattern, std::unique_ptr<FactorSource>* instead)
{
  int levels = 0;
  std::string declined;

  PetscFunctionBegin;
  if (!std::strcmp(task.matrix_type, MATSEQAIJ) && HasLevels(task.kind, info, &levels)) {
    PetscCall(event.Begin());
    PetscCall(FindFill(task, A, info, levels, &declined));
    if (!declined.empty()) PetscCall(Decline(task.F, declined, instead));
    if (!fill_) event.End();
  }
  if (*instead) PetscFunctionReturn(PETSC_SUCCESS);
  if (fill_) {
    PetscCall(Guarded(task.F, [&] { pattern_ = fill_->arrays(); }));
    fill_given_ = info->fill;
  } else {
    PetscCall(Guarded(task.F, [&] { symbolic_ = std::make_unique<PetscFactor>(reason_); }));
    PetscCall(symbolic_->Analyze(task, A, info, event, &pattern_, instead));
  }
  *pattern = pattern_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the factorization. With FactorChoice::automatic, sets `instead` to PETSc's own factor if the host is faster or
/// the backend cannot factor A.
PetscErrorCode BackendFactor::Prepare(FactorTask const& task, Mat A, AnyFactorSolver const& solver,
                                      std::unique_ptr<FactorSource>* instead)
{
  bool const automatic = asked_ == FactorChoice::automatic;
  std::string declined;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(task.backend.kokkos, &stream));
  PetscCall(Guarded(task.F, [&] { factorization_ = MakeFactorization(solver, stream); }));
  PetscCall(AnalyzeMatrix(task, A, automatic, automatic ? &declined : nullptr));
  if (!declined.empty()) {
    PetscCall(Decline(task.F, declined, instead));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  auto const entries = (PetscReal)pattern_.num_entries(), n = (PetscReal)pattern_.n, of_matrix = (PetscReal)num_values_;
  bool const symmetric = pattern_.symmetric();
  fill_needed_ = symmetric ? 2 * (entries + (pattern_.has_pivots ? 0 : n)) / (of_matrix + n) : entries / of_matrix;
  if (of_matrix == 0) fill_needed_ = symmetric ? 0 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares the factorization for A's pattern.
/// @param compare   whether to decline, before most of the work, if the host is faster
/// @param declined  out: why the backend does not factor A, empty if it does; null: an error reports the reason
PetscErrorCode BackendFactor::AnalyzeMatrix(FactorTask const& task, Mat A, bool compare, std::string* declined)
{
  sptrsv::FactorizationOptions options;
  PatternAccess arrays;
  auto const bs = static_cast<std::size_t>(std::max<PetscInt>(1, pattern_.block_size));

  PetscFunctionBegin;
  stamp_ = PatternStamp{};
  options.complete = task.kind == MAT_FACTOR_LU || task.kind == MAT_FACTOR_CHOLESKY;
  if (compare)
    options.accept = [&](sptrsv::FactorizationReport const& report) {
      *declined = CompareWithHost(report);
      return declined->empty();
    };
  PetscCall(arrays.Get(A, task.backend.device));
  num_values_ = arrays.num_entries * bs * bs;
  PetscCall(Guarded(task.F, [&] {
    try {
      report_ = factorization_->analyze(arrays, options);
    } catch (std::exception const& e) {  // also for lack of memory
      if (!declined) throw;
      *declined = e.what();
    }
  }));
  flops_ = 2 * (PetscLogDouble)report_.updates + (PetscLogDouble)report_.entries;
  if (!declined || declined->empty()) PetscCall(StampPattern(A, task.backend.device, &stamp_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares the factorization again if A's pattern differs from the one that it was prepared for: the symbolic phase
/// may have been given another matrix.
PetscErrorCode BackendFactor::AnalyzeAgain(FactorTask const& task, Mat A)
{
  PatternStamp now;
  std::string declined;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, task.backend.device, &now));
  if (now == stamp_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AnalyzeMatrix(task, A, false, asked_ == FactorChoice::device ? nullptr : &declined));
  PetscCheck(declined.empty(), PetscObjectComm((PetscObject)task.F), PETSC_ERR_SUP,
             "This matrix has another pattern than that of the symbolic phase, and the backend cannot factor it: %s; "
             "repeat the symbolic phase, or use -%smat_sptrsv_factor host",
             declined.c_str(), task.prefix());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares the estimated times of both numeric phases. Returns why the host computes the values: it is faster, or
/// there are too many updates to list. Returns an empty text if the device computes them.
std::string BackendFactor::CompareWithHost(sptrsv::FactorizationReport const& report)
{
  if (!report.listed) return TooMany(report);
  FactorEstimate const estimate = EstimateFactor(report, pattern_.block_size);
  bool const by_device = estimate.host >= estimate.device;
  char text[96];
  std::snprintf(text, sizeof text, "estimated at %.2g ms, on the %s at %.2g",
                1e3 * std::min(estimate.device, estimate.host), by_device ? "host" : "device",
                1e3 * std::max(estimate.device, estimate.host));
  if (!by_device) return text;
  reason_ = text;
  return {};
}

PetscErrorCode BackendFactor::Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                      std::optional<FactorArrays>*, FactorValueArrays* values)
{
  bool const device = task.backend.device;
  sptrsv::PivotRules rules;
  sptrsv::PivotStatus pivot_status;
  Stream stream;
  ValueAccess a;

  PetscFunctionBegin;
  PetscCall(FindPivotRules(task, pattern_, A, info, &rules));
  PetscCall(CurrentStream(task.backend.kokkos, &stream));
  PetscCall(Guarded(task.F, [&] { factorization_->follow(stream); }));
  PetscCall(AnalyzeAgain(task, A));
  PetscCall(event.Begin());
  PetscCall(a.Get(A, device, num_values_));
  {
    GpuTime const time(device);
    PetscCall(Guarded(task.F, [&] { pivot_status = factorization_->compute(a, rules, values); }));
  }
  if (device && !a.on_device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(a.size * sizeof(Scalar))));
  if (device) PetscCall(PetscLogGpuFlops(flops_ * pivot_status.passes));
  else PetscCall(PetscLogFlops(flops_ * pivot_status.passes));
  PetscCall(SetPivotStatus(task.F, pattern_.block_size, A, info, pivot_status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::CopyInvertedPivots(FactorTask const& task, Scalar* to)
{
  PetscFunctionBegin;
  PetscCall(Guarded(task.F, [&] { factorization_->copy_inverted_pivots(to); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::GetInfo(MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  if (symbolic_) {
    PetscCall(symbolic_->GetInfo(type, info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  info->block_size = 1;  // as in PETSc's seqaij factors
  info->nz_allocated = info->nz_used =
      (PetscLogDouble)pattern_.num_entries() + (PetscLogDouble)(pattern_.has_pivots ? 0 : pattern_.n);
  info->fill_ratio_given = fill_given_;
  info->fill_ratio_needed = fill_needed_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BackendFactor::View(FactorTask const& task, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "  factored by sptrsv on the %s (%s)\n", task.backend.name(), reason_.c_str()));
  if (report_.listed)
    PetscCall(PetscViewerASCIIPrintf(viewer, "     %lld updates, listed in %.2f MB\n", report_.updates,
                                     (double)report_.list_bytes / 1e6));
  else
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "     %lld updates at most, searched for each time: lists would be too long\n", report_.updates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
