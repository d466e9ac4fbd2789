// SPDX-License-Identifier: Apache-2.0
// Tests `chain`: the order along chains, answers by rows for all kinds of numbers, and which triangles are
// accepted.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <sptrsv/planner/algorithm_list.hpp>
#include <sptrsv/planner/held_algorithm.hpp>
#include <sptrsv/planner/planner.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr int chunk = detail::ChainTuning::chunk;

/// Makes a triangle of chains.
/// @param needed  in the order of an untransposed solve: the position that each position needs, or -1
template <class S>
Problem<S> chains_of(std::vector<int> const& needed, Shape shape) {
  Problem<S> p;
  p.shape = shape;
  int const n = static_cast<int>(needed.size());
  bool const lower = shape.triangle == Triangle::lower;
  for (int r = 0; r < n; ++r) {
    int const i = lower ? r : n - 1 - r, other = needed[i] < 0 ? -1 : lower ? needed[i] : n - 1 - needed[i];
    if (other >= 0 && lower) p.col_idx.push_back(other);
    p.col_idx.push_back(r);
    if (other >= 0 && !lower) p.col_idx.push_back(other);
    p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  }
  set_values(p, 5);
  return p;
}

/// Returns chains of `length` consecutive rows: row i needs row i - 1, except for the first row of a chain.
std::vector<int> consecutive(int n, int length) {
  std::vector<int> needed(n);
  for (int i = 0; i < n; ++i) needed[i] = i % length == 0 ? -1 : i - 1;
  return needed;
}
/// Returns lines across a grid: row i needs row i - lines.
std::vector<int> across(int n, int lines) {
  std::vector<int> needed(n);
  for (int i = 0; i < n; ++i) needed[i] = i < lines ? -1 : i - lines;
  return needed;
}
/// Returns random chains: each row continues one or begins one.
std::vector<int> at_random(int n, int begins, std::uint64_t seed) {
  std::vector<int> needed(n), last;
  for (int i = 0; i < n; ++i) {
    bool const begin = last.empty() || unit_random(seed, 2 * i) * n < begins;
    auto const which = static_cast<std::size_t>(unit_random(seed, 2 * i + 1) * static_cast<double>(last.size()));
    needed[i] = begin ? -1 : last[which];
    if (begin) last.push_back(i);
    else last[which] = i;
  }
  return needed;
}

Variant const scan = variant("chain");

template <class Space>
class ChainScans : public ::testing::Test {
 protected:
  Space exec;

  template <class S>
  void expect_scans(Problem<S> const& p, Columns<S> const& b) {
    auto const solver = make_solver<S>(scan, exec, p);
    auto const x = solve<S>(solver, exec, b);
    expect_solves(p, x, b);
    auto const again = solve<S>(solver, exec, b);
    for (std::size_t c = 0; c < b.size(); ++c) expect_same(x[c], again[c]);
  }
  /// Checks that scans give the same kind of number as substitution: finite unknowns are judged by rows, infinite ones
  /// and NaN must be equal.
  void expect_kinds(Problem<double> const& p, std::vector<double> const& b) {
    auto const x = solve<double>(make_solver<double>(scan, exec, p), exec, {b})[0];
    auto const oracle = p.oracle(b);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(std::isfinite(x[i]), std::isfinite(oracle[i])) << i << ": " << x[i] << ", not " << oracle[i];
      ASSERT_EQ(std::isnan(x[i]), std::isnan(oracle[i])) << i << ": " << x[i] << ", not " << oracle[i];
      if (std::isfinite(oracle[i])) {
        ASSERT_NEAR(x[i], oracle[i], 1e-9 * std::fabs(oracle[i]) + 1e-300) << i;
      }
    }
  }
};
TYPED_TEST_SUITE(ChainScans, Spaces, SpaceNames);

