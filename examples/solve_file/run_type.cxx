// SPDX-License-Identifier: Apache-2.0
// Set-up, solve, measurements and verdict for one solver type.
#include "run_type.hpp"

#include <petsctime.h>
#include <sptrsv_petsc.h>

#include <algorithm>
#include <cmath>

#include "measure.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

/// Keeps the message of the first error instead of printing it.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType kind,
                            const char* message, void* context) {
  if (kind == PETSC_ERROR_INITIAL) *static_cast<std::string*>(context) = message;
  return code;
}

/// Builds and sets up the KSP as often as asked; the times are those of the last set-up.
PetscErrorCode set_up(const Settings& settings, Mat A, KSP* ksp, Row* row) {
  PhaseTimes before, after;
  PetscFunctionBegin;
  for (PetscInt run = 0; run < settings.setup_runs; ++run) {
    PetscCall(KSPDestroy(ksp));
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
    PetscCall(KSPSetOperators(*ksp, A, A));
    PetscCall(KSPSetFromOptions(*ksp));
    PetscCall(read_phase_times(&before));
    PetscCall(KSPSetUp(*ksp));
    PetscCall(KSPSetUpOnBlocks(*ksp));
    PetscCall(read_phase_times(&after));
  }
  row->symbolic = after.symbolic - before.symbolic;
  row->numeric = after.numeric - before.numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves and keeps the largest true residual of all solves.
PetscErrorCode solve(KSP ksp, Mat A, Vec b, Row* row) {
  Vec x = nullptr, r = nullptr;
  PetscReal norm_b = 0, norm_r = 0, rtol = 0;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  const char* text = nullptr;
  PetscLogDouble begin = 0, end = 0;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &norm_r));  // waits for a device
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &text));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm_r));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCall(KSPGetTolerances(ksp, &rtol, nullptr, nullptr, nullptr));
  row->rtol = rtol;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  const bool first = row->iterations < 0;
  const double residual = norm_b > 0 ? norm_r / norm_b : norm_r;
  row->residual = std::isnan(residual) ? residual : std::max(row->residual, residual);
  if (first) row->ksp_solve = end - begin;
  row->converged = (first || row->converged) && reason > 0;
  row->iterations = static_cast<double>(iterations);
  row->reason = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the plugin tells about a factor of its own.
