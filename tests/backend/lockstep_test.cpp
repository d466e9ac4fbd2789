// SPDX-License-Identifier: Apache-2.0
// Tests all kernels on emulated warps in lockstep: none may wait for a lane of its own warp. docs/amd.md says what this
// covers.
#include "lockstep/space.hpp"
// space.hpp comes first
#include <gtest/gtest.h>

#include <cmath>
#include <sptrsv/factor_impl.hpp>
#include <sptrsv/factorization/factorization_impl.hpp>
#include <sptrsv/ordering/greedy_colors.hpp>
#include <sptrsv/solver_impl.hpp>
#include <string>
#include <vector>

namespace sptrsv::test {
namespace {

using lockstep::Lockstep;
using T = Types<double, int, int, Lockstep>;
using Solver = TriangularSolver<double, int, int, Lockstep>;
using detail::Backoff;
using detail::load_relaxed;
using detail::store_relaxed;

/// Fixture with the number of lanes of a warp as parameter.
class InLockstep : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    lockstep::width = GetParam();
    lockstep::seed = 1;
    lockstep::resident_teams = 3;
  }
};

// --- the emulation itself: kernels that must hang, and similar ones that must not

enum class Chain {
  publishes_on_the_way_out,  ///< after leaving its loop, like code after a `break`
  publishes_after_waiting,
  publishes_in_turns,
  is_between_warps,         ///< each lane waits for the same lane of the previous warp
  waits_beside_publishers,  ///< half of the lanes wait for the others, which publish and do not wait
  waits_after_rejoining     ///< like waits_beside_publishers, but after rejoin_lanes()
};

/// Kernel in which each lane waits for an earlier one, by tickets.
struct ChainKernel {
  Chain chain;
  int* there;
  int before;  ///< distance to the lane that is waited for

  bool solved(int i) const { return i < 0 || load_relaxed(there + i) != 0; }
  void wait_for(int i) const {
    for (Backoff wait; !solved(i);) wait(i);
  }
  template <class Team>
  void operator()(Team const& team, int first, int) const {
    int const i = first + team.team_rank() * team.lanes() + team.lane();
    if (chain == Chain::publishes_in_turns) {
      detail::take_turns([&](Backoff& wait) {
        if (solved(i - before)) {
          store_relaxed(there + i, 1);
          return true;
        }
        wait(i);
        return false;
      });
    } else if (chain == Chain::publishes_on_the_way_out) {
      for (Backoff wait;; wait(i))
        if (solved(i - before)) {
          store_relaxed(there + i, 1);
          break;
        }
    } else if (chain == Chain::waits_beside_publishers || chain == Chain::waits_after_rejoining) {
      bool const publishes = i % lockstep::width < lockstep::width / 2;
      if (publishes) store_relaxed(there + i, 1);
      if (chain == Chain::waits_after_rejoining) detail::rejoin_lanes();
      if (!publishes) {
        wait_for(i - lockstep::width / 2);
        store_relaxed(there + i, 1);
      }
    } else {
      wait_for(i - before);
      store_relaxed(there + i, 1);
    }
  }
};

/// Tells whether a chain of 4 teams ends. @param before  distance to the lane that is waited for
bool ends(Chain chain, int before, int threads, int lanes) {
  Lockstep const exec;
  int const rows = threads * lanes;
  std::vector<int> there(static_cast<std::size_t>(4 * rows));
  detail::Tickets<T> tickets(exec);
  try {
    detail::for_each_ticket<T>("chain", exec, tickets, {2, threads, lanes, rows}, 4 * rows,
                               ChainKernel{chain, there.data(), before});
  } catch (lockstep::Hang const&) {
    return false;
  }
  return std::count(there.begin(), there.end(), 1) == 4 * rows;
}

