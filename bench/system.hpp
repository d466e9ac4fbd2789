// SPDX-License-Identifier: Apache-2.0
// Triangle that is timed: its pattern from a file or a generator, values that keep x small, its structure, and the
// row-by-row check of an answer.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sptrsv/structure.hpp>
#include <sptrsv/substitution.hpp>
#include <sptrsv/types.hpp>
#include <sptrsv_support/csr_matrix.hpp>
#include <sptrsv_support/generators.hpp>
#include <sptrsv_support/load_matrix.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sptrsv::bench {

/// Triangle on the host; columns of a row ascend, and every row has a diagonal entry.
struct System {
  std::string name;
  Shape shape;
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values;

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  /// Returns the value of entry k, which is in row i, as the solve uses it.
  double entry(int i, int k) const {
    if (col_idx[k] != i || shape.diagonal == Diagonal::stored) return values[k];
    return shape.diagonal == Diagonal::unit ? 1.0 : 1.0 / values[k];
  }
  /// Returns the least bytes that a solve must move: T once, b and x once for each of k columns.
  double least_bytes(int k) const {
    double const n = num_rows();
    return 12.0 * static_cast<double>(values.size()) + 4.0 * n + 16.0 * n * k;
  }
};

/// Returns the triangle of a matrix with its values, and a zero on the diagonal where the matrix has no entry.
inline System triangle_of(support::CsrMatrix const& a, std::string const& name, Shape shape) {
  if (a.num_rows != a.num_cols)
    throw std::runtime_error(name + ": it has " + std::to_string(a.num_rows) + " rows and " +
                             std::to_string(a.num_cols) + " columns; give a square matrix");
  if (a.num_entries() + a.num_rows > std::numeric_limits<int>::max())
    throw std::runtime_error(name + ": " + std::to_string(a.num_entries()) +
                             " entries are too many for 32-bit offsets; give a smaller matrix");
  bool const lower = shape.triangle == Triangle::lower;
  System s{name, shape, {0}, {}, {}};
  auto const add = [&](std::int64_t column, double value) {
    s.col_idx.push_back(static_cast<int>(column));
    s.values.push_back(value);
  };
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    auto const begin = a.col_idx.begin() + a.row_ptr[i], end = a.col_idx.begin() + a.row_ptr[i + 1];
    auto const diagonal = std::lower_bound(begin, end, i);
    bool const stored = diagonal != end && *diagonal == i;
    if (!lower) add(i, stored ? a.values[diagonal - a.col_idx.begin()] : 0.0);
    for (auto j = lower ? begin : diagonal + stored; j != (lower ? diagonal : end); ++j)
      add(*j, a.values[j - a.col_idx.begin()]);
    if (lower) add(i, stored ? a.values[diagonal - a.col_idx.begin()] : 0.0);
    s.row_ptr.push_back(static_cast<int>(s.values.size()));
  }
  return s;
}

/// Scales off-diagonals so that their absolute sum is at most 1 in each row and each column; then neither T nor its
/// transpose amplifies x, whatever the file holds.
inline void tame_values(System& s) {
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
    if (i == j) v = s.shape.diagonal == Diagonal::inverted ? 0.8 : 1.25;
    else v /= std::max(row_sum[i], column_sum[j]);
  });
}

/// Makes the triangle of a file (Matrix Market or PETSc binary) or of a generated matrix, with values that suit a
/// timing.
inline System make_system(std::string const& name, Shape shape) {
  System s = triangle_of(support::load_matrix(name), name, shape);
  tame_values(s);
  return s;
}

/// Counts levels and entries on the host, independently of the library; the transpose has the same number of levels.
inline Structure structure_of(System const& s) {
  int const n = s.num_rows();
  Structure out;
  out.rows = n;
  out.entries = static_cast<long long>(s.values.size());
  std::vector<int> level(n, 0);
  std::vector<long long> width, length(n, 0);
  for (int step = 0; step < n; ++step) {
    int const i = s.shape.triangle == Triangle::lower ? step : n - 1 - step;
    for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k)
      if (s.col_idx[k] != i) {
        level[i] = std::max(level[i], level[s.col_idx[k]] + 1);
        ++length[s.shape.transposed() ? s.col_idx[k] : i];
      }
    width.resize(std::max<std::size_t>(width.size(), level[i] + 1), 0);
    ++width[level[i]];
  }
  if (n == 0) return out;
  out.longest_row = *std::max_element(length.begin(), length.end());
  out.levels = static_cast<long long>(width.size());
  out.narrowest_level = *std::min_element(width.begin(), width.end());
  out.widest_level = *std::max_element(width.begin(), width.end());
  out.mean_row = static_cast<double>(out.entries - n) / n;
  out.mean_level = static_cast<double>(n) / static_cast<double>(out.levels);
  return out;
}

/// Returns max_i |x_i - y_i| / max_i |y_i| for the solution y by substitution; NaN if x has one.
inline double relative_error(System const& s, double const* x, double const* b) {
  int const n = s.num_rows();
  reference::RowList<double> op;
  op.rows.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k) op.rows[i].push_back({s.col_idx[k], s.entry(i, k)});
  if (s.shape.transposed()) op = reference::transpose(op, false);
  auto const y = reference::substitute(op, s.shape.ascending(), false, false, std::vector<double>(b, b + n));
  double error = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(x[i])) return x[i];
    error = std::max(error, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return size > 0 ? error / size : error;
}

/// Returns the first row that breaks |b - op(T) x|_i <= (4 (k_i + 2) u + rounding) (|op(T)||x|)_i, or n.
/// @param rounding  relative error of the values used in the solve
inline int first_wrong_row(System const& s, double const* x, double const* b, double rounding = 0) {
  constexpr long double u = std::numeric_limits<double>::epsilon() / 2;
  int const n = s.num_rows();
  auto const good = [rounding](long double residual, int entries, long double size) {  // false for NaN
    return std::abs(residual) <= (4 * (entries + 2) * u + rounding) * size;
  };
  if (s.shape.transposed()) {
    std::vector<long double> residual(b, b + n), size(n, 0);
    std::vector<int> entries(n, 0);
    for (int i = 0; i < n; ++i)
      for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k) {
        long double const term = static_cast<long double>(s.entry(i, k)) * x[i];
        residual[s.col_idx[k]] -= term;
        size[s.col_idx[k]] += std::abs(term);
        ++entries[s.col_idx[k]];
      }
    int row = 0;
    while (row < n && good(residual[row], entries[row], size[row])) ++row;
    return row;
  }
  int first = n;
  using Host = Kokkos::DefaultHostExecutionSpace;  // in parallel, since large systems are checked many times
  Kokkos::parallel_reduce(
      "sptrsv::bench::check", Kokkos::RangePolicy<Host>(0, n),
      [&](int i, int& lowest) {
        long double residual = b[i], size = 0;
        for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k) {
          long double const term = static_cast<long double>(s.entry(i, k)) * x[s.col_idx[k]];
          residual -= term;
          size += std::abs(term);
        }
        if (i < lowest && !good(residual, s.row_ptr[i + 1] - s.row_ptr[i], size)) lowest = i;
      },
      Kokkos::Min<int>(first));
  return std::min(first, n);
}

}  // namespace sptrsv::bench
