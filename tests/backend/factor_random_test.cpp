// SPDX-License-Identifier: Apache-2.0
// Tests random factors: shapes, blocks, permutations, orders of calls, strides and columns; each solve is compared with
// the dense product.
#include "factored.hpp"
#include "spaces.hpp"

namespace sptrsv::test {
namespace {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool coin() { return below(2) == 1; }
  template <class V>
  V of(std::vector<V> const& choices) {
    return choices[below(static_cast<int>(choices.size()))];
  }

 private:
  std::mt19937_64 random_;
};

Options draw_options(Draws& draw, std::uint64_t seed) {
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

/// Checks one solve: accumulated, in place or plain.
template <class Space, class S>
void check_solve(Space const& exec, Factor<S, int, int, Space>& factor, Factored<S> const& f, Draws& draw, Op op) {
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

template <class Space, class S>
void check_random_factors(int count, std::uint64_t first) {
  Space const exec;
  for (int k = 0; k < count; ++k) {
    Draws draw(first + k);
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
        Op op = draw.of<Op>({Op::none, Op::transpose, Op::conj_transpose});
        if (o.symmetric && !std::is_arithmetic_v<S> && op == Op::conj_transpose) op = Op::none;
        ASSERT_NO_FATAL_FAILURE(check_solve(exec, factor, f, draw, op));
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

}  // namespace
}  // namespace sptrsv::test