TYPED_TEST(ChainScans, AllShapesAndSizes) {
  for (auto const& shape : all_shapes())
    for (int const n : {1, 2, 3, chunk - 1, chunk, chunk + 1, 3 * chunk + 7})
      for (auto const& needed : {consecutive(n, n), consecutive(n, 1), consecutive(n, 5), across(n, 3),
                                 at_random(n, 1, 1), at_random(n, 20, 2)}) {
        SCOPED_TRACE(std::string(text(shape.triangle)) + " " + text(shape.op) + " " + text(shape.diagonal) + " " +
                     std::to_string(n));
        this->template expect_scans<double>(chains_of<double>(needed, shape), make_right_hand_sides<double>(n, 1));
        ASSERT_FALSE(this->HasFailure());
      }
}

TYPED_TEST(ChainScans, OtherScalarsAndColumns) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none}, upper{Triangle::upper, Diagonal::inverted, Op::none};
  int const n = 2 * chunk + 100;
  for (int const k : {1, 2, 31, 32, 33, 40, 65})
    for (auto const& shape : {lower, upper})
      this->template expect_scans<double>(chains_of<double>(at_random(n, 3, 9), shape),
                                          make_right_hand_sides<double>(n, k));
#ifdef SPTRSV_TEST_ALL_SCALARS
  if constexpr (has_instance<float, TypeParam>) {
    using complex = Kokkos::complex<double>;
    using complex_float = Kokkos::complex<float>;
    auto const needed = at_random(n, 3, 4);
    for (auto const& shape : all_shapes()) {
      this->template expect_scans<float>(chains_of<float>(needed, shape), make_right_hand_sides<float>(n, 3));
      this->template expect_scans<complex>(chains_of<complex>(needed, shape), make_right_hand_sides<complex>(n, 3));
      this->template expect_scans<complex_float>(chains_of<complex_float>(needed, shape),
                                                 make_right_hand_sides<complex_float>(n, 3));
    }
  }
#endif
}

/// Checks sums of many terms that nearly cancel, for which the error of a plain scan has the size of the terms.
TYPED_TEST(ChainScans, SumsThatCancel) {
  Shape const unit{Triangle::lower, Diagonal::unit, Op::none};
  int const n = 40 * chunk;
  auto p = chains_of<double>(consecutive(n, n), unit);
  for (int i = 1; i < n; ++i) p.values[p.row_ptr[i]] = -1;
  p.make_op();
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i) b[i] = std::sin(i) * 1e8;
  for (int i = 10; i < n; i += 1001) b[i] = -std::accumulate(b.begin(), b.begin() + i, 0.0) + 1e-8;
  this->template expect_scans<double>(p, {b});
}

/// Checks products of entries that overflow or underflow although the unknowns do not.
TYPED_TEST(ChainScans, ProductsThatOverflowOrVanish) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none};
  int const n = 5 * chunk + 3;
  for (double const entry : {3.0, -3.0, 1e-3, 1e200, 1e-200, 0.0}) {
    SCOPED_TRACE(entry);
    auto p = chains_of<double>(consecutive(n, n), lower);
    for (int i = 0; i < n; ++i) {
      p.values[p.row_ptr[i + 1] - 1] = 1;
      if (i > 0) p.values[p.row_ptr[i]] = entry;
    }
    p.make_op();
    std::vector<double> b(n, 0.0);
    this->template expect_scans<double>(p, {b});
    b[n - 2] = 1;  // one unknown before the last: products of all entries would be infinite times zero
    this->template expect_scans<double>(p, {b});
    b[5] = 1;
    this->expect_kinds(p, b);
  }
}

TYPED_TEST(ChainScans, NumbersThatAreNotFinite) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none};
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  int const n = 3 * chunk;
  for (double const bad : {inf, -inf, nan, 1e308, 5e-324})
    for (int const at : {0, 1, 699, 700, chunk, n - 1})
      for (auto const& needed : {consecutive(n, n), consecutive(n, 700), at_random(n, 4, 8)}) {
        auto p = chains_of<double>(needed, lower);
        std::vector<double> b = make_right_hand_sides<double>(n, 1)[0];
        b[at] = bad;
        this->expect_kinds(p, b);
        for (int which = 0; which < 2; ++which) {  // off the diagonal, then on it
          auto q = p;
          q.values[which == 0 ? q.row_ptr[at] : q.row_ptr[at + 1] - 1] = bad;
          q.make_op();
          this->expect_kinds(q, make_right_hand_sides<double>(n, 1)[0]);
        }
        ASSERT_FALSE(this->HasFailure());
      }
}

