// SPDX-License-Identifier: Apache-2.0
// Stand-in for a user's library: a matrix in compressed rows, its ILU(0), and BiCGStab, all with std::vector.
#pragma once

#include <cmath>
#include <functional>
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

/// Returns the matrix of convection and diffusion on a grid of side by side unknowns.
inline Csr convection(int side, double wind) {
  Csr a;
  for (int i = 0; i < side * side; ++i) {
    if (i >= side) a.push(i - side, -1 - wind);
    if (i % side > 0) a.push(i - 1, -1 - wind);
    a.push(i, 4 + 2 * wind);
    if (i % side < side - 1) a.push(i + 1, -1);
    if (i < side * (side - 1)) a.push(i + side, -1);
    a.end_row();
  }
  return a;
}

/// ILU(0): A is about L U, on A's pattern. L has a unit diagonal, which is not stored; U's rows begin with their
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

  /// Factors a matrix with other values in the same pattern, into the same arrays.
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

inline double dot(Vector const& a, Vector const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Solves by BiCGStab, preconditioned from the right. @return iterations until |r| is 1e-10 |b|, at most 500
inline int bicgstab(Csr const& a, Vector const& b, Vector& x,
                    std::function<void(Vector const&, Vector&)> const& precondition) {
  Vector r = b, shadow = b, p = b, p_hat(b.size()), s_hat(b.size());
  x.assign(b.size(), 0);
  double rho = dot(shadow, r);
  double const least = 1e-10 * std::sqrt(dot(b, b));
  for (int iteration = 1; iteration <= 500; ++iteration) {
    precondition(p, p_hat);
    Vector const v = a.times(p_hat);
    double const alpha = rho / dot(shadow, v);
    for (std::size_t i = 0; i < b.size(); ++i) r[i] -= alpha * v[i];
    precondition(r, s_hat);
    Vector const t = a.times(s_hat);
    double const omega = dot(t, r) / dot(t, t);
    for (std::size_t i = 0; i < b.size(); ++i) x[i] += alpha * p_hat[i] + omega * s_hat[i], r[i] -= omega * t[i];
    if (std::sqrt(dot(r, r)) <= least) return iteration;
    double const next = dot(shadow, r), beta = next / rho * alpha / omega;
    for (std::size_t i = 0; i < b.size(); ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    rho = next;
  }
  return 500;
}

}  // namespace host_library
