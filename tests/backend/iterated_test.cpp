// SPDX-License-Identifier: Apache-2.0
// Compares the answers of `iterated`, row by row, with a sequential Jacobi iteration; checks that the planner does not
// choose the type.
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
