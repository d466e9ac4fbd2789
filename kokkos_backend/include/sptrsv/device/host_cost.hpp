// SPDX-License-Identifier: Apache-2.0
// Cost model of solves on a host, in nanoseconds, shared by the planner and by levelset's choice of kernels. The costs
// of a wait for a row and of a kernel on several threads are measured in the process (host_speed.hpp). All others are
// fitted to bench_solve and to real factors on one kind of machine (docs/performance.md); mostly their ratios matter.
#pragma once

#include <algorithm>
#include <limits>

#include "sptrsv/device/host_speed.hpp"

namespace sptrsv::detail {

struct HostCost {
  static constexpr double addition = 1.1;      ///< each addition after the awaited term
  static constexpr double mispredict = 5.5;    ///< a row whose end was mispredicted
  static constexpr double predicted = 18000;   ///< number of rows up to which the branch predictor learns the row ends
  static constexpr double near_cache = 6e6;    ///< bytes of T, b and x up to which the order of rows hardly matters
  static constexpr double cache = 24e6;        ///< bytes above which T is read from memory
  static constexpr double bytes_per_ns = 22;   ///< memory bandwidth of one thread
  static constexpr double sorted_from = 16;    ///< number of rows from which a level is sorted by length
  static constexpr double block = 300;         ///< ticket and flags of a block of rows
  static constexpr double block_row = 1.35;    ///< (cost of a row in a block of rows) / row()
  static constexpr double repeated_row = 0.4;  ///< cost factor of a row with the columns of the row before it
  /// Natural order reuses the cache better than level order if at least this share of rows needs a row shortly before.
  static constexpr double near_rows = 0.1;
  static constexpr double in_flight = 300;  ///< instructions in flight; a row has about 12, and 6 per entry

  /// Cost of analyzing level sets or blocks of rows, per row and per entry; twice as much if a transpose is needed.
  static constexpr double analysis_row = 60, analysis_entry = 8;

  int threads;       ///< number of threads that run at the same time
  double chain;      ///< latency from one row's x to that of a row that needs it, without additions
  double launch;     ///< a kernel on several threads with its barrier, as measured
  double level_row;  ///< one row in level order, by one thread
  double miss;       ///< added by a row whose length differs from that of the row before
  double least_row;  ///< lower bound by memory bandwidth

  HostCost(HostSpeed const& measured, double rows, double off_diagonals_per_row)
      : threads(measured.threads), chain(measured.chain), launch(measured.launch) {
    double const bytes_per_row = 16 + 12 * off_diagonals_per_row, bytes = rows * bytes_per_row;
    least_row = bytes > cache ? bytes_per_row / bytes_per_ns : 0;
    miss = rows > predicted ? mispredict : 0;
    level_row = bytes <= near_cache ? 1.2 * row(off_diagonals_per_row)
                : bytes <= cache    ? 2 * row(off_diagonals_per_row)
                                    : 1.6 * std::max({row(off_diagonals_per_row), least_row,
                                                      chain * std::min(1.0, off_diagonals_per_row / 1.5)});
  }

  /// Returns the cost of a row that waits for nothing. `scattered`: each entry writes its term.
  static double row(double off_diagonals, bool scattered = false) {
    return 1.0 + (scattered ? 0.85 : 0.42) * off_diagonals;
  }

  /// Returns the cost of analyzing level sets or blocks of rows of a triangle.
  static double analysis(double rows, double off_diagonals_per_row, bool transposed) {
    return rows * (analysis_row + analysis_entry * off_diagonals_per_row) * (transposed ? 2 : 1);
  }

  /// Returns the cost of a row in level order, for matrices whose natural order makes no better use of the cache.
  double scattered_row(double off_diagonals) const { return 1.2 * std::max(row(off_diagonals), least_row); }

  /// Returns the cost of one level.
  /// @param rows       number of rows of the level
  /// @param wait       nanoseconds that a level waits for the level before
  /// @param irregular  share of rows whose length differs from that of the row before
  double level(double rows, double wait, double irregular) const {
    double const work = rows * (level_row + (rows < sorted_from ? irregular * miss : 0)), alone = std::max(work, wait);
    return threads > 1 ? std::min(alone, work / threads + launch) : alone;
  }
  /// Returns the number of rows of a level up to which one thread is faster than a kernel on all threads.
  int narrow_rows() const {
    if (threads <= 1) return std::numeric_limits<int>::max();
    constexpr double most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(most, launch * threads / ((threads - 1) * level_row)));
  }
};

}  // namespace sptrsv::detail
