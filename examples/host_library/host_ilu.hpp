// SPDX-License-Identifier: Apache-2.0
// Stand-in for a user's library: a matrix in compressed rows, its ILU(0), and a solver, all with std::vector.
#pragma once

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace host_library {

using Vector = std::vector<double>;

struct Csr {
  std::vector<int> row_ptr{0}, col_idx;
  Vector values;

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  void push(int col, double value) { col_idx.push_back(col), values.push_back(value); }
  void end_row() { row_ptr.push_back(static_cast<int>(col_idx.size())); }
  Vector times(Vector const& x) const {
    Vector y(x.size());
    for (int i = 0; i < num_rows(); ++i)
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) y[i] += values[k] * x[col_idx[k]];
    return y;
  }
};

/// Returns the matrix of one time step of convection and diffusion on a square grid with `side` unknowns per direction.
inline Csr convection(int side, double wind) {
  Csr a;
  for (int i = 0; i < side * side; ++i) {
    if (i >= side) a.push(i - side, -1 - wind);
    if (i % side > 0) a.push(i - 1, -1 - wind);
    a.push(i, 5 + 2 * wind);
    if (i % side < side - 1) a.push(i + 1, -1);
    if (i < side * (side - 1)) a.push(i + side, -1);
    a.end_row();
  }
  return a;
}

/// ILU(0): L U approximates A on A's pattern. L has a unit diagonal, which is not stored; U's rows begin with their
/// diagonal.
struct Ilu0 {
  Csr lower, upper;

  explicit Ilu0(Csr const& a) {
    for (int i = 0; i < a.num_rows(); ++i) {
      for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) (a.col_idx[k] < i ? lower : upper).push(a.col_idx[k], 0);
      lower.end_row(), upper.end_row();
    }
    factor(a);
  }

  /// Factors a matrix with new values in the same pattern, and overwrites the old factors.
  void factor(Csr const& a) {
    Vector row(a.num_rows());
    for (int i = 0; i < a.num_rows(); ++i) {
      for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) row[a.col_idx[k]] = a.values[k];
      for (int k = lower.row_ptr[i]; k < lower.row_ptr[i + 1]; ++k) {
        int const j = lower.col_idx[k], diagonal = upper.row_ptr[j];
        double const factor = lower.values[k] = row[j] / upper.values[diagonal];
        for (int m = diagonal + 1; m < upper.row_ptr[j + 1]; ++m) row[upper.col_idx[m]] -= factor * upper.values[m];
      }
      for (int k = upper.row_ptr[i]; k < upper.row_ptr[i + 1]; ++k) upper.values[k] = row[upper.col_idx[k]];
      row.assign(row.size(), 0);  // drops fill outside of the pattern
    }
  }
};

/// Solves by x += M^-1 (b - A x) from x = 0. @return iterations until |b - A x| <= 1e-10 |b|, at most 500
inline int iterate(Csr const& a, Vector const& b, Vector& x,
                   std::function<void(Vector const&, Vector&)> const& precondition) {
  auto const norm = [](Vector const& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); };
  Vector r = b, z(b.size());
  x.assign(b.size(), 0);
  int iteration = 0;
  for (; iteration < 500 && norm(r) > 1e-10 * norm(b); ++iteration) {
    precondition(r, z);
    for (std::size_t i = 0; i < b.size(); ++i) x[i] += z[i];
    r = a.times(x);
    for (std::size_t i = 0; i < b.size(); ++i) r[i] = b[i] - r[i];
  }
  return iteration;
}

}  // namespace host_library
