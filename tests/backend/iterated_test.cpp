// SPDX-License-Identifier: Apache-2.0
// Compares the answers of `iterated`, row by row, with a sequential Jacobi iteration; checks that rows of the first
// levels are exact, that the transposed solve is the transpose, and that the planner does not choose the type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sptrsv/device/gpu_code.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

Variant sweeps(int k) { return {"iterated", "iterated", {{"iterated_sweeps", std::to_string(k)}}}; }

/// Unknowns after k sweeps, and a bound of the rounding errors in each.
template <class S>
struct Iterate {
  std::vector<typename ScalarTraits<S>::wide> x;
  std::vector<long double> bound;
};

/// Computes x_0 = D^-1 b and x_j = D^-1 (b - N x_(j-1)) for j = 1 to k, with a bound of the rounding errors of the same
/// recurrence with numbers of type S.
template <class S>
Iterate<S> iterate(Problem<S> const& p, std::vector<S> const& b, int k) {
  using wide = typename ScalarTraits<S>::wide;
  constexpr long double u = std::numeric_limits<typename ScalarTraits<S>::real>::epsilon();
  std::size_t const n = b.size();
  Iterate<S> now{std::vector<wide>(n), std::vector<long double>(n)};
  for (int sweep = 0; sweep <= k; ++sweep) {
    auto const before = now;
    for (std::size_t i = 0; i < n; ++i) {
      wide sum = to_standard(b[i]), diagonal = 1;
      long double size = std::abs(sum), error = 0;
      for (auto const& e : p.op.rows[i]) {
        wide const value = e.value;
        if (static_cast<std::size_t>(e.col) == i)
          diagonal = p.is_unit() ? wide(1) : p.is_inverted() ? wide(1) / value : value;
        else if (sweep > 0) {
          sum -= value * before.x[e.col];
          size += std::abs(value * before.x[e.col]);
          error += std::abs(value) * before.bound[e.col];
        }
      }
      now.x[i] = sum / diagonal;
      now.bound[i] = (error + 4 * static_cast<long double>(p.op.rows[i].size() + 2) * u * size) / std::abs(diagonal);
    }
  }
  return now;
}

/// Returns each row's level, from 0.
template <class S>
std::vector<int> levels_of(Problem<S> const& p) {
  int const n = p.num_rows();
  std::vector<int> level(n, 0);
  for (int step = 0; step < n; ++step) {
    int const i = p.shape.ascending() ? step : n - 1 - step;
    for (auto const& e : p.op.rows[i])
      if (e.col != i) level[i] = std::max(level[i], level[e.col] + 1);
  }
  return level;
}

template <class Space>
class IteratedSolves : public ::testing::Test {
 protected:
  Space exec;

  template <class S>
  void expect_iterates(Problem<S> const& p, int k, int columns) {
    auto const b = make_right_hand_sides<S>(p.num_rows(), columns);
    auto const solver = make_solver<S>(sweeps(k), exec, p);
    auto const x = solve<S>(solver, exec, b), again = solve<S>(solver, exec, b);
    for (int c = 0; c < columns; ++c) {
      expect_same(x[c], again[c]);
      auto const wanted = iterate(p, b[c], k);
      for (std::size_t i = 0; i < wanted.x.size(); ++i) {
        typename ScalarTraits<S>::wide const got = to_standard(x[c][i]);
        ASSERT_LE(std::abs(got - wanted.x[i]), wanted.bound[i]) << "row " << i << " of column " << c;
      }
    }
  }
};
TYPED_TEST_SUITE(IteratedSolves, Spaces, SpaceNames);

TYPED_TEST(IteratedSolves, AreJacobiIteratesRowByRow) {
  for (auto const& shape : all_shapes())
    for (auto const* matrix : {"diagonal:0", "diagonal:1", "diagonal:40", "chain:50", "dense:30", "lap2d:12",
                               "arrow_down:60", "powerlaw:500", "band:300,40,60"})
      for (int const k : {0, 1, 2, 5}) {
        SCOPED_TRACE(std::string(matrix) + " " + text(shape.triangle) + " " + text(shape.op) + " " +
                     text(shape.diagonal) + ", sweeps " + std::to_string(k));
        this->template expect_iterates<double>(make_problem<double>(matrix, shape), k, k == 2 ? 3 : 1);
        ASSERT_FALSE(this->HasFailure());
      }
}

