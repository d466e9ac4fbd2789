// SPDX-License-Identifier: Apache-2.0
// Tests all kernels on emulated warps in lockstep: none may wait for a lane of its own warp, and all run on the
// caller's instance. docs/amd.md says what this covers.
#include "lockstep/space.hpp"
// space.hpp comes first
#include <gtest/gtest.h>

#include <sptrsv/factor_impl.hpp>
#include <sptrsv/factorization/factorization_impl.hpp>
#include <sptrsv/ordering/greedy_colors.hpp>
#include <sptrsv/solver_impl.hpp>
#include <sptrsv/sweeps_impl.hpp>

#include "factored.hpp"
#include "factorized.hpp"
#include "nodes.hpp"
#include "swept.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

using lockstep::Lockstep;
using T = TypesOf<double, Lockstep>;
using detail::Backoff;
using detail::load_relaxed;
using detail::store_relaxed;

/// Returns the instance of all calls of the library.
Lockstep own_instance() { return Lockstep(2); }

/// Fixture with the number of lanes of a warp as parameter.
class InLockstep : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    lockstep::width = GetParam();
    lockstep::seed = 1;
    lockstep::resident_teams = 3;
  }
  void TearDown() override {
    for (auto const device : counters_.devices())
      EXPECT_EQ(device, Kokkos::Tools::Experimental::device_id(own_instance()));
  }

 private:
  ToolCounters const counters_;
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

std::vector<Variant> solves() {
  return {
      {"", "syncfree", {}},
      {"", "syncfree", {{"syncfree_rows_per_ticket", "5"}}},
      {"", "syncfree", {{"syncfree_form", "csc"}}},
      {"", "syncfree", {{"syncfree_form", "csc"}, {"syncfree_rows_per_ticket", "5"}}},
      {"", "threadlevel", {}},
      {"", "threadlevel", {{"threadlevel_form", "two_phase"}}},
      {"", "threadlevel", {{"threadlevel_rows_per_ticket", "48"}}},
      {"", "fused", {}},
      {"", "fused", {{"fused_threshold", "1"}}},
      {"", "fused", {{"fused_threshold", "1000000"}}},
      {"", "levelset", {}},
      {"", "levelset", {{"levelset_wide_rows", "4"}}},
      {"", "levelset", {{"levelset_lanes_per_row", "4"}, {"levelset_wave_teams", "3"}}},
      {"", "levelset", {{"levelset_analysis", "root_candidates"}}},
      {"", "tiled", {{"tiled_variant", "syncfree"}}},
      {"", "tiled", {{"tiled_variant", "levelset"}, {"tiled_wide_rows", "16"}}},
      {"", "colorset", {}},
      {"", "colorset", {{"colorset_wide_rows", "1"}}},
      {"", "colorset", {{"colorset_form", "cpls"}, {"colorset_wide_rows", "1"}}},
      {"", "blocked", {{"blocked_shape", "strips"}, {"blocked_levels", "3"}, {"blocked_rows", "20"}}},
      {"", "blocked", {{"blocked_side0", "4"}, {"blocked_side1", "4"}, {"blocked_teams", "4"}}},
      {"", "inverted", {{"inverted_width", "48"}}},
      {"", "sequential", {}},
  };
}
std::vector<std::string> const matrices{"chain:150",    "band:200,8,40",  "rmat:7,6",     "lap2d:16",
                                        "arrow_up:140", "arrow_down:560", "powerlaw:200", "lap2d:16,nd,lu"},
    small_matrices{"chain:75",    "band:100,8,40",  "rmat:6,6",      "lap2d:11",
                   "arrow_up:70", "arrow_down:280", "lap2d:13,nd,lu"};

