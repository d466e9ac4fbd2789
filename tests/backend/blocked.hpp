// SPDX-License-Identifier: Apache-2.0
// Blocked factorizations for the tests: matrices of dense blocks, the object under test, and a plain block elimination
// in wider numbers as its oracle.
#pragma once

#include "factorized.hpp"

namespace sptrsv::test {

/// Dense block, stored by columns.
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

struct BlockWay {
  int size = 2, level = 0;
  bool symmetric = false, upper_only = false;  ///< upper_only: A has only its upper triangle
  bool one_array = false;
  std::vector<int> row_perm, col_perm;  ///< permutations of block rows and columns
  FactorizationOptions options;
};

/// Matrix of blocks on a generated pattern, its Factorization, and the expected factors.
template <class S, class Space>
class BlockSubject {
 public:
  using T = TypesOf<S, Space>;
  using W = typename ScalarTraits<S>::wide;
  using real = RealOf<S>;
  using Object = Factorization<S, int, int, Space>;

  BlockSubject(Space const& exec, std::string const& spec, BlockWay const& way)
      : exec_(exec), way_(way), a_(make_csr<S>(spec)) {
    pattern_ = support::factor_pattern(support::permuted(a_, way.row_perm, way.col_perm), way.level, way.symmetric);
    if (way.upper_only) drop_lower();
    set_values(1);
    lay_out();
    object = std::make_unique<Object>(exec, to_pattern<T>(a_.row_ptr, a_.col_idx), factor(), way.options);
  }

  /// Sets random values; diagonal blocks dominate, unless `weight` is small.
  void set_values(std::uint64_t seed, double weight = 3) {
    int const b = way_.size, area = b * b;
    values.assign(a_.col_idx.size() * area, S(0));
    for (int i = 0; i < a_.n; ++i)
      for (int k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
        for (int e = 0; e < area; ++e) {
          int const j = a_.col_idx[k];
          S v = random_scalar<S>(seed, static_cast<std::uint64_t>(k) * area + e);
          if (way_.symmetric) {  // blocks (i, j) and (j, i) are transposes of each other
            int const r = i * b + e % b, c = j * b + e / b;
            v = random_scalar<S>(seed, static_cast<std::uint64_t>(std::min(r, c)) * 100003 + std::max(r, c));
          }
          bool const diagonal = i == j && e % b == e / b;
          values[static_cast<std::size_t>(k) * area + e] =
              diagonal ? S(weight * b * (a_.row_ptr[i + 1] - a_.row_ptr[i])) + v : v;
        }
  }
  /// Returns entry e of the diagonal block of row i of A.
  S& diagonal(int i, int e) { return entry(i, i, e); }
  /// Returns entry e of block (i, j) of A.
  S& entry(int i, int j, int e) {
    int k = a_.row_ptr[i];
    while (a_.col_idx[k] != j) ++k;
    return values[static_cast<std::size_t>(k) * way_.size * way_.size + e];
  }

  void factorize(PivotRules const& rules = {}) { verdict = object->factor(exec_, device_values(), rules); }
  Kokkos::View<S*, typename T::device> device_values() const { return to_device<T>(values); }
  int num_rows() const { return a_.n; }

  /// Compares every entry with the oracle's.
  void expect_near() const {
    auto const [lower, upper, inverse] = oracle();
    auto const v = object->values();
    compare("L", v.lower, lower_at_, pattern_.lower_ptr, lower, true);
    compare("D^-1 U", v.upper, upper_at_, off_diagonal_ptr(), upper, true);
    auto const d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v.inverse);
    for (int i = 0; i < a_.n; ++i)
      for (int e = 0; e < way_.size * way_.size; ++e)
        ASSERT_LE(std::abs(W(to_standard(d(i * way_.size * way_.size + e))) - inverse[i].v[e]),
                  tolerance() * greatest(inverse[i]))
            << "D^-1, block row " << i << ", entry " << e;
  }