TYPED_TEST(IteratedSolves, OtherScalarsAndColumns) {
  Shape const lower{Triangle::lower, Diagonal::stored, Op::none},
      upper{Triangle::upper, Diagonal::inverted, Op::conj_transpose};
  for (int const columns : {1, 2, 4, 5, 31, 32, 33, 65})
    this->template expect_iterates<double>(make_problem<double>("lap3d:9", lower), 3, columns);
  for (int const columns : {1, 5})  // more entries than one thread of a host computes
    this->template expect_iterates<double>(make_problem<double>("lap3d:40", upper), 3, columns);
#ifdef SPTRSV_TEST_ALL_SCALARS
  if constexpr (has_instance<float, TypeParam>)
    for (int const columns : {1, 5}) {
      this->template expect_iterates<float>(make_problem<float>("lap3d:9", upper), 3, columns);
      this->template expect_iterates<Kokkos::complex<double>>(make_problem<Kokkos::complex<double>>("lap3d:9", upper),
                                                              3, columns);
    }
#endif
}

TYPED_TEST(IteratedSolves, RowsOfTheFirstLevelsAreExactAndOthersAreNot) {
  auto const p = make_problem<double>("lap3d:10", {Triangle::lower, Diagonal::stored, Op::none});
  auto const level = levels_of(p);
  int const last = *std::max_element(level.begin(), level.end());
  auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
  auto const exact = solve<double>(make_solver<double>(variant("iterated"), this->exec, p), this->exec, b)[0];
  expect_solves(p, {exact}, b);
  for (int const k : {0, 3, last - 1}) {
    auto const x = solve<double>(make_solver<double>(sweeps(k), this->exec, p), this->exec, b)[0];
    int others = 0;
    for (int i = 0; i < p.num_rows(); ++i) {
      if (level[i] <= k) {
        ASSERT_EQ(x[i], exact[i]) << "row " << i << ", sweeps " << k;
      } else {
        others += x[i] != exact[i];
      }
    }
    if (k < last - 1) {
      EXPECT_GT(others, 0);  // the last levels differ by less than rounding
    }
  }
}

TYPED_TEST(IteratedSolves, TransposedSolvesAreTheTranspose) {
  auto const plain = make_problem<double>("powerlaw:700", {Triangle::upper, Diagonal::stored, Op::none});
  auto const transposed = make_problem<double>("powerlaw:700", {Triangle::upper, Diagonal::stored, Op::transpose});
  int const n = plain.num_rows();
  auto const u = make_right_hand_sides<double>(n, 1, 3), v = make_right_hand_sides<double>(n, 1, 4);
  auto const Mu = solve<double>(make_solver<double>(sweeps(3), this->exec, plain), this->exec, u)[0];
  auto const Mv = solve<double>(make_solver<double>(sweeps(3), this->exec, transposed), this->exec, v)[0];
  double left = 0, right = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    left += v[0][i] * Mu[i];
    right += Mv[i] * u[0][i];
    size += std::fabs(v[0][i] * Mu[i]);
  }
  EXPECT_NEAR(left, right, 1e-13 * size);
}