TEST_P(InLockstep, WaitsForALaneOfTheSameWarpHang) {
  int const w = lockstep::width;
  for (lockstep::seed = 1; lockstep::seed < 6; ++lockstep::seed) {
    EXPECT_FALSE(ends(Chain::publishes_on_the_way_out, 1, w, 1));
    EXPECT_FALSE(ends(Chain::publishes_after_waiting, 1, 1, w));
    EXPECT_FALSE(ends(Chain::waits_beside_publishers, 0, 1, w));
  }
}
TEST_P(InLockstep, OtherWaitsEnd) {
  int const w = lockstep::width;
  for (lockstep::seed = 1; lockstep::seed < 6; ++lockstep::seed) {
    EXPECT_TRUE(ends(Chain::publishes_in_turns, 1, w, 1));
    EXPECT_TRUE(ends(Chain::publishes_in_turns, 1, 2 * w, 1));
    EXPECT_TRUE(ends(Chain::is_between_warps, w, 1, w));
    EXPECT_TRUE(ends(Chain::is_between_warps, w, 2, w));
    EXPECT_TRUE(ends(Chain::waits_after_rejoining, 0, 1, w));
  }
}
/// Checks threads of 32 lanes, which are separate warps unless a warp has 64 lanes.
TEST_P(InLockstep, TwoThreadsOfAWarpMustNotWaitForEachOther) {
  EXPECT_EQ(ends(Chain::is_between_warps, 32, 2, 32), lockstep::width == 32);
}

// --- the library's kernels

struct Matrix {
  std::string name;
  Kokkos::View<int*, T::device> row_ptr, col_idx;
  Kokkos::View<double*, T::device> values;
  int n() const { return static_cast<int>(row_ptr.extent(0)) - 1; }
  T::pattern pattern() const { return {row_ptr, col_idx}; }
};

/// @param needs  (i, j), j < i: whether row i has an entry in column j
template <class Needs>
Matrix make(char const* name, int n, bool lower, bool upper, Needs const& needs) {
  std::vector<int> ptr{0}, col;
  std::vector<double> val;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (i == j || (j < i && lower && needs(i, j)) || (j > i && upper && needs(j, i))) {
        col.push_back(j);
        val.push_back(i == j ? 4 + i % 3 : -1.0 / (1 + (3 * i + 5 * j) % 7));
      }
    ptr.push_back(static_cast<int>(col.size()));
  }
  using Indices = Kokkos::View<int*, T::device>;
  Matrix m{name, Indices("row_ptr", ptr.size()), Indices("col_idx", col.size()),
           Kokkos::View<double*, T::device>("values", val.size())};
  std::copy(ptr.begin(), ptr.end(), m.row_ptr.data());
  std::copy(col.begin(), col.end(), m.col_idx.data());
  std::copy(val.begin(), val.end(), m.values.data());
  return m;
}
std::vector<Matrix> matrices(bool lower, bool upper, int size = 2) {
  auto const random = [](int i, int j) { return (i * 7919 + j * 104729 + i * j) % 1013; };
  return {
      make("chain", 75 * size, lower, upper, [](int i, int j) { return j == i - 1; }),
      make("band", 100 * size, lower, upper, [&](int i, int j) { return i - j < 40 && random(i, j) < 200; }),
      make("random", 100 * size, lower, upper, [&](int i, int j) { return random(i, j) < 60; }),
      make("arrow", 90 * size, lower, upper, [size](int i, int j) { return j < 2 || i > 90 * size - 3; }),
      make("grid", 16 * 8 * size, lower, upper,
           [](int i, int j) { return j == i - 16 || (j == i - 1 && i % 16 != 0); }),
      make("column", 70 * size, lower, upper, [](int, int j) { return j == 0; }),
      make("long_row", 280 * size, lower, upper, [size](int i, int) { return i > 280 * size - 3; }),
  };
}

struct Solve {
  char const* algorithm;
  OptionValues options;
};
std::vector<Solve> solves() {
  return {
      {"syncfree", {}},
      {"syncfree", {{"syncfree_rows_per_ticket", "5"}}},
      {"syncfree", {{"syncfree_form", "csc"}}},
      {"syncfree", {{"syncfree_form", "csc"}, {"syncfree_rows_per_ticket", "5"}}},
      {"threadlevel", {}},
      {"threadlevel", {{"threadlevel_form", "two_phase"}}},
      {"threadlevel", {{"threadlevel_rows_per_ticket", "48"}}},
      {"fused", {}},
      {"fused", {{"fused_threshold", "1"}}},
      {"fused", {{"fused_threshold", "1000000"}}},
      {"levelset", {}},
      {"levelset", {{"levelset_wide_rows", "4"}}},
      {"levelset", {{"levelset_lanes_per_row", "4"}, {"levelset_wave_teams", "3"}}},
      {"levelset", {{"levelset_analysis", "root_candidates"}}},
      {"tiled", {{"tiled_variant", "syncfree"}}},
      {"tiled", {{"tiled_variant", "levelset"}, {"tiled_wide_rows", "16"}}},
      {"colorset", {}},
      {"blocked", {{"blocked_shape", "strips"}, {"blocked_levels", "3"}, {"blocked_rows", "20"}}},
      {"blocked", {{"blocked_shape", "boxes"}, {"blocked_side0", "4"}, {"blocked_side1", "4"}}},
      {"sequential", {}},
  };
}

