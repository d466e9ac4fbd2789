// SPDX-License-Identifier: Apache-2.0
// Tests layouts of b, x and T: strides, one array for b and x, PETSc's factors, and permutations and scalings (Fold).
#include <gtest/gtest.h>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class Layout : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;

  template <class F>
  static void for_each_case(F const& f) {
    for (auto const& shape : all_shapes())
      for (auto const& v : all_variants()) {
        SCOPED_TRACE(v.label + " " + text(shape.triangle) + " " + text(shape.op) + " " + text(shape.diagonal));
        f(v, shape);
      }
  }
};
TYPED_TEST_SUITE(Layout, Spaces, SpaceNames);

TYPED_TEST(Layout, StridedViewsGiveTheSameBitsAndNothingElseIsWritten) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, Shape shape) {
    auto const p = make_problem<double>(solvable(v, "lap2d:15"), shape);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
    auto const solver = make_solver<double>(v, this->exec, p);
    Block<T> const right(b, 2, 7), x(p.num_rows(), 5, 2, 3);
    solver.solve(this->exec, right.view(), x.view());
    this->exec.fence();
    auto const strided = x.get();
    expect_solves(p, strided, b);
    EXPECT_EQ(x.count_spilled(), 0u);
    auto const plain = solve<double>(solver, this->exec, b);
    if (v.reproducible)
      for (int c = 0; c < 5; ++c) expect_same(strided[c], plain[c]);
  });
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

TYPED_TEST(Layout, DuplicateEntriesAddUp) {
  this->for_each_case([&](Variant const& v, Shape shape) {
    for (std::string const matrix : {"dense:60", "lap2d:14", "band:300,20,70", "diagonal:5"}) {
      SCOPED_TRACE(matrix);
      auto p = make_problem<double>(matrix, shape);
      repeat_entries(p);
      if (!accepts(v, this->exec, p)) continue;
      auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
      auto const solver = make_solver<double>(v, this->exec, p);
      auto const x = solve<double>(solver, this->exec, b);
      expect_solves(p, x, b);
      if (v.reproducible) expect_same(x[0], solve<double>(solver, this->exec, b)[0]);
    }
  });
}

TYPED_TEST(Layout, RowsOfTheRightHandSidesMayBeContiguous) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, Shape shape) {
    auto const p = make_problem<double>(solvable(v, "lap2d:9"), shape);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 4);
    auto const solver = make_solver<double>(v, this->exec, p);
    Kokkos::View<double**, Kokkos::LayoutRight, typename T::device> data("test::rows", p.num_rows(), 4);
    auto const mirror = Kokkos::create_mirror_view(data);
    for (int i = 0; i < p.num_rows(); ++i)
      for (int c = 0; c < 4; ++c) mirror(i, c) = b[c][i];
    Kokkos::deep_copy(data, mirror);
    solver.solve(this->exec, data, data);
    this->exec.fence();
    Kokkos::deep_copy(mirror, data);
    Columns<double> x(4, std::vector<double>(p.num_rows()));
    for (int i = 0; i < p.num_rows(); ++i)
      for (int c = 0; c < 4; ++c) x[c][i] = mirror(i, c);
    expect_solves(p, x, b);
  });
}

TYPED_TEST(Layout, SolvesInPlace) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, Shape shape) {
    auto const p = make_problem<double>(solvable(v, "powerlaw:200"), shape);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
    auto const solver = make_solver<double>(v, this->exec, p);
    Block<T> const both(b);
    solver.solve(this->exec, both.view(), both.view());
    this->exec.fence();
    expect_solves(p, both.get(), b);
  });
}

/// L and U as PETSc's sequential factors store them in one array: L without diagonal, rows in order; then U, last row
/// first, with the inverted diagonal last in its row.
struct PetscFactor {
  std::vector<int> lower_ptr, upper_ptr, col_idx;
  std::vector<double> values;

