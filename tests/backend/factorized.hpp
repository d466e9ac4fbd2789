// SPDX-License-Identifier: Apache-2.0
// Incomplete factors for the tests of Factorization: matrices, layouts of the factors, and the object under test with
// the oracle of sptrsv_support/factorize_shifted.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <sptrsv/factorization/factorization.hpp>
#include <sptrsv_support/factorize_shifted.hpp>

#include "on_device.hpp"

namespace sptrsv::test {

template <class S>
using Standard = typename ScalarTraits<S>::standard;
template <class S>
using RealOf = typename ScalarTraits<S>::real;

template <class S>
S from_standard(Standard<S> const& v) {
  return ScalarTraits<S>::make(static_cast<double>(std::real(v)), static_cast<double>(std::imag(v)));
}

/// Makes a matrix with a generated pattern. Off-diagonals are random, and diagonals about `weight` times the row's
/// length.
template <class S>
support::Csr<Standard<S>> make_csr(std::string const& spec, double weight = 2, std::uint64_t seed = 1) {
  auto const g = support::generate(spec);
  support::Csr<Standard<S>> a{static_cast<int>(g.num_rows), {}, {}, {}};
  a.row_ptr.assign(g.row_ptr.begin(), g.row_ptr.end());
  a.col_idx.assign(g.col_idx.begin(), g.col_idx.end());
  for (int i = 0; i < a.n; ++i)
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      S const random = random_scalar<S>(seed, static_cast<std::uint64_t>(k));
      bool const diagonal = a.col_idx[k] == i;
      a.values.push_back(
          to_standard(diagonal ? S(weight * (a.row_ptr[i + 1] - a.row_ptr[i])) * (S(1) + random * S(0.25)) : random));
    }
  return a;
}

/// Entry that csr_of() leaves out.
inline constexpr double missing = 12345;
/// Makes a matrix from its dense rows.
template <class S>
support::Csr<S> csr_of(std::vector<std::vector<S>> const& dense) {
  support::Csr<S> a{static_cast<int>(dense.size()), {0}, {}, {}};
  for (auto const& row : dense) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != S(missing)) a.col_idx.push_back(static_cast<int>(j)), a.values.push_back(row[j]);
    a.row_ptr.push_back(static_cast<int>(a.col_idx.size()));
  }
  return a;
}

/// Layout of the factors' entries.
enum class Layout {
  separate,      ///< one array for L and one for U; U's rows end in their pivots
  one_array,     ///< PETSc's: L's rows, then U's, last first
  pivot_first,   ///< U's rows begin with their pivots, or with a slot for them
  stored_units,  ///< L has slots for its diagonal
};
inline std::vector<Layout> const all_layouts{Layout::separate, Layout::one_array, Layout::pivot_first,
                                             Layout::stored_units};

/// Pattern in a layout. `at` has the position of each entry of the oracle's arrays; -1: none.
struct LaidOut {
  std::vector<int> lower_ptr{0}, lower_col, lower_at, upper_ptr{0}, upper_col, upper_at;
  bool one_array = false;
};
template <class S>
LaidOut lay_out(support::IncompleteFactors<S> const& f, Layout layout, bool diagonal_apart) {
  LaidOut out;
  int const n = static_cast<int>(f.upper_ptr.size()) - 1;
  out.one_array = layout == Layout::one_array;
  for (int i = 0; i < n && !f.symmetric; ++i) {
    for (int k = f.lower_ptr[i]; k < f.lower_ptr[i + 1]; ++k) {
      out.lower_at.push_back(static_cast<int>(out.lower_col.size()));
      out.lower_col.push_back(f.lower_col[k]);
    }
    if (layout == Layout::stored_units) out.lower_col.push_back(i);
    out.lower_ptr.push_back(static_cast<int>(out.lower_col.size()));
  }
  if (out.one_array) out.upper_col = out.lower_col;
  out.upper_ptr = {static_cast<int>(out.upper_col.size())};
  out.upper_at.resize(f.upper_col.size());
  for (int r = 0; r < n; ++r) {
    int const i = out.one_array ? n - 1 - r : r;
    int const end = f.upper_ptr[i + 1] - !f.symmetric;  // end of the off-diagonals
    auto const put_pivot = [&] {
      bool const stored = !diagonal_apart || layout != Layout::separate;
      if (!f.symmetric) out.upper_at[end] = stored ? static_cast<int>(out.upper_col.size()) : -1;
      if (stored) out.upper_col.push_back(i);
    };
    if (layout == Layout::pivot_first) put_pivot();
    for (int k = f.upper_ptr[i]; k < end; ++k) {
      out.upper_at[k] = static_cast<int>(out.upper_col.size());
      out.upper_col.push_back(f.upper_col[k]);
    }
    if (layout != Layout::pivot_first) put_pivot();
    out.upper_ptr.push_back(static_cast<int>(out.upper_col.size()));
  }
  if (out.one_array) out.lower_col = out.upper_col;
  return out;
}

