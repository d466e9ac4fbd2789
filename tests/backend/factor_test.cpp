// SPDX-License-Identifier: Apache-2.0
// Compares random factors with dense products of L, D and U: shapes, blocks, permutations, halves, orders of calls,
// strides and columns, values from a host; and tests wrong orders of calls.
#include <gtest/gtest.h>

#include "factored.hpp"
#include "spaces.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

Options draw_options(Draw& draw, std::uint64_t seed) {
  Options o;
  o.seed = seed;
  o.matrix = draw.of<std::string>({"chain:1", "chain:7", "chain:64", "dense:12", "dense:33", "diagonal:9",
                                   "arrow_down:20", "arrow_up:18", "rmat:4,3", "powerlaw:60", "lap2d:5", "lap3d:3"});
  std::vector<Diagonal> const diagonals{Diagonal::unit, Diagonal::stored, Diagonal::inverted};
  o.of_lower = draw.of(diagonals), o.of_upper = draw.of(diagonals);
  o.symmetric = draw.below(3) == 0;
  if (!o.symmetric && draw.below(4) == 0) (draw.coin() ? o.has_lower : o.has_upper) = false;
  int const n = make_problem<double>(o.matrix, {}).num_rows();
  int const block_size = draw.of<int>({0, 0, 1, 1, 2, 3, 4, 5, n});
  if (o.has_lower && o.has_upper && (block_size == 0 || n % block_size == 0)) o.block_size = block_size;
  o.rows_permuted = draw.coin();
  o.cols_permuted = o.symmetric ? o.rows_permuted : draw.coin();
  return o;
}

/// Checks one solve: plain, added to x, and in place.
template <class Space, class S>
void check_solve(Space const& exec, Factor<S, int, int, Space>& factor, Factored<S> const& f, Draw& draw, Op op) {
  using T = TypesOf<S, Space>;
  int const columns = draw.of<int>({1, 2, 3, 4, 5, 33});
  auto const b = make_right_hand_sides<S>(f.n, columns, draw.below(1000));
  auto const before = make_right_hand_sides<S>(f.n, columns, draw.below(1000));
  Block<T> const right(b, 1 + draw.below(3), draw.below(4)), alone(f.n, columns, 1 + draw.below(3), draw.below(4));
  factor.solve(exec, op, right.view(), alone.view());
  exec.fence();
  auto const x = alone.get();
  ASSERT_EQ(alone.count_spilled(), 0u);
  for (int c = 0; c < columns; ++c) ASSERT_NO_FATAL_FAILURE(f.expect_solved(op, x[c], b[c]));
  Block<T> const added(before, 1 + draw.below(3));
  factor.solve(exec, op, right.view(), added.view(), true);
  if (f.row_perm.empty() && f.col_perm.empty()) factor.solve(exec, op, right.view(), right.view());
  exec.fence();
  auto const sum = added.get(), here = right.get();
  for (int c = 0; c < columns; ++c)
    for (int i = 0; i < f.n; ++i) {
      ASSERT_EQ(sum[c][i], before[c][i] + x[c][i]) << "in row " << i;
      if (f.row_perm.empty() && f.col_perm.empty()) {
        ASSERT_EQ(here[c][i], x[c][i]) << "in row " << i;
      }
    }
}

/// Checks that both halves of a factor with positive D, one after another, make a solve.
template <class Space, class S>
void check_halves(Space const& exec, Factor<S, int, int, Space>& factor, Factored<S> const& f, Draw& draw) {
  using T = TypesOf<S, Space>;
  auto const b = make_right_hand_sides<S>(f.n, 2, draw.below(1000));
  Block<T> const right(b), middle(f.n, 2), x(f.n, 2);
  bool const has_halves = factor.solve_first_half(exec, right.view(), middle.view());
  ASSERT_EQ(factor.solve_second_half(exec, middle.view(), x.view()), has_halves);
  exec.fence();
  ASSERT_TRUE(has_halves || !std::is_arithmetic_v<S>);
  for (int c = 0; c < 2 && has_halves; ++c) ASSERT_NO_FATAL_FAILURE(f.expect_solved(Op::none, x.get()[c], b[c]));
}

