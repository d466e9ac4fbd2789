// SPDX-License-Identifier: Apache-2.0
// Measures one factor through PETSc's public functions only.
#include "measure.hpp"

#include <petsctime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "sptrsv_support/petsc_success.hpp"

namespace {

PetscErrorCode read_event(const char* name, PetscEventPerfInfo* info) {
  PetscLogEvent event = -1;
  PetscFunctionBegin;
  *info = {};
  PetscCall(PetscLogEventGetId(name, &event));
  if (event >= 0) PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode add_event(const char* name, PetscLogDouble* seconds) {
  PetscEventPerfInfo info;
  PetscFunctionBegin;
  PetscCall(read_event(name, &info));
  *seconds += info.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns a number in [0, 1) that depends only on i.
double hash_to_unit(std::uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15u;
  i = (i ^ (i >> 30)) * 0xBF58476D1CE4E5B9u;
  i = (i ^ (i >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((i ^ (i >> 31)) >> 11) * 0x1.0p-53;
}

/// Fills r with elements between 1 and 2, each with a relative change of at most `nudge`.
PetscErrorCode fill(Vec r, PetscReal nudge) {
  PetscInt n = 0;
  PetscScalar* values = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArray(r, &values));
  for (PetscInt i = 0; i < n; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double change = 2 * hash_to_unit(~index) - 1;
    values[i] = static_cast<PetscReal>(1 + hash_to_unit(index)) * (1 + nudge * static_cast<PetscReal>(change));
  }
  PetscCall(VecRestoreArray(r, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Times one MatSolve. If vectors are on a device, a solve may return before it is done: the time is then the average
/// over a batch, which ends with a norm that waits for the last solve.
PetscErrorCode time_batch(Mat F, Vec r, Vec z, int batch, double* seconds) {
  PetscLogDouble begin = 0, end = 0;
  PetscReal norm = 0;
  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  for (int k = 0; k < batch; ++k) PetscCall(MatSolve(F, r, z));
  if (batch > 1) PetscCall(VecNorm(z, NORM_INFINITY, &norm));
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / batch;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode read_phase_times(PhaseTimes* times) {
  PetscFunctionBegin;
  *times = PhaseTimes();
  for (const char* name : {"MatILUFactorSym", "MatICCFactorSym", "MatLUFactorSym", "MatCholFctrSym"}) {
    PetscCall(add_event(name, &times->symbolic));
  }
  for (const char* name : {"MatLUFactorNum", "MatCholFctrNum"}) PetscCall(add_event(name, &times->numeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode read_solve_log(SolveLog* log) {
  PetscEventPerfInfo info;
  PetscFunctionBegin;
  PetscCall(read_event("MatSolve", &info));
  log->seconds = info.time;
  log->calls = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode find_factor(KSP ksp, Mat* F, Mat* P) {
  PC pc = nullptr;
  KSP* blocks = nullptr;
  PetscInt num_blocks = 0;
  PetscBool is_bjacobi = PETSC_FALSE, is_asm = PETSC_FALSE, is_factor = PETSC_FALSE;
  PetscFunctionBegin;
  *F = *P = nullptr;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &is_bjacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCASM, &is_asm));
  if (is_bjacobi) PetscCall(PCBJacobiGetSubKSP(pc, &num_blocks, nullptr, &blocks));
  if (is_asm) PetscCall(PCASMGetSubKSP(pc, &num_blocks, nullptr, &blocks));
  if (num_blocks > 0) PetscCall(KSPGetPC(blocks[0], &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &is_factor, PCILU, PCICC, PCLU, PCCHOLESKY, ""));
  if (is_factor) {
    PetscCall(PCFactorGetMatrix(pc, F));
    PetscCall(PCGetOperators(pc, nullptr, P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode apply_once(Mat F, Mat P, PetscReal nudge, std::vector<PetscScalar>* z) {
  Vec in = nullptr, out = nullptr;
  PetscInt n = 0;
  const PetscScalar* values = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(P, &out, &in));
  PetscCall(fill(in, nudge));
  PetscCall(MatSolve(F, in, out));
  PetscCall(VecGetLocalSize(out, &n));
  PetscCall(VecGetArrayRead(out, &values));
  z->assign(values, values + n);
  PetscCall(VecRestoreArrayRead(out, &values));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_solve(Mat F, Mat P, double* seconds, double enough_seconds) {
  constexpr std::size_t fewest = 5, most = 1000;
  Vec in = nullptr, out = nullptr;
  PetscBool on_host = PETSC_FALSE;
  std::vector<double> samples;
  double total = 0;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(P, &out, &in));
  PetscCall(fill(in, 0));
  PetscCall(PetscObjectTypeCompare((PetscObject)in, VECSEQ, &on_host));
  const int batch = on_host ? 1 : 20;
  for (int warm_up = 0; warm_up < 2; ++warm_up) PetscCall(time_batch(F, in, out, batch, seconds));
  while (samples.size() < fewest || (total < enough_seconds && samples.size() < most)) {
    PetscCall(time_batch(F, in, out, batch, seconds));
    samples.push_back(*seconds);
    total += *seconds * batch;
  }
  *seconds = median_of(std::move(samples));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return -1;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double largest_difference(const std::vector<PetscScalar>& z, const std::vector<PetscScalar>& reference) {
  if (z.size() != reference.size()) return std::numeric_limits<double>::infinity();
  double largest = 0, magnitude = 0;
  for (const PetscScalar& value : reference) {
    const double size = PetscAbsScalar(value);
    if (std::isfinite(size)) magnitude = std::max(magnitude, size);
  }
  const double tiny = PETSC_MACHINE_EPSILON * magnitude;  // an element that cancels to zero has no relative error
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double size = PetscAbsScalar(reference[i]), difference = PetscAbsScalar(z[i] - reference[i]);
    if (std::isfinite(difference)) {
      if (difference > 0) largest = std::max(largest, difference / (size + tiny));
    } else if (std::isfinite(size) || std::isfinite(PetscAbsScalar(z[i]))) {
      largest = std::max(largest, 1.0);
    }
  }
  return largest;
}