/// Kind of factor, layout, orderings and options of a factorization.
struct Way {
  int level = 0;
  bool symmetric = false;
  bool ldu = false;  ///< unsymmetric factor with D apart from U
  Layout layout = Layout::separate;
  std::vector<int> row_perm, col_perm;
  FactorizationOptions options;
};

/// A Factorization, and on the host the factors that it should compute.
template <class S, class Space>
class Subject {
 public:
  using T = TypesOf<S, Space>;
  using standard = Standard<S>;
  using real = RealOf<S>;
  using Object = Factorization<S, int, int, Space>;
  using Csr = support::Csr<standard>;

  Subject(Space const& exec, Csr const& a, Way const& way) : exec_(exec), a_(a), way_(way) {
    expected = support::factor_pattern(support::permuted(a, way.row_perm, way.col_perm), way.level, way.symmetric);
    laid_out_ = lay_out(expected, way.layout, diagonal_apart());
    object = std::make_unique<Object>(exec, matrix(), factor(), way.options);
  }
  typename T::pattern matrix() const { return to_pattern<T>(a_.row_ptr, a_.col_idx); }
  typename Object::pattern_type factor() const {
    typename Object::pattern_type p;
    LaidOut const& l = laid_out_;
    RowOrder const order = l.one_array ? RowOrder::reversed : RowOrder::natural;
    p.symmetric = way_.symmetric;
    p.block_size = diagonal_apart();
    p.upper = {to_pattern<T>(l.upper_ptr, l.upper_col, order), diagonal_apart() ? Diagonal::unit : Diagonal::inverted};
    if (!way_.symmetric) p.lower = {to_pattern<T>(l.lower_ptr, l.lower_col), Diagonal::unit};
    if (l.one_array && p.lower) p.lower->rows.col_idx = p.upper->rows.col_idx;
    if (!way_.row_perm.empty()) p.row_perm = to_device<T>(way_.row_perm);
    if (!way_.col_perm.empty()) p.col_perm = to_device<T>(way_.col_perm);
    return p;
  }
  Kokkos::View<S*, typename T::device> device_values() const {
    std::vector<S> values;
    for (auto const& v : a_.values) values.push_back(from_standard<S>(v));
    return to_device<T>(values);
  }
  /// Factors a_ by the object and by the oracle.
  void factorize(PivotRules const& rules) {
    pivot_status = object->factor(exec_, device_values(), rules);
    support::ShiftRules<real> const same{static_cast<support::ShiftKind>(static_cast<int>(rules.shift)),
                                         static_cast<real>(rules.zero_pivot), static_cast<real>(rules.amount),
                                         rules.contract};
    wanted = support::factorize(a_, support::permuted(a_, way_.row_perm, way_.col_perm), same, expected);
  }
  void set_values(std::vector<standard> const& values) { a_.values = values; }
  Csr const& a() const { return a_; }

