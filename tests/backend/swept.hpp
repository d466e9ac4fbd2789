// SPDX-License-Identifier: Apache-2.0
// Square matrices for tests of sweeps, SOR by its definition, and the comparison of vectors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sptrsv/sweeps.hpp>

#include "on_device.hpp"
#include "spaces.hpp"

namespace sptrsv::test {

/// Square matrix on the host, diagonally dominant, and the order of its sweeps.
template <class S>
struct Matrix {
  using wide = typename ScalarTraits<S>::wide;
  std::vector<int> row_ptr, col_idx;
  std::vector<S> values;
  std::vector<int> order;  ///< row at each position; empty: natural

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  int row_at(int p) const { return order.empty() ? p : order[p]; }
  std::vector<int> positions() const {
    std::vector<int> at(num_rows());
    for (int p = 0; p < num_rows(); ++p) at[row_at(p)] = p;
    return at;
  }
  wide diagonal(int i) const {
    for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
      if (col_idx[k] == i) return wide(to_standard(values[k]));
    return 0;
  }
};

template <class S>
Matrix<S> make_matrix(std::string const& spec, bool in_random_order, std::uint64_t seed = 3) {
  auto const a = support::generate(spec);
  Matrix<S> m;
  m.row_ptr.assign(a.row_ptr.begin(), a.row_ptr.end());
  m.col_idx.assign(a.col_idx.begin(), a.col_idx.end());
  m.values.resize(m.col_idx.size());
  for (int i = 0; i < m.num_rows(); ++i)
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
      double const most = std::max(1, m.row_ptr[i + 1] - m.row_ptr[i] - 1);
      m.values[k] = random_scalar<S>(seed, k) * S(1 / most);
      if (m.col_idx[k] == i) m.values[k] = S(k % 2 ? -1 : 1) * (S(2) + random_scalar<S>(seed, k) * S(0.25));
    }
  if (!in_random_order) return m;
  m.order = shuffled(m.num_rows(), 7);
  return m;
}

/// Returns the first row of each row's block: successive rows with equal columns, at most `most` of them.
template <class S>
std::vector<int> find_blocks(Matrix<S> const& m, int most) {
  std::vector<int> first(m.num_rows());
  for (int i = 0; i < m.num_rows(); ++i) {
    int const f = i == 0 ? 0 : first[i - 1];
    auto const row = [&](int r) {
      return std::vector<int>(m.col_idx.begin() + m.row_ptr[r], m.col_idx.begin() + m.row_ptr[r + 1]);
    };
    first[i] = i - f < most && row(i) == row(f) ? f : i;
  }
  return first;
}

/// SOR by its definition: x_i = (1 - omega) x_i + omega (b_i - sum of the other terms) / (a_ii + shift), row after row.
template <class S, class B>
void sweep_once(Matrix<S> const& m, bool forward, Relaxation const& r, std::vector<B> const& b,
                std::vector<typename Matrix<S>::wide>& x) {
  using wide = typename Matrix<S>::wide;
  int const n = m.num_rows();
  for (int s = 0; s < n; ++s) {
    int const i = m.row_at(forward ? s : n - 1 - s);
    wide sum = wide(to_standard(b[i]));
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
      if (m.col_idx[k] != i) sum -= wide(to_standard(m.values[k])) * x[m.col_idx[k]];
    long double const omega = r.omega;
    x[i] = (1 - omega) * x[i] + omega * sum / (m.diagonal(i) + wide(r.shift));
  }
}

template <class T, class S>
Sweeps<S, int, int, typename T::exec_space> make_sweeps(std::string const& algorithm,
                                                        typename T::exec_space const& exec, Matrix<S> const& m,
                                                        OptionValues const& options = {}) {
  return {algorithm, exec, to_pattern<T>(m.row_ptr, m.col_idx), {to_device<T>(m.order), {}}, options};
}

/// Checks each entry of x: its error is at most 200 u times the largest magnitude, which is some 1.
template <class S, class Wide>
void expect_near(std::vector<S> const& x, std::vector<Wide> const& expected) {
  long double const u = std::numeric_limits<typename ScalarTraits<S>::real>::epsilon() / 2;
  long double size = 1;
  for (Wide const& v : expected) size = std::max(size, static_cast<long double>(std::abs(v)));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(std::abs(Wide(to_standard(x[i])) - expected[i]), 200 * u * size) << "in row " << i;
}

inline char const* name_of(Sweep kind) {
  return kind == Sweep::forward ? "forward" : kind == Sweep::backward ? "backward" : "symmetric";
}

}  // namespace sptrsv::test
