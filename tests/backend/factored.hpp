// SPDX-License-Identifier: Apache-2.0
// Factors on the host for the tests of Factor: L, D, U, permutations, and the dense matrix that they represent.
#pragma once

#include <gtest/gtest.h>

#include <sptrsv/factor.hpp>

#include "dense.hpp"
#include "on_device.hpp"

namespace sptrsv::test {

/// Factors on the host, with dense matrices that serve only to multiply.
template <class S>
struct Factored {
  using wide = typename ScalarTraits<S>::wide;
  using Dense = DenseBlock<wide>;

  int n = 0, block_size = 0;
  bool symmetric = false;
  Problem<S> lower, upper;
  std::vector<S> inverse;  ///< D^-1
  std::vector<int> row_perm, col_perm;
  Dense a, size;  ///< A, and the product of the factors' magnitudes

  /// Makes a(row_perm[i], col_perm[j]) = (L D U)(i, j) from the triangles that exist.
  void make_matrix(bool has_lower, bool has_upper) {
    Dense identity(n);
    for (int i = 0; i < n; ++i) identity(i, i) = wide(1);
    Dense const u = has_upper ? dense(upper) : identity;
    Dense const l = symmetric ? transposed(u) : has_lower ? dense(lower) : identity, d = diagonal(identity);
    Dense const m = product(product(l, d), u), s = product(product(magnitudes(l), magnitudes(d)), magnitudes(u));
    a = size = Dense(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        int const r = row_perm.empty() ? i : row_perm[i], c = col_perm.empty() ? j : col_perm[j];
        a(r, c) = m(i, j);
        size(r, c) = s(i, j);
      }
  }

  /// Checks |b - op(A) x|_i <= 400 u (|op(A)| |x|)_i, with |A| from the magnitudes of the factors.
  void expect_solved(Op op, std::vector<S> const& x, std::vector<S> const& b) const {
    long double const u = std::numeric_limits<typename ScalarTraits<S>::real>::epsilon() / 2;
    for (int i = 0; i < n; ++i) {
      wide rest = to_standard(b[i]);
      long double bound = 0;
      for (int j = 0; j < n; ++j) {
        wide entry = op == Op::none ? a(i, j) : a(j, i);
        if constexpr (!std::is_arithmetic_v<S>)
          if (op == Op::conj_transpose) entry = std::conj(entry);
        rest -= entry * wide(to_standard(x[j]));
        bound += std::abs(op == Op::none ? size(i, j) : size(j, i)) * std::abs(wide(to_standard(x[j])));
      }
      ASSERT_LE(std::abs(rest), 400 * u * bound) << "in row " << i;
    }
  }

 private:
  static Dense magnitudes(Dense x) {
    for (auto& entry : x.v) entry = std::abs(entry);
    return x;
  }
  Dense dense(Problem<S> const& p) const {
    Dense out(n);
    for (int i = 0; i < n; ++i)
      for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) {
        wide const v = to_standard(p.values[k]);
        out(i, p.col_idx[k]) = p.col_idx[k] != i ? v : p.is_unit() ? wide(1) : p.is_inverted() ? wide(1) / v : v;
      }
    return out;
  }
  /// Returns D, or the identity without blocks.
  Dense diagonal(Dense out) const {
    for (int first = 0; block_size && first < n; first += block_size) {
      Dense block(block_size);
      for (std::size_t e = 0; e < block.v.size(); ++e)
        block.v[e] = to_standard(inverse[static_cast<std::size_t>(first * block_size) + e]);
      block = inverted(block);
      for (int r = 0; r < block_size; ++r)
        for (int c = 0; c < block_size; ++c) out(first + r, first + c) = block(r, c);
    }
    return out;
  }
};

struct Options {
  std::string matrix = "lap2d:6";  ///< 36 rows
  std::uint64_t seed = 0;
  int block_size = 0;
  bool symmetric = false, rows_permuted = false, cols_permuted = false;  ///< symmetric: rows and columns alike
  bool has_lower = true, has_upper = true;
  Diagonal of_lower = Diagonal::unit, of_upper = Diagonal::unit;
};

/// Makes factors on the pattern of o.matrix. Symmetric blocks are symmetric.
template <class S>
Factored<S> make_factored(Options const& o) {
  Factored<S> f;
  f.lower = make_problem<S>(o.matrix, {Triangle::lower, o.of_lower, Op::none}, o.seed + 5);
  f.upper = make_problem<S>(o.matrix, {Triangle::upper, o.of_upper, Op::none}, o.seed + 6);
  f.n = f.lower.num_rows();
  f.block_size = o.block_size;
  f.symmetric = o.symmetric;
  int const bs = o.block_size;
  for (int first = 0; bs && first < f.n; first += bs)
    for (int c = 0; c < bs; ++c)
      for (int r = 0; r < bs; ++r) {
        int const low = o.symmetric ? std::min(r, c) : r, high = o.symmetric ? std::max(r, c) : c;
        S const random = random_scalar<S>(o.seed + 9, first * bs + high * bs + low);
        f.inverse.push_back(r == c ? S(2) + random * S(0.5) : random * S(0.5 / bs));
      }
  if (o.rows_permuted) f.row_perm = shuffled(f.n, o.seed + 7);
  if (o.cols_permuted) f.col_perm = o.symmetric ? f.row_perm : shuffled(f.n, o.seed + 8);
  f.make_matrix(o.has_lower, o.has_upper);
  return f;
}

template <class Space, class S>
typename Factor<S, int, int, Space>::pattern_type to_pattern_of(Factored<S> const& f, Options const& o) {
  using T = TypesOf<S, Space>;
  typename Factor<S, int, int, Space>::pattern_type p;
  if (o.has_lower && !o.symmetric) p.lower = {to_pattern<T>(f.lower), o.of_lower};
  if (o.has_upper) p.upper = {to_pattern<T>(f.upper), o.of_upper};
  p.symmetric = o.symmetric;
  p.block_size = o.block_size;
  if (o.rows_permuted) p.row_perm = to_device<T>(f.row_perm);
  if (o.cols_permuted) p.col_perm = to_device<T>(f.col_perm);
  return p;
}

template <class S>
FactorValues<S, Kokkos::HostSpace> host_values(Factored<S> const& f) {
  using View = Kokkos::View<S const*, Kokkos::HostSpace>;
  auto const view = [](std::vector<S> const& v) { return View(v.data(), v.size()); };
  return {view(f.lower.values), view(f.upper.values), view(f.inverse)};
}
template <class Space, class S>
FactorValues<S, typename Space::memory_space> device_values(Factored<S> const& f) {
  using T = TypesOf<S, Space>;
  return {to_device<T>(f.lower.values), to_device<T>(f.upper.values), to_device<T>(f.inverse)};
}

}  // namespace sptrsv::test