/// Checks a last row whose entry divided by its pivot is infinite and whose unknown is not: a correction of one ulp
/// must not make it infinite.
template <class S, class Space>
void check_large_quotient(Space const& exec, double entry, double pivot, double size) {
  for (int const n : {70, 1026, 3 * chunk + 2})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      auto p = chains_of<S>(consecutive(2 * n, n), {Triangle::lower, Diagonal::stored, Op::none});
      std::vector<S> b(2 * n);
      for (int i = 0; i < 2 * n; ++i) {
        bool const begins = i % n == 0, last = i % n == n - 1;
        b[i] = last ? S(0) : S(size) * random_scalar<S>(seed, i);
        p.values[p.row_ptr[i + 1] - 1] = last ? S(pivot) : S(1 + unit_random(seed + 50, i));
        if (!begins) p.values[p.row_ptr[i]] = last ? S(entry) : S(0.9) * random_scalar<S>(seed + 99, i);
      }
      p.make_op();
      auto const x = solve<S>(make_solver<S>(scan, exec, p), exec, {b})[0];
      for (int const i : {n - 1, 2 * n - 1}) ASSERT_TRUE(std::isfinite(x[i])) << "row " << i << " of " << 2 * n;
      expect_solves(p, {x}, {b});
    }
}
TYPED_TEST(ChainScans, AQuotientThatOverflowsAtTheEnd) {
  check_large_quotient<double>(this->exec, 1e200, 1e-200, 1e-150);
#ifdef SPTRSV_TEST_ALL_SCALARS
  if constexpr (has_instance<float, TypeParam>) check_large_quotient<float>(this->exec, 1e20, 1e-20, 1e-12);
#endif
}

/// Checks a term that overflows or nearly does: the unknown is infinite exactly if it is by substitution.
TYPED_TEST(ChainScans, ATermThatOverflowsAtTheEnd) {
  int const n = 70;
  double const most = std::numeric_limits<double>::max();
  for (int k = 40; k < 53; ++k)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      auto p = chains_of<double>(consecutive(n, n), {Triangle::lower, Diagonal::unit, Op::none});
      std::vector<double> b(n);
      for (int i = 1; i < n; ++i) p.values[p.row_ptr[i]] = -1;
      for (int i = 0; i < n - 2; ++i) b[i] = 1e8 * random_scalar<double>(seed, i);
      b[n - 2] = -std::accumulate(b.begin(), b.end() - 2, 0.0) + 4;
      p.values[p.row_ptr[n - 1]] = most / 4 * (1 + std::pow(2.0, -k));
      b[n - 1] = most / 2;
      p.make_op();
      auto const x = solve<double>(make_solver<double>(scan, this->exec, p), this->exec, {b})[0];
      // substitution of the last row from the present unknown before it; on a GPU product and sum are one operation
      double const entry = p.values[p.row_ptr[n - 1]], apart = b[n - 1] - entry * x[n - 2],
                   last = is_host_space<TypeParam> ? apart : std::fma(-entry, x[n - 2], b[n - 1]);
      ASSERT_EQ(std::isfinite(x[n - 1]), std::isfinite(last)) << x[n - 1] << ", not " << last;
    }
}

/// Checks unknowns that decay below the normal numbers, where substitution ends at some multiple of the smallest
/// number.
TYPED_TEST(ChainScans, UnknownsThatDecay) {
  int const n = 20000;
  for (double const entry : {-0.3, -0.7, 0.7, -0.9, 0.97}) {
    auto p = chains_of<double>(consecutive(n, n), {Triangle::lower, Diagonal::unit, Op::none});
    for (int i = 1; i < n; ++i) p.values[p.row_ptr[i]] = entry * (1 + 0.05 * unit_random(3, i));
    p.make_op();
    std::vector<double> b(n, 0.0);
    b[0] = 1;
    this->expect_kinds(p, b);
  }
}

