// SPDX-License-Identifier: Apache-2.0
// Compares Factor with dense products of L, D and U: ops, permutations, blocks, halves, values from a host, wrong
// orders of calls.
#include <gtest/gtest.h>

#include "factored.hpp"
#include "spaces.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

/// Checks x = op(A)^-1 b or x += op(A)^-1 b, with values from a host or from the device.
template <class Space, class S>
void check_solves(std::string const& algorithm, Options const& o) {
  using T = TypesOf<S, Space>;
  Space const exec;
  auto const f = make_factored<S>(o);
  Factor<S, int, int, Space> factor(algorithm, exec, to_pattern_of<Space>(f, o));
  auto const own = device_values<Space>(f);
  for (bool const from_host : {false, true}) {
    if (from_host) factor.update(exec, host_values(f));
    else factor.update(exec, own);
    for (Op const op : {Op::none, Op::transpose, Op::conj_transpose})
      for (bool const accumulate : {false, true})
        for (int const columns : {1, 3}) {
          SCOPED_TRACE(algorithm + ", op " + std::to_string(int(op)) + (accumulate ? ", accumulated" : "") +
                       (from_host ? ", from a host" : "") + ", columns " + std::to_string(columns));
          auto const b = make_right_hand_sides<S>(f.n, columns), before = make_right_hand_sides<S>(f.n, columns, 5);
          Block<T> const right(b), x = accumulate ? Block<T>(before) : Block<T>(f.n, columns);
          if (o.symmetric && !std::is_arithmetic_v<S> && op == Op::conj_transpose) {
            EXPECT_THROW(factor.solve(exec, op, right.view(), x.view(), accumulate), Unsupported);
            continue;
          }
          factor.solve(exec, op, right.view(), x.view(), accumulate);
          exec.fence();
          auto got = x.get();
          if (accumulate) {  // b plus A times the earlier x
            Block<T> const alone(f.n, columns);
            factor.solve(exec, op, right.view(), alone.view());
            exec.fence();
            auto const expected = alone.get();
            for (int c = 0; c < columns; ++c)
              for (int i = 0; i < f.n; ++i) ASSERT_EQ(got[c][i], before[c][i] + expected[c][i]) << "in row " << i;
            got = expected;
          }
          for (int c = 0; c < columns; ++c) f.expect_solved(op, got[c], b[c]);
        }
  }
}

template <class Space, class S>
void check_shapes() {
  for (std::string const algorithm : {"sequential", "levelset", "syncfree", "tiled", "sptrsv"})
    for (bool const permuted : {false, true}) {
      for (int const block_size : {0, 1, 3})
        for (bool const symmetric : {false, true}) {
          Options o;
          o.block_size = block_size, o.symmetric = symmetric, o.rows_permuted = o.cols_permuted = permuted;
          check_solves<Space, S>(algorithm, o);
        }
      Options o;
      o.rows_permuted = o.cols_permuted = permuted;
      o.of_lower = Diagonal::stored, o.of_upper = Diagonal::inverted;
      check_solves<Space, S>(algorithm, o);
      o.has_upper = false;
      check_solves<Space, S>(algorithm, o);
      o.has_upper = true, o.has_lower = false;
      check_solves<Space, S>(algorithm, o);
    }
}

template <class Space>
class FactorTest : public ::testing::Test {
 protected:
  using Double = Factor<double, int, int, Space>;
  Space exec;
};
TYPED_TEST_SUITE(FactorTest, Spaces, SpaceNames);

TYPED_TEST(FactorTest, SolvesWithEveryShapeAndOp) { check_shapes<TypeParam, double>(); }
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(FactorTest, SolvesWithComplexNumbers) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) check_shapes<TypeParam, S>();
}
#endif

/// Checks that both halves, one after another, make a solve; b may be x if nothing is permuted.
TYPED_TEST(FactorTest, HalvesMakeASolve) {
  using T = TypesOf<double, TypeParam>;
  for (bool const symmetric : {false, true})
    for (int const block_size : {0, 1, 3})
      for (bool const permuted : {false, true}) {
        SCOPED_TRACE(std::string(symmetric ? "symmetric, " : "") + "blocks of " + std::to_string(block_size));
        Options o;
        o.symmetric = symmetric, o.block_size = block_size, o.rows_permuted = o.cols_permuted = permuted;
        auto const f = make_factored<double>(o);
        typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
        factor.update(this->exec, host_values(f));
        auto const b = make_right_hand_sides<double>(f.n, 2);
        Block<T> const right(b), middle(f.n, 2), x(f.n, 2);
        EXPECT_TRUE(factor.solve_first_half(this->exec, right.view(), middle.view()));
        EXPECT_TRUE(factor.solve_second_half(this->exec, middle.view(), x.view()));
        this->exec.fence();
        for (int c = 0; c < 2; ++c) f.expect_solved(Op::none, x.get()[c], b[c]);
      }
}

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

/// Checks that an update computes roots and conjugates of D again.
TYPED_TEST(FactorTest, NewValuesOfDAreTaken) {
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.symmetric = true, o.block_size = 1;
  auto f = make_factored<double>(o);
  typename TestFixture::Double factor("levelset", this->exec, to_pattern_of<TypeParam>(f, o));
  auto const b = make_right_hand_sides<double>(f.n, 1);
  Block<T> const right(b), middle(f.n, 1), x(f.n, 1);
  for (int times = 0; times < 2; ++times) {
    factor.update(this->exec, host_values(f));
    EXPECT_TRUE(factor.solve_first_half(this->exec, right.view(), middle.view()));
    EXPECT_TRUE(factor.solve_second_half(this->exec, middle.view(), x.view()));
    this->exec.fence();
    f.expect_solved(Op::none, x.get()[0], b[0]);
    for (double& d : f.inverse) d *= 3;
    f.make_matrix(true, true);
  }
}

TYPED_TEST(FactorTest, SolvesInPlaceWithoutPermutations) {
  using T = TypesOf<double, TypeParam>;
  for (int const block_size : {0, 1, 3}) {
    Options o;
    o.block_size = block_size;
    auto const f = make_factored<double>(o);
    typename TestFixture::Double factor("syncfree", this->exec, to_pattern_of<TypeParam>(f, o));
    factor.update(this->exec, host_values(f));
    auto const b = make_right_hand_sides<double>(f.n, 5);
    Block<T> const x(b);
    factor.solve(this->exec, Op::transpose, x.view(), x.view());
    this->exec.fence();
    for (int c = 0; c < 5; ++c) f.expect_solved(Op::transpose, x.get()[c], b[c]);
  }
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