void check_solves(std::string const& matrix, Shape const& shape, Variant const& how, int columns = 1) {
  std::string text = matrix + " by " + how.algorithm;
  for (auto const& [name, value] : how.options) text += ", " + name + " " + value;
  SCOPED_TRACE(text);
  Lockstep const exec = own_instance();
  if (how.algorithm == "inverted") lockstep::resident_teams = 24;  // three teams of 512 threads
  auto const p = make_problem<double>(matrix, shape);
  auto const solver = make_solver<double>(how, exec, p);
  for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {  // the third solve reads slots that the first filled
    auto const b = make_right_hand_sides<double>(p.num_rows(), columns, repeat);
    expect_solves(p, solve<double>(solver, exec, b), b);
  }
  lockstep::resident_teams = 3;
}

constexpr Shape lower{Triangle::lower, Diagonal::stored, Op::none};

TEST_P(InLockstep, SolvesEnd) {
  for (auto const& matrix : matrices)
    for (auto const& how : solves()) {
      ++lockstep::seed;
      EXPECT_NO_THROW(check_solves(matrix, lower, how)) << matrix << " by " << how.algorithm;
    }
  for (auto const& how : solves()) check_solves("band:200,8,40", lower, how, 5);
}
/// Checks nodes, which `blocked` solves as units, also those whose triangles have no accurate inverse.
TEST_P(InLockstep, SolvesOfNodesEnd) {
  check_nodes<double>(own_instance(), {"powerlaw:30"}, true);
  check_hard_nodes<double>(own_instance(), "lap2d:6", lower, true);
  check_hard_nodes<double>(own_instance(), "lap2d:6", {Triangle::upper, Diagonal::inverted, Op::none}, true);
}
/// Checks a wide block of `inverted` whose inverse would not be accurate.
TEST_P(InLockstep, SubstitutionInAWideBlockEnds) {
  lockstep::resident_teams = 24;
  auto p = make_problem<double>("band:200,8,40", lower);
  for (int i = 0; i < p.num_rows(); ++i)
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
      if (p.col_idx[k] != i) p.values[k] *= 30;
  p.make_op();
  Lockstep const exec = own_instance();
  auto const solver = make_solver<double>({"", "inverted", {{"inverted_width", "160"}}}, exec, p);
  EXPECT_NE(solver.parameters().find("2 by substitution"), std::string::npos) << solver.parameters();
  auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
  expect_solves(p, solve<double>(solver, exec, b), b);
}

/// Checks upper triangles and transposes. Rows of arrow_up have one entry; rows of its transpose are as short, except
/// for one.
TEST_P(InLockstep, SolvesOfUpperTrianglesAndTransposesEnd) {
  for (auto const& matrix : small_matrices)
    for (auto const& how : solves()) {
      check_solves(matrix, {Triangle::upper, Diagonal::inverted, Op::none}, how);
      check_solves(matrix, {Triangle::lower, Diagonal::unit, Op::transpose}, how);
    }
}

TEST_P(InLockstep, GreedyColoringEnds) {
  for (auto const& matrix : matrices) {
    if (matrix == "chain:150") continue;  // the coloring gives up
    auto const a = make_csr<double>(matrix);
    std::string fallback_reason;
    auto const coloring = color_on_device<T>(own_instance(), to_pattern<T>(a.row_ptr, a.col_idx), fallback_reason);
    EXPECT_EQ(fallback_reason, "") << matrix;
    for (int i = 0; i < a.n; ++i)
      for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        EXPECT_TRUE(a.col_idx[k] == i || coloring.color_of[i] != coloring.color_of[a.col_idx[k]]) << matrix;
  }
}

