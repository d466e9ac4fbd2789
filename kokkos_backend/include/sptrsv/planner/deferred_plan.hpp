// SPDX-License-Identifier: Apache-2.0
// Decides on a host when to look for an algorithm that is faster than substitution by one thread.
#pragma once

#include <limits>

namespace sptrsv::detail {

/// Compares the time that solves by `sequential`, which needs no analysis, have taken with that of analyzing another
/// algorithm. The analysis is made once the solves so far would have gained twice its time by it. So a program that
/// solves a few times pays for no analysis at all, and one that stops solving right after the analysis has lost by it
/// less than half of the time of its solves: the ski rental problem of the theory of online algorithms.
class DeferredPlan {
 public:
  /// Starts to count; `rows` decides whether there can be anything to gain.
  void start(bool may_gain) {
    *this = DeferredPlan{};
    if (may_gain) look_after_ = 0;
  }

  /// Whether the next solve should be followed by a call of must_look() or must_analyze().
  bool waits() const { return look_after_ < std::numeric_limits<double>::infinity(); }

  /// Records the time of one solve of `columns` columns.
  void record(double seconds, long long columns) {
    spent_ += seconds;
    double const of_column = seconds / static_cast<double>(columns);               // less than one column alone takes
    if (++solves_ > 1 && (least_ == 0 || of_column < least_)) least_ = of_column;  // the first one loads caches
  }
  /// Whether it is time to bound the gain, which costs about as much as a solve: after 12 of them.
  bool must_look() const { return !looked_ && least_ > 0 && spent_ >= 12 * least_; }
  /// Records the bound. @param bound  seconds of a solve that no other algorithm is below
  /// @param analysis  seconds that it takes to analyze one
  void look(double bound, double analysis, double pays) {
    looked_ = true;
    double const gain = least_ / bound;
    look_after_ = gain > pays ? 2 * analysis / (1 - 1 / gain) : std::numeric_limits<double>::infinity();
  }
  bool must_analyze() const { return looked_ && spent_ >= look_after_; }
  /// Ends the wait: another algorithm has been chosen, or none.
  void end() { look_after_ = std::numeric_limits<double>::infinity(); }

  /// Seconds of a solve by `sequential`, the least so far.
  double sequential_seconds() const { return least_; }

 private:
  double look_after_ = std::numeric_limits<double>::infinity(), spent_ = 0, least_ = 0;
  long long solves_ = 0;
  bool looked_ = false;
};

}  // namespace sptrsv::detail