template <class Space, class S>
void check_random_factors(int count, std::uint64_t first) {
  Space const exec;
  for (int k = 0; k < count; ++k) {
    Draw draw(first + static_cast<std::uint64_t>(k));
    Options const o = draw_options(draw, first + k);
    std::string const algorithm = draw.of<std::string>(
        {"sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled", "colorset", "blocked", "sptrsv"});
    SCOPED_TRACE("seed " + std::to_string(first + k) + ", " + algorithm + ", " + o.matrix + ", blocks of " +
                 std::to_string(o.block_size));
    auto f = make_factored<S>(o);
    Factor<S, int, int, Space> made(algorithm, exec, to_pattern_of<Space>(f, o)), factor(std::move(made));
    for (int round = 0; round < 2; ++round) {
      for (S& d : f.inverse) d *= S(1.25);
      f.make_matrix(o.has_lower, o.has_upper);
      if (draw.coin()) factor.reserve(exec, draw.below(20), draw.coin());
      auto const own = device_values<Space>(f);
      if (draw.coin()) factor.update(exec, own);
      else factor.update(exec, host_values(f));
      for (int solves = 0; solves < 3; ++solves) {
        Op const op = draw.of<Op>({Op::none, Op::transpose, Op::conj_transpose});
        if (o.symmetric && !std::is_arithmetic_v<S> && op == Op::conj_transpose) {
          Block<TypesOf<S, Space>> const x(f.n, 1);
          EXPECT_THROW(factor.solve(exec, op, x.view(), x.view()), Unsupported);
        } else {
          ASSERT_NO_FATAL_FAILURE(check_solve(exec, factor, f, draw, op));
        }
      }
      if (o.has_lower && o.has_upper) {
        ASSERT_NO_FATAL_FAILURE(check_halves(exec, factor, f, draw));
      }
    }
  }
}

template <class Space>
class RandomFactors : public ::testing::Test {};
TYPED_TEST_SUITE(RandomFactors, Spaces, SpaceNames);

TYPED_TEST(RandomFactors, Double) { check_random_factors<TypeParam, double>(200, 1000); }
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(RandomFactors, Complex) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) check_random_factors<TypeParam, S>(100, 9000);
}
#endif

template <class Space>
class FactorTest : public ::testing::Test {
 protected:
  using Double = Factor<double, int, int, Space>;
  Space exec;
};
TYPED_TEST_SUITE(FactorTest, Spaces, SpaceNames);

TYPED_TEST(FactorTest, ANegativeDiagonalHasNoHalves) {
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.symmetric = true, o.block_size = 1;
  auto f = make_factored<double>(o);
  f.inverse[7] = -f.inverse[7];
  f.make_matrix(true, true);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  factor.update(this->exec, host_values(f));
  auto const b = make_right_hand_sides<double>(f.n, 1);
  Block<T> const right(b), x(f.n, 1);
  EXPECT_FALSE(factor.solve_first_half(this->exec, right.view(), x.view()));
  EXPECT_FALSE(factor.solve_second_half(this->exec, right.view(), x.view()));
  factor.solve(this->exec, Op::none, right.view(), x.view());
  this->exec.fence();
  f.expect_solved(Op::none, x.get()[0], b[0]);
}

/// Checks that neither a solve nor an update allocates after the first of its kind, and that no solve copies or fences.
TYPED_TEST(FactorTest, SecondCallsAreQuiet) {
  using Names = std::vector<std::string>;
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.block_size = 1, o.rows_permuted = o.cols_permuted = true;
  auto const f = make_factored<double>(o);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  factor.reserve(this->exec, 3, true);
  factor.update(this->exec, host_values(f));
  auto const b = make_right_hand_sides<double>(f.n, 3);
  Block<T> const right(b), x(b);
  for (Op const op : {Op::none, Op::transpose}) factor.solve(this->exec, op, right.view(), x.view(), true);
  this->exec.fence();
  {
    ToolCounters const counters;
    for (Op const op : {Op::none, Op::transpose}) factor.solve(this->exec, op, right.view(), x.view(), true);
    EXPECT_EQ(counters.allocations(), Names{});
    EXPECT_EQ(counters.copies(), Names{});
    EXPECT_EQ(counters.fences(), Names{});
  }
  ToolCounters const counters;
  factor.update(this->exec, host_values(f));
  EXPECT_EQ(counters.allocations(), Names{});
}

