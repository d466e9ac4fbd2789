// SPDX-License-Identifier: Apache-2.0
// Tests the planner that times candidates, by a simulated clock, and its memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sptrsv/planner/plan_key.hpp>
#include <sptrsv/planner/plan_measure.hpp>
#include <sptrsv/planner/planner.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};

template <class Space>
class MeasuredPlans : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;

  void SetUp() override { forget_plans(); }
  void TearDown() override { forget_plans(); }
};
TYPED_TEST_SUITE(MeasuredPlans, Spaces, SpaceNames);

/// Candidates represented by the seconds of their solve. The clock advances only while they solve.
struct MadeUpTrials {
  double now = 0;
  std::vector<std::pair<std::string, double>> seconds;
  std::vector<std::string> made;
  double best = 0, first_extra = 0;

  std::vector<PlanTiming> run(detail::TrialLimits const& limits = {}) {
    std::vector<std::string> names;
    for (auto const& [name, time] : seconds) names.push_back(name);
    best = seconds.front().second;
    double last = -1;
    auto const make = [&](std::string const& name) {
      made.push_back(name);
      double time = 0;
      for (auto const& [candidate, own] : seconds)
        if (candidate == name) time = own;
      if (time <= 0) throw Unsupported(name, "being timed");
      return time;
    };
    auto const solve = [&](double time, int calls) {
      now += time * calls + (time != last ? first_extra : 0);
      last = time;
    };
    return detail::measure_candidates(names, best, make, solve, [&] { return now; }, limits);
  }
};

TEST(PlanMeasure, TheFastestStays) {
  MadeUpTrials trials;
  trials.first_extra = 0.005;  // the time to load a kernel does not count
  trials.seconds = {{"first", 1e-3},    {"slow", 2e-3}, {"fast", 1e-4}, {"hardly", 0.99e-4},
                    {"hopeless", 1e-2}, {"broken", -1}, {"mad", 5}};
  auto const timings = trials.run();
  EXPECT_DOUBLE_EQ(trials.best, 1e-4);
  ASSERT_EQ(timings.size(), 7u);
  std::vector<std::string> order;
  for (auto const& t : timings) order.push_back(t.algorithm);
  EXPECT_EQ(order, (std::vector<std::string>{"fast", "hardly", "first", "slow", "hopeless", "mad", "broken"}));
  EXPECT_NEAR(timings[0].seconds, 1e-4, 1e-12);
  EXPECT_EQ(timings[3].note, "");
  EXPECT_EQ(timings[4].note, "cut short");
  EXPECT_NEAR(timings[4].seconds, 1e-2, 1e-12);
  EXPECT_NEAR(timings[5].seconds, 5.005, 1e-9);  // solved once
  EXPECT_EQ(timings[6].seconds, 0);
  EXPECT_NE(timings[6].note.find("broken"), std::string::npos) << timings[6].note;
  EXPECT_EQ(detail::reason_of(timings, false), "fastest of 6 timed, 100 us, then hardly 99 us");
}

TEST(PlanMeasure, EndsInTime) {
  MadeUpTrials trials;
  trials.seconds = {{"first", 2}, {"second", 1.9}, {"third", 1e-3}};
  auto const timings = trials.run();
  EXPECT_EQ(trials.made, std::vector<std::string>{});  // three solves of 2 seconds: warm-up, warm, timed
  EXPECT_EQ(timings[0].algorithm, "first");
  EXPECT_EQ(timings[1].note, "not tried: out of time");
  EXPECT_EQ(detail::reason_of(timings, true), "fastest of 1 timed for an earlier solver of this pattern, 2e+06 us");
}

TEST(PlanMemory, ForgetsTheOldest) {
  forget_plans();
  auto const key = [](std::size_t k) { return detail::PlanKey{k, 10, 20, "a"}; };
  for (std::size_t k = 0; k <= detail::remembered_plans; ++k)
    detail::remember_plan(key(k), {{"levelset", double(k), ""}});
  EXPECT_FALSE(detail::recall_plan(key(0)));
  ASSERT_TRUE(detail::recall_plan(key(1)));
  EXPECT_EQ(detail::recall_plan(key(7))->front().seconds, 7);
  EXPECT_FALSE(detail::recall_plan({7, 10, 20, "b"}));
  detail::remember_plan(key(7), {{"syncfree", 1, ""}});  // a known key takes no further slot
  EXPECT_TRUE(detail::recall_plan(key(1)));
  EXPECT_EQ(detail::recall_plan(key(7))->front().algorithm, "syncfree");
  forget_plans();
  EXPECT_FALSE(detail::recall_plan(key(7)));
}

/// Clock that runs ever faster, so that each candidate seems slower than the one before; or ever slower.
struct MadeUpClock {
  int* readings;
  bool faster;
  double operator()() const {
    ++*readings;
    return faster ? 1e-5 * *readings * *readings : 0.05 * std::log(*readings);
  }
};

OptionValues const measure{{"sptrsv_plan", "measure"}};

