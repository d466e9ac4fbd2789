// SPDX-License-Identifier: Apache-2.0
// Tests `sptrsv` on a host from solve to solve: when it analyzes another algorithm, and which of both it runs.
#include <gtest/gtest.h>

#if defined(_OPENMP)
#include <omp.h>
#endif
#include <sptrsv/device/host_speed.hpp>
#include <sptrsv/planner/runtime_tuning.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};

using detail::DeferredPlan;
using detail::RuntimeTuning;

/// Runs `solves` solves of a tuning, and returns how many of them the planned algorithm has made.
int planned_solves(RuntimeTuning& tuning, int solves, double planned, double alternative) {
  int count = 0;
  for (int k = 0; k < solves; ++k) {
    bool const is_planned = tuning.next() == RuntimeTuning::planned;
    count += is_planned;
    tuning.record(is_planned ? planned : alternative);
  }
  return count;
}

TEST(RuntimeTuning, TheFasterOneRunsAndTheOtherIsTriedSeldom) {
  for (double const slower : {1.05, 2.0, 50.0}) {
    RuntimeTuning tuning;
    tuning.start();
    planned_solves(tuning, 100, 1, slower);
    EXPECT_GE(planned_solves(tuning, 20000, 1, slower), 20000 - 20000 / 32) << slower;
    tuning.start();
    planned_solves(tuning, 300, slower, 1);
    EXPECT_LE(planned_solves(tuning, 20000, slower, 1), 20000 / 32) << slower;
  }
}

TEST(RuntimeTuning, TrialsOfTheSlowerOneTakeLittleTime) {
  RuntimeTuning tuning;
  tuning.start();
  int const solves = 50000;
  double const slow = 20;
  int const planned = planned_solves(tuning, solves, 1, slow);
  EXPECT_LE(slow * (solves - planned), 0.035 * planned + 3 * slow);
}

TEST(RuntimeTuning, FollowsTheMachine) {
  RuntimeTuning tuning;
  tuning.start();
  planned_solves(tuning, 5000, 1, 3);
  EXPECT_LE(planned_solves(tuning, 200, 100, 3), 20) << "threads that lost their core";
  planned_solves(tuning, 40000, 1, 3);
  EXPECT_GE(planned_solves(tuning, 1000, 1, 3), 950) << "and have it again";
}

TEST(RuntimeTuning, OneStallIsNoRule) {
  RuntimeTuning tuning;
  tuning.start();
  planned_solves(tuning, 5000, 1, 3);
  tuning.record(1e5);  // a process that was stopped for a while
  EXPECT_GE(planned_solves(tuning, 1000, 1, 3), 950);
}

TEST(RuntimeTuning, BeginsWithWhatIsKnown) {
  RuntimeTuning tuning;
  tuning.start(5);
  EXPECT_EQ(planned_solves(tuning, 10, 1, 5), 10);
  tuning.start(5);
  EXPECT_EQ(planned_solves(tuning, 10, 9, 5), 3) << "a trial";
}

/// Solves until the plan asks for something, at most `most` times; returns the number of solves.
int solves_until(DeferredPlan& plan, bool (DeferredPlan::*asks)() const, double seconds, int most) {
  int k = 0;
  while (k < most && !(plan.*asks)()) {
    plan.record(seconds, 1);
    ++k;
  }
  return k;
}

TEST(DeferredPlan, AnalyzesOnceSolvesWouldHaveGainedTwiceAsMuch) {
  DeferredPlan plan;
  plan.start(true);
  ASSERT_TRUE(plan.waits());
  EXPECT_EQ(solves_until(plan, &DeferredPlan::must_look, 1, 100), 12);
  EXPECT_FALSE(plan.must_analyze());
  plan.look(0.5, 10, 1.15);  // half of each solve can be gained: 2 * 10 seconds in 40 solves
  ASSERT_TRUE(plan.waits());
  EXPECT_EQ(solves_until(plan, &DeferredPlan::must_analyze, 1, 100), 40 - 12);
  plan.end();
  EXPECT_FALSE(plan.waits());
}

TEST(DeferredPlan, CountsSolvesOfSeveralColumns) {
  DeferredPlan plan;
  plan.start(true);
  plan.record(4, 4);
  plan.record(4, 4);
  EXPECT_FALSE(plan.must_look());
  plan.record(4, 4);
  EXPECT_TRUE(plan.must_look()) << "12 columns of a second each";
}

TEST(DeferredPlan, DoesNotWaitWhereNothingCanBeGained) {
  DeferredPlan plan;
  EXPECT_FALSE(plan.waits());
  plan.start(false);
  EXPECT_FALSE(plan.waits());
  plan.start(true);
  solves_until(plan, &DeferredPlan::must_look, 1, 100);
  plan.look(0.9, 10, 1.15);
  EXPECT_FALSE(plan.waits());
}

