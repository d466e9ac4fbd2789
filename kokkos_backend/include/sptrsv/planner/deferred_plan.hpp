// SPDX-License-Identifier: Apache-2.0
// Decides on a host when to look for an algorithm that is faster than substitution by one thread.
#pragma once

#include <limits>

namespace sptrsv::detail {

/// Rule for when to analyze: once solves by `sequential`, which needs no analysis, have taken so long that the other
/// algorithm would have saved twice the time of its analysis. A program that solves a few times then pays for no
/// analysis, and one that stops right after the analysis has lost less than half of its solve time (the ski rental
/// problem of online algorithms).
class DeferredPlan {
 public:
  /// Starts the count.
  /// @param may_gain  false: no other algorithm can gain anything, so never look
  void start(bool may_gain) {
    *this = DeferredPlan{};
    if (may_gain) look_after_ = 0;
  }

  /// Tells whether must_look() or must_analyze() may become true.
  bool waits() const { return look_after_ < std::numeric_limits<double>::infinity(); }

  void record(double seconds, long long columns) {
    spent_ += seconds;
    double const of_column = seconds / static_cast<double>(columns);               // at most the time of one column
    if (++solves_ > 1 && (least_ == 0 || of_column < least_)) least_ = of_column;  // the first solve loads caches
  }
  /// Tells whether to bound the gain, which costs about as much as a solve: after 12 solves.
  bool must_look() const { return !looked_ && least_ > 0 && spent_ >= 12 * least_; }
  /// Records the bound.
  /// @param bound     lower bound of the seconds of a solve by any other algorithm
  /// @param analysis  seconds of the analysis of another algorithm
  /// @param pays      minimum gain that counts
  void look(double bound, double analysis, double pays) {
    looked_ = true;
    double const gain = least_ / bound;
    look_after_ = gain > pays ? 2 * analysis / (1 - 1 / gain) : std::numeric_limits<double>::infinity();
  }
  bool must_analyze() const { return looked_ && spent_ >= look_after_; }
  /// Ends the wait: another algorithm has been chosen, or none.
  void end() { look_after_ = std::numeric_limits<double>::infinity(); }

  /// Returns the minimum seconds of a solve by `sequential` so far.
  double sequential_seconds() const { return least_; }

 private:
  double look_after_ = std::numeric_limits<double>::infinity(), spent_ = 0, least_ = 0;
  long long solves_ = 0;
  bool looked_ = false;
};

}  // namespace sptrsv::detail