 private:
  using Blocks = std::vector<DenseBlock<W>>;
  struct Factors {
    Blocks lower, upper, inverse;
  };

  void drop_lower() {
    support::Csr<Standard<S>> out{a_.n, {0}, {}, {}};
    for (int i = 0; i < a_.n; ++i) {
      for (int k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
        if (a_.col_idx[k] >= i) out.col_idx.push_back(a_.col_idx[k]), out.values.push_back(a_.values[k]);
      out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
    }
    a_ = out;
  }
  /// Returns the row offsets of U without its pivots.
  std::vector<int> off_diagonal_ptr() const {
    std::vector<int> ptr(pattern_.upper_ptr);
    for (int i = 0; !way_.symmetric && i <= a_.n; ++i) ptr[i] -= i;
    return ptr;
  }
  int upper_col(int i, int t) const { return pattern_.upper_col[pattern_.upper_ptr[i] + t]; }

  /// Lays out the scalar rows of both triangles, and the position of the first entry of each block row.
  void lay_out() {
    int const b = way_.size;
    auto const uptr = off_diagonal_ptr();
    auto const put = [&](int i, int count, auto const& column, std::vector<int>& ptr, std::vector<int>& col) {
      for (int r = 0; r < b; ++r) {
        for (int t = 0; t < count; ++t)
          for (int c = 0; c < b; ++c) col.push_back(column(i, t) * b + c);
        ptr.push_back(static_cast<int>(col.size()));
      }
    };
    lower_ptr_ = {0};
    for (int i = 0; i < a_.n && !way_.symmetric; ++i) {
      lower_at_.push_back(static_cast<int>(lower_col_.size()));
      put(
          i, pattern_.lower_ptr[i + 1] - pattern_.lower_ptr[i],
          [&](int row, int t) { return pattern_.lower_col[pattern_.lower_ptr[row] + t]; }, lower_ptr_, lower_col_);
    }
    if (way_.one_array) upper_col_ = lower_col_;
    upper_ptr_ = {static_cast<int>(upper_col_.size())};
    for (int i = 0; i < a_.n; ++i) {
      upper_at_.push_back(static_cast<int>(upper_col_.size()));
      put(i, uptr[i + 1] - uptr[i], [&](int row, int t) { return upper_col(row, t); }, upper_ptr_, upper_col_);
    }
    if (way_.one_array) lower_col_ = upper_col_;
  }
  typename Object::pattern_type factor() const {
    typename Object::pattern_type p;
    p.symmetric = way_.symmetric;
    p.block_size = way_.size;
    p.upper = {to_pattern<T>(upper_ptr_, upper_col_), Diagonal::unit};
    if (!way_.symmetric) p.lower = {to_pattern<T>(lower_ptr_, lower_col_), Diagonal::unit};
    if (way_.one_array && p.lower) p.lower->rows.col_idx = p.upper->rows.col_idx;
    auto const scalar = [&](std::vector<int> const& perm) {
      std::vector<int> out;
      for (int const i : perm)
        for (int r = 0; r < way_.size; ++r) out.push_back(i * way_.size + r);
      return out;
    };
    if (!way_.row_perm.empty()) p.row_perm = to_device<T>(scalar(way_.row_perm));
    if (!way_.col_perm.empty()) p.col_perm = to_device<T>(scalar(way_.col_perm));
    return p;
  }

  DenseBlock<W> of_matrix(int i, int j) const {
    int const r = way_.row_perm.empty() ? i : way_.row_perm[i], c = way_.col_perm.empty() ? j : way_.col_perm[j];
    DenseBlock<W> out(way_.size);
    for (int k = a_.row_ptr[r]; k < a_.row_ptr[r + 1]; ++k)
      if (a_.col_idx[k] == c)
        for (std::size_t e = 0; e < out.v.size(); ++e) out.v[e] = W(to_standard(values[k * out.v.size() + e]));
    return out;
  }
  /// Returns the factors by textbook block elimination.
  Factors oracle() const {
    int const n = a_.n;
    auto const uptr = off_diagonal_ptr();
    Factors f;
    f.upper.resize(static_cast<std::size_t>(uptr[n]));
    f.lower.resize(pattern_.lower_col.size());
    f.inverse.resize(static_cast<std::size_t>(n));
    Blocks scaled(f.upper.size());
    std::vector<std::vector<std::pair<int, int>>> above(static_cast<std::size_t>(n));  // by column: (row, position)
    for (int i = 0; i < n; ++i) {
      std::vector<DenseBlock<W>> row(static_cast<std::size_t>(n));
      auto const take = [&](int j) { row[j] = of_matrix(i, j); };
      for (int k = pattern_.lower_ptr.empty() ? 0 : pattern_.lower_ptr[i];
           !way_.symmetric && k < pattern_.lower_ptr[i + 1]; ++k)
        take(pattern_.lower_col[k]);
      take(i);
      for (int t = uptr[i]; t < uptr[i + 1]; ++t) take(upper_col(i, t - uptr[i]));
      auto const subtract = [&](DenseBlock<W> const& l, int k) {
        for (int t = uptr[k]; t < uptr[k + 1]; ++t) {
          auto& to = row[upper_col(k, t - uptr[k])];
          if (to.size == 0) continue;
          auto const p = product(l, f.upper[t]);
          for (std::size_t e = 0; e < p.v.size(); ++e) to.v[e] -= p.v[e];
        }
      };
      if (way_.symmetric) {
        for (auto const& [k, at] : above[i]) subtract(transposed(scaled[at]), k);
      } else {
        for (int q = pattern_.lower_ptr[i]; q < pattern_.lower_ptr[i + 1]; ++q) {
          int const k = pattern_.lower_col[q];
          f.lower[q] = product(row[k], f.inverse[k]);
          subtract(f.lower[q], k);
        }
      }
      f.inverse[i] = inverted(row[i]);
      for (int t = uptr[i]; t < uptr[i + 1]; ++t) {
        int const j = upper_col(i, t - uptr[i]);
        f.upper[t] = row[j];
        scaled[t] = product(f.inverse[i], row[j]);
        above[j].emplace_back(i, t);
      }
    }
    f.upper = scaled;
    return f;
  }
  static long double greatest(DenseBlock<W> const& x) {
    long double most = 0;
    for (auto const& v : x.v) most = std::max(most, static_cast<long double>(std::abs(v)));
    return most;
  }
  static long double tolerance() { return 2000 * static_cast<long double>(std::numeric_limits<real>::epsilon()); }

  template <class View>
  void compare(char const* what, View const& view, std::vector<int> const& at, std::vector<int> const& ptr,
               Blocks const& wanted, bool) const {
    int const b = way_.size;
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    for (std::size_t i = 0; i < at.size(); ++i) {
      int const count = ptr[i + 1] - ptr[i];
      for (int t = 0; t < count; ++t)
        for (int r = 0; r < b; ++r)
          for (int c = 0; c < b; ++c) {
            auto const& block = wanted[ptr[i] + t];
            W const got(to_standard(here(at[i] + r * count * b + t * b + c)));
            ASSERT_LE(std::abs(got - block(r, c)), tolerance() * (greatest(block) + 1e-30L))
                << what << ", block row " << i << ", block " << t << ", entry (" << r << ", " << c << ")";
          }
    }
  }

  Space exec_;
  BlockWay way_;
  support::Csr<Standard<S>> a_;  // pattern of blocks; its values are not used
  support::IncompleteFactors<Standard<S>> pattern_;
  std::vector<int> lower_ptr_, lower_col_, lower_at_, upper_ptr_, upper_col_, upper_at_;

 public:
  std::vector<S> values;  ///< entries of A's blocks, each block by columns
  std::unique_ptr<Object> object;
  PivotVerdict verdict;
};

}  // namespace sptrsv::test
