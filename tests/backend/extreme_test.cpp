// SPDX-License-Identifier: Apache-2.0
// Tests numbers near the ends of the range: an algorithm may overflow or underflow only where substitution does.
#include <gtest/gtest.h>

#include <cmath>
#include <sptrsv/device/row_io.hpp>
#include <sptrsv/device/tickets.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape lower{Triangle::lower, Diagonal::stored, Op::none};

/// Makes a triangle of few rows, each with its entries by column.
template <class S>
Problem<S> problem_of(std::vector<std::vector<std::pair<int, S>>> const& rows, Shape shape = lower) {
  Problem<S> p;
  p.shape = shape;
  for (auto const& row : rows) {
    for (auto const& [column, value] : row) {
      p.col_idx.push_back(column);
      p.values.push_back(value);
    }
    p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  }
  p.make_op();
  return p;
}

template <class Space>
class Extreme : public ::testing::Test {
 protected:
  Space exec;

  template <class S>
  void expect_all_solve(Problem<S> const& p, std::vector<S> const& b, std::string const& what, bool wild = false) {
    for (auto const& v : all_variants()) {
      SCOPED_TRACE(what + ", " + v.label);
      if (!accepts(v, exec, p)) continue;
      if (wild && v.algorithm == "inverted") continue;  // products of entries in its inverses may underflow
      expect_solves(p, solve<S>(make_solver<S>(v, exec, p), exec, {b}), {b});
    }
  }
};
TYPED_TEST_SUITE(Extreme, Spaces, SpaceNames);

TYPED_TEST(Extreme, PivotsWhoseReciprocalIsNotSafeToMultiplyBy) {
  this->template expect_all_solve<double>(problem_of<double>({{{0, 1.0}}, {{0, 1e-200}, {1, 1e200}}}), {1e300, 0},
                                          "vanishing entry");
  this->template expect_all_solve<double>(problem_of<double>({{{0, 1.0}}, {{0, 1.0}, {1, 1e-300}}}), {1e10, 1e10},
                                          "overflowing b");
  this->template expect_all_solve<double>(problem_of<double>({{{0, 1e-200}}, {{0, 1e-200}, {1, 1e200}}}), {1e100, 1e99},
                                          "column");
}

/// System with arbitrary exponents, and whether substitution solves it without a number near an end of the range.
struct WildSystem {
  Problem<double> problem;
  std::vector<double> b;
  bool fine = true;

  explicit WildSystem(std::uint64_t seed) {
    std::uint64_t next = 0;
    auto const uniform = [&] { return unit_random(seed, next++); };
    auto const number = [&] {
      return (uniform() < 0.5 ? 1 : -1) * (1 + uniform()) * std::pow(10.0, 440 * uniform() - 220);
    };
    int const n = 1 + static_cast<int>(24 * uniform());
    std::vector<std::vector<std::pair<int, double>>> rows(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j)
        if (uniform() < 1.0 / 3) rows[i].push_back({j, number()});
      rows[i].push_back({i, number()});
      b.push_back(uniform() < 0.25 ? 0 : number());
    }
    Diagonal const diagonal = uniform() < 0.5 ? Diagonal::stored : Diagonal::inverted;
    problem = problem_of(rows, {Triangle::lower, diagonal, Op::none});
    std::vector<double> x(n);
    auto const check = [&](double value) {
      fine = fine && (value == 0 || (std::isfinite(value) && std::fabs(value) >= 1e-290));
      return value;
    };
    for (int i = 0; i < n; ++i) {
      double sum = b[i];
      for (auto const& [j, value] : rows[i])
        if (j < i) sum = check(sum - check(value * x[j]));
      x[i] = check(problem.is_inverted() ? sum * rows[i].back().second : sum / rows[i].back().second);
    }
    fine = fine && row_error(problem, x, b).ratio <= 1;
  }
};

TYPED_TEST(Extreme, WhatSubstitutionSolvesAllDo) {
  int systems = 0;
  for (std::uint64_t seed = 0; systems < (is_host_space<TypeParam> ? 1000 : 100); ++seed) {
    WildSystem const wild(seed);
    if (!wild.fine) continue;
    ++systems;
    this->template expect_all_solve<double>(wild.problem, wild.b, "seed " + std::to_string(seed), true);
    ASSERT_FALSE(this->HasFailure());
  }
}

/// Checks pivots below 1 / (the largest number), which have no finite reciprocal. On a GPU, where a row ends in a
/// multiplication by the reciprocal, x is infinite, or NaN if the row's sum is zero (docs/dev/design.md); where it ends
/// in a division, x is exact.
TYPED_TEST(Extreme, PivotsWithoutAReciprocal) {
  auto const p = problem_of<double>({{{0, 1e-310}}, {{1, 1e-310}}, {{2, 2.0}}});
  for (auto const& v : all_variants()) {
    SCOPED_TRACE(v.label);
    auto const solver = make_solver<double>(v, this->exec, p);
    auto const x = solve<double>(solver, this->exec, {{0, 1e-5, 1}})[0];
    bool const divides =
        is_host_space<TypeParam> || solver.algorithm() == "sequential" || solver.algorithm() == "tiled";
    if (divides) {
      EXPECT_EQ(x[0], 0);
      EXPECT_NEAR(x[1], 1e305, 1e300);
    } else {
      EXPECT_TRUE(std::isnan(x[0])) << x[0];
      EXPECT_TRUE(std::isinf(x[1])) << x[1];
    }
    EXPECT_EQ(x[2], 0.5);
  }
}

/// Checks a divisor whose parts have an infinite sum.
TEST(Quotient, OfLargeComplexNumbers) {
  using S = Kokkos::complex<double>;
  auto const expect_near = [](S q, double re, double im) {
    EXPECT_NEAR(q.real(), re, 1e-15);
    EXPECT_NEAR(q.imag(), im, 1e-15);
  };
  expect_near(detail::quotient(S(1e308, 0), S(1.2e308, 1.2e308)), 1 / 2.4, -1 / 2.4);
  expect_near(detail::quotient(S(-1.7e308, 1.7e308), S(1.7e308, -1.7e308)), -1, 0);
  expect_near(detail::quotient(S(3, 4), S(1, 2)), 2.2, -0.4);
  EXPECT_EQ(detail::quotient(1.0, 4.0), 0.25);
  S const by_zero = detail::quotient(S(1, 0), S(0, 0));
  EXPECT_TRUE(std::isinf(by_zero.real()));
}

#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(Extreme, LargeComplexPivots) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) {
    auto const p = problem_of<S>({{{0, S(1.2e308, 1.2e308)}}, {{0, S(1e308, -1e308)}, {1, S(-1.7e308, 1.7e308)}}});
    for (auto const& v : all_variants()) {
      SCOPED_TRACE(v.label);
      auto const x = solve<S>(make_solver<S>(v, this->exec, p), this->exec, {{S(1e308), S(0)}})[0];
      EXPECT_NEAR(x[0].real(), 1 / 2.4, 1e-12);
      EXPECT_NEAR(x[0].imag(), -1 / 2.4, 1e-12);
      EXPECT_NEAR(x[1].real(), 1 / 4.08, 1e-12);
      EXPECT_NEAR(x[1].imag(), -1 / 4.08, 1e-12);
    }
  }
}
#endif

}  // namespace
}  // namespace sptrsv::test
