// SPDX-License-Identifier: Apache-2.0
// Tests several solvers at a time, changing numbers of columns, the sentinel in data, and repeated entries.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

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

/// Repeats some off-diagonal entries once or twice, before, behind or apart from the entry, wherever tiles store them:
/// in lists, in tiles of any format, in diagonal tiles.
template <class S>
void repeat_entries(Problem<S>& p) {
  Problem<S> once = p;
  p.col_idx.clear();
  p.values.clear();
  for (int i = 0; i < once.num_rows(); ++i) {
    int const begin = once.row_ptr[i], end = once.row_ptr[i + 1], size = static_cast<int>(p.col_idx.size());
    bool const first = once.col_idx[begin] == i;  // the diagonal entry keeps its position
    std::vector<std::pair<int, S>> row;
    for (int k = begin; k < end; ++k) {
      if (once.col_idx[k] == i) continue;
      int const more = (i + 3 * k) % 4 == 0 ? 2 : (i + k) % 3 == 0;
      for (int copy = 0; copy <= more; ++copy)
        row.push_back({once.col_idx[k], once.values[k] * S(copy == 0 ? 1 : copy == 1 ? -0.5 : 0.125)});
    }
    if (i % 2 == 1) std::reverse(row.begin(), row.end());
    if (i % 5 == 0 && row.size() > 2) std::rotate(row.begin(), row.begin() + 1, row.end());
    std::pair<int, S> const diagonal{i, once.values[first ? begin : end - 1]};
    row.insert(first ? row.begin() : row.end(), diagonal);
    for (auto const& [column, value] : row) {
      p.col_idx.push_back(column);
      p.values.push_back(value);
    }
    p.row_ptr[i] = size;
  }
  p.row_ptr.back() = static_cast<int>(p.col_idx.size());
  p.make_op();
}

template <class S, class Space>
void check_duplicates(Space const& exec) {
  for (auto const& shape : all_shapes())
    for (std::string const matrix : {"dense:60", "lap2d:14", "band:300,20,70", "diagonal:5"}) {
      auto p = make_problem<S>(matrix, shape);
      repeat_entries(p);
      auto const b = make_right_hand_sides<S>(p.num_rows(), 1);
      for (auto const& v : all_variants()) {
        SCOPED_TRACE(v.label + " " + matrix + " " + text(shape.triangle) + " " + text(shape.op));
        if (!accepts(v, exec, p)) continue;
        auto const solver = make_solver<S>(v, exec, p);
        auto const x = solve<S>(solver, exec, b);
        expect_solves(p, x, b);
        if (v.reproducible) expect_same(x[0], solve<S>(solver, exec, b)[0]);
      }
    }
}
TYPED_TEST(SolverTest, DuplicateEntriesAddUp) { check_duplicates<double>(this->exec); }
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(SolverTest, ComplexDuplicateEntriesAddUp) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) check_duplicates<S>(this->exec);
}
#endif

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

}  // namespace
}  // namespace sptrsv::test
