// SPDX-License-Identifier: Apache-2.0
// Blocked factorizations for the tests: matrices of dense blocks, the object under test, and its residual in wider
// numbers.
#pragma once

#include <map>
#include <tuple>

#include "dense.hpp"
#include "factorized.hpp"

namespace sptrsv::test {

struct BlockWay {
  int size = 2, level = 0;
  bool symmetric = false, upper_only = false;  ///< upper_only: A has only its upper triangle
  bool one_array = false;
  std::vector<int> row_perm, col_perm;  ///< permutations of block rows and columns
  FactorizationOptions options;
};

/// Matrix of blocks on a generated pattern, and its Factorization.
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

  void factorize(PivotRules const& rules = {}) { pivot_status = object->factor(exec_, device_values(), rules); }
  Kokkos::View<S*, typename T::device> device_values() const { return to_device<T>(values); }
  int num_rows() const { return a_.n; }

  /// Checks A_ij = sum_k L_ik D_k V_kj on the pattern up to rounding, with V = D^-1 U, and L = V^T if symmetric.
  void expect_small_residual() const {
    auto const [left, middle, right] = factors();
    for (int i = 0; i < a_.n; ++i) {
      auto const check = [&, &left = left, &middle = middle, &right = right](int j) {
        Block rest = of_matrix(i, j);
        long double size = greatest(rest);
        auto const subtract = [&](Block const& term) {
          for (std::size_t e = 0; e < rest.v.size(); ++e) rest.v[e] -= term.v[e];
          size = std::max(size, greatest(term));
        };
        for (auto const& [k, block] : left[i])
          if (auto const other = right[k].find(j); other != right[k].end()) subtract(product(block, other->second));
        subtract(j < i ? left[i].at(j) : j == i ? middle[i] : product(middle[i], right[i].at(j)));
        for (auto const& entry : rest.v)
          ASSERT_LE(std::abs(entry), tolerance() * size) << "block (" << i << ", " << j << ")";
      };
      ASSERT_NO_FATAL_FAILURE(check(i));
      for (auto const& [j, block] : right[i]) ASSERT_NO_FATAL_FAILURE(check(j));
      if (way_.symmetric) continue;
      for (auto const& [j, block] : left[i]) ASSERT_NO_FATAL_FAILURE(check(j));
    }
  }

 private:
  using Block = DenseBlock<W>;
  using Rows = std::vector<std::map<int, Block>>;  ///< blocks of each row by column

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
  /// Returns L D without its diagonal, D, and V without its diagonal.
  std::tuple<Rows, std::vector<Block>, Rows> factors() const {
    int const b = way_.size;
    auto const v = object->values();
    auto const lower = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v.lower),
               upper = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v.upper),
               inverse = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v.inverse);
    auto const fetch = [b](auto const& view, int at, int count, int t) {
      Block out(b);
      for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c) out(r, c) = W(to_standard(view(at + r * count * b + t * b + c)));
      return out;
    };
    auto const uptr = off_diagonal_ptr();
    Rows left(a_.n), right(a_.n);
    std::vector<Block> middle;
    for (int i = 0; i < a_.n; ++i) {
      middle.push_back(inverted(transposed(fetch(inverse, i * b * b, 1, 0))));  // by columns
      int const count = uptr[i + 1] - uptr[i];
      for (int t = 0; t < count; ++t) {
        auto const& block = right[i][upper_col(i, t)] = fetch(upper, upper_at_[i], count, t);
        if (way_.symmetric) left[upper_col(i, t)][i] = product(transposed(block), middle[i]);
      }
      if (way_.symmetric) continue;
      int const first = pattern_.lower_ptr[i], others = pattern_.lower_ptr[i + 1] - first;
      for (int t = 0; t < others; ++t) {
        int const k = pattern_.lower_col[first + t];
        left[i][k] = product(fetch(lower, lower_at_[i], others, t), middle[k]);
      }
    }
    return {left, middle, right};
  }
  static long double greatest(DenseBlock<W> const& x) {
    long double most = 0;
    for (auto const& v : x.v) most = std::max(most, static_cast<long double>(std::abs(v)));
    return most;
  }
  static long double tolerance() { return 2000 * static_cast<long double>(std::numeric_limits<real>::epsilon()); }

  Space exec_;
  BlockWay way_;
  support::Csr<Standard<S>> a_;  // pattern of blocks; its values are not used
  support::IncompleteFactors<Standard<S>> pattern_;
  std::vector<int> lower_ptr_, lower_col_, lower_at_, upper_ptr_, upper_col_, upper_at_;

 public:
  std::vector<S> values;  ///< entries of A's blocks, each block by columns
  std::unique_ptr<Object> object;
  PivotStatus pivot_status;
};

}  // namespace sptrsv::test
