// SPDX-License-Identifier: Apache-2.0
// Treatment of small pivots: PETSc's tests and shifts, and the resulting loop of passes.
#pragma once

namespace sptrsv {

/// Treatment of a too small pivot, PETSc's MatFactorShiftType.
enum class Shift {
  none,               ///< |pivot| <= zero_pivot is reported, and the factorization continues
  nonzero,            ///< |pivot| <= zero_pivot rs: repeats with A + amount I, doubling the amount each time
  positive_definite,  ///< Re(pivot) <= zero_pivot rs: repeats with A + amount I, with the amount by bisection
  in_blocks           ///< |pivot| <= zero_pivot: adds the amount to this pivot only
};

/// Rules for pivots. Here rs is the sum of the magnitudes of a row's entries in the factors, without its pivot.
struct PivotRules {
  Shift shift = Shift::none;
  double zero_pivot = 2.2e-14;
  double amount = 0;      ///< for nonzero and in_blocks
  bool contract = false;  ///< rounds x - l u once, as PETSc does if its compiler contracts
  /// Changes of A's diagonal before the factorization: a_ii becomes diagonal_scale a_ii + diagonal_offset, or
  /// diagonal_scale a_ii - diagonal_offset if its real part is positive (relative and absolute threshold of Ifpack2's
  /// RILUK). Shifts use the unchanged A.
  double diagonal_scale = 1, diagonal_offset = 0;
  /// Upper end of the bisection of positive_definite. -1: 1.1 times the shift that makes A diagonally dominant.
  double greatest_amount = -1;
  /// Rules for factors with dense blocks; the rules above do not apply to them. In a diagonal block d, a pivot of
  /// exactly 0 other than the last becomes block_shift, or if block_shift_is_relative, block_shift (1e-12 + sum_k
  /// |d_kk|). With block_shift = 0 it stays 0 and is reported. Without interchanges of the rows of a diagonal block, no
  /// pivot counts as zero.
  double block_shift = 0;
  bool block_shift_is_relative = true, interchange_in_blocks = true;
};

/// Result of a numeric phase. Rows count from 0, in the order of the factors.
struct PivotStatus {
  int passes = 0;            ///< number of passes over all rows
  long long num_shifts = 0;  ///< restarts, or pivots shifted in_blocks
  double shift_amount = 0;   ///< shift of the last pass
  long long zero_row = -1;   ///< the last row with a pivot that counted as zero and was not shifted; -1: none
  long long first_row = -1;  ///< the first such row
  double zero_value = 0;     ///< magnitude of zero_row's pivot
  double first_value = 0;    ///< magnitude of first_row's pivot
  bool endless = false;      ///< no further shift would have changed anything: PETSc would loop forever
  /// Dense blocks: first row of blocks in which D^-1 U has left the range of numbers; solves may be wrong. -1: none.
  long long out_of_range_row = -1;
};

namespace detail {

/// Amounts that PETSc's MatPivotCheck() and MatPivotRefine() add to A's diagonal, pass by pass.
template <class R>
class ShiftLoop {
 public:
  /// @param refine  for positive_definite: whether to try a smaller amount after one that suffices (LU, ILU)
  ShiftLoop(PivotRules const& rules, bool refine) : rules_(rules), refine_(refine) {}

  R amount() const { return amount_; }
  int num_shifts() const { return shifts_; }
  bool endless() const { return endless_; }

  /// Chooses the next amount after a pass.
  /// @param failed  whether a pivot of the pass was too small
  /// @param top  called at most once, for positive_definite: 1.1 max(zero_pivot, max_i (sum_j |a_ij| - |a_ii| -
  /// Re(a_ii)))
  /// @return whether there is another pass
  template <class Top>
  bool next(bool failed, Top const& top) {
    R const before = amount_;
    if (failed && rules_.shift == Shift::positive_definite && shifts_ == 0) top_ = top();
    if (rules_.shift == Shift::nonzero) {
      if (!failed) return false;
      amount_ = shifts_ == 0 ? static_cast<R>(rules_.amount) : amount_ * 2;
      ++shifts_;
      endless_ = shifts_ > 1 && amount_ == before;
      return !endless_;
    }
    if (rules_.shift != Shift::positive_definite) return false;
    if (failed) {
      if (shifts_ == most_shifts) {
        fraction_ = high_;
      } else {
        low_ = fraction_;
        fraction_ = (high_ + low_) / 2;
      }
      amount_ = fraction_ * top_;
      ++shifts_;
      endless_ = shifts_ > most_shifts + 1 && amount_ == before;
      return !endless_;
    }
    if (!refine_ || !(fraction_ > 0) || shifts_ >= most_shifts) return false;
    high_ = fraction_;
    fraction_ = (high_ + low_) / 2;
    amount_ = fraction_ * top_;
    ++shifts_;
    return true;
  }

 private:
  static constexpr int most_shifts = 5;
  PivotRules rules_;
  R top_ = 0, amount_ = 0, low_ = 0, high_ = 1, fraction_ = 0;
  int shifts_ = 0;
  bool refine_, endless_ = false;
};

}  // namespace detail
}  // namespace sptrsv
