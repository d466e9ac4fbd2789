// SPDX-License-Identifier: Apache-2.0
// Times substitution by one core on a chain of rows that fits into a cache.
#include "sptrsv/device/host_speed.hpp"

#include <vector>

#include "sptrsv/device/host_cost.hpp"

namespace sptrsv::detail {
namespace {

/// Lower triangle with a unit diagonal in which each row needs the row before it.
struct SmallChain {
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values, x;

  explicit SmallChain(int rows) : row_ptr{0}, x(static_cast<std::size_t>(rows)) {
    for (int i = 0; i < rows; ++i) {
      if (i > 0) col_idx.push_back(i - 1);
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    values.assign(col_idx.size(), 0.25);
  }
  void solve() {
    int const *const row = row_ptr.data(), *const col = col_idx.data();
    double const* const a = values.data();
    double* const to = x.data();
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 1;
      for (int k = row[i]; k < row[i + 1]; ++k) sum -= a[k] * to[col[k]];
      to[i] = sum;
    }
  }
};

}  // namespace

double measured_chain() {
  using clock = std::chrono::steady_clock;
  static double const chain = [] {
    constexpr int rows = 2000, solves = 5;
    SmallChain triangle(rows);
    double least = 0;
    for (int run = 0; run < solves; ++run) {
      auto const start = clock::now();
      triangle.solve();
      double const row = std::chrono::duration<double, std::nano>(clock::now() - start).count() / rows;
      if (run <= 1 || row < least) least = row;  // the first run loads the cache
    }
    return std::max(HostCost::addition, least - HostCost::addition);
  }();
  return chain;
}

}  // namespace sptrsv::detail