TYPED_TEST(IteratedSolves, FoldsPermutationsAndTakesNewValues) {
  using T = TypesOf<double, TypeParam>;
  auto const p = make_problem<double>("lap2d:20", {Triangle::lower, Diagonal::stored, Op::none});
  int const n = p.num_rows();
  std::vector<int> reversed(n);
  for (int i = 0; i < n; ++i) reversed[i] = n - 1 - i;
  auto const b = make_right_hand_sides<double>(n, 5);
  auto turned = b;
  for (auto& column : turned) std::reverse(column.begin(), column.end());
  auto const expected = solve<double>(make_solver<double>(sweeps(4), this->exec, p), this->exec, b);
  Solver<double, TypeParam> solver("iterated", this->exec, to_pattern<T>(p), p.shape, {{"iterated_sweeps", "4"}});
  auto other = p.values;
  for (double& v : other) v *= 3;
  for (auto const& values : {other, p.values}) {
    Block<T> const right(turned), x(n, 5), out(n, 5);
    solver.update(this->exec, to_device<T>(values));
    Fold<T> fold;
    fold.b_rows = fold.out_rows = to_device<T>(reversed);
    fold.out = out.view();
    solver.solve(this->exec, right.view(), x.view(), fold);
    this->exec.fence();
    for (int c = 0; c < 5; ++c) {
      auto got = out.get()[c];
      if (values[0] != p.values[0]) {  // one third, up to rounding
        EXPECT_NEAR(3 * got[0], expected[c][n - 1], 1e-14);
        continue;
      }
      expect_same(x.get()[c], expected[c]);
      std::reverse(got.begin(), got.end());
      expect_same(got, expected[c]);
    }
  }
}

TYPED_TEST(IteratedSolves, InfiniteIteratesDoNotStay) {
  // row 2 overflows before row 1 is known: x_0 = (1, 1e300, ...), then b_2 - 1e300 x_1 with x_1 = 0 in the end
  Problem<double> p;
  p.shape = {Triangle::lower, Diagonal::stored, Op::none};
  p.row_ptr = {0, 1, 3, 5};
  p.col_idx = {0, 0, 1, 1, 2};
  p.values = {1, 1e300, 1, 1e300, 1};
  p.make_op();
  Columns<double> const b{{1, 1e300, 5}};
  EXPECT_FALSE(std::isfinite(solve<double>(make_solver<double>(sweeps(1), this->exec, p), this->exec, b)[0][2]));
  expect_same(solve<double>(make_solver<double>(sweeps(2), this->exec, p), this->exec, b)[0],
              std::vector<double>{1, 0, 5});
}

TYPED_TEST(IteratedSolves, HaveTheLanesOfTheTransposeThatTheySolve) {
  if (!detail::is_gpu<TypeParam>) GTEST_SKIP() << "rows have lanes on a GPU alone";
  for (auto const* spec : {"arrow_down:5000", "arrow_up:5000"}) {  // a dense row, or column
    auto const stored = make_problem<double>(spec, {Triangle::lower, Diagonal::stored, Op::none}),
               transposed = make_problem<double>(spec, {Triangle::upper, Diagonal::stored, Op::transpose});
    EXPECT_EQ(make_solver<double>(sweeps(1), this->exec, transposed).parameters(),
              make_solver<double>(sweeps(1), this->exec, stored).parameters());
  }
}

TYPED_TEST(IteratedSolves, SayTheirSweepsAndAreNotPlanned) {
  auto const p = make_problem<double>("lap2d:30", {Triangle::lower, Diagonal::stored, Op::none});
  EXPECT_NE(make_solver<double>(sweeps(5), this->exec, p).parameters().find("5 sweeps"), std::string::npos);
  EXPECT_NE(make_solver<double>(sweeps(5), this->exec, p).parameters().find("approximate, exact after 58"),
            std::string::npos);
  EXPECT_NE(make_solver<double>(sweeps(58), this->exec, p).parameters().find("58 sweeps"), std::string::npos);
  EXPECT_EQ(make_solver<double>(sweeps(100), this->exec, p).parameters(),
            make_solver<double>(sweeps(58), this->exec, p).parameters());
  auto const candidates = make_solver<double>(variant("sptrsv"), this->exec, p).plan_input(this->exec).candidates;
  EXPECT_FALSE(candidates.empty());
  EXPECT_EQ(std::count(candidates.begin(), candidates.end(), "iterated"), 0);
}

}  // namespace
}  // namespace sptrsv::test