TYPED_TEST(FactorTest, ContradictionsAreRefused) {
  using Double = typename TestFixture::Double;
  Options const o;
  auto const f = make_factored<double>(o);
  auto const good = to_pattern_of<TypeParam>(f, o);
  auto const refuse = [&](auto const& change, char const* words) {
    auto p = good;
    change(p);
    expect_thrown<Error>(words, [&] { Double("levelset", this->exec, p); });
  };
  using P = decltype(good);
  using Pattern = std::remove_const_t<P>;
  refuse([](Pattern& p) { p.lower.reset(), p.upper.reset(); }, "without triangles");
  refuse([](Pattern& p) { p.symmetric = true; }, "upper triangle alone");
  refuse([](Pattern& p) { p.block_size = 5; }, "do not divide");
  refuse([](Pattern& p) { p.block_size = 1, p.lower.reset(); }, "need both triangles");
  refuse([](Pattern& p) { p.block_size = -1; }, "blocks of -1");
  refuse([&](Pattern& p) { p.row_perm = to_device<TypesOf<double, TypeParam>>(std::vector<int>{0, 1}); },
         "a permutation has 2 entries");
  refuse(
      [&](Pattern& p) {
        auto const small = make_problem<double>("lap2d:5", {Triangle::upper, Diagonal::unit, Op::none});
        p.upper->rows = to_pattern<TypesOf<double, TypeParam>>(small);
      },
      "L has 36 rows and U 25");
  refuse([](Pattern& p) { std::swap(p.lower, p.upper); }, "wrong side");
  refuse(
      [&](Pattern& p) {
        p.symmetric = true, p.lower.reset();
        p.row_perm = to_device<TypesOf<double, TypeParam>>(shuffled(36, 1));
      },
      "with one permutation");
  auto empty = good;
  empty.col_perm = to_device<TypesOf<double, TypeParam>>(std::vector<int>());
  Double("levelset", this->exec, empty);
}

/// Checks that a failed update makes solves refuse, and that the next good update makes them work again.
TYPED_TEST(FactorTest, WrongOrdersOfCallsAreTold) {
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.block_size = 1, o.of_upper = Diagonal::stored;
  auto f = make_factored<double>(o);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  auto const b = make_right_hand_sides<double>(f.n, 1);
  Block<T> const right(b), x(f.n, 1);
  auto const solve = [&] { factor.solve(this->exec, Op::none, right.view(), x.view()); };
  EXPECT_THROW(solve(), NotReady);
  EXPECT_THROW(factor.solve_first_half(this->exec, right.view(), x.view()), NotReady);
  EXPECT_THROW(factor.reserve(this->exec, -1), DimensionMismatch);
  auto few = host_values(f);
  few.inverse = Kokkos::View<double const*, Kokkos::HostSpace>(f.inverse.data(), f.inverse.size() - 1);
  EXPECT_THROW(factor.update(this->exec, few), DimensionMismatch);
  EXPECT_THROW(solve(), NotReady);
  few = host_values(f);
  few.upper = Kokkos::View<double const*, Kokkos::HostSpace>(f.upper.values.data(), 3);
  EXPECT_THROW(factor.update(this->exec, few), PatternChanged);
  EXPECT_THROW(solve(), NotReady);
  double& pivot = f.upper.values[f.upper.row_ptr[4]];
  double const kept = std::exchange(pivot, 0.0);
  EXPECT_THROW(factor.update(this->exec, host_values(f)), ZeroPivot);
  EXPECT_THROW(solve(), NotReady);
  EXPECT_THROW(factor.solve(this->exec, Op::transpose, right.view(), x.view()), NotReady);
  pivot = kept;
  factor.update(this->exec, host_values(f));
  solve();
  this->exec.fence();
  f.expect_solved(Op::none, x.get()[0], b[0]);
  EXPECT_EQ(factor.num_analyses(), 2);
  EXPECT_EQ(factor.solver(Triangle::lower, Op::transpose), nullptr);
  factor.solve(this->exec, Op::transpose, right.view(), x.view());
  EXPECT_EQ(factor.num_analyses(), 4);
  ASSERT_NE(factor.solver(Triangle::lower, Op::transpose), nullptr);
  EXPECT_EQ(factor.solver(Triangle::lower, Op::transpose)->algorithm(), "levelset");
}

