// SPDX-License-Identifier: Apache-2.0
// What a factorization does with small pivots: PETSc's tests and shifts, and the loop of passes that they make.
#pragma once

namespace sptrsv {

/// What is done with a pivot that is too small, PETSc's MatFactorShiftType.
enum class Shift {
  none,               ///< |pivot| <= zero_pivot is reported, and the factorization goes on
  nonzero,            ///< |pivot| <= zero_pivot rs: once more with A + amount I, the amount doubled each time
  positive_definite,  ///< Re(pivot) <= zero_pivot rs: once more with A + amount I, the amount found by bisection
  in_blocks           ///< |pivot| <= zero_pivot: the amount is added to this pivot alone
};

/// rs is the sum of the magnitudes of a row's entries in the factors, without its pivot.
struct PivotRules {
  Shift shift = Shift::none;
  double zero_pivot = 2.2e-14;
  double amount = 0;      ///< of nonzero and in_blocks
  bool contract = false;  ///< x - l u with one rounding, for a PETSc whose compiler contracts
  /// Before anything else a_ii becomes diagonal_scale a_ii + diagonal_offset, and where its real part is positive,
  /// diagonal_scale a_ii - diagonal_offset: the relative and the absolute threshold of Ifpack2's RILUK. Shifts do not
  /// see it in A.
  double diagonal_scale = 1, diagonal_offset = 0;
  /// Shift::positive_definite: the amount that the bisection begins below, or -1: 1.1 times the one with which A's rows
  /// are diagonally dominant.
  double greatest_amount = -1;
  /// Of factors by blocks, which know no other rules: a pivot of exactly 0 in a diagonal block, but for its last one,
  /// becomes `block_shift`, times 1e-12 plus the magnitudes on the block's diagonal where that is asked for; 0: it
  /// stays, and is reported. Without interchanges of a diagonal block's rows no pivot counts as zero.
  double block_shift = 0;
  bool block_shift_is_relative = true, interchange_in_blocks = true;
};

/// How a numeric phase ended. Rows count from 0, in the order of the factors.
struct PivotVerdict {
  int passes = 0;            ///< over all rows
  long long num_shifts = 0;  ///< restarts, or pivots shifted in_blocks
  double shift_amount = 0;   ///< of the last pass
  long long zero_row = -1;   ///< the last row whose pivot counted as zero, and was left so; -1: none
  long long first_row = -1;  ///< the first such row
  double zero_value = 0;     ///< magnitude of zero_row's pivot
  double first_value = 0;    ///< of first_row's
  bool endless = false;      ///< no further shift would have changed anything: PETSc would not return
  /// By blocks: the first row of blocks in which D^-1 U has left the range of numbers, so that solves with it may be
  /// wrong; -1: none.
  long long out_of_range_row = -1;
};

namespace detail {

/// The amounts that PETSc's MatPivotCheck() and MatPivotRefine() add to A's diagonal, pass by pass.
template <class R>
class ShiftLoop {
 public:
  /// @param refine  positive_definite: whether an amount that was enough is halved (LU, ILU)
  ShiftLoop(PivotRules const& rules, bool refine) : rules_(rules), refine_(refine) {}

  R amount() const { return amount_; }
  int num_shifts() const { return shifts_; }
  bool endless() const { return endless_; }

  /// After a pass. @param failed  whether a pivot of it was too small.
  /// @param top  called once, where positive_definite needs it:
  ///             1.1 max(zero_pivot, max over rows of sum |a_ij| - |a_ii| - Re(a_ii))
  /// @return whether there is another pass.
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
