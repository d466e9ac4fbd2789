// SPDX-License-Identifier: Apache-2.0
// Sets up, solves with, judges and measures one solver type.
#include "run_type.hpp"

#include <petsctime.h>
#include <sptrsv_petsc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "measure.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

/// Keeps the message of the first error instead of printing it.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType kind,
                            const char* message, void* context) {
  if (kind == PETSC_ERROR_INITIAL) *static_cast<std::string*>(context) = message;
  return code;
}

/// Calls the function for the row's type. On one rank a PETSc error becomes the row's verdict and note.
template <class Function>
PetscErrorCode with_type(MPI_Comm comm, const std::string& type_option, Row* row, const Function& function) {
  PetscMPIInt num_ranks = 1;
  std::string message;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &num_ranks));
  PetscCall(PetscOptionsSetValue(nullptr, type_option.c_str(), row->type.c_str()));
  if (num_ranks > 1) {
    PetscCall(function());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPushErrorHandler(keep_message, &message));
  const PetscErrorCode code = function();
  PetscCall(PetscPopErrorHandler());
  if (code != PETSC_SUCCESS) {
    row->verdict = "error";
    row->notes = {message.empty() ? "PETSc error " + std::to_string(static_cast<int>(code)) : message};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up(Mat A, KSP* ksp) {
  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSetUp(*ksp));
  PetscCall(KSPSetUpOnBlocks(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves and keeps the largest true residual of all solves.
PetscErrorCode solve(KSP ksp, Mat A, Vec b, Row* row) {
  Vec x = nullptr, r = nullptr;
  PetscReal norm_b = 0, norm_r = 0, rtol = 0;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  const char* text = nullptr;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPSolve(ksp, b, x));
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
  row->converged = (first || row->converged) && reason > 0;
  row->iterations = static_cast<double>(iterations);
  row->reason = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Adds to the notes what -ksp_view says about the triangles of a factor: the type of each and the reason.
PetscErrorCode note_choice(Mat F, Row* row) {
  std::FILE* file = std::tmpfile();
  PetscViewer viewer = nullptr;
  char line[512];
  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot make a temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(F, viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCheck(std::fseek(file, 0, SEEK_SET) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "cannot read a temporary file");
  while (std::fgets(line, sizeof(line), file)) {
    std::string text = line;
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of('\n') + 1);
    const std::size_t reason_end = text.find("), ");
    if (reason_end != std::string::npos) text.erase(reason_end + 1);  // removes the type's parameters
    if (text.rfind("L: ", 0) == 0 || text.rfind("U: ", 0) == 0) row->notes.push_back(text);
  }
  std::fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Fills the row with the plugin's information about its factor.
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
  row->levels_lower = static_cast<double>(info.levels_lower);
  row->levels_upper = static_cast<double>(info.levels_upper);
  row->rows_lower = info.mean_rows_per_level_lower;
  row->rows_upper = info.mean_rows_per_level_upper;
  if (row->algorithm != row->type) PetscCall(note_choice(F, row));  // only if there was a choice
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the properties of the factor, and applies it once.
PetscErrorCode look_at_factor(KSP ksp, bool is_reference, Row* row) {
  Mat F = nullptr, P = nullptr;
  PetscInt num_rows = 0;
  MatInfo info;
  std::vector<PetscScalar> answer, nudged;
  PetscFunctionBegin;
  PetscCall(find_factor(ksp, &F, &P));
  if (!F) {
    row->notes = {
        "the preconditioner has no factor to measure: use ilu, icc, lu or cholesky, or bjacobi or asm of these"};
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
  row->measured = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors and solves again, with the original values times 1 1/8, 1 2/8, ..., and applies the last factor once.
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
  row->samples.numeric = {(after.numeric - before.numeric) / static_cast<double>(settings.repeat_numeric)};
  if (after.symbolic > before.symbolic) row->notes.push_back("ran the symbolic phase again when only values changed");
  PetscCall(find_factor(ksp, &F, &P));
  if (F && row->converged) {
    row->answers.emplace_back();
    PetscCall(apply_once(F, P, 0, &row->answers.back()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls solve_scaled() and restores the values, also after an error, since the next type needs them.
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

PetscErrorCode run(const Settings& settings, Mat A, Vec b, bool is_reference, Row* row) {
  KSP ksp = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscFunctionBegin;
  PetscCall(set_up(A, &ksp));
  PetscCall(solve(ksp, A, b, row));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason != KSP_DIVERGED_PC_FAILED) PetscCall(look_at_factor(ksp, is_reference, row));
  if (settings.repeat_numeric > 0 && row->measured) PetscCall(repeat_numeric(settings, ksp, A, b, row));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Times KSPSolve, and by PETSc's log the MatSolve in it. If vectors are on a device, MatSolve may return before it is
/// done, and the log does not have its time.
PetscErrorCode time_krylov(KSP ksp, Vec b, Samples* samples) {
  Vec x = nullptr;
  PetscReal norm = 0;
  PetscBool on_host = PETSC_FALSE;
  SolveLog before, after;
  PetscLogDouble begin = 0, end = 0;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(read_solve_log(&before));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));  // waits for the device
  PetscCall(PetscTime(&end));
  PetscCall(read_solve_log(&after));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &on_host, VECSEQ, VECMPI, ""));
  samples->ksp_solve.push_back(end - begin);
  const int calls = after.calls - before.calls;
  if (on_host && calls > 0) samples->in_krylov.push_back((after.seconds - before.seconds) / calls);
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_once(const Settings& settings, Mat A, Vec b, Row* row) {
  constexpr double seconds_alone = 0.2;  // for all runs together
  KSP ksp = nullptr;
  Mat F = nullptr, P = nullptr;
  PhaseTimes before, after;
  double seconds = 0;
  PetscFunctionBegin;
  PetscCall(read_phase_times(&before));
  PetscCall(set_up(A, &ksp));
  PetscCall(read_phase_times(&after));
  row->samples.symbolic.push_back(after.symbolic - before.symbolic);
  if (settings.repeat_numeric == 0) row->samples.numeric.push_back(after.numeric - before.numeric);
  PetscCall(time_krylov(ksp, b, &row->samples));
  if (row->measured) {
    PetscCall(find_factor(ksp, &F, &P));
    PetscCall(time_solve(F, P, &seconds, seconds_alone / static_cast<double>(settings.runs)));
    row->samples.mat_solve.push_back(seconds);
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares the result with that of PETSc's own type, over all ranks.
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
  PetscFunctionBegin;
  row->type = type;
  PetscCall(with_type(comm, type_option, row, [&] { return run(settings, A, b, reference == nullptr, row); }));
  if (row->verdict.empty()) PetscCall(judge(comm, reference, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_type(const Settings& settings, Mat A, Vec b, const std::string& type_option, Row* row) {
  MPI_Comm comm = PetscObjectComm((PetscObject)A);
  PetscLogDouble begin = 0, end = 0;
  PetscFunctionBegin;
  if (row->verdict == "error") PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(with_type(comm, type_option, row, [&] { return time_once(settings, A, b, row); }));
  PetscCall(PetscTime(&end));
  row->seconds += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
