// SPDX-License-Identifier: Apache-2.0
// Factor beside dense products of L, D and U: ops, permutations, blocks, halves, values from a host, wrong orders of
// calls.
#include <gtest/gtest.h>

#include <numeric>
#include <sptrsv/factor.hpp>

#include "on_device.hpp"
#include "spaces.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

/// A factorization on the host. The matrices are dense, and of no use but to multiply with.
template <class S>
struct Factored {
  using wide = typename ScalarTraits<S>::wide;
  using Dense = std::vector<std::vector<wide>>;

  int n = 0, block_size = 0;
  bool symmetric = false;
  Problem<S> lower, upper;
  std::vector<S> inverse;  ///< D^-1
  std::vector<int> row_perm, col_perm;
  Dense a, size;  ///< A, and the product of the factors' magnitudes

  /// a(row_perm[i], col_perm[j]) = (L D U)(i, j), of the triangles that there are.
  void make_matrix(bool has_lower, bool has_upper) {
    Dense const identity = product(Dense(), {}), u = has_upper ? dense(upper) : identity;
    Dense const l = symmetric ? transposed(u) : has_lower ? dense(lower) : identity, d = diagonal();
    Dense const m = product(product(l, d), u), s = product(product(magnitudes(l), magnitudes(d)), magnitudes(u));
    a = size = Dense(n, std::vector<wide>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        int const r = row_perm.empty() ? i : row_perm[i], c = col_perm.empty() ? j : col_perm[j];
        a[r][c] = m[i][j];
        size[r][c] = s[i][j];
      }
  }

  /// |b - op(A) x|_i <= 400 u (|op(A)| |x|)_i, |A| by the magnitudes of the factors.
  void expect_solved(Op op, std::vector<S> const& x, std::vector<S> const& b) const {
    long double const u = std::numeric_limits<typename ScalarTraits<S>::real>::epsilon() / 2;
    for (int i = 0; i < n; ++i) {
      wide rest = to_standard(b[i]);
      long double bound = 0;
      for (int j = 0; j < n; ++j) {
        wide entry = op == Op::none ? a[i][j] : a[j][i];
        if constexpr (!std::is_arithmetic_v<S>)
          if (op == Op::conj_transpose) entry = std::conj(entry);
        rest -= entry * wide(to_standard(x[j]));
        bound += std::abs(op == Op::none ? size[i][j] : size[j][i]) * std::abs(wide(to_standard(x[j])));
      }
      ASSERT_LE(std::abs(rest), 400 * u * bound) << "in row " << i;
    }
  }

 private:
  /// a b; with an empty `a` the identity.
  Dense product(Dense const& a, Dense const& b) const {
    Dense out(n, std::vector<wide>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (a.empty()) out[i][j] = wide(i == j);
        else
          for (int k = 0; k < n; ++k) out[i][j] += a[i][k] * b[k][j];
      }
    return out;
  }
  Dense transposed(Dense const& a) const {
    Dense out = a;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out[i][j] = a[j][i];
    return out;
  }
  Dense magnitudes(Dense a) const {
    for (auto& row : a)
      for (auto& entry : row) entry = std::abs(entry);
    return a;
  }
  Dense dense(Problem<S> const& p) const {
    Dense out(n, std::vector<wide>(n));
    for (int i = 0; i < n; ++i)
      for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) {
        wide const v = to_standard(p.values[k]);
        out[i][p.col_idx[k]] = p.col_idx[k] != i ? v : p.is_unit() ? wide(1) : p.is_inverted() ? wide(1) / v : v;
      }
    return out;
  }
  /// D by Gauss-Jordan elimination of each inverted block, which is diagonally dominant.
  Dense diagonal() const {
    Dense out = product(Dense(), {});
    for (int first = 0; block_size && first < n; first += block_size) {
      Dense work(block_size, std::vector<wide>(block_size)), d = work;
      for (int r = 0; r < block_size; ++r)
        for (int c = 0; c < block_size; ++c) {
          work[r][c] = to_standard(inverse[first * block_size + c * block_size + r]);
          d[r][c] = wide(r == c);
        }
      for (int p = 0; p < block_size; ++p)
        for (int r = 0; r < block_size; ++r) {
          if (r == p) continue;
          wide const f = work[r][p] / work[p][p];
          for (int c = 0; c < block_size; ++c) work[r][c] -= f * work[p][c], d[r][c] -= f * d[p][c];
        }
      for (int r = 0; r < block_size; ++r)
        for (int c = 0; c < block_size; ++c) out[first + r][first + c] = d[r][c] / work[r][r];
    }
    return out;
  }
};

