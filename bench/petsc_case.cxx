// SPDX-License-Identifier: Apache-2.0
// Factors by PETSc's functions for solver types, without KSP and PC, so that phases can be timed separately.
#include "petsc_case.hpp"

#include <petscdevice.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "petsc_errors.hpp"

namespace sptrsv::bench {
namespace {

/// Waits for all work on PETSc's stream.
void synchronize(Errors const& errors) {
  PetscDeviceContext device = nullptr;
  errors.must(PetscDeviceContextGetCurrentContext(&device));
  errors.must(PetscDeviceContextSynchronize(device));
}

/// Returns a number in [0, 1) that depends only on i.
double hash_to_unit(std::uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15u;
  i = (i ^ (i >> 30)) * 0xBF58476D1CE4E5B9u;
  i = (i ^ (i >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((i ^ (i >> 31)) >> 11) * 0x1.0p-53;
}

/// Returns the largest relative difference of two elements; a finite and a non-finite element differ by 1.
double largest_difference(std::vector<PetscScalar> const& z, std::vector<PetscScalar> const& reference) {
  if (z.size() != reference.size()) return std::numeric_limits<double>::infinity();
  double largest = 0, magnitude = 0;
  for (auto const& value : reference) {
    double const size = PetscAbsScalar(value);
    if (std::isfinite(size)) magnitude = std::max(magnitude, size);
  }
  double const tiny = PETSC_MACHINE_EPSILON * magnitude;  // an element that cancels to zero has no relative error
  for (std::size_t i = 0; i < z.size(); ++i) {
    double const size = PetscAbsScalar(reference[i]), difference = PetscAbsScalar(z[i] - reference[i]);
    if (std::isfinite(difference)) {
      if (difference > 0) largest = std::max(largest, difference / (size + tiny));
    } else if (std::isfinite(size) || std::isfinite(PetscAbsScalar(z[i]))) {
      largest = std::max(largest, 1.0);
    }
  }
  return largest;
}

/// Matrix of the requested type, its factor, and vectors that suit both.
class Factor {
 public:
  Factor(Mat A, PetscCase what, Errors const& errors) : what_(std::move(what)), errors_(errors) {
    must(MatConvert(A, what_.mat_type.c_str(), MAT_INITIAL_MATRIX, &matrix_));
    must(MatGetOrdering(matrix_, what_.ordering.c_str(), &rows_, &columns_));
    must(MatCreateVecs(matrix_, &x_, &b_));
    must(MatFactorInfoInitialize(&info_));
    info_.fill = is_complete() ? 5 : 1;
    info_.zeropivot = 100 * PETSC_MACHINE_EPSILON;
  }
  ~Factor() {
    (void)MatDestroy(&factor_);
    (void)MatDestroy(&matrix_);
    (void)ISDestroy(&rows_);
    (void)ISDestroy(&columns_);
    (void)VecDestroy(&x_);
    (void)VecDestroy(&b_);
  }
  Factor(Factor const&) = delete;
  Factor& operator=(Factor const&) = delete;

  void forget() { must(MatDestroy(&factor_)); }
  void symbolic() {
    must(MatGetFactor(matrix_, what_.type.c_str(), what_.factor, &factor_));
    if (!factor_) throw std::runtime_error("PETSc has no such factor for this type of matrix");
    if (is_complete() && is_symmetric()) must(MatCholeskyFactorSymbolic(factor_, matrix_, rows_, &info_));
    else if (is_complete()) must(MatLUFactorSymbolic(factor_, matrix_, rows_, columns_, &info_));
    else if (is_symmetric()) must(MatICCFactorSymbolic(factor_, matrix_, rows_, &info_));
    else must(MatILUFactorSymbolic(factor_, matrix_, rows_, columns_, &info_));
  }
  void numeric() {
    if (is_symmetric()) must(MatCholeskyFactorNumeric(factor_, matrix_, &info_));
    else must(MatLUFactorNumeric(factor_, matrix_, &info_));
  }
  /// Solves once for a right-hand side with elements between 1 and 2, each changed by a factor of at most 1 + `nudge`.
  std::vector<PetscScalar> answer(PetscReal nudge) {
    PetscInt n = 0;
    PetscScalar* values = nullptr;
    must(VecGetLocalSize(b_, &n));
    must(VecGetArrayWrite(b_, &values));
    for (PetscInt i = 0; i < n; ++i) {
      auto const index = static_cast<std::uint64_t>(i);
      auto const change = static_cast<PetscReal>(2 * hash_to_unit(~index) - 1);
      values[i] = static_cast<PetscReal>(1 + hash_to_unit(index)) * (1 + nudge * change);
    }
    must(VecRestoreArrayWrite(b_, &values));
    solve();
    PetscScalar const* x = nullptr;
    must(VecGetArrayRead(x_, &x));
    std::vector<PetscScalar> const answer(x, x + n);
    must(VecRestoreArrayRead(x_, &x));
    fill_b();
    return answer;
  }
  void check_pivots() {
    MatFactorError error = MAT_FACTOR_NOERROR;
    must(MatFactorGetError(factor_, &error));
    if (error != MAT_FACTOR_NOERROR) throw std::runtime_error("the factorization met a zero pivot");
  }
  void solve() { must(MatSolve(factor_, b_, x_)); }
  void fill_b() { must(VecSet(b_, 1)); }
  void scale(double factor) { must(MatScale(matrix_, factor)); }

 private:
  void must(PetscErrorCode code) const { errors_.must(code); }
  bool is_complete() const { return what_.factor == MAT_FACTOR_LU || what_.factor == MAT_FACTOR_CHOLESKY; }
  bool is_symmetric() const { return what_.factor == MAT_FACTOR_ICC || what_.factor == MAT_FACTOR_CHOLESKY; }

  PetscCase what_;
  Errors const& errors_;
  Mat matrix_ = nullptr, factor_ = nullptr;
  IS rows_ = nullptr, columns_ = nullptr;
  Vec x_ = nullptr, b_ = nullptr;
  MatFactorInfo info_;
};

std::string find_error(Factor& factor, PetscReference const& reference) {
  double const difference = largest_difference(factor.answer(0), reference.answer);
  if (difference <= reference.tolerance) return "";
  std::ostringstream text;
  text << "wrong answer: an element differs from PETSc's own by " << difference << " of itself, more than "
       << reference.tolerance;
  return text.str();
}

}  // namespace

PetscReference make_reference(Mat A, PetscCase what) {
  Errors const errors;
  what.type = MATSOLVERPETSC;
  Factor factor(A, what, errors);
  factor.symbolic();
  factor.numeric();
  factor.check_pivots();
  auto const answer = factor.answer(0);
  double const change = largest_difference(factor.answer(8 * PETSC_MACHINE_EPSILON), answer);
  return {answer, 5e4 * PETSC_MACHINE_EPSILON + 1000 * change};
}

PetscResult time_petsc_case(Mat A, PetscCase const& what, Limits const& limits, PetscReference const& reference) try {
  Errors const errors;
  PetscResult r;
  Factor factor(A, what, errors);
  auto const fence = [&] { synchronize(errors); };
  auto const solve = [&] { factor.solve(); };
  auto const numeric = [&] { factor.numeric(); };
  factor.fill_b();
  for (int run = 0; run < 2; ++run) {  // the first run loads kernels
    factor.forget();
    r.symbolic = seconds_of([&] { factor.symbolic(); }, fence);
    r.first_numeric = seconds_of(numeric, fence);
    r.first_solve = seconds_of(solve, fence);
  }
  factor.check_pivots();
  r.error = find_error(factor, reference);
  if (!r.error.empty()) return r;
  r.solve = measure(limits, r.first_solve, solve, fence);
  bool doubled = false;
  auto const change_values = [&] {
    factor.scale(doubled ? 0.5 : 2);
    doubled = !doubled;
  };
  r.numeric = measure_prepared(limits, r.first_numeric, change_values, numeric, fence);
  auto const renew = [&] {
    factor.numeric();
    factor.solve();
  };
  r.renewal = measure_prepared(limits, r.first_numeric + r.first_solve, change_values, renew, fence);
  if (doubled) change_values();
  factor.numeric();
  r.error = find_error(factor, reference);
  r.cut_short = std::max(r.first_solve, r.first_numeric) > limits.cut_short;
  return r;
} catch (std::exception const& e) {
  PetscResult r;
  r.error = e.what();
  return r;
}

}  // namespace sptrsv::bench