/// Checks patterns with fill, and the values of factors.
TEST_P(InLockstep, FactorizationsEnd) {
  using Object = Factorization<double, int, int, Lockstep>;
  auto const content = [](auto const& view) { return std::vector<int>(view.data(), view.data() + view.extent(0)); };
  for (auto const& matrix : small_matrices)
    for (int const level : {0, 1})
      for (std::string const kind : {"LU", "symmetric", "symmetric, products"}) {
        SCOPED_TRACE(matrix + ", " + kind + ", level " + std::to_string(level));
        Way way;
        way.level = level, way.symmetric = kind != "LU";
        way.options.products = kind == "symmetric, products";
        way.options.lanes_per_row = level == 0 ? 4 : 0;
        way.options.teams = 3;
        auto const a = make_csr<double>(matrix);
        check_factors<double>(own_instance(), a, way);
        auto const pattern =
            Object::level_pattern(own_instance(), to_pattern<T>(a.row_ptr, a.col_idx), {}, {}, way.symmetric, level);
        auto const wanted = support::factor_pattern(a, level, way.symmetric);
        EXPECT_EQ(content(pattern.upper->rows.row_ptr), wanted.upper_ptr);
        EXPECT_EQ(content(pattern.upper->rows.col_idx), wanted.upper_col);
        EXPECT_EQ(pattern.lower ? content(pattern.lower->rows.col_idx) : std::vector<int>(), wanted.lower_col);
      }
}

/// Checks the kernels of factors and sweeps before, between and after the solves with their triangles.
TEST_P(InLockstep, FactorsAndSweepsSolve) {
  Lockstep const exec = own_instance();
  for (int const block_size : {1, 3}) {
    Options o;
    o.block_size = block_size, o.symmetric = block_size == 1;
    auto const f = make_factored<double>(o);
    Factor<double, int, int, Lockstep> factor("levelset", exec, to_pattern_of<Lockstep>(f, o));
    factor.update(exec, host_values(f));
    auto const b = make_right_hand_sides<double>(f.n, 1);
    Block<T> const right(b), middle(f.n, 1), x(f.n, 1);
    for (Op const op : {Op::none, Op::transpose}) {
      factor.solve(exec, op, right.view(), x.view());
      f.expect_solved(op, x.get()[0], b[0]);
    }
    EXPECT_TRUE(factor.solve_first_half(exec, right.view(), middle.view()));
    EXPECT_TRUE(factor.solve_second_half(exec, middle.view(), x.view()));
    f.expect_solved(Op::none, x.get()[0], b[0]);
  }
  auto const m = make_matrix<double>("lap2d:8", true);
  auto sweeps = make_sweeps<T>("levelset", exec, m);
  sweeps.update(exec, to_device<T>(m.values));
  auto const b = make_right_hand_sides<double>(64, 1), guess = make_right_hand_sides<double>(64, 1, 5);
  std::vector<long double> expected(guess[0].begin(), guess[0].end());
  Block<T> const right(b), x(guess);
  for (bool const forward : {true, false}) {
    sweeps.sweep(exec, forward ? Sweep::forward : Sweep::backward, right.view(), x.view(), false);
    sweep_once(m, forward, {}, b[0], expected);
    expect_near(x.get()[0], expected);
  }
}

/// Checks that the library's kernels hang if lanes leave the loop one by one, as they did before take_turns().
TEST_P(InLockstep, KernelsWithoutTurnsHang) {
  std::string const band = "band:200,8,40";
  lockstep::leaves_alone = true;
  for (Variant const& how : std::vector<Variant>{{"", "threadlevel", {}},
                                                 {"", "fused", {{"fused_threshold", "1000000"}}},
                                                 {"", "levelset", {{"levelset_analysis", "sweep"}}}})
    EXPECT_THROW(check_solves(band, lower, how), lockstep::Hang) << how.algorithm;
  auto const a = make_csr<double>(band);
  std::string fallback_reason;
  EXPECT_THROW(color_on_device<T>(own_instance(), to_pattern<T>(a.row_ptr, a.col_idx), fallback_reason, 1LL << 40),
               lockstep::Hang);
  lockstep::leaves_alone = false;
}

INSTANTIATE_TEST_SUITE_P(Warps, InLockstep, testing::Values(32, 64),
                         [](auto const& width) { return "of" + std::to_string(width.param); });

}  // namespace
}  // namespace sptrsv::test
