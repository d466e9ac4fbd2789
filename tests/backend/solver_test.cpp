// SPDX-License-Identifier: Apache-2.0
// Tests the three phases in every order, two solvers at a time, and what the solver reports about itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include <sptrsv/planner/algorithm_list.hpp>
#include <sstream>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};

template <class Space>
class SolverTest : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;
};
TYPED_TEST_SUITE(SolverTest, Spaces, SpaceNames);

/// Checks data that contain the sentinel (the NaN of all ones).
TYPED_TEST(SolverTest, TheMarkersPatternInBEndsAsNaN) {
  using T = typename TestFixture::T;
  for (auto const& v : all_variants())
    for (int columns : {1, 4}) {
      SCOPED_TRACE(v.label);
      auto const p = make_problem<double>("chain:100", {Triangle::lower, Diagonal::unit, Op::none});
      auto b = make_right_hand_sides<double>(100, columns);
      std::uint64_t const ones = ~std::uint64_t(0);
      for (int c = 0; c < columns; ++c) std::memcpy(&b[c][50], &ones, sizeof ones);
      Solver<double, TypeParam> solver(v.algorithm, this->exec, to_pattern<T>(p), p.shape, v.options);
      solver.update(this->exec, to_device<T>(p.values));
      Block<T> const right(b), x(100, columns);
      for (int times = 0; times < 3; ++times) solver.solve(this->exec, right.view(), x.view());
      this->exec.fence();
      auto const got = x.get();
      for (int c = 0; c < columns; ++c)
        for (int i = 0; i < 100; ++i) EXPECT_EQ(std::isnan(got[c][i]), i >= 50) << i << " " << c;
    }
}

TYPED_TEST(SolverTest, NewValuesNeedNoNewAnalysis) {
  using T = typename TestFixture::T;
  for (auto const& v : all_variants())
    for (auto const& shape : all_shapes()) {
      SCOPED_TRACE(v.label);
      auto p = make_problem<double>(solvable(v, "lap2d:14"), shape);
      auto const b = make_right_hand_sides<double>(p.num_rows(), 2);
      auto solver = make_solver<double>(v, this->exec, p);
      expect_solves(p, solve<double>(solver, this->exec, b), b);
      set_values(p, 99);
      solver.update(this->exec, to_device<T>(p.values));
      expect_solves(p, solve<double>(solver, this->exec, b), b);
    }
}

TYPED_TEST(SolverTest, TwoSolversOnTwoInstancesDoNotMeet) {
  using T = typename TestFixture::T;
  // OpenMP cannot divide one thread
  auto instances = std::vector<TypeParam>{this->exec, this->exec};
  bool const can_part = !std::is_same_v<TypeParam, Kokkos::DefaultHostExecutionSpace> || this->exec.concurrency() > 1;
  if (can_part) {
    auto const parts = Kokkos::Experimental::partition_space(this->exec, 1, 1);
    instances.assign(parts.begin(), parts.end());
  }
  for (auto const& v : all_variants()) {
    SCOPED_TRACE(v.label);
    auto const p = make_problem<double>(solvable(v, "lap2d:60"), plain, 1),
               q = make_problem<double>(solvable(v, "band:3000,8,90"), plain, 2);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1), c = make_right_hand_sides<double>(q.num_rows(), 1);
    auto const first = make_solver<double>(v, instances[0], p);
    auto const second = make_solver<double>(v, instances[1], q);
    Block<T> const right_p(b), right_q(c), x(p.num_rows(), 1), y(q.num_rows(), 1);
    for (int turn = 0; turn < 3; ++turn) {
      first.solve(instances[0], right_p.view(), x.view());
      second.solve(instances[1], right_q.view(), y.view());
    }
    instances[0].fence();
    instances[1].fence();
    expect_solves(p, x.get(), b);
    expect_solves(q, y.get(), c);
  }
}

TYPED_TEST(SolverTest, TheNumberOfColumnsMayChangeFromSolveToSolve) {
  for (Variant const& v : all_variants()) {
    SCOPED_TRACE(v.label);
    auto const p = make_problem<double>(solvable(v, "lap2d:20"), {Triangle::lower, Diagonal::stored, Op::none});
    auto const solver = make_solver<double>(v, TypeParam(), p);
    for (int const columns : {3, 4, 3, 4, 8, 5, 8, 8, 1, 33, 1, 7}) {
      auto const b = make_right_hand_sides<double>(p.num_rows(), columns, 100 + columns);
      expect_solves(p, solve<double>(solver, TypeParam(), b), b);
    }
  }
}

