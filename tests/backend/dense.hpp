// SPDX-License-Identifier: Apache-2.0
// Small dense matrices, with which tests multiply factors.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

namespace sptrsv::test {

/// Dense square matrix, stored by columns.
template <class W>
struct DenseBlock {
  int size = 0;
  std::vector<W> v;
  explicit DenseBlock(int b = 0) : size(b), v(static_cast<std::size_t>(b) * b, W(0)) {}
  W& operator()(int r, int c) { return v[static_cast<std::size_t>(c) * size + r]; }
  W const& operator()(int r, int c) const { return v[static_cast<std::size_t>(c) * size + r]; }
};
template <class W>
DenseBlock<W> product(DenseBlock<W> const& x, DenseBlock<W> const& y) {
  DenseBlock<W> out(x.size);
  for (int r = 0; r < x.size; ++r)
    for (int c = 0; c < x.size; ++c)
      for (int m = 0; m < x.size; ++m) out(r, c) += x(r, m) * y(m, c);
  return out;
}
template <class W>
DenseBlock<W> transposed(DenseBlock<W> const& x) {
  DenseBlock<W> out(x.size);
  for (int r = 0; r < x.size; ++r)
    for (int c = 0; c < x.size; ++c) out(r, c) = x(c, r);
  return out;
}
/// Returns the inverse by Gauss-Jordan elimination with row interchanges.
template <class W>
DenseBlock<W> inverted(DenseBlock<W> a) {
  int const b = a.size;
  DenseBlock<W> out(b);
  for (int k = 0; k < b; ++k) out(k, k) = W(1);
  for (int k = 0; k < b; ++k) {
    int p = k;
    for (int r = k; r < b; ++r)
      if (std::abs(a(r, k)) > std::abs(a(p, k))) p = r;
    for (int c = 0; c < b; ++c) std::swap(a(k, c), a(p, c)), std::swap(out(k, c), out(p, c));
    W const pivot = a(k, k);
    for (int c = 0; c < b; ++c) a(k, c) /= pivot, out(k, c) /= pivot;
    for (int r = 0; r < b; ++r) {
      if (r == k) continue;
      W const f = a(r, k);
      for (int c = 0; c < b; ++c) a(r, c) -= f * a(k, c), out(r, c) -= f * out(k, c);
    }
  }
  return out;
}

}  // namespace sptrsv::test