/// Returns the largest |b - op(T) x|_i.
double residual(Matrix const& m, Op op, Kokkos::View<double**, Kokkos::LayoutLeft, T::device> const& b,
                Kokkos::View<double**, Kokkos::LayoutLeft, T::device> const& x) {
  double worst = 0;
  for (std::size_t c = 0; c < b.extent(1); ++c) {
    std::vector<double> rest(b.extent(0));
    for (int i = 0; i < m.n(); ++i) rest[i] += b(i, c);
    for (int i = 0; i < m.n(); ++i)
      for (int k = m.row_ptr(i); k < m.row_ptr(i + 1); ++k) {
        int const j = m.col_idx(k);
        if (op == Op::none) rest[i] -= m.values(k) * x(j, c);
        else rest[j] -= m.values(k) * x(i, c);
      }
    for (double const r : rest) worst = std::max(worst, std::isnan(r) ? 1e300 : std::abs(r));
  }
  return worst;
}

void check_solves(Matrix const& m, Triangle triangle, Solve const& how, int columns, Op op = Op::none) {
  Lockstep const exec;
  std::string text = m.name + " by " + how.algorithm + " with " + std::to_string(columns) + " columns" +
                     (op == Op::none ? "" : ", transposed");
  for (auto const& [name, value] : how.options) text += ", " + name + " " + value;
  SCOPED_TRACE(text);
  Solver solver(how.algorithm, exec, m.pattern(), {triangle, Diagonal::stored, op}, how.options);
  solver.update(exec, m.values);
  Kokkos::View<double**, Kokkos::LayoutLeft, T::device> const b("b", m.n(), columns), x("x", m.n(), columns);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int i = 0; i < m.n(); ++i)
      for (int c = 0; c < columns; ++c) b(i, c) = 1 + (i * (c + 1) + repeat) % 5;
    solver.solve(exec, b, x);
    EXPECT_LT(residual(m, op, b, x), 1e-11);
  }
}

TEST_P(InLockstep, SolvesEnd) {
  for (Matrix const& m : matrices(true, false))
    for (Solve const& how : solves())
      for (int columns : {1, 5}) {
        if (columns > 1 && m.name != "band") continue;
        ++lockstep::seed;
        try {
          check_solves(m, Triangle::lower, how, columns);
        } catch (lockstep::Hang const& hang) {
          ADD_FAILURE() << m.name << " by " << how.algorithm << (how.options.empty() ? "" : how.options.begin()->second)
                        << ": " << hang.what();
        }
      }
}
TEST_P(InLockstep, SolvesOfUpperTrianglesEnd) {
  for (Matrix const& m : matrices(false, true, 1))
    for (Solve const& how : solves()) check_solves(m, Triangle::upper, how, 1);
}

/// Checks transposed solves. Rows of `column` have one entry; rows of its transpose are as short, except for one.
TEST_P(InLockstep, SolvesOfTransposesEnd) {
  for (Matrix const& m : matrices(true, false, 1))
    for (Solve const& how : solves()) check_solves(m, Triangle::lower, how, 1, Op::transpose);
}

TEST_P(InLockstep, GreedyColoringEnds) {
  for (Matrix const& m : matrices(true, true)) {
    if (m.name == "chain") continue;  // the coloring gives up
    std::string obstacle;
    auto const coloring = color_on_device<T>(Lockstep(), m.pattern(), obstacle);
    EXPECT_EQ(obstacle, "") << m.name;
    for (int i = 0; i < m.n(); ++i)
      for (int k = m.row_ptr(i); k < m.row_ptr(i + 1); ++k)
        EXPECT_TRUE(m.col_idx(k) == i || coloring.color_of[i] != coloring.color_of[m.col_idx(k)]) << m.name;
  }
}