struct Options {
  int block_size = 0;
  bool symmetric = false, permuted = false;
  bool has_lower = true, has_upper = true;
  Diagonal of_lower = Diagonal::unit, of_upper = Diagonal::unit;
};

std::vector<int> a_permutation(int n, int stride) {
  std::vector<int> p(n);
  for (int i = 0; i < n; ++i) p[i] = (i * stride + 3) % n;
  return p;
}

/// Of the pattern lap2d:6, 36 rows. Symmetric blocks are symmetric.
template <class S>
Factored<S> make_factored(Options const& o) {
  Factored<S> f;
  f.lower = make_problem<S>("lap2d:6", {Triangle::lower, o.of_lower, Op::none}, 5);
  f.upper = make_problem<S>("lap2d:6", {Triangle::upper, o.of_upper, Op::none}, 6);
  f.n = f.lower.num_rows();
  f.block_size = o.block_size;
  f.symmetric = o.symmetric;
  int const bs = o.block_size;
  for (int first = 0; bs && first < f.n; first += bs)
    for (int c = 0; c < bs; ++c)
      for (int r = 0; r < bs; ++r) {
        int const low = o.symmetric ? std::min(r, c) : r, high = o.symmetric ? std::max(r, c) : c;
        S const random = random_scalar<S>(9, first * bs + high * bs + low);
        f.inverse.push_back(r == c ? S(2) + random * S(0.5) : random * S(0.5 / bs));
      }
  if (o.permuted) f.row_perm = a_permutation(f.n, 5);
  if (o.permuted) f.col_perm = o.symmetric ? f.row_perm : a_permutation(f.n, 7);
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
  if (o.permuted) p.row_perm = to_device<T>(f.row_perm), p.col_perm = to_device<T>(f.col_perm);
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

/// x = op(A)^-1 b or x += of it, from values of a host or of the device.
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
          Block<T> const right(b), x(f.n, columns);
          if (accumulate) const_cast<Block<T>&>(x).put(before);
          if (o.symmetric && !std::is_arithmetic_v<S> && op == Op::conj_transpose) {
            EXPECT_THROW(factor.solve(exec, op, right.view(), x.view(), accumulate), Unsupported);
            continue;
          }
          factor.solve(exec, op, right.view(), x.view(), accumulate);
          exec.fence();
          auto got = x.get();
          if (accumulate) {  // b plus A times what was there
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
          o.block_size = block_size, o.symmetric = symmetric, o.permuted = permuted;
          check_solves<Space, S>(algorithm, o);
        }
      Options o;
      o.permuted = permuted;
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
TYPED_TEST(FactorTest, SolvesWithComplexNumbers) { check_shapes<TypeParam, Kokkos::complex<double>>(); }
#endif

/// Both halves, one after the other, are a solve; b may be x where nothing is permuted.
TYPED_TEST(FactorTest, HalvesMakeASolve) {
  using T = TypesOf<double, TypeParam>;
  for (bool const symmetric : {false, true})
    for (int const block_size : {0, 1, 3})
      for (bool const permuted : {false, true}) {
        SCOPED_TRACE(std::string(symmetric ? "symmetric, " : "") + "blocks of " + std::to_string(block_size));
        Options o;
        o.symmetric = symmetric, o.block_size = block_size, o.permuted = permuted;
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

/// Roots and conjugates of D are found anew after an update.
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

/// Neither a solve nor an update allocates once there was one of its kind; no solve copies or fences.
TYPED_TEST(FactorTest, SecondCallsAreQuiet) {
  using Names = std::vector<std::string>;
  using T = TypesOf<double, TypeParam>;
  Options o;
  o.block_size = 1, o.permuted = true;
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
    try {
      Double("levelset", this->exec, p);
      ADD_FAILURE() << "taken: " << words;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
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
}

/// A failed update leaves nothing to solve with; the next good one does.
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

/// Vectors of another size, also where kernels between the solves are the first to see them.
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

/// No rows at all.
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
