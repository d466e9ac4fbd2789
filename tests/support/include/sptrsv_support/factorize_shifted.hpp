// SPDX-License-Identifier: Apache-2.0
// Incomplete factors with PETSc's shifts of small pivots, pass after pass: the oracle of a factorization's pivot
// statuses.
#pragma once

#include "sptrsv_support/factorize.hpp"

namespace sptrsv::support {

/// Copy of PETSc's MatFactorShiftType, in its order.
enum class ShiftKind { none, nonzero, positive_definite, in_blocks };

template <class R>
struct ShiftRules {
  ShiftKind kind = ShiftKind::none;
  R zero_pivot = 0, amount = 0;
  bool contract = false;
};

/// Outcome of the passes; the rows are those of the last pass.
template <class R>
struct ShiftResult {
  int passes = 0, shifts = 0;
  R amount = 0;
  long long first_row = -1, last_row = -1;  ///< rows whose pivot counted as zero; after a row that restarts none is
                                            ///< checked
  R first_value = 0, last_value = 0;
  bool endless = false;
};

/// State that PETSc keeps from pass to pass: MatPivotCheck() and MatPivotRefine().
template <class R>
class Shifts {
 public:
  Shifts(ShiftRules<R> const& rules, R top) : rules_(rules), top_(top) {}

  /// Judges a pivot. @return whether the pass ends with it
  template <class S>
  bool judge(int row, S& pivot, R sum) {
    bool const relative = rules_.kind == ShiftKind::nonzero || rules_.kind == ShiftKind::positive_definite;
    R const least = relative ? rules_.zero_pivot * sum : rules_.zero_pivot;
    R const size = rules_.kind == ShiftKind::positive_definite ? std::real(pivot) : std::abs(pivot);
    if (pivot != pivot || !(size <= least)) return false;
    if (rules_.kind == ShiftKind::in_blocks) {
      pivot += rules_.amount;
      ++found.shifts;
      return false;
    }
    if (found.first_row < 0) found.first_row = row, found.first_value = size;
    found.last_row = row, found.last_value = size;
    return relative;
  }
  /// Sets the amount of the next pass, after a pass that ended with a pivot.
  void raise() {
    R const amount = found.amount, low = low_, high = high_;
    if (rules_.kind == ShiftKind::nonzero) {
      found.amount = found.shifts == 0 ? rules_.amount : found.amount * R(2);
      found.endless = found.shifts > 0 && found.amount == amount;
    } else {
      bool const last = found.shifts == most;
      if (last) fraction_ = high_;
      else low_ = fraction_, fraction_ = middle();
      found.amount = fraction_ * top_;
      found.endless = found.shifts > most && found.amount == amount && low_ == low && high_ == high;
    }
    ++found.shifts;
  }
  /// Tells, after a completed pass, whether a smaller amount is tried, and sets it.
  bool lower() {
    if (rules_.kind != ShiftKind::positive_definite || !(fraction_ > 0) || found.shifts >= most) return false;
    high_ = fraction_;
    fraction_ = middle();
    found.amount = fraction_ * top_;
    ++found.shifts;
    return true;
  }

  ShiftResult<R> found;

 private:
  static constexpr int most = 5;
  R middle() const { return (high_ + low_) / R(2); }
  ShiftRules<R> rules_;
  R top_, fraction_ = 0, low_ = 0, high_ = 1;
};

/// Returns the amount that makes A diagonally dominant, and a tenth more; `a` is not yet permuted.
template <class S, class R>
R dominant_shift(Csr<S> const& a, R least) {
  R top = least;
  for (int i = 0; i < a.n; ++i) {
    S diagonal(0);
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col_idx[k] == i) diagonal = a.values[k];
    R sum = -std::abs(diagonal) - std::real(diagonal);
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) sum += std::abs(a.values[k]);
    if (sum > top) top = sum;
  }
  return static_cast<R>(top * 1.1);
}

/// Computes f's values. @param a, permuted  A, and A(row_perm, col_perm)
template <class S, class R>
ShiftResult<R> factorize(Csr<S> const& a, Csr<S> const& permuted, ShiftRules<R> const& rules, IncompleteFactors<S>& f) {
  Shifts<R> shifts(rules, dominant_shift(a, rules.zero_pivot));
  auto const judge = [&](int row, S& pivot, R sum) { return shifts.judge(row, pivot, sum); };
  for (;;) {
    auto& found = shifts.found;
    ++found.passes;
    found.first_row = found.last_row = -1;
    R const amount = found.amount;
    bool const through = f.symmetric ? cholesky_pass(permuted, amount, judge, rules.contract, f)
                                     : lu_pass(permuted, amount, judge, rules.contract, f);
    if (through && (f.symmetric || !shifts.lower())) return found;
    if (!through) shifts.raise();
    if (found.endless) return found;
  }
}

}  // namespace sptrsv::support