/// Checks that of two columns only the one with a non-finite number has non-finite results.
TYPED_TEST(ChainScans, ColumnsByThemselves) {
  int const n = 2 * chunk;
  auto const p = chains_of<double>(consecutive(n, n), {Triangle::lower, Diagonal::stored, Op::none});
  auto b = make_right_hand_sides<double>(n, 3);
  auto const x = solve<double>(make_solver<double>(scan, this->exec, p), this->exec, b);
  b[1][4] = std::numeric_limits<double>::infinity();
  auto const y = solve<double>(make_solver<double>(scan, this->exec, p), this->exec, b);
  expect_same(x[0], y[0]);
  expect_same(x[2], y[2]);
  EXPECT_FALSE(std::isfinite(y[1][5]));
}

TYPED_TEST(ChainScans, SayWhatTheyAre) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none};
  auto const chains = chains_of<double>(consecutive(6400, 64), lower);
  EXPECT_EQ(make_solver<double>(scan, this->exec, chains).parameters(), "100 chains in 7 chunks of 1024 rows");
  EXPECT_EQ(make_solver<double>(scan, this->exec, chains_of<double>({}, lower)).parameters(),
            "0 chains in 0 chunks of 1024 rows");
}

TYPED_TEST(ChainScans, RefuseOtherTriangles) {
  for (auto const& shape : all_shapes()) {
    std::vector<int> tree = consecutive(500, 500);
    tree[400] = 20;  // row 21 needs row 20, too
    for (auto const& p : {chains_of<double>(tree, shape), make_problem<double>("lap2d:9", shape)})
      EXPECT_EQ(error_text<Unsupported>([&] { make_solver<double>(scan, this->exec, p); }),
                "algorithm chain does not do triangles where a row needs several others or several rows need one; "
                "choose another algorithm");
  }
}

/// Checks the planner on a GPU: chains that are long in the mean are candidates, and chosen before levels are found.
TYPED_TEST(ChainScans, ArePlannedWhereChainsAreLong) {
  using T = TypesOf<double, TypeParam>;
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none};
  auto const planned = [&](Problem<double> const& p) {
    Analysis<T> const analysis(this->exec, to_pattern<T>(p), p.shape);
    auto const candidate = detail::MakeAlgorithm<T, Chain<T>>::candidate(this->exec, analysis);
    if (!candidate) return std::string();
    auto const plan = choose_on_device<T>(this->exec, analysis, {{"levelset", {}}, *candidate, {"blocked", {}}});
    EXPECT_EQ(analysis.known_levels(), nullptr);
    return plan.algorithm + ", " + plan.reason;
  };
  EXPECT_EQ(planned(chains_of<double>(consecutive(6400, 64), lower)), "chain, its own estimate, 48.82 us");
  EXPECT_EQ(planned(chains_of<double>(across(6400, 100), lower)), "chain, its own estimate, 48.82 us");
  EXPECT_EQ(planned(chains_of<double>(consecutive(6400, 63), lower)), "");
  EXPECT_EQ(planned(chains_of<double>({}, lower)), "");
  EXPECT_EQ(planned(make_problem<double>("lap2d:9", lower)), "");
  Analysis<T> const empty(this->exec, to_pattern<T>(chains_of<double>({}, lower)), lower);
  EXPECT_EQ((detail::MakeAlgorithm<T, Tiled<T>>::candidate(this->exec, empty)->nanoseconds), std::nullopt);
}

TYPED_TEST(ChainScans, AMillionRows) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none};
  int const n = 1 << 20;
  for (auto const& needed : {consecutive(n, n), across(n, 1024)})
    this->template expect_scans<double>(chains_of<double>(needed, lower), make_right_hand_sides<double>(n, 1));
}

}  // namespace
}  // namespace sptrsv::test