/// Checks that vectors of another size are refused, even if the kernels between the solves are the first to see them.
TYPED_TEST(FactorTest, VectorsThatDoNotFitAreRefused) {
  using T = TypesOf<double, TypeParam>;
  for (bool const symmetric : {false, true})
    for (int const block_size : {0, 1, 3}) {
      Options o;
      o.symmetric = symmetric, o.block_size = block_size;
      auto const f = make_factored<double>(o);
      typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
      factor.update(this->exec, host_values(f));
      Block<T> const fits(make_right_hand_sides<double>(f.n, 2)), fewer(f.n - 1, 2), more(f.n + 3, 2), one(f.n, 1);
      auto const refuses = [&](auto const& b, auto const& x) {
        EXPECT_THROW(factor.solve(this->exec, Op::transpose, b.view(), x.view()), DimensionMismatch);
        EXPECT_THROW(factor.solve_first_half(this->exec, b.view(), x.view()), DimensionMismatch);
        EXPECT_THROW(factor.solve_second_half(this->exec, b.view(), x.view()), DimensionMismatch);
      };
      for (auto const* other : {&fewer, &more, &one}) refuses(fits, *other), refuses(*other, fits);
    }
}

/// Checks that D's view may be longer than D; entries beyond D are neither read nor checked.
TYPED_TEST(FactorTest, ValuesBehindDAreNotRead) {
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.symmetric = true, o.block_size = 1;
  auto f = make_factored<double>(o);
  f.inverse.insert(f.inverse.end(), 500, -1.0);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  factor.update(this->exec, host_values(f));
  auto const b = make_right_hand_sides<double>(f.n, 1);
  Block<T> const right(b), middle(f.n, 1), x(f.n, 1);
  EXPECT_TRUE(factor.solve_first_half(this->exec, right.view(), middle.view()));
  EXPECT_TRUE(factor.solve_second_half(this->exec, middle.view(), x.view()));
  this->exec.fence();
  f.expect_solved(Op::none, x.get()[0], b[0]);
}

TYPED_TEST(FactorTest, AFactorThatWasMovedFromThrows) {
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.symmetric = true, o.block_size = 1;
  auto const f = make_factored<double>(o);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  factor.update(this->exec, host_values(f));
  auto const b = make_right_hand_sides<double>(f.n, 1);
  Block<T> const right(b), x(f.n, 1);
  EXPECT_TRUE(factor.solve_first_half(this->exec, right.view(), x.view()));
  {
    auto const moved = std::move(factor);
  }
  EXPECT_THROW(factor.solve_first_half(this->exec, right.view(), x.view()), NotReady);
  EXPECT_THROW(factor.solve(this->exec, Op::none, right.view(), x.view()), NotReady);
  EXPECT_THROW(factor.update(this->exec, host_values(f)), NotReady);
  EXPECT_THROW(factor.reserve(this->exec, 4), NotReady);
  factor = typename TestFixture::Double("syncfree", this->exec, to_pattern_of<TypeParam>(f, o));
  factor.update(this->exec, host_values(f));
  factor.solve(this->exec, Op::none, right.view(), x.view());
  this->exec.fence();
  f.expect_solved(Op::none, x.get()[0], b[0]);
}

/// Checks a factor without rows.
TYPED_TEST(FactorTest, AnEmptyFactorSolves) {
  using T = TypesOf<double, TypeParam>;
  typename TestFixture::Double::pattern_type p;
  p.upper.emplace();
  p.upper->rows = to_pattern<T>({0}, {});
  p.symmetric = true, p.block_size = 1;
  typename TestFixture::Double factor("sptrsv", this->exec, p);
  factor.update(this->exec, FactorValues<double, Kokkos::HostSpace>());
  Block<T> const b(0, 2), x(0, 2);
  factor.solve(this->exec, Op::none, b.view(), x.view());
  EXPECT_TRUE(factor.solve_first_half(this->exec, b.view(), x.view()));
  EXPECT_EQ(factor.num_rows(), 0);
}

}  // namespace
}  // namespace sptrsv::test
