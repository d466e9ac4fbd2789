// SPDX-License-Identifier: Apache-2.0
// Compares sweeps with approximate solves, two-stage Gauss-Seidel and damped Jacobi, with their definition in long
// double, and counts their kernels.
#include <gtest/gtest.h>

#include <sptrsv/device/independent_rows.hpp>
#include <type_traits>

#include "swept.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

using Wide = std::vector<long double>;

OptionValues sweeps(int k) { return {{"iterated_sweeps", std::to_string(k)}}; }

/// Returns b - (A + shift I) x.
Wide residual(Matrix<double> const& m, double shift, std::vector<double> const& b, Wide const& x) {
  Wide r(b.begin(), b.end());
  for (int i = 0; i < m.num_rows(); ++i) {
    r[i] -= shift * x[i];
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) r[i] -= m.values[k] * x[m.col_idx[k]];
  }
  return r;
}

/// Performs a sweep by its definition: x = x_old + P (b - (A + shift I) x_old), where P makes `inner` Jacobi sweeps
/// with E + L, rows in the order of the sweep.
void two_stage_once(Matrix<double> const& m, bool forward, Relaxation const& relaxation, int inner,
                    std::vector<double> const& b, Wide& x) {
  int const n = m.num_rows();
  auto const at = m.positions();
  auto const r = residual(m, relaxation.shift, b, x);
  Wide y(n, 0);
  for (int s = 0; s <= inner; ++s) {
    Wide const before = y;
    for (int i = 0; i < n; ++i) {
      y[i] = r[i];
      for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
        int const j = m.col_idx[k];
        if (j != i && (at[j] < at[i]) == forward) y[i] -= m.values[k] * before[j];
      }
      y[i] *= relaxation.omega / (m.diagonal(i) + relaxation.shift);
    }
  }
  for (int i = 0; i < n; ++i) x[i] += y[i];
}

template <class Space>
class TwoStageSweeps : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;
};
TYPED_TEST_SUITE(TwoStageSweeps, Spaces, SpaceNames);

/// Returns the entries of m at and below its diagonal, or at and above it, or at both.
Matrix<double> part_of(Matrix<double> const& m, bool below, bool above) {
  Matrix<double> part;
  part.order = m.order;
  part.row_ptr = {0};
  for (int i = 0; i < m.num_rows(); ++i) {
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
      int const j = m.col_idx[k];
      if (j != i && !(j < i ? below : above)) continue;
      part.col_idx.push_back(j);
      part.values.push_back(m.values[k]);
    }
    part.row_ptr.push_back(static_cast<int>(part.col_idx.size()));
  }
  return part;
}

/// Checks sweeps with general, triangular and diagonal matrices. Without entries below or above the diagonal in the
/// order of a sweep, its solves divide by the diagonal whatever the number of Jacobi sweeps.
TYPED_TEST(TwoStageSweeps, AreAsDefined) {
  using T = typename TestFixture::T;
  struct Case {
    std::string matrix;
    bool below, above;
  };
  for (auto const& [matrix, below, above] :
       {Case{"lap2d:9", true, true}, Case{"rmat:7,4", true, true}, Case{"rmat:6,4", true, false},
        Case{"rmat:6,4", false, true}, Case{"lap2d:5", false, false}})
    for (bool const in_random_order : {false, true})
      for (int const inner : {0, 1, 3}) {
        auto const m = part_of(make_matrix<double>(matrix, in_random_order), below, above);
        int const n = m.num_rows();
        auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(inner));
        for (Relaxation const relaxation : {Relaxation{1, 0}, Relaxation{1.3, 0}, Relaxation{0.8, 0.5}}) {
          ASSERT_EQ(solver.update(this->exec, to_device<T>(m.values), relaxation), -1);
          for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
            for (bool const zero_guess : {true, false})
              for (int const times : {1, 2, 3}) {
                SCOPED_TRACE(matrix + (in_random_order ? ", in random order, " : ", ") + name_of(kind) + ", inner " +
                             std::to_string(inner) + ", omega " + std::to_string(relaxation.omega) +
                             (zero_guess ? ", zero guess" : ", guess") + ", times " + std::to_string(times));
                auto const b = make_right_hand_sides<double>(n, 2), guess = make_right_hand_sides<double>(n, 2, 5);
                Block<T> const right(b), x(guess, 2, 3);
                solver.sweep(this->exec, kind, right.view(), x.view(), zero_guess, times);
                this->exec.fence();
                EXPECT_EQ(x.count_spilled(), 0u);
                for (int c = 0; c < 2; ++c) {
                  Wide expected(n, 0);
                  if (!zero_guess) expected.assign(guess[c].begin(), guess[c].end());
                  for (int t = 0; t < times; ++t)
                    for (bool const forward : {true, false})
                      if (kind == Sweep::symmetric || forward == (kind == Sweep::forward))
                        two_stage_once(m, forward, relaxation, inner, b[c], expected);
                  expect_near(x.get()[c], expected);
                }
              }
        }
      }
}

