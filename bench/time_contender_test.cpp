// SPDX-License-Identifier: Apache-2.0
// Tests the timing: wrong answers get no time, whatever the cause.
#include "time_contender.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sptrsv::bench {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Contender that solves a diagonal system, except for the fault that a test sets.
struct Diagonal : Contender<Space> {
  enum Fault { none, wrong_row, forgets_update, no_solve, throws, slow } fault = none;
  std::vector<double> diagonal;
  int updates = 0;
  bool is_exact;

  explicit Diagonal(Fault f, bool exactly = true) : fault(f), is_exact(exactly) {}
  bool exact() const override { return is_exact; }
  void analyze(Problem<Space> const& p) override { diagonal.assign(p.num_rows(), 0); }
  void forget() override { diagonal.clear(); }
  void update(Problem<Space> const& p) override {
    if (fault == forgets_update && updates++ > 0) return;
    for (int i = 0; i < p.num_rows(); ++i) diagonal[i] = p.values(i);
  }
  void solve(Problem<Space> const& p) override {
    if (fault == no_solve) return;
    if (fault == throws) throw std::runtime_error("out of memory");
    if (fault == slow) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (int i = 0; i < p.num_rows(); ++i) p.x(i, 0) = p.b(i, 0) / diagonal[i];
    if (fault == wrong_row) p.x(3, 0) *= 1 + 1e-13;
  }
};

Result run(Diagonal::Fault fault, Limits const& limits = {}, bool exact = true, int columns = 1) {
  System const system = make_system("diagonal:8", {});
  Problem<Space> const problem(system, columns);
  return time_contender<Space>({"d", false, "", [=] { return std::make_unique<Diagonal>(fault, exact); }}, limits,
                               problem);
}

TEST(TimeContender, RightAnswersAreTimed) {
  Result const r = run(Diagonal::none);
  EXPECT_TRUE(r.timed) << r.error;
  EXPECT_EQ(r.solve.runs, Limits().runs);
  EXPECT_GT(r.analyze.median, 0);
  EXPECT_FALSE(r.cut_short);
}

TEST(TimeContender, WrongAnswersAreNot) {
  EXPECT_EQ(run(Diagonal::wrong_row).error, "wrong answer in row 3 of column 0");
  EXPECT_EQ(run(Diagonal::forgets_update).error, "wrong answer in row 0 of column 0");
  EXPECT_EQ(run(Diagonal::no_solve).error, "wrong answer in row 0 of column 0");
  EXPECT_EQ(run(Diagonal::throws).error, "out of memory");
  for (auto fault : {Diagonal::wrong_row, Diagonal::forgets_update, Diagonal::no_solve, Diagonal::throws})
    EXPECT_FALSE(run(fault).timed);
}

TEST(TimeContender, ApproximateAnswersHaveAnError) {
  Result const r = run(Diagonal::wrong_row, {}, false);
  EXPECT_TRUE(r.timed) << r.error;
  EXPECT_GT(r.deviation, 0);
  EXPECT_LT(r.deviation, 1e-12);
  EXPECT_EQ(run(Diagonal::no_solve, {}, false).error, "wrong answer: NaN");
  EXPECT_EQ(run(Diagonal::none, {}, false, 2).error, "wrong answer: NaN");  // it solves for the first column alone
}

TEST(TimeContender, SlowCasesAreCutShort) {
  Result const once = run(Diagonal::slow, {20, 5, 0.02});
  EXPECT_TRUE(once.timed && once.cut_short);
  EXPECT_EQ(once.solve.runs, 1);
  Result const few = run(Diagonal::slow, {20, 0.05, 1});
  EXPECT_TRUE(few.timed && !few.cut_short);
  EXPECT_LE(few.solve.runs, 3);
}

TEST(System, StructureOfKnownTriangles) {
  EXPECT_EQ(structure_of(make_system("lap2d:7", {})).levels, 13);
  EXPECT_EQ(structure_of(make_system("lap2d:7", {Triangle::upper})).levels, 13);
  EXPECT_EQ(structure_of(make_system("arrow_down:9", {})).longest_row, 8);
  EXPECT_EQ(structure_of(make_system("arrow_down:9", {Triangle::lower, {}, Op::transpose})).longest_row, 1);
  EXPECT_EQ(structure_of(make_system("arrow_up:9", {Triangle::lower, {}, Op::transpose})).longest_row, 8);
  EXPECT_EQ(structure_of(make_system("diagonal:0", {})).levels, 0);
}

TEST(Limit, IsTheLargerOfBothBounds) {
  Group g;
  g.bytes = 4e9;
  g.machine = {2e9, 1e-6};
  g.structure.levels = 10;
  EXPECT_DOUBLE_EQ(g.limit(), 2);
  g.structure.levels = 3000000;
  EXPECT_DOUBLE_EQ(g.limit(), 3);
  g.machine = {};
  EXPECT_EQ(g.limit(), 0);
}

}  // namespace
}  // namespace sptrsv::bench

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