TYPED_TEST(MeasuredPlans, MeasureKeepsWhatTheClockSays) {
  using T = typename TestFixture::T;
  auto const p = make_problem<double>("lap2d:14", plain);
  auto const b = make_right_hand_sides<double>(p.num_rows(), 3);
  auto const pattern = to_pattern<T>(p);
  auto const values = to_device<T>(p.values);
  for (bool faster : {true, false}) {
    forget_plans();
    int readings = 0;
    Solver<double, TypeParam> const estimated("sptrsv", this->exec, pattern, plain);
    Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, plain, measure);
    auto names = solver.plan_input(this->exec).candidates;
    solver.set_clock(MadeUpClock{&readings, faster});
    EXPECT_EQ(solver.algorithm(), estimated.algorithm());
    EXPECT_NE(solver.reason().find("to be measured"), std::string::npos);
    EXPECT_TRUE(solver.timings().empty());
    solver.reserve(this->exec, 3);
    solver.update(this->exec, values);
    names.erase(std::find(names.begin(), names.end(), estimated.algorithm()));
    EXPECT_EQ(solver.algorithm(), faster ? estimated.algorithm() : names.back());
    EXPECT_EQ(solver.timings().size(), names.size() + 1);
    EXPECT_EQ(solver.timings().front().algorithm, solver.algorithm());
    EXPECT_EQ(solver.reason().find("fastest of "), 0u) << solver.reason();
    expect_solves(p, solve<double>(solver, this->exec, b), b);

    int const before = readings;
    solver.update(this->exec, values);
    Solver<double, TypeParam> again("sptrsv", this->exec, pattern, plain, measure);
    again.set_clock(MadeUpClock{&readings, !faster});
    EXPECT_EQ(again.algorithm(), solver.algorithm());
    EXPECT_NE(again.reason().find("for an earlier solver of this pattern"), std::string::npos) << again.reason();
    EXPECT_EQ(again.timings().size(), names.size() + 1);
    again.update(this->exec, values);
    EXPECT_EQ(readings, before);
    expect_solves(p, solve<double>(again, this->exec, b), b);
  }
}

TYPED_TEST(MeasuredPlans, AnotherPatternOrShapeIsMeasuredAnew) {
  using T = typename TestFixture::T;
  int readings = 0;
  auto const is_measured = [&](std::string const& spec, Shape shape) {
    auto const p = make_problem<double>(spec, shape);
    auto const before = readings;
    auto const pattern = to_pattern<T>(p);
    Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, shape, measure);
    solver.set_clock(MadeUpClock{&readings, true});
    solver.update(this->exec, to_device<T>(p.values));
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    expect_solves(p, solve<double>(solver, this->exec, b), b);
    return readings > before;
  };
  Shape const transposed{Triangle::upper, Diagonal::inverted, Op::transpose};
  EXPECT_TRUE(is_measured("band:200,4,30", plain));
  EXPECT_FALSE(is_measured("band:200,4,30", plain));
  EXPECT_TRUE(is_measured("band:200,4,31", plain));
  EXPECT_TRUE(is_measured("band:200,4,30", transposed));
  EXPECT_FALSE(is_measured("band:200,4,30", transposed));
  EXPECT_FALSE(is_measured("diagonal:0", plain));
}

TYPED_TEST(MeasuredPlans, APlanThatFailsIsForgottenAndMeasuredAnew) {
  using T = typename TestFixture::T;
  auto const p = make_problem<double>("lap2d:20", plain);
  OptionValues const measured{{"sptrsv_plan", "measure"}};
  Analysis<T> const analysis(this->exec, to_pattern<T>(p), plain);
  auto const key = detail::plan_key<T>(this->exec, analysis, measured);
  detail::remember_plan(key, {{"nonesuch", 1e-6, ""}});
  Solver<double, TypeParam> solver("sptrsv", this->exec, to_pattern<T>(p), plain, measured);
  EXPECT_NE(solver.reason().find("nonesuch, measured before, fails here"), std::string::npos) << solver.reason();
  EXPECT_TRUE(solver.timings().empty());
  EXPECT_FALSE(detail::recall_plan(key));
  solver.update(this->exec, to_device<T>(p.values));
  EXPECT_FALSE(solver.timings().empty());
  ASSERT_TRUE(detail::recall_plan(key));
  EXPECT_EQ(detail::recall_plan(key)->front().algorithm, solver.algorithm());
}

TYPED_TEST(MeasuredPlans, AZeroPivotPutsMeasuringOff) {
  using T = typename TestFixture::T;
  int readings = 0;
  auto p = make_problem<double>("lap2d:9", plain);
  auto const pattern = to_pattern<T>(p);
  Solver<double, TypeParam> solver("sptrsv", this->exec, pattern, plain, measure);
  solver.set_clock(MadeUpClock{&readings, true});
  auto const good = p.values;
  p.values[0] = 0;
  EXPECT_THROW(solver.update(this->exec, to_device<T>(p.values)), ZeroPivot);
  EXPECT_EQ(readings, 0);
  solver.update(this->exec, to_device<T>(good));
  EXPECT_GT(readings, 0);
}

TYPED_TEST(MeasuredPlans, OptionsOfThePlannerAreChecked) {
  using T = typename TestFixture::T;
  auto const pattern = to_pattern<T>(make_problem<double>("lap2d:4", plain));
  for (auto const* name : {"sptrsv", "levelset"}) {
    EXPECT_THROW((Solver<double, TypeParam>(name, this->exec, pattern, plain, {{"sptrsv_plan", "guess"}})),
                 InvalidOption);
    EXPECT_THROW((Solver<double, TypeParam>(name, this->exec, pattern, plain, {{"sptrsv_plans", "measure"}})),
                 InvalidOption);
  }
  EXPECT_EQ((Solver<double, TypeParam>("levelset", this->exec, pattern, plain, measure).reason()), "asked for");
  EXPECT_EQ(planner_info().options.front().name, "plan");
  EXPECT_EQ(planner_info().options.front().choices, (std::vector<std::string>{"automatic", "estimate", "measure"}));
}

}  // namespace
}  // namespace sptrsv::test