/// Checks the kernels of a symmetric sweep with one Jacobi sweep for each triangular solve: one for each residual. On a
/// host short loops of a solve are no kernels.
TYPED_TEST(TwoStageSweeps, ResidualsAreOneKernel) {
  using T = typename TestFixture::T;
  std::vector<std::string> const solve{"sptrsv::iterated::divide", "sptrsv::iterated::sweep"};
  std::string const residual = "sptrsv::sweeps::residual";
  bool const on_host = std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>;
  auto const m = make_matrix<double>("lap2d:200", false);
  auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(1));
  solver.update(this->exec, to_device<T>(m.values));
  auto const b = make_right_hand_sides<double>(m.num_rows(), 1);
  Block<T> const right(b), x(m.num_rows(), 1);
  for (bool const zero_guess : {true, false}) {
    std::vector<std::string> expected;
    for (bool const with_residual : {!zero_guess, true}) {
      if (with_residual) expected.push_back(residual);
      if (!on_host) expected.insert(expected.end(), solve.begin(), solve.end());
    }
    ToolCounters const counters;
    solver.sweep(this->exec, Sweep::symmetric, right.view(), x.view(), zero_guess);
    EXPECT_EQ(counters.kernels(), expected) << zero_guess;
    this->exec.fence();
  }
}

/// Checks the kernels of Jacobi sweeps: one for the first two from zero, and one for each sweep from a guess, except
/// for the first of an odd number.
TYPED_TEST(TwoStageSweeps, JacobiSweepsAreOneKernel) {
  using T = typename TestFixture::T;
  using Names = std::vector<std::string>;
  std::string const jacobi = "sptrsv::sweeps::jacobi";
  bool const on_host = std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>;
  Names const divide = on_host ? Names{} : Names{"sptrsv::iterated::divide"};
  auto const m = make_matrix<double>("lap2d:200", false);
  auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(0));
  solver.update(this->exec, to_device<T>(m.values), {0.6, 0});
  auto const b = make_right_hand_sides<double>(m.num_rows(), 1);
  Block<T> const right(b), x(m.num_rows(), 1);
  auto const kernels = [&](Sweep kind, bool zero_guess, int times) {
    ToolCounters const counters;
    solver.sweep(this->exec, kind, right.view(), x.view(), zero_guess, times);
    Names const names = counters.kernels();
    this->exec.fence();
    return names;
  };
  auto const then = [](Names names, Names const& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  Names const residual{"sptrsv::sweeps::residual"};
  EXPECT_EQ(kernels(Sweep::forward, true, 1), divide);
  EXPECT_EQ(kernels(Sweep::symmetric, true, 1), Names{jacobi});
  EXPECT_EQ(kernels(Sweep::forward, true, 3), Names({jacobi, jacobi}));
  EXPECT_EQ(kernels(Sweep::symmetric, false, 1), Names({jacobi, jacobi}));
  EXPECT_EQ(kernels(Sweep::forward, false, 1), then(residual, divide));
  EXPECT_EQ(kernels(Sweep::backward, false, 3), then(then(residual, divide), {jacobi, jacobi}));
}

