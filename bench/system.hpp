// SPDX-License-Identifier: Apache-2.0
// The triangle that is timed: its pattern from a file or a generator, values that keep x small, and
// the row-by-row check of an answer.
#pragma once

#include <cmath>
#include <filesystem>
#include <limits>
#include <sptrsv/types.hpp>
#include <sptrsv_support/csr_matrix.hpp>
#include <sptrsv_support/generators.hpp>
#include <sptrsv_support/matrix_market.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sptrsv::bench {

struct System {
  std::string name;
  Shape shape;
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values;

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  /// T(i, j) as it is solved with.
  double entry(int i, int k) const {
    if (col_idx[k] != i || shape.diagonal == Diagonal::stored) return values[k];
    return shape.diagonal == Diagonal::unit ? 1.0 : 1.0 / values[k];
  }
  /// Bytes that a solve must move at least: T once, b and x once for each of k columns.
  double least_bytes(int k) const {
    double const n = num_rows();
    return 12.0 * static_cast<double>(values.size()) + 4.0 * n + 16.0 * n * k;
  }
};

/// A file's or a generated matrix' triangle, a diagonal put in where none is.
inline support::CsrMatrix load_triangle(std::string const& name, Triangle triangle) {
  auto const a = std::filesystem::exists(name) ? support::read_matrix_market(name) : support::generate(name);
  if (a.num_rows != a.num_cols) throw std::runtime_error(name + " is not square");
  auto const t = triangle == Triangle::lower ? support::lower_triangle(a) : support::upper_triangle(a);
  std::vector<support::Triplet> entries;
  for (std::int64_t i = 0; i < t.num_rows; ++i) {
    entries.push_back({i, i, 0.0});
    for (auto k = t.row_ptr[i]; k < t.row_ptr[i + 1]; ++k) entries.push_back({i, t.col_idx[k], t.values[k]});
  }
  if (t.num_entries() + t.num_rows > std::numeric_limits<int>::max())
    throw std::runtime_error(name + " has too many entries for 32-bit offsets");
  return support::csr_from_triplets(t.num_rows, t.num_rows, entries);
}

/// Off-diagonals are scaled so that their absolute sum is at most 1 in each row and each column;
/// then neither T nor its transpose makes x grow, whatever the file holds.
inline System make_system(std::string const& name, Shape shape) {
  auto const t = load_triangle(name, shape.triangle);
  System s{name, shape, {}, {}, t.values};
  s.row_ptr.assign(t.row_ptr.begin(), t.row_ptr.end());
  s.col_idx.assign(t.col_idx.begin(), t.col_idx.end());
  int const n = s.num_rows();
  std::vector<double> row_sum(n, 0), column_sum(n, 0);
  auto const for_each_entry = [&](auto const& f) {
    for (int i = 0; i < n; ++i)
      for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k) f(i, s.col_idx[k], s.values[k]);
  };
  for_each_entry([&](int i, int j, double& v) {
    if (!std::isfinite(v) || v == 0) v = 1;
    if (i == j) return;
    row_sum[i] += std::abs(v);
    column_sum[j] += std::abs(v);
  });
  for_each_entry([&](int i, int j, double& v) {
    if (i == j)
      v = shape.diagonal == Diagonal::inverted ? 0.8 : 1.25;
    else
      v /= std::max(row_sum[i], column_sum[j]);
  });
  return s;
}

/// The first row that breaks |b - T x|_i <= 4 (k_i + 2) u (|T||x|)_i, or -1.
inline int first_wrong_row(System const& s, std::vector<double> const& x, std::vector<double> const& b) {
  int const n = s.num_rows();
  std::vector<long double> residual(b.begin(), b.end()), size(n, 0);
  std::vector<int> entries(n, 0);
  for (int i = 0; i < n; ++i)
    for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k) {
      int const row = s.shape.transposed() ? s.col_idx[k] : i;
      int const col = s.shape.transposed() ? i : s.col_idx[k];
      long double const term = static_cast<long double>(s.entry(i, k)) * x[col];
      residual[row] -= term;
      size[row] += std::abs(term);
      ++entries[row];
    }
  long double const u = std::numeric_limits<double>::epsilon() / 2;
  for (int i = 0; i < n; ++i)
    if (!(std::abs(residual[i]) <= 4 * (entries[i] + 2) * u * size[i])) return i;
  return -1;
}

}  // namespace sptrsv::bench