  PetscFactor(Problem<double> const& lower, Problem<double> const& upper) {
    int const n = lower.num_rows();
    lower_ptr.push_back(0);
    for (int i = 0; i < n; ++i) {
      for (int k = lower.row_ptr[i]; k < lower.row_ptr[i + 1]; ++k)
        if (lower.col_idx[k] != i) put(lower, k);
      lower_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    upper_ptr.push_back(lower_ptr.back());
    for (int i = n - 1; i >= 0; --i) {
      for (int k = upper.row_ptr[i] + 1; k < upper.row_ptr[i + 1]; ++k) put(upper, k);
      put(upper, upper.row_ptr[i]);
      upper_ptr.push_back(static_cast<int>(col_idx.size()));
    }
  }
  void put(Problem<double> const& p, int k) {
    col_idx.push_back(p.col_idx[k]);
    values.push_back(p.values[k]);
  }
};

TYPED_TEST(Layout, TakesPetscFactorsFromOneArray) {
  using T = typename TestFixture::T;
  for (auto op : {Op::none, Op::transpose, Op::conj_transpose}) {
    auto const lower = make_problem<double>("lap3d:6", {Triangle::lower, Diagonal::unit, op}, 3);
    auto const upper = make_problem<double>("lap3d:6", {Triangle::upper, Diagonal::inverted, op}, 4);
    PetscFactor const factor(lower, upper);
    ASSERT_GT(factor.upper_ptr[0], 0);
    auto const b = make_right_hand_sides<double>(lower.num_rows(), 3);
    auto const col_idx = to_device<T>(factor.col_idx);
    auto const values = to_device<T>(factor.values);
    for (auto const& v : all_variants()) {
      SCOPED_TRACE(v.label + " " + text(op));
      if (!accepts(v, this->exec, lower)) continue;
      Solver<double, TypeParam> l(v.algorithm, this->exec, {to_device<T>(factor.lower_ptr), col_idx, RowOrder::natural},
                                  lower.shape, v.options);
      Solver<double, TypeParam> u(v.algorithm, this->exec,
                                  {to_device<T>(factor.upper_ptr), col_idx, RowOrder::reversed}, upper.shape,
                                  v.options);
      l.update(this->exec, values);
      u.update(this->exec, values);
      expect_solves(lower, solve<double>(l, this->exec, b), b);
      expect_solves(upper, solve<double>(u, this->exec, b), b);
    }
  }
}

TYPED_TEST(Layout, DiagonalMayBeFirstInALowerRow) {
  for (auto op : {Op::none, Op::transpose}) {
    auto const p = make_problem<double>("lap2d:11", {Triangle::lower, Diagonal::stored, op});
    auto moved = p;
    for (int i = 0; i < p.num_rows(); ++i) {
      std::rotate(&moved.col_idx[p.row_ptr[i]], &moved.col_idx[p.row_ptr[i + 1] - 1],
                  &moved.col_idx[0] + p.row_ptr[i + 1]);
      std::rotate(&moved.values[p.row_ptr[i]], &moved.values[p.row_ptr[i + 1] - 1],
                  &moved.values[0] + p.row_ptr[i + 1]);
    }
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    for (auto const& v : all_variants()) {
      SCOPED_TRACE(v.label);
      if (!accepts(v, this->exec, p)) continue;
      auto const solver = make_solver<double>(v, this->exec, moved);
      expect_solves(p, solve<double>(solver, this->exec, b), b);
    }
  }
}

/// Checks backward sums. fem3 has rows with equal columns, which one thread solves in blocks if the order allows it.
TYPED_TEST(Layout, SumsBackwardIfTold) {
  using T = typename TestFixture::T;
  for (auto const& matrix : {"fem3:4", "lap2d:12"})
    for (auto triangle : {Triangle::lower, Triangle::upper}) {
      auto const p = make_problem<double>(matrix, {triangle, Diagonal::inverted, Op::none});
      auto backward = p;
      for (auto& row : backward.op.rows) std::reverse(row.begin(), row.end());
      auto pattern = to_pattern<T>(p);
      pattern.sum_backward = true;
      auto const values = to_device<T>(p.values);
      auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
      for (auto const& v : all_variants()) {
        SCOPED_TRACE(v.label + " " + matrix + " " + text(triangle));
        if (!accepts(v, this->exec, p)) continue;
        Solver<double, TypeParam> solver(v.algorithm, this->exec, pattern, p.shape, v.options);
        solver.update(this->exec, values);
        auto const x = solve<double>(solver, this->exec, b);
        expect_solves(p, x, b);
        if (v.like_substitution && std::is_same_v<typename T::memory_space, Kokkos::HostSpace>)
          for (int c = 0; c < 5; ++c) expect_same(x[c], backward.oracle(b[c]));
      }
    }
}

/// Returns a permutation of 0..n-1 without a pattern.
std::vector<int> scrambled(int n, int seed) {
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return unit_random(seed, a) < unit_random(seed, b); });
  return order;
}

TYPED_TEST(Layout, FoldPermutesScalesAndAccumulates) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, Shape shape) {
    auto const p = make_problem<double>(solvable(v, "lap2d:12"), shape);
    int const n = p.num_rows();
    auto const given = make_right_hand_sides<double>(n, 5), before = make_right_hand_sides<double>(n, 5, 900);
    auto const b_rows = scrambled(n, 5), out_rows = scrambled(n, 6);
    std::vector<double> b_scale(n);
    for (int i = 0; i < n; ++i) b_scale[i] = 0.5 + unit_random(8, i);
    Columns<double> b = given;
    for (int c = 0; c < 5; ++c)
      for (int i = 0; i < n; ++i) b[c][i] = given[c][b_rows[i]] * b_scale[i];
    auto const solver = make_solver<double>(v, this->exec, p);
    for (bool const accumulate : {false, true}) {
      Block<T> const right(given), x(n, 5), out(before, 2, 1);
      Fold<T> fold;
      fold.b_rows = to_device<T>(b_rows);
      fold.b_scale = to_device<T>(b_scale);
      fold.out_rows = to_device<T>(out_rows);
      fold.out = out.view();
      fold.accumulate = accumulate;
      solver.solve(this->exec, right.view(), x.view(), fold);
      this->exec.fence();
      auto const solution = x.get(), result = out.get();
      expect_solves(p, solution, b);
      for (int c = 0; c < 5; ++c)
        for (int i = 0; i < n; ++i) {
          int const to = out_rows[i];
          ASSERT_EQ(result[c][to], accumulate ? before[c][to] + solution[c][i] : solution[c][i]) << "row " << i;
        }
    }
  });
}

TYPED_TEST(Layout, OutMayBeTheRightHandSide) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, Shape shape) {
    auto const p = make_problem<double>(solvable(v, "lap2d:10"), shape);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    auto const solver = make_solver<double>(v, this->exec, p);
    Block<T> const right(b), x(p.num_rows(), 1);
    Fold<T> fold;
    fold.out = right.view();
    solver.solve(this->exec, right.view(), x.view(), fold);
    this->exec.fence();
    expect_solves(p, right.get(), b);
  });
}

}  // namespace
}  // namespace sptrsv::test