/// Assumed speed of the host during the object's lifetime.
struct AssumedSpeed {
  explicit AssumedSpeed(detail::HostSpeed const& speed) { detail::assumed_host_speed() = speed; }
  ~AssumedSpeed() { detail::assumed_host_speed().reset(); }
};

template <class Space>
class HostChoice : public ::testing::Test {
 protected:
  using T = Types<double, int, int, Space>;
  Space exec;
};
using HostSpaces = ::testing::Types<
#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP) && !defined(SPTRSV_WITHOUT_SERIAL)
    Kokkos::Serial, Kokkos::OpenMP
#elif defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP
#else
    Kokkos::Serial
#endif
    >;
TYPED_TEST_SUITE(HostChoice, HostSpaces, SpaceNames);

/// Clock by which each solve takes a millisecond, so that any analysis pays.
struct SlowClock {
  double* now;
  double operator()() const { return *now += 1e-3; }
};

TYPED_TEST(HostChoice, AnalyzesAfterSolvesAndKeepsTheBits) {
  using T = typename TestFixture::T;
  AssumedSpeed const assumed({5, 100, 1});
  int analyzed = 0;
  for (Shape const shape : all_shapes()) {
    auto const p = make_problem<double>("lap2d:40", shape);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 2);
    Columns<double> const one{b[0]};
    auto const pattern = to_pattern<T>(p);
    auto const values = to_device<T>(p.values);
    Solver<double, TypeParam> plain("sequential", this->exec, pattern, shape);
    Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, shape);
    double now = 0;
    solver.set_clock(SlowClock{&now});
    plain.update(this->exec, values);
    solver.update(this->exec, values);
    EXPECT_EQ(solver.algorithm(), "sequential");
    auto const expected = solve<double>(plain, this->exec, b);
    for (int turn = 0; turn < 60; ++turn) {
      auto const x = solve<double>(solver, this->exec, turn % 7 ? one : b);
      for (std::size_t c = 0; c < x.size(); ++c) ASSERT_EQ(x[c], expected[c]) << "solve " << turn;
    }
    EXPECT_NE(solver.algorithm(), "sequential") << solver.reason();
    EXPECT_NE(solver.reason().find("estimated gain"), std::string::npos) << solver.reason();
    EXPECT_NE(solver.parameters().find(" solves by sequential"), std::string::npos) << solver.parameters();
    analyzed += solver.algorithm() != "sequential";
    // new values reach both contenders
    auto scaled = p.values;
    for (double& value : scaled) value *= 2;
    auto const other = to_device<T>(scaled);
    plain.update(this->exec, other);
    solver.update(this->exec, other);
    auto const again = solve<double>(plain, this->exec, one);
    for (int turn = 0; turn < 40; ++turn) ASSERT_EQ(solve<double>(solver, this->exec, one), again) << turn;
  }
  EXPECT_EQ(analyzed, static_cast<int>(all_shapes().size()));
}

TYPED_TEST(HostChoice, FewSolvesAndFewRowsAnalyzeNothing) {
  using T = typename TestFixture::T;
  for (std::string const spec : {"lap2d:40", "lap2d:20"}) {
    auto const p = make_problem<double>(spec, plain);
    auto const pattern = to_pattern<T>(p);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, plain);
    double now = 0;
    solver.set_clock(SlowClock{&now});
    solver.update(this->exec, to_device<T>(p.values));
    auto const values = to_device<T>(p.values);
    solver.update(this->exec, values);
    for (int turn = 0; turn < (p.num_rows() > 500 ? 11 : 60); ++turn) solve<double>(solver, this->exec, b);
    EXPECT_EQ(solver.algorithm(), "sequential") << spec;
  }
}

TYPED_TEST(HostChoice, EstimateChoosesAtAnalysis) {
  using T = typename TestFixture::T;
  AssumedSpeed const assumed({5, 100, 1});
  auto const p = make_problem<double>("lap2d:60", plain);
  auto const pattern = to_pattern<T>(p);
  Solver<double, TypeParam> const solver("sptrsv", this->exec, pattern, plain, {{"sptrsv_plan", "estimate"}});
  EXPECT_NE(solver.algorithm(), "sequential") << solver.reason();
}

TYPED_TEST(HostChoice, ExpensiveKernelsKeepOneThread) {
  using T = typename TestFixture::T;
  AssumedSpeed const assumed({5, 1e9, 1});  // each kernel on several threads takes a second
  auto const p = make_problem<double>("lap2d:60", plain);
  auto const pattern = to_pattern<T>(p);
  Solver<double, TypeParam> const solver("sptrsv", this->exec, pattern, plain, {{"sptrsv_plan", "estimate"}});
  EXPECT_NE(solver.algorithm(), "blocked") << solver.reason();
  if (solver.algorithm() == "levelset") {
    EXPECT_EQ(solver.parameters().find("1 kernel, "), 0u) << solver.parameters();
  }
}

