// SPDX-License-Identifier: Apache-2.0
// Decides on a host when to look for an algorithm that is faster than substitution by one thread, and then, solve by
// solve, which of the two runs.
#pragma once

#include <algorithm>
#include <limits>

namespace sptrsv::detail {

/// Rule for when to analyze. Solves start with `sequential`, which needs no analysis; another algorithm is analyzed
/// once it would have saved twice the time of its analysis. A program that solves only a few times then pays for no
/// analysis. A program that stops right after the analysis has lost less than half of its solve time (the ski rental
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
    double const of_column = seconds / static_cast<double>(columns);               // no more than a solve of one column
    if (++solves_ > 1 && (least_ == 0 || of_column < least_)) least_ = of_column;  // the first solve loads caches
  }
  /// Tells whether to compute a bound of the gain, which costs about as much as a solve; true after 12 solves.
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

/// Tuning of two algorithms with identical results, by the times of the solves that the program makes anyway: the
/// planned algorithm, and its alternative, substitution by one thread. The faster one runs; the other is tried from
/// time to time. So the choice follows the machine: threads displaced by other processes, a wait policy that puts
/// threads to sleep, a core shared by two threads. Trials of the slower contender take at most 1/30 of the time, and
/// less the more often they change nothing. Tuning neither allocates nor locks.
class RuntimeTuning {
 public:
  enum Contender { planned, alternative };

  Contender next() const { return trial_left_ > 0 ? on_trial_ : preferred_; }
  /// Returns the faster contender so far, for solves that are not timed.
  Contender preferred() const { return preferred_; }

  void record(double seconds) {
    Contender const who = next();
    ++solves_[who];
    if (trial_left_ > 0) {
      continue_trial(seconds);
      return;
    }
    time_[who] += smoothing * (std::min(seconds, 2 * time_[who]) - time_[who]);  // limits the weight of a single stall
    since_trial_ += seconds;
    if (time_[other(who)] < time_[who]) prefer(other(who));  // known from its last trial
    if (since_trial_ > share_ * trial_solves * time_[other(preferred_)]) begin_trial(other(preferred_));
  }

  /// Starts with a trial of the planned algorithm, then one of the alternative unless its time is given.
  void start(double alternative_seconds = 0) {
    *this = RuntimeTuning{};
    time_[alternative] = alternative_seconds;
  }

  long long solves(Contender who) const { return solves_[who]; }

 private:
  static constexpr int trial_solves = 3;  ///< the first one loads caches and is not counted
  /// Ratio of the preferred contender's time to that of trials: at first, and after many trials that changed nothing.
  static constexpr double least_share = 30, greatest_share = 480;
  static constexpr double smoothing = 0.125;

  static Contender other(Contender who) { return who == planned ? alternative : planned; }

  void begin_trial(Contender who) {
    on_trial_ = who;
    trial_left_ = trial_solves;
    best_ = 0;
    since_trial_ = 0;
  }
  void continue_trial(double seconds) {
    bool const first = trial_left_ == trial_solves;
    --trial_left_;
    if (!first) best_ = best_ > 0 ? std::min(best_, seconds) : seconds;
    if (trial_left_ > 0) return;
    time_[on_trial_] = best_;
    if (time_[alternative] == 0) {  // the tuning starts with a trial of each
      begin_trial(alternative);
      return;
    }
    if (on_trial_ != preferred_ && time_[on_trial_] >= time_[preferred_]) share_ = std::min(2 * share_, greatest_share);
    else prefer(time_[alternative] < time_[planned] ? alternative : planned);
  }
  void prefer(Contender who) {
    if (who != preferred_) share_ = least_share;
    preferred_ = who;
  }

  double time_[2] = {0, 0};  ///< seconds of a solve
  double since_trial_ = 0, best_ = 0, share_ = least_share;
  long long solves_[2] = {0, 0};
  int trial_left_ = trial_solves;
  Contender on_trial_ = planned, preferred_ = planned;
};

}  // namespace sptrsv::detail