/// Checks Jacobi sweeps over blocks of rows from zero and from a guess: D (x_new - x_old) = b - A x_old for the dense
/// blocks D and successive numbers of sweeps.
TYPED_TEST(TwoStageSweeps, JacobiSweepsByBlocks) {
  using T = typename TestFixture::T;
  auto const m = make_matrix<double>("fem3:3", false);
  int const n = m.num_rows();
  auto const first = find_blocks(m, 3);
  Sweeps<double, int, int, TypeParam> solver("iterated", this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                             {{}, to_device<T>(first)}, sweeps(0));
  ASSERT_EQ(solver.update(this->exec, to_device<T>(m.values)), -1);
  auto const b = make_right_hand_sides<double>(n, 1), guess = make_right_hand_sides<double>(n, 1, 5);
  Block<T> const right(b);
  for (bool const zero_guess : {true, false}) {
    auto const after = [&](int count) {
      Block<T> const x(guess);
      bool const symmetric = count % 2 == 0;
      solver.sweep(this->exec, symmetric ? Sweep::symmetric : Sweep::forward, right.view(), x.view(), zero_guess,
                   symmetric ? count / 2 : count);
      this->exec.fence();
      return x.get()[0];
    };
    std::vector<double> before = zero_guess ? std::vector<double>(n, 0) : guess[0];
    for (int count = 1; count <= 4; ++count) {
      auto const x = after(count);
      std::vector<double> product(n, 0);
      for (int i = 0; i < n; ++i)
        for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
          int const j = m.col_idx[k];
          if (first[j] == first[i]) product[i] += m.values[k] * (x[j] - before[j]);
        }
      expect_near(product, residual(m, 0, b[0], Wide(before.begin(), before.end())));
      before = x;
    }
  }
}

/// Checks the lanes of rows none of which waits: those of docs/sweeps.md, long rows, and powers of two within the warp.
TEST(IndependentRows, LanesFollowRowsAndTheLongestOfThem) {
  struct Case {
    double rows, mean, longest;
    int triangles, lanes;
  };
  for (auto const& [rows, mean, longest, triangles, lanes] :
       {Case{1e6, 5.9, 7, 2, 1}, Case{91125, 24.8, 27, 2, 2}, Case{1e6, 25.5, 27, 2, 2}, Case{91125, 30.6, 33, 2, 2},
        Case{90000, 31.6, 34, 2, 2}, Case{90253, 32, 90, 2, 2}, Case{343000, 88, 93, 2, 8}, Case{14947, 57.1, 62, 2, 8},
        Case{4913, 66.9, 81, 2, 16}, Case{12167, 5.7, 7, 2, 4}, Case{460, 22.2, 40, 2, 32},
        // a triangle: 7 points, 27 points, one with a long row
        Case{1e6, 2.97, 3, 1, 1}, Case{512000, 12.7, 13, 1, 2}, Case{1048576, 16, 27551, 1, 32}, Case{1, 0, 0, 1, 1},
        Case{1e6, 1e6, 1e6, 1, 32}})
    EXPECT_EQ(detail::lanes_per_independent_row(rows, rows * mean, longest, triangles, 32), lanes)
        << rows << ' ' << mean;
  EXPECT_EQ(detail::lanes_per_independent_row(1e6, 1e12, 1e6, 2, 64), 64);
  EXPECT_EQ(detail::lanes_per_independent_row(1e6, 1e12, 1e6, 2, 1), 1);
}

/// Checks a sweep in place, and that Eisenstat's form is refused.
TYPED_TEST(TwoStageSweeps, InPlaceAndEisenstat) {
  using T = typename TestFixture::T;
  for (bool const in_random_order : {false, true}) {
    auto const m = make_matrix<double>("lap2d:9", in_random_order);
    int const n = m.num_rows();
    auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(1));
    solver.update(this->exec, to_device<T>(m.values));
    auto jacobi = make_sweeps<T>("iterated", this->exec, m, sweeps(0));
    jacobi.update(this->exec, to_device<T>(m.values));
    auto const b = make_right_hand_sides<double>(n, 1);
    for (auto* s : {&solver, &jacobi})
      for (Sweep const kind : {Sweep::forward, Sweep::symmetric}) {
        Block<T> const right(b), in_place(b), x(n, 1);
        s->sweep(this->exec, kind, right.view(), x.view(), true);
        s->sweep(this->exec, kind, in_place.view(), in_place.view(), true);
        this->exec.fence();
        expect_same(in_place.get()[0], x.get()[0]);
      }
    Block<T> const right(b), x(n, 1);
    expect_thrown<Unsupported>("iterated does not do Eisenstat's form",
                               [&] { solver.eisenstat(this->exec, right.view(), x.view()); });
  }
}

}  // namespace
}  // namespace sptrsv::test
