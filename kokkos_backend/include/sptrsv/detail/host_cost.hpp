// SPDX-License-Identifier: Apache-2.0
// What a level-set solve costs on a host, in rows of a sequential one: shared by the planner and by
// the level sets' choice of kernels. The figures are fitted to bench_solve.
#pragma once

#include <algorithm>
#include <limits>

namespace sptrsv::detail {

struct HostCost {
  int threads;
  double launch;     ///< of a kernel: about 1.5 us, against 6 ns a row and 0.5 ns an entry
  double per_row;    ///< of a row in level order

  /// Row after row, each waits for the one before to come through the pipeline; in level order none
  /// does, which halves the time of short rows while all fits in a cache. Beyond that, level order
  /// goes through b and x in strides, and is the slower one.
  HostCost(int threads_in_use, double rows, double off_diagonals_per_row)
      : threads(threads_in_use),
        launch(3000 / (12 + off_diagonals_per_row)),
        per_row(off_diagonals_per_row <= 4 && rows * (off_diagonals_per_row + 2) <= 500000 ? 0.5 : 1.5) {}

  /// Of one level; in levels of a few rows there is nothing to overlap.
  double level(double rows) const {
    double const alone = rows < 8 ? std::max(per_row, 1.0) * rows : per_row * rows;
    return std::min(alone, alone / threads + launch);
  }
  /// Rows up to which one thread is faster than a kernel.
  int chain_rows() const {
    if (threads <= 1) return std::numeric_limits<int>::max();
    return static_cast<int>(launch * threads / ((threads - 1) * per_row));
  }
};

}  // namespace sptrsv::detail
