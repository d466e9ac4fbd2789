// SPDX-License-Identifier: Apache-2.0
// Compares sweeps with approximate solves, two-stage Gauss-Seidel, with their definition in long double; checks that
// the solution is a fixed point, and that symmetric sweeps are symmetric.
#include <gtest/gtest.h>

#include <cmath>
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

TYPED_TEST(TwoStageSweeps, AreAsDefined) {
  using T = typename TestFixture::T;
  for (std::string const matrix : {"lap2d:9", "rmat:7,4"})
    for (bool const in_random_order : {false, true})
      for (int const inner : {0, 1, 3}) {
        auto const m = make_matrix<double>(matrix, in_random_order);
        int const n = m.num_rows();
        auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(inner));
        for (Relaxation const relaxation : {Relaxation{1, 0}, Relaxation{1.3, 0}, Relaxation{0.8, 0.5}}) {
          ASSERT_EQ(solver.update(this->exec, to_device<T>(m.values), relaxation), -1);
          for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
            for (bool const zero_guess : {true, false})
              for (int const times : {1, 3}) {
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

TYPED_TEST(TwoStageSweeps, LeaveTheSolution) {
  using T = typename TestFixture::T;
  auto const m = make_matrix<double>("rmat:7,4", true);
  int const n = m.num_rows();
  auto const solution = make_right_hand_sides<double>(n, 1, 5);
  auto const product = residual(m, 0, std::vector<double>(n, 0), Wide(solution[0].begin(), solution[0].end()));
  Columns<double> b(1, std::vector<double>(n));
  for (int i = 0; i < n; ++i) b[0][i] = static_cast<double>(-product[i]);
  auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(1));
  solver.update(this->exec, to_device<T>(m.values));
  Block<T> const right(b), x(solution);
  solver.sweep(this->exec, Sweep::symmetric, right.view(), x.view(), false, 5);
  this->exec.fence();
  expect_near(x.get()[0], Wide(solution[0].begin(), solution[0].end()));
}

TYPED_TEST(TwoStageSweeps, AreSymmetricForSymmetricMatrices) {
  using T = typename TestFixture::T;
  auto m = make_matrix<double>("lap2d:15", false);
  for (int i = 0; i < m.num_rows(); ++i)
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) m.values[k] = m.col_idx[k] == i ? 4 : -1;
  int const n = m.num_rows();
  auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(1));
  solver.update(this->exec, to_device<T>(m.values));
  auto const b = make_right_hand_sides<double>(n, 2);
  Block<T> const right(b), x(n, 2);
  solver.sweep(this->exec, Sweep::symmetric, right.view(), x.view(), true);
  this->exec.fence();
  auto const got = x.get();
  long double left = 0, other = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    left += b[0][i] * got[1][i], other += b[1][i] * got[0][i];
    size += std::fabs(b[0][i] * got[1][i]);
  }
  EXPECT_NEAR(left, other, 1e-14 * size);
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

/// Checks a sweep in place, and that Eisenstat's form is refused.
TYPED_TEST(TwoStageSweeps, InPlaceAndEisenstat) {
  using T = typename TestFixture::T;
  for (bool const in_random_order : {false, true}) {
    auto const m = make_matrix<double>("lap2d:9", in_random_order);
    int const n = m.num_rows();
    auto solver = make_sweeps<T>("iterated", this->exec, m, sweeps(1));
    solver.update(this->exec, to_device<T>(m.values));
    auto const b = make_right_hand_sides<double>(n, 1);
    for (Sweep const kind : {Sweep::forward, Sweep::symmetric}) {
      Block<T> const right(b), in_place(b), x(n, 1);
      solver.sweep(this->exec, kind, right.view(), x.view(), true);
      solver.sweep(this->exec, kind, in_place.view(), in_place.view(), true);
      this->exec.fence();
      expect_same(in_place.get()[0], x.get()[0]);
    }
    Block<T> const right(b), x(n, 1);
    try {
      solver.eisenstat(this->exec, right.view(), x.view());
      ADD_FAILURE();
    } catch (Unsupported const& e) {
      EXPECT_NE(std::string(e.what()).find("iterated does not do Eisenstat's form"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace sptrsv::test