/// Stores the first off-diagonal entry of each row twice, with different values.
void repeat_columns(Problem<double>& p) {
  Problem<double> const old = p;
  p.row_ptr.assign(1, 0);
  p.col_idx.clear();
  for (int i = 0; i < old.num_rows(); ++i) {
    int const first = old.row_ptr[i] + (old.shape.triangle == Triangle::upper), last = old.row_ptr[i + 1];
    for (int k = old.row_ptr[i]; k < last; ++k) {
      p.col_idx.push_back(old.col_idx[k]);
      if (k == first && old.col_idx[k] != i) p.col_idx.push_back(old.col_idx[k]);
    }
    p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  }
  set_values(p, 3);
}

/// Checks solves inside a program's own parallel region, where Kokkos launches no kernel: there is no analysis, and no
/// type that needs a kernel runs.
TYPED_TEST(HostChoice, SolvesInsideAParallelRegion) {
#if defined(KOKKOS_ENABLE_OPENMP)
  using T = typename TestFixture::T;
  if (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
    AssumedSpeed const assumed({5, 100, 1});
    auto const p = make_problem<double>("lap2d:40", plain);
    auto const pattern = to_pattern<T>(p);
    auto const values = to_device<T>(p.values);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, plain);
    double now = 0;
    solver.set_clock(SlowClock{&now});
    solver.update(this->exec, values);
    auto const expected = solve<double>(solver, this->exec, b);
    Block<T> const right(b);
    Block<T> x(p.num_rows(), 1);
    int const threads = Kokkos::OpenMP().concurrency() + 2;
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      for (int turn = 0; turn < 100; ++turn) solver.solve(this->exec, right.view(), x.view());
    EXPECT_EQ(solver.algorithm(), "sequential") << solver.reason();
    for (int turn = 0; turn < 60; ++turn) ASSERT_EQ(solve<double>(solver, this->exec, b), expected);
    EXPECT_NE(solver.algorithm(), "sequential") << solver.reason();
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      for (int turn = 0; turn < 100; ++turn) solver.solve(this->exec, right.view(), x.view());
    EXPECT_EQ(x.get(), expected);
  }
#endif
}

/// Checks a parallel region with more threads than Kokkos has: a requested type is refused and does not crash.
TYPED_TEST(HostChoice, KernelsAreRefusedWhereKokkosHasNoThread) {
#if defined(KOKKOS_ENABLE_OPENMP)
  using T = typename TestFixture::T;
  if (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
    auto const p = make_problem<double>("lap2d:40", plain);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    for (std::string const name : {"sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled", "blocked"}) {
      Solver<double, TypeParam> solver(name, this->exec, to_pattern<T>(p), plain);
      solver.update(this->exec, to_device<T>(p.values));
      auto const expected = solve<double>(solver, this->exec, b);
      Block<T> const right(b);
      Block<T> x(p.num_rows(), 1);
      int const threads = Kokkos::OpenMP().concurrency() + 2;
      std::string refused;
#pragma omp parallel num_threads(threads)
      if (omp_get_thread_num() == omp_get_num_threads() - 1) {
        try {
          solver.solve(this->exec, right.view(), x.view());
        } catch (Unsupported const& e) {
          refused = e.what();
        }
      }
      if (name == "sequential") EXPECT_EQ(x.get(), expected) << refused;
      else EXPECT_NE(refused.find("parallel region"), std::string::npos) << name << ": " << refused;
      EXPECT_EQ(solve<double>(solver, this->exec, b), expected) << name;
    }
  }
#endif
}

/// Checks that sums of a transposed solve have the order in which substitution scatters its terms.
TYPED_TEST(HostChoice, TransposesGiveTheBitsOfSubstitution) {
  using T = typename TestFixture::T;
  for (std::string const spec : {"lap3d:9", "fem3:4", "rmat:8,6", "powerlaw:900", "repeated columns"})
    for (Shape const shape : all_shapes()) {
      if (!shape.transposed()) continue;
      auto p = make_problem<double>(spec == "repeated columns" ? "lap3d:9" : spec, shape);
      if (spec == "repeated columns") repeat_columns(p);
      auto const pattern = to_pattern<T>(p);
      auto const values = to_device<T>(p.values);
      auto const b = make_right_hand_sides<double>(p.num_rows(), 3);
      Solver<double, TypeParam> plain_solver("sequential", this->exec, pattern, shape);
      plain_solver.update(this->exec, values);
      auto const expected = solve<double>(plain_solver, this->exec, b);
      for (std::string const name : {"levelset", "syncfree", "threadlevel", "fused", "blocked", "colorset"}) {
        Solver<double, TypeParam> solver(name, this->exec, pattern, shape);
        solver.update(this->exec, values);
        EXPECT_EQ(solve<double>(solver, this->exec, b), expected) << name << " " << spec;
      }
    }
}

}  // namespace
}  // namespace sptrsv::test
