// SPDX-License-Identifier: Apache-2.0
// What solves cost on a host, in nanoseconds: shared by the planner and by the level sets' choice of kernels. What
// a wait for a row and a kernel on several threads cost is measured in the process (host_speed.hpp); the other figures
// are fitted to bench_solve and to real factors on one kind of machine (docs/performance.md), and mostly their ratios
// matter.
#pragma once

#include <algorithm>
#include <limits>

#include "sptrsv/device/host_speed.hpp"

namespace sptrsv::detail {

struct HostCost {
  static constexpr double addition = 1.1;      ///< each addition from the term that was waited for
  static constexpr double mispredict = 5.5;    ///< a row whose end the core's branch predictor missed
  static constexpr double predicted = 18000;   ///< rows up to which the branch predictor learns where they end
  static constexpr double near_cache = 6e6;    ///< bytes of T, b and x up to which the order of rows is nearly free
  static constexpr double cache = 24e6;        ///< bytes beyond which T comes from memory
  static constexpr double bytes_per_ns = 22;   ///< from memory, by one thread
  static constexpr double sorted_from = 16;    ///< rows in a level from which they are sorted by length
  static constexpr double block = 300;         ///< of blocks of rows, each: its ticket and its flags
  static constexpr double block_row = 1.35;    ///< times a row without waits: the same in the order of blocks
  static constexpr double repeated_row = 0.4;  ///< times a row: one with the columns of the row before
  /// Share of rows that need one shortly before: with fewer, level order loses nothing that caches keep.
  static constexpr double near_rows = 0.1;
  static constexpr double in_flight = 300;  ///< instructions; a row is about 12, and 6 per entry

  /// Of the analysis that level sets or blocks take, for a row and for each entry; twice that for a transpose.
  static constexpr double analysis_row = 60, analysis_entry = 8;

  int threads;       ///< that run at once
  double chain;      ///< from one row's x to that of a row that needs it, without its additions
  double launch;     ///< a kernel on several threads, with its barrier, as measured
  double level_row;  ///< of one thread, in level order
  double miss;       ///< added by a row whose length differs from the one before
  double least_row;  ///< what memory allows

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

  /// A row that waits for nothing; scattered, each of its entries is written.
  static double row(double off_diagonals, bool scattered = false) {
    return 1.0 + (scattered ? 0.85 : 0.42) * off_diagonals;
  }

  /// Nanoseconds of analyzing level sets or blocks of a triangle.
  static double analysis(double rows, double off_diagonals_per_row, bool transposed) {
    return rows * (analysis_row + analysis_entry * off_diagonals_per_row) * (transposed ? 2 : 1);
  }

  /// A row in level order, where the rows' own order is no better.
  double scattered_row(double off_diagonals) const { return 1.2 * std::max(row(off_diagonals), least_row); }

  /// One level of `rows` rows, each `wait` after the level before, `irregular` being the share of rows whose
  /// length differs from the one before.
  double level(double rows, double wait, double irregular) const {
    double const work = rows * (level_row + (rows < sorted_from ? irregular * miss : 0)), alone = std::max(work, wait);
    return threads > 1 ? std::min(alone, work / threads + launch) : alone;
  }
  /// Rows up to which one thread is faster than a kernel.
  int chain_rows() const {
    if (threads <= 1) return std::numeric_limits<int>::max();
    constexpr double most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(most, launch * threads / ((threads - 1) * level_row)));
  }
};

}  // namespace sptrsv::detail