TYPED_TEST(SolverTest, SolversMove) {
  for (auto const& v : all_variants()) {
    auto const p = make_problem<double>(solvable(v, "lap2d:14"), plain);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    auto solver = make_solver<double>(v, this->exec, p);
    auto moved = std::move(solver);
    solver = make_solver<double>(v, this->exec, p);
    expect_solves(p, solve<double>(moved, this->exec, b), b);
    expect_solves(p, solve<double>(solver, this->exec, b), b);
  }
}

TYPED_TEST(SolverTest, UnitDiagonalIsTakenAsOneWhateverIsStored) {
  using T = typename TestFixture::T;
  for (auto const& v : all_variants())
    for (auto op : {Op::none, Op::transpose}) {
      SCOPED_TRACE(v.label);
      auto p = make_problem<double>(solvable(v, "lap2d:12"), {Triangle::lower, Diagonal::unit, op});
      auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
      auto solver = make_solver<double>(v, this->exec, p);
      auto const x = solve<double>(solver, this->exec, b);
      for (int i = 0; i < p.num_rows(); ++i)
        p.values[p.row_ptr[i + 1] - 1] = i % 2 ? 0 : std::numeric_limits<double>::quiet_NaN();
      solver.update(this->exec, to_device<T>(p.values));
      if (v.reproducible) expect_same(x[0], solve<double>(solver, this->exec, b)[0]);
      expect_solves(p, x, b);
    }
}

TYPED_TEST(SolverTest, SaysWhatItIs) {
  for (auto const& v : all_variants()) {
    SCOPED_TRACE(v.label);
    auto const p = make_problem<double>("lap2d:20", plain);
    if (!accepts(v, this->exec, p)) continue;
    auto const solver = make_solver<double>(v, this->exec, p);
    EXPECT_NE(solver.algorithm(), "sptrsv");
    if (v.algorithm != "sptrsv") {
      EXPECT_EQ(solver.algorithm(), v.algorithm);
      EXPECT_EQ(solver.reason(), "asked for");
    } else {
      EXPECT_NE(solver.reason(), "asked for");
    }
    EXPECT_FALSE(solver.parameters().empty());
    EXPECT_EQ(solver.num_rows(), 400);
    EXPECT_EQ(solver.shape().triangle, Triangle::lower);
    std::ostringstream text;
    text << solver.structure(this->exec);
    EXPECT_EQ(text.str(),
              "rows 400, entries 1160, entries per row mean 1.9 longest 2, levels 39, rows per level mean "
              "10.2564 min 1 max 20");
    if (v.label == "levelset") {
      EXPECT_GT(solver.memory_bytes(), 760 * 12u);
    }
  }
}

TYPED_TEST(SolverTest, ManySolvesInARowStayRight) {
  for (auto const& v : all_variants()) {
    auto const p = make_problem<double>(solvable(v, "powerlaw:300"), plain);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
    auto const solver = make_solver<double>(v, this->exec, p);
    for (int turn = 0; turn < 20; ++turn) expect_solves(p, solve<double>(solver, this->exec, b), b);
  }
}

/// Checks that two solvers of a triangle give the same bits, even if they found the rows of a level in another order,
/// as root candidates on several threads may.
TYPED_TEST(SolverTest, TwoSolversOfATriangleGiveTheSameBits) {
  for (auto const& v : all_variants()) {
    if (!v.reproducible) continue;
    SCOPED_TRACE(v.label);
    auto const p = make_problem<double>(solvable(v, "lap3d:22"), {Triangle::lower, Diagonal::stored, Op::transpose});
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    auto const x = solve<double>(make_solver<double>(v, this->exec, p), this->exec, b)[0];
    for (int turn = 0; turn < 3; ++turn)
      expect_same(solve<double>(make_solver<double>(v, this->exec, p), this->exec, b)[0], x);
  }
}

TEST(AlgorithmInfos, DescribeEachAlgorithmAndItsOptions) {
  std::vector<std::string> names;
  for (auto const& info : algorithm_infos()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.summary.empty());
    for (auto const& option : info.options) {
      EXPECT_FALSE(option.help.empty()) << info.name << "_" << option.name;
      EXPECT_LE(option.low, option.value);
      EXPECT_LE(option.value, option.high);
      if (!option.choices.empty()) {
        EXPECT_EQ(option.high + 1, static_cast<long long>(option.choices.size()));
      }
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled",
                                             "colorset", "blocked", "chain", "iterated"}));
  EXPECT_EQ(std::string(version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace sptrsv::test