PetscErrorCode describe_plugin_factor(Mat F, Row* row) {
  PetscErrorCode (*function)(Mat, MatSpTRSVInfo*) = nullptr;
  MatSpTRSVInfo info;
  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatSpTRSVGetInfo_C", &function));
  if (!function) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(&info, sizeof(info)));
  PetscCall(MatSpTRSVGetInfo(F, &info));
  const std::string lower = info.algorithm_lower ? info.algorithm_lower : "-";
  const std::string upper = info.algorithm_upper ? info.algorithm_upper : "-";
  row->algorithm = lower == upper ? lower : lower + "/" + upper;
  // Why it was chosen is of interest where there was a choice.
  if (info.reason && row->algorithm != row->type) row->note = info.reason;
  row->levels_lower = static_cast<double>(info.levels_lower);
  row->levels_upper = static_cast<double>(info.levels_upper);
  row->rows_lower = info.mean_rows_per_level_lower;
  row->rows_upper = info.mean_rows_per_level_upper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode measure_factor(KSP ksp, bool is_reference, Row* row) {
  Mat F = nullptr, P = nullptr;
  PetscInt num_rows = 0;
  MatInfo info;
  std::vector<PetscScalar> answer, nudged;
  PetscFunctionBegin;
  PetscCall(find_factor(ksp, &F, &P));
  if (!F) {
    row->note = "the preconditioner has no factor to measure: use ilu, icc, lu or cholesky, or bjacobi or asm of these";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetSize(F, &num_rows, nullptr));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  row->n = static_cast<double>(num_rows);
  row->nnz = info.nz_used;
  PetscCall(describe_plugin_factor(F, row));
  PetscCall(apply_once(F, P, 0, &answer));
  if (is_reference) {
    PetscCall(apply_once(F, P, 8 * PETSC_MACHINE_EPSILON, &nudged));
    row->tolerance = 5e4 * PETSC_MACHINE_EPSILON + 1000 * largest_difference(nudged, answer);
  }
  row->answers.push_back(answer);
  PetscCall(time_solve(F, P, &row->mat_solve));
  row->measured = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors and solves again, with the values of original times 1 1/8, 1 2/8, ..., and applies the last factor once.
PetscErrorCode solve_scaled(const Settings& settings, KSP ksp, Mat original, Mat A, Vec b, Row* row) {
  Mat F = nullptr, P = nullptr;
  PhaseTimes before, after;
  PetscFunctionBegin;
  PetscCall(read_phase_times(&before));
  for (PetscInt k = 1; k <= settings.repeat_numeric; ++k) {
    PetscCall(MatCopy(original, A, SAME_NONZERO_PATTERN));
    PetscCall(MatScale(A, static_cast<PetscReal>(1 + 0.125 * k)));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(solve(ksp, A, b, row));
  }
  PetscCall(read_phase_times(&after));
  row->numeric = (after.numeric - before.numeric) / static_cast<double>(settings.repeat_numeric);
  if (after.symbolic > before.symbolic) row->note = "ran the symbolic phase again when only values changed";
  PetscCall(find_factor(ksp, &F, &P));
  if (F && row->converged) {
    row->answers.emplace_back();
    PetscCall(apply_once(F, P, 0, &row->answers.back()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As solve_scaled(); puts the values back, also after an error, since the next type needs them.
PetscErrorCode repeat_numeric(const Settings& settings, KSP ksp, Mat A, Vec b, Row* row) {
  Mat original = nullptr;
  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &original));
  const PetscErrorCode code = solve_scaled(settings, ksp, original, A, b, row);
  PetscCall(MatCopy(original, A, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&original));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run(const Settings& settings, Mat A, Vec b, bool is_reference, KSP* ksp, Row* row) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscFunctionBegin;
  PetscCall(set_up(settings, A, ksp, row));
  PetscCall(solve(*ksp, A, b, row));
  PetscCall(KSPGetConvergedReason(*ksp, &reason));
  if (reason != KSP_DIVERGED_PC_FAILED) PetscCall(measure_factor(*ksp, is_reference, row));
  if (settings.repeat_numeric > 0 && row->measured) PetscCall(repeat_numeric(settings, *ksp, A, b, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares with PETSc's own type, over all ranks.
PetscErrorCode judge(MPI_Comm comm, const Row* reference, Row* row) {
  PetscFunctionBegin;
  double seen[2] = {0, reference ? reference->tolerance : 0};
  if (reference) {
    for (std::size_t k = 0; k < row->answers.size() && k < reference->answers.size(); ++k) {
      seen[0] = std::max(seen[0], largest_difference(row->answers[k], reference->answers[k]));
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_DOUBLE, MPI_MAX, comm));
  if (reference && row->measured) row->difference = seen[0];
  if (!row->converged) {
    row->verdict = "not converged";
  } else if (!row->measured) {
    row->verdict = "no factor";
  } else if (!reference) {
    row->verdict = "reference";
  } else if (!reference->measured) {
    row->verdict = "no reference";
  } else if (!(seen[0] <= seen[1])) {
    row->verdict = "differs";
  } else {
    const double bound = 100 * std::max(reference->residual, row->rtol);
    row->verdict = row->residual <= bound ? "same" : "residual";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode make_rhs(Mat A, const std::string& kind, Vec* b) {
  Vec ones = nullptr;
  PetscRandom random = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &ones, b));
  PetscCall(VecSet(ones, 1));
  if (kind == "product") {
    PetscCall(MatMult(A, ones, *b));
  } else if (kind == "ones") {
    PetscCall(VecSet(*b, 1));
  } else {
    PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)A), &random));
    PetscCall(VecSetRandom(*b, random));
    PetscCall(PetscRandomDestroy(&random));
  }
  PetscCall(VecDestroy(&ones));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run_type(const Settings& settings, Mat A, Vec b, const std::string& type, const std::string& type_option,
                        const Row* reference, Row* row) {
  MPI_Comm comm = PetscObjectComm((PetscObject)A);
  PetscMPIInt num_ranks = 1;
  KSP ksp = nullptr;
  std::string message;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &num_ranks));
  row->type = type;
  PetscCall(PetscOptionsSetValue(nullptr, type_option.c_str(), type.c_str()));
  if (num_ranks == 1) PetscCall(PetscPushErrorHandler(keep_message, &message));
  const PetscErrorCode code = run(settings, A, b, reference == nullptr, &ksp, row);
  if (num_ranks == 1) PetscCall(PetscPopErrorHandler());
  if (num_ranks > 1) PetscCall(code);
  if (code != PETSC_SUCCESS) {
    row->note = message.empty() ? "PETSc error " + std::to_string(static_cast<int>(code)) : message;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(judge(comm, reference, row));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
