// SPDX-License-Identifier: Apache-2.0
// What solves cost on a host, in nanoseconds: shared by the planner and by the level sets' choice of
// kernels. The figures are fitted to bench_solve on one kind of machine; only their ratios matter.
#pragma once

#include <algorithm>
#include <limits>

namespace sptrsv::detail {

struct HostCost {
  static constexpr double launch = 2000;       ///< a kernel on several threads, with its barrier
  static constexpr double chain = 6.5;         ///< a row that needs the row right before it: x, multiply, add, store
  static constexpr double in_cache = 6e6;      ///< bytes of T, b and x up to which the order of rows is free
  static constexpr double out_of_order = 1.5;  ///< beyond: rows by level visit b and x in strides

  int threads;
  double row;        ///< of one thread, row after row, no row waiting for the one before
  double level_row;  ///< of one thread, in level order

  HostCost(int threads_in_use, double rows, double off_diagonals_per_row)
      : threads(threads_in_use), row(1.2 + 0.55 * off_diagonals_per_row), level_row(1.05 * row) {
    if (rows * (16 + 12 * off_diagonals_per_row) <= in_cache) return;
    row = std::max(row, chain);  // memory is the chain then
    level_row = out_of_order * row;
  }

  /// All rows in their own order; `chained` is the share of rows that need the row right before them.
  double sequential(double rows, double chained) const { return rows * (row + chained * std::max(0.0, chain - row)); }

  /// One level; in levels of a few rows there is nothing to overlap, so they are no faster than a chain.
  double level(double rows) const {
    double const alone = rows * (rows < 8 ? std::max(level_row, chain) : level_row);
    return threads > 1 ? std::min(alone, alone / threads + launch) : alone;
  }
  /// Rows up to which one thread is faster than a kernel.
  int chain_rows() const {
    if (threads <= 1) return std::numeric_limits<int>::max();
    return static_cast<int>(launch * threads / ((threads - 1) * level_row));
  }
};

}  // namespace sptrsv::detail