  /// Returns the object's values in the oracle's order.
  support::IncompleteFactors<standard> get() const {
    auto out = expected;
    auto const values = object->values();
    auto const fetch = [](auto const& view, std::vector<int> const& at, std::vector<standard>& to) {
      auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      for (std::size_t k = 0; k < at.size(); ++k)
        if (at[k] >= 0) to[k] = to_standard(here(at[k]));
    };
    fetch(values.upper, laid_out_.upper_at, out.upper);
    if (!way_.symmetric) fetch(values.lower, laid_out_.lower_at, out.lower);
    if (!diagonal_apart()) return out;
    std::vector<int> own(static_cast<std::size_t>(a_.n));
    std::iota(own.begin(), own.end(), 0);
    std::vector<standard> inverse(own.size());
    fetch(values.inverse, own, inverse);
    if (way_.symmetric) out.inverse = inverse;
    else
      for (int i = 0; i < a_.n; ++i) out.upper[out.upper_ptr[i + 1] - 1] = inverse[i];
    return out;
  }
  void expect_same() const {
    ASSERT_NO_FATAL_FAILURE(expect_same_verdict());
    if (wanted.endless) return;
    if constexpr (std::is_arithmetic_v<S>) expect_same_bits();
    else expect_small_residual();
  }
  void expect_same_verdict() const {
    ASSERT_EQ(pivot_status.endless, wanted.endless);
    ASSERT_EQ(pivot_status.first_row, wanted.first_row);
    if (wanted.endless) return;
    ASSERT_EQ(pivot_status.zero_row, wanted.last_row);
    ASSERT_EQ(pivot_status.passes, wanted.passes);
    ASSERT_EQ(pivot_status.num_shifts, wanted.shifts);
    ASSERT_EQ(static_cast<real>(pivot_status.shift_amount), wanted.amount);
    if (std::is_arithmetic_v<S> && wanted.first_row >= 0) {
      ASSERT_EQ(pivot_status.zero_value, static_cast<double>(wanted.last_value));
      ASSERT_EQ(pivot_status.first_value, static_cast<double>(wanted.first_value));
    }
  }
  void expect_same_bits() const {
    auto const got = get();
    auto want = expected;
    for (int i = 0; way_.ldu && i < a_.n; ++i)  // D^-1 U
      for (int k = want.upper_ptr[i]; k + 1 < want.upper_ptr[i + 1]; ++k)
        want.upper[k] *= want.upper[want.upper_ptr[i + 1] - 1];
    auto const same = [](std::vector<standard> const& x, std::vector<standard> const& y, char const* what) {
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        bool const equal = (x[k] != x[k] && y[k] != y[k]) || std::memcmp(&x[k], &y[k], sizeof(standard)) == 0;
        ASSERT_TRUE(equal) << what << " differs in entry " << k << ": " << x[k] << " where " << y[k] << " belongs";
      }
    };
    ASSERT_NO_FATAL_FAILURE(same(got.lower, want.lower, "L"));
    ASSERT_NO_FATAL_FAILURE(same(got.upper, want.upper, "U"));
    ASSERT_NO_FATAL_FAILURE(same(got.inverse, want.inverse, "D"));
  }
  /// Expects |A + shift I - L U|_ij <= gamma (|L| |U|)_ij on the pattern, which holds for any order of sums.
  void expect_small_residual() const { check_residual(get()); }

 private:
  bool diagonal_apart() const { return way_.symmetric || way_.ldu; }

  using wide = typename ScalarTraits<S>::wide;
  void check_residual(support::IncompleteFactors<standard> const& f) const {
    int const n = a_.n;
    auto const p = support::permuted(a_, way_.row_perm, way_.col_perm);
    std::vector<std::vector<std::pair<int, wide>>> lower(n), upper(n);  // U's rows include D, and L's ones
    for (int i = 0; i < n; ++i) {
      int const end = f.upper_ptr[i + 1] - !f.symmetric;
      wide const pivot = wide(1) / wide(f.symmetric ? f.inverse[i] : f.upper[end]);
      upper[i].emplace_back(i, pivot);
      for (int k = f.upper_ptr[i]; k < end; ++k) {
        upper[i].emplace_back(f.upper_col[k], wide(f.upper[k]) * (diagonal_apart() ? pivot : wide(1)));
        if (f.symmetric) lower[f.upper_col[k]].emplace_back(i, wide(f.upper[k]));
      }
      if (!f.symmetric)
        for (int k = f.lower_ptr[i]; k < f.lower_ptr[i + 1]; ++k)
          lower[i].emplace_back(f.lower_col[k], wide(f.lower[k]));
      lower[i].emplace_back(i, wide(1));
    }
    long double const u = std::numeric_limits<real>::epsilon() / 2;
    for (int i = 0; i < n; ++i) {
      std::vector<wide> sum(n, wide(0));
      std::vector<long double> size(n, 0);
      for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) sum[p.col_idx[k]] -= wide(p.values[k]);
      sum[i] -= static_cast<long double>(wanted.amount);
      for (auto const& [k, l] : lower[i])
        for (auto const& [j, v] : upper[k]) sum[j] += l * v, size[j] += std::abs(l * v);
      long double const bound = 8 * u * static_cast<long double>(lower[i].size() + 4);
      auto const check = [&](int j) {
        ASSERT_LE(std::abs(sum[j]), bound * size[j]) << "in entry (" << i << ", " << j << ")";
      };
      for (int k = 0; !f.symmetric && k < f.lower_ptr[i + 1] - f.lower_ptr[i]; ++k)
        ASSERT_NO_FATAL_FAILURE(check(f.lower_col[f.lower_ptr[i] + k]));
      for (int k = f.upper_ptr[i]; k < f.upper_ptr[i + 1]; ++k) ASSERT_NO_FATAL_FAILURE(check(f.upper_col[k]));
      check(i);
    }
  }

  Space exec_;
  Csr a_;
  Way way_;
  LaidOut laid_out_;

 public:
  std::unique_ptr<Object> object;
  support::IncompleteFactors<standard> expected;
  support::ShiftResult<real> wanted;
  PivotStatus pivot_status;
};

/// Factors `a` by the object and by the oracle, and compares.
template <class S, class Space>
void check_factors(Space const& exec, support::Csr<Standard<S>> const& a, Way const& way,
                   PivotRules const& rules = {}) {
  Subject<S, Space> subject(exec, a, way);
  subject.factorize(rules);
  ASSERT_NO_FATAL_FAILURE(subject.expect_same());
}

}  // namespace sptrsv::test
