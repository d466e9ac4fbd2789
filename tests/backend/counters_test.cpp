// SPDX-License-Identifier: Apache-2.0
// Tests that a solve is quiet: no allocation, no copy, no fence, and kernels only on the given instance.
#include <gtest/gtest.h>

#include "solve_cases.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

using Names = std::vector<std::string>;

template <class Space>
class Counters : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;

  /// Calls f on a solver with its own instance, after a first solve, with b and x ready.
  template <class F>
  static void for_each_warm_solver(F const& f) {
    auto const instances = Kokkos::Experimental::partition_space(Space(), 1);
    Space const& exec = instances[0];
    for (auto const& shape : all_shapes())
      for (auto const& v : all_variants()) {
        SCOPED_TRACE(v.label + " " + text(shape.triangle) + " " + text(shape.op) + " " + text(shape.diagonal));
        auto const p = make_problem<double>(solvable(v, "lap2d:40"), shape);
        auto const b = make_right_hand_sides<double>(p.num_rows(), 5);
        auto const values = to_device<T>(p.values);
        Solver<double, Space> solver(v.algorithm, exec, to_pattern<T>(p), shape, v.options);
        solver.update(exec, values);
        Block<T> const right(b), x(p.num_rows(), 5);
        solver.solve(exec, right.view(), x.view());
        exec.fence();
        f(exec, solver, values, right, x);
        exec.fence();
        expect_solves(p, x.get(), b);
      }
  }
};
TYPED_TEST_SUITE(Counters, Spaces, SpaceNames);

TYPED_TEST(Counters, TheSecondSolveIsQuiet) {
  this->for_each_warm_solver([](auto const& exec, auto const& solver, auto const&, auto const& b, auto const& x) {
    ToolCounters const counters;
    solver.solve(exec, b.view(), x.view());
    EXPECT_EQ(counters.allocations(), Names{});
    EXPECT_EQ(counters.deallocations(), Names{});
    EXPECT_EQ(counters.copies(), Names{});
    EXPECT_EQ(counters.fences(), Names{});
    for (auto const& name : counters.kernels()) EXPECT_EQ(name.rfind("sptrsv::", 0), 0u) << name;
    for (auto const device : counters.devices()) EXPECT_EQ(device, Kokkos::Tools::Experimental::device_id(exec));
  });
}

TYPED_TEST(Counters, UpdatesAllocateNothingAndFenceOnceIfTheDiagonalIsStored) {
  this->for_each_warm_solver([](auto const& exec, auto& solver, auto const& values, auto const& b, auto const& x) {
    {
      ToolCounters const counters;
      solver.update(exec, values);
      solver.update(exec, values);
      EXPECT_EQ(counters.allocations(), Names{});
      EXPECT_EQ(counters.deallocations(), Names{});
      EXPECT_EQ(counters.copies(), Names{});
      // two updates; a reduction to a host value is one fence on a host, two on a GPU
      std::size_t const per_update = std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace> ? 1 : 2;
      EXPECT_LE(counters.fences().size(), solver.shape().diagonal == Diagonal::stored ? 2 * per_update : 0)
          << ::testing::PrintToString(counters.fences());
      for (auto const& name : counters.kernels()) EXPECT_EQ(name.rfind("sptrsv::", 0), 0u) << name;
      for (auto const device : counters.devices()) EXPECT_EQ(device, Kokkos::Tools::Experimental::device_id(exec));
    }
    solver.solve(exec, b.view(), x.view());
  });
}

}  // namespace
}  // namespace sptrsv::test
