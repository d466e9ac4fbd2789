// SPDX-License-Identifier: Apache-2.0
// Triangle on the host with its right-hand sides, the row-by-row check of a solution, and copies of both to an
// execution space.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <sptrsv/space.hpp>
#include <sptrsv/substitution.hpp>
#include <sptrsv/types.hpp>
#include <sptrsv_support/csr_matrix.hpp>
#include <sptrsv_support/generators.hpp>
#include <string>
#include <vector>

namespace sptrsv::test {

/// Scalars of Kokkos and of the standard library, and the type in which residuals are summed.
template <class S>
struct ScalarTraits {
  using real = S;
  using standard = S;
  using wide = long double;
  static S make(double re, double) { return static_cast<S>(re); }
};
template <class R>
struct ScalarTraits<Kokkos::complex<R>> {
  using real = R;
  using standard = std::complex<R>;
  using wide = std::complex<long double>;
  static Kokkos::complex<R> make(double re, double im) { return {static_cast<R>(re), static_cast<R>(im)}; }
};
template <class S>
typename ScalarTraits<S>::standard to_standard(S v) {
  if constexpr (std::is_arithmetic_v<S>) return v;
  else return {v.real(), v.imag()};
}

/// Returns a number in [0, 1) that depends only on (seed, k).
inline double unit_random(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15u + k * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}
/// Returns a scalar with parts in [-1, 1).
template <class S>
S random_scalar(std::uint64_t seed, std::uint64_t k) {
  return ScalarTraits<S>::make(2 * unit_random(seed, 2 * k) - 1, 2 * unit_random(seed, 2 * k + 1) - 1);
}

/// Random choices, the same for the same seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  int from(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }
  bool coin() { return one_in(2); }
  double real() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
  template <class List>
  auto const& one_of(List const& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  template <class V>
  V of(std::vector<V> const& choices) {
    return one_of(choices);
  }

 private:
  std::mt19937_64 random_;
};

/// Returns a random permutation of 0..n-1.
inline std::vector<int> shuffled(int n, std::uint64_t seed) {
  std::vector<int> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  std::shuffle(p.begin(), p.end(), std::mt19937_64(seed));
  return p;
}

/// Returns the number in an environment variable, by which a random case is run alone.
inline std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Calls f, which must throw E, and returns its message.
template <class E, class F>
std::string error_text(F const& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (E const& e) {
    return e.what();
  } catch (std::exception const& e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  return "";
}
/// Checks that f throws E with `part` in its message.
template <class E, class F>
void expect_thrown(std::string const& part, F const& f) {
  std::string const text = error_text<E>(f);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

template <class S>
using Columns = std::vector<std::vector<S>>;  ///< k columns of n scalars

/// Triangle as CSR with 32-bit indices, rows sorted and in natural order, diagonal stored.
template <class S>
struct Problem {
  using standard = typename ScalarTraits<S>::standard;
  Shape shape;
  std::vector<int> row_ptr{0};
  std::vector<int> col_idx;
  std::vector<S> values;
  reference::RowList<standard> op;  ///< op(T) by rows
  mutable int block_rows = 0;       ///< rows of a block of the type in use, which its bound counts; of make_solver()

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
  bool is_unit() const { return shape.diagonal == Diagonal::unit; }
  bool is_inverted() const { return shape.diagonal == Diagonal::inverted; }

  void make_op() {
    op.rows.assign(num_rows(), {});
    for (int i = 0; i < num_rows(); ++i)
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) op.rows[i].push_back({col_idx[k], to_standard(values[k])});
    if (shape.transposed()) op = reference::transpose(op, shape.op == Op::conj_transpose);
  }
  std::vector<standard> oracle(std::vector<S> const& b) const {
    std::vector<standard> right;
    for (S const& v : b) right.push_back(to_standard(v));
    return reference::substitute(op, shape.ascending(), is_unit(), is_inverted(), right);
  }
};

/// Sets values for which solutions with T and its transpose are as large as b, whatever the pattern: off-diagonals are
/// at most 1 / (entries of their row or column); a unit diagonal stores NaN, which nothing may read.
template <class S>
void set_values(Problem<S>& p, std::uint64_t seed) {
  int const n = p.num_rows();
  std::vector<int> in_column(n, 0);
  for (int const j : p.col_idx) ++in_column[j];
  p.values.resize(p.col_idx.size());
  for (int i = 0; i < n; ++i)
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) {
      int const j = p.col_idx[k];
      double const most = std::max({p.row_ptr[i + 1] - p.row_ptr[i] - 1, in_column[j] - 1, 1});
      S const random = random_scalar<S>(seed, k);
      if (i != j) p.values[k] = random * S(1 / most);
      else if (p.is_unit()) p.values[k] = S(std::numeric_limits<double>::quiet_NaN());
      else p.values[k] = S((k % 2 ? -1 : 1) * (p.is_inverted() ? 0.5 : 1)) * (S(1.5) + random * S(0.25));
    }
  p.make_op();
}

/// Makes the triangle of a generated matrix; `spec` as in sptrsv_support/generators.hpp.
template <class S>
Problem<S> make_problem(std::string const& spec, Shape shape, std::uint64_t seed = 1) {
  auto const a = support::generate(spec);
  auto const t = shape.triangle == Triangle::lower ? support::lower_triangle(a) : support::upper_triangle(a);
  Problem<S> p;
  p.shape = shape;
  p.row_ptr.assign(t.row_ptr.begin(), t.row_ptr.end());
  p.col_idx.assign(t.col_idx.begin(), t.col_idx.end());
  set_values(p, seed);
  return p;
}

template <class S>
Columns<S> make_right_hand_sides(int n, int k, std::uint64_t seed = 77) {
  Columns<S> b(k, std::vector<S>(n));
  for (int c = 0; c < k; ++c)
    for (int i = 0; i < n; ++i) b[c][i] = random_scalar<S>(seed + c, i);
  return b;
}

/// Returns the rows of a block by which the bound of a type's errors grows; 0 for types that substitute.
template <class Space>
int block_rows(std::string const& algorithm) {
  return algorithm != "inverted" ? 0 : is_host_space<Space> ? 64 : 512;
}

/// Largest |b - T x|_i over its bound 4 (k_i + 2 + block_rows) u (|T||x|)_i; NaN counts as infinite.
struct RowError {
  double ratio = 0;
  int row = -1;
};
template <class S>
RowError row_error(Problem<S> const& p, std::vector<S> const& x, std::vector<S> const& b) {
  using wide = typename ScalarTraits<S>::wide;
  long double const u = std::numeric_limits<typename ScalarTraits<S>::real>::epsilon() / 2;
  RowError worst;
  for (int i = 0; i < p.num_rows(); ++i) {
    wide residual = wide(to_standard(b[i]));
    long double size = 0;
    bool has_diagonal = false;
    auto const take = [&](wide a, S xj) {
      residual -= a * wide(to_standard(xj));
      size += std::abs(a) * std::abs(wide(to_standard(xj)));
    };
    for (auto const& e : p.op.rows[i]) {
      bool const diagonal = e.col == i;
      has_diagonal = has_diagonal || diagonal;
      wide const a = wide(e.value);
      take(!diagonal ? a : p.is_unit() ? wide(1) : p.is_inverted() ? wide(1) / a : a, x[e.col]);
    }
    if (!has_diagonal) take(wide(1), x[i]);
    auto const entries = static_cast<long double>(p.op.rows[i].size());
    long double const bound = 4 * (entries + 2 + p.block_rows) * u * size;
    long double const error = std::abs(residual);
    if (error == 0) continue;
    double const ratio = bound > 0 && error < std::numeric_limits<long double>::infinity()
                             ? static_cast<double>(error / bound)
                             : std::numeric_limits<double>::infinity();
    if (!(ratio <= worst.ratio)) worst = {ratio, i};
  }
  return worst;
}

template <class S>
void expect_solves(Problem<S> const& p, Columns<S> const& x, Columns<S> const& b) {
  for (std::size_t c = 0; c < b.size(); ++c) {
    auto const worst = row_error(p, x[c], b[c]);
    EXPECT_LE(worst.ratio, 1.0) << "row " << worst.row << ", column " << c << " of x is off";
  }
}

/// Checks that x and y are equal bit by bit, as far as == can tell.
template <class A, class B>
void expect_same(std::vector<A> const& x, std::vector<B> const& y) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], y[i]) << "in row " << i;
}

}  // namespace sptrsv::test