/// Checks (L U)_ij = a_ij where the factors have entries; symmetric: (U^T D U)_ij.
void check_factors(Matrix const& a, bool symmetric, int level, FactorizationOptions const& options) {
  using Object = Factorization<double, int, int, Lockstep>;
  Lockstep const exec;
  SCOPED_TRACE(a.name + (symmetric ? ", symmetric" : "") + ", level " + std::to_string(level) + ", lanes " +
               std::to_string(options.lanes_per_row));
  auto pattern = Object::level_pattern(exec, a.pattern(), {}, {}, symmetric, level);
  Object object(exec, a.pattern(), pattern, options);
  auto const verdict = object.factor(exec, a.values, {});
  EXPECT_EQ(verdict.zero_row, -1);
  auto const n = static_cast<std::size_t>(a.n());
  std::vector<std::vector<double>> l(n, std::vector<double>(n)), u = l, in = l, product = l;
  auto const values = object.values();
  auto const& upper = pattern.upper->rows;
  for (std::size_t i = 0; i < n; ++i) {
    l[i][i] = 1;
    for (int k = upper.row_ptr(i); k < upper.row_ptr(i + 1); ++k) {
      auto const j = static_cast<std::size_t>(upper.col_idx(k));
      u[i][j] = i == j ? 1 / values.upper(k) : values.upper(k);
      in[i][j] = 1;
    }
    if (symmetric) {
      in[i][i] = u[i][i] = 1;
      for (std::size_t j = 0; j < n; ++j) l[j][i] = u[i][j];  // unit diagonal
      for (std::size_t j = i; j < n; ++j) u[i][j] /= values.inverse(i);
      continue;
    }
    auto const& lower = pattern.lower->rows;
    for (int k = lower.row_ptr(i); k < lower.row_ptr(i + 1); ++k) {
      l[i][static_cast<std::size_t>(lower.col_idx(k))] = values.lower(k);
      in[i][static_cast<std::size_t>(lower.col_idx(k))] = 1;
    }
  }
  for (int i = 0; i < a.n(); ++i)
    for (int k = a.row_ptr(i); k < a.row_ptr(i + 1); ++k)
      product[static_cast<std::size_t>(i)][static_cast<std::size_t>(a.col_idx(k))] = -a.values(k);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = symmetric ? i : 0; j < n; ++j) {
      if (in[i][j] == 0) continue;
      for (std::size_t k = 0; k <= std::min(i, j); ++k) product[i][j] += l[i][k] * u[k][j];
      worst = std::max(worst, std::isnan(product[i][j]) ? 1e300 : std::abs(product[i][j]));
    }
  EXPECT_LT(worst, 1e-11);
}
/// Returns the matrix with symmetric values.
Matrix with_symmetric_values(Matrix m) {
  for (int i = 0; i < m.n(); ++i)
    for (int k = m.row_ptr(i); k < m.row_ptr(i + 1); ++k)
      if (m.col_idx(k) != i) m.values(k) = -1.0 / (2 + (i + m.col_idx(k)) % 7);
  return m;
}
TEST_P(InLockstep, FactorizationsEnd) {
  for (Matrix const& m : matrices(true, true, 1))
    for (int level : {0, 1}) {
      FactorizationOptions options;
      options.lanes_per_row = level == 0 ? 4 : 0;
      options.teams = 3;
      check_factors(m, false, level, options);
      for (int products : {0, 1}) {
        options.products = products;
        check_factors(with_symmetric_values(m), true, level, options);
      }
    }
}

/// Checks that the library's kernels hang if lanes leave the loop one by one, as they did before take_turns().
TEST_P(InLockstep, KernelsWithoutTurnsHang) {
  auto const band = matrices(true, false)[1], full = matrices(true, true)[1];
  lockstep::leaves_alone = true;
  for (Solve const& how : std::vector<Solve>{{"threadlevel", {}},
                                             {"fused", {{"fused_threshold", "1000000"}}},
                                             {"levelset", {{"levelset_analysis", "sweep"}}}})
    EXPECT_THROW(check_solves(band, Triangle::lower, how, 1), lockstep::Hang) << how.algorithm;
  std::string obstacle;
  EXPECT_THROW(color_on_device<T>(Lockstep(), full.pattern(), obstacle, 1LL << 40), lockstep::Hang);
  lockstep::leaves_alone = false;
}

INSTANTIATE_TEST_SUITE_P(Warps, InLockstep, testing::Values(32, 64),
                         [](auto const& width) { return "of" + std::to_string(width.param); });

}  // namespace
}  // namespace sptrsv::test
