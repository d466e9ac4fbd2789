// SPDX-License-Identifier: Apache-2.0
// Families drawn at random with fixed seeds: R-MAT, road, band, two-level, power law.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "families.hpp"
#include "random.hpp"

namespace sptrsv::support::detail {
namespace {

/// Ends a row after sorting its columns and dropping duplicates.
void end_unsorted_row(LowerPattern& pattern) {
  const auto begin = pattern.col_idx.begin() + pattern.row_ptr.back();
  std::sort(begin, pattern.col_idx.end());
  pattern.col_idx.erase(std::unique(begin, pattern.col_idx.end()), pattern.col_idx.end());
  pattern.end_row();
}

void check_size(std::int64_t rows, std::int64_t entries_per_row) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (rows > most / entries_per_row) throw std::invalid_argument("more than 2^31 entries asked for");
}

}  // namespace

LowerPattern rmat(const Arguments& arguments) {
  const std::int64_t scale = arguments[0], n = std::int64_t{1} << scale, num_edges = n * arguments[1];
  check_size(n, arguments[1]);
  Random random(1);
  std::vector<std::int64_t> label = identity(n);
  shuffle(label, 0, n, random);
  std::vector<Edge> edges;
  edges.reserve(num_edges);
  for (std::int64_t e = 0; e < num_edges; ++e) {
    std::int64_t i = 0, j = 0;
    for (std::int64_t bit = 0; bit < scale; ++bit) {
      const double u = random.unit();  // quadrants of Graph500: .57, .19, .19, .05
      i = 2 * i + (u >= 0.76);
      j = 2 * j + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    edges.emplace_back(label[i], label[j]);
  }
  return pattern_from_edges(n, edges);
}

LowerPattern road(const Arguments& arguments) {
  const std::int64_t side = arguments[0], n = side * side;
  constexpr double kept = 0.4;
  const std::int64_t window = 2 * side;  // rows renumbered among themselves: two lines of the grid
  Random random(1);
  std::vector<std::int64_t> new_index = identity(n);
  for (std::int64_t i = 0; i < n; i += window) shuffle(new_index, i, std::min(i + window, n), random);
  std::vector<Edge> edges;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % side + 1 < side && random.unit() < kept) edges.emplace_back(new_index[i], new_index[i + 1]);
    if (i + side < n && random.unit() < kept) edges.emplace_back(new_index[i], new_index[i + side]);
  }
  return pattern_from_edges(n, edges);
}

LowerPattern band(const Arguments& arguments) {
  const std::int64_t n = arguments[0], drawn = arguments[1] - 1, half_width = arguments[2];
  check_size(n, arguments[1]);
  Random random(1);
  LowerPattern pattern;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t reach = std::min(i, half_width);
    for (std::int64_t k = 0; k < std::min(drawn, reach); ++k) pattern.add(i - 1 - random.below(reach));
    end_unsorted_row(pattern);
  }
  return pattern;
}

LowerPattern kkt2(const Arguments& arguments) {
  const std::int64_t n = arguments[0], half = n / 2;
  constexpr std::int64_t drawn = 13, distance = 10000;
  Random random(1);
  LowerPattern pattern;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i >= n - half) {
      const std::int64_t counterpart = i - (n - half);
      const std::int64_t begin = std::max<std::int64_t>(counterpart - distance, 0);
      const std::int64_t end = std::min(counterpart + distance + 1, n - half);
      for (std::int64_t k = 0; k < drawn; ++k) pattern.add(begin + random.below(end - begin));
    }
    end_unsorted_row(pattern);
  }
  return pattern;
}

LowerPattern powerlaw(const Arguments& arguments) {
  const std::int64_t n = arguments[0];
  constexpr std::int64_t spacing = 4000, first_long = 100;  // so that small matrices have a long row too
  constexpr double shortest_long = 3500, longest = 20000;
  Random random(1);
  LowerPattern pattern;
  for (std::int64_t i = 0; i < n; ++i) {
    // the density of 1 / sqrt(u) falls with the third power
    const double drawn = i % spacing == first_long ? std::min(shortest_long / std::sqrt(1 - random.unit()), longest)
                                                   : static_cast<double>(1 + random.below(2));
    const auto length = static_cast<std::int64_t>(std::min(drawn, static_cast<double>(i)));
    for (std::int64_t k = 0; k < length; ++k) pattern.add(random.below(i));
    end_unsorted_row(pattern);
  }
  return pattern;
}

}  // namespace sptrsv::support::detail
