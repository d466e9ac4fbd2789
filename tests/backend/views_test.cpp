// SPDX-License-Identifier: Apache-2.0
// Tests views that solve() and others must refuse: too short, or written while another is read; impossible numbers of
// rows, columns and threads; solvers that were moved from; and solves inside a CUDA graph.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class Views : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  using Numbers = Kokkos::View<double*, typename T::device>;
  static constexpr int n = 25;
  Space exec;
  Problem<double> p = make_problem<double>("lap2d:5", {Triangle::lower, Diagonal::stored, Op::none});
  Columns<double> b = make_right_hand_sides<double>(n, 2);
  Solver<double, Space> solver = make_solver<double>(variant("syncfree"), exec, p);

  static std::vector<int> backward(int rows) {
    std::vector<int> order;
    for (int i = 0; i < rows; ++i) order.push_back(n - 1 - i);
    return order;
  }
  /// Returns an n-by-k view from `first` on.
  static typename T::solution view(Numbers const& all, int first, int row_stride, int columns, int column_stride) {
    return typename T::solution(all.data() + first, Kokkos::LayoutStride(n, row_stride, columns, column_stride));
  }
};
TYPED_TEST_SUITE(Views, Spaces, SpaceNames);

TYPED_TEST(Views, FoldedViewsMustHaveAllRowsAndColumns) {
  using T = typename TestFixture::T;
  constexpr int n = TestFixture::n;
  Block<T> const b(this->b), x(n, 2), out(n, 2), narrow(n, 1), low(n - 1, 2), none(n, 0);
  auto const refused = [&](std::string const& part, PermuteScale<T> const& permute_scale) {
    expect_thrown<DimensionMismatch>(part, [&] { this->solver.solve(this->exec, b.view(), x.view(), permute_scale); });
    this->exec.fence();
    EXPECT_TRUE(std::isnan(x.get()[0][0])) << "x was written";
  };
  PermuteScale<T> permute_scale;
  permute_scale.b_rows = to_device<T>(this->backward(n - 1));
  refused("permute_scale.b_rows has 24 entries, T 25 rows", permute_scale);
  permute_scale = {};
  permute_scale.b_scale = to_device<T>(std::vector<double>(3, 1.0));
  refused("permute_scale.b_scale has 3 entries, T 25 rows", permute_scale);
  permute_scale = {};
  permute_scale.out = out.view();
  permute_scale.out_rows = to_device<T>(this->backward(n - 1));
  refused("permute_scale.out_rows has 24 entries, T 25 rows", permute_scale);
  for (auto const* wrong : {&narrow, &low, &none}) {
    permute_scale = {};
    permute_scale.out = wrong->view();
    refused("permute_scale.out is " + std::to_string(wrong->view().extent(0)) + " by ", permute_scale);
  }
  // a view without entries overlaps nothing, whatever its address
  permute_scale = {};
  permute_scale.b_rows = to_device<T>(std::vector<int>());
  permute_scale.b_scale = to_device<T>(std::vector<double>());
  permute_scale.out_rows = to_device<T>(std::vector<int>());
  this->solver.solve(this->exec, b.view(), x.view(), permute_scale);
  this->exec.fence();
  expect_solves(this->p, x.get(), this->b);
}

TYPED_TEST(Views, WhatIsWrittenMustLieApart) {
  using T = typename TestFixture::T;
  constexpr int n = TestFixture::n;
  typename TestFixture::Numbers const all("all", 4 * n + 2), other("other", 2 * n);
  auto const refused = [&](std::string const& part, typename T::rhs const& b, typename T::solution const& x,
                           PermuteScale<T> const& permute_scale = {}) {
    expect_thrown<Overlap>(part, [&] { this->solver.solve(this->exec, b, x, permute_scale); });
  };
  auto const at = [&](int first, int row = 1, int columns = 2, int column = TestFixture::n) {
    return this->view(all, first, row, columns, column);
  };
  refused("b and x overlap", at(0), at(1));
  refused("b and x overlap", at(0), at(n));  // b's second column is x's first
  refused("b and x overlap", at(n), at(0));
  refused("b and x overlap", at(0), at(0, 2, 2, 2 * n));
  refused("b and x overlap", at(0, 2, 2, 1), at(2, 2, 2, 1));
  refused("x has a stride of 0", at(2 * n), at(0, 1, 2, 0));
  refused("x has a stride of 0", at(2 * n), at(0, 0, 2, n));
  PermuteScale<T> permute_scale;
  permute_scale.b_rows = to_device<T>(this->backward(n));
  refused("b and x are the same array", at(0), at(0), permute_scale);
  permute_scale = {};
  permute_scale.out = at(0);
  refused("permute_scale.out and x overlap", at(2 * n), at(0), permute_scale);
  refused("permute_scale.out and x overlap", this->view(other, 0, 1, 2, n), at(n), permute_scale);
  refused("permute_scale.out and b overlap", at(1), at(2 * n + 2), permute_scale);
  permute_scale.b_rows = to_device<T>(this->backward(n));
  refused("permute_scale.out and b overlap", at(0), at(2 * n), permute_scale);
  permute_scale.out = at(0, 1, 2, 0);
  refused("permute_scale.out has a stride of 0", at(2 * n), this->view(other, 0, 1, 2, n), permute_scale);
}

TYPED_TEST(Views, WhatLiesBetweenIsNoOverlap) {
  using T = typename TestFixture::T;
  constexpr int n = TestFixture::n;
  typename TestFixture::Numbers const all("all", 4 * n);
  Block<T> const right(this->b), got(n, 2);
  auto const solves = [&](typename T::solution const& b, typename T::solution const& x,
                          PermuteScale<T> const& permute_scale, typename T::solution const& result) {
    Kokkos::deep_copy(all, std::numeric_limits<double>::quiet_NaN());
    Kokkos::deep_copy(b, right.view());
    this->solver.solve(this->exec, b, x, permute_scale);
    this->exec.fence();
    Kokkos::deep_copy(got.view(), result);
    expect_solves(this->p, got.get(), this->b);
  };
  auto const at = [&](int first, int row, int column) { return this->view(all, first, row, 2, column); };
  solves(at(0, 2, 2 * n), at(1, 2, 2 * n), {}, at(1, 2, 2 * n));  // element by element
  solves(at(0, 1, 2 * n), at(n, 1, 2 * n), {}, at(n, 1, 2 * n));  // column by column
  solves(at(0, 4, 1), at(2, 4, 1), {}, at(2, 4, 1));              // row by row
  solves(at(0, 1, n), at(0, 1, n), {}, at(0, 1, n));              // in place
  PermuteScale<T> permute_scale;
  permute_scale.out = at(0, 1, n);
  solves(at(0, 1, n), at(2 * n, 1, n), permute_scale, permute_scale.out);  // `out` is b
}

TYPED_TEST(Views, NumbersOfRowsAndColumnsAreChecked) {
  using T = typename TestFixture::T;
  expect_thrown<DimensionMismatch>("asked for -1 columns", [&] { this->solver.reserve(this->exec, -1); });
  EXPECT_NO_THROW(this->solver.reserve(this->exec, 0));
  int const nothing = 0;
  typename T::pattern huge;  // none of it is read
  huge.row_ptr = decltype(huge.row_ptr)(&nothing, std::size_t(1) << 32);
  expect_thrown<TooLarge>("has 4294967295 rows",
                          [&] { Solver<double, TypeParam>("sequential", this->exec, huge, this->p.shape); });
}

TYPED_TEST(Views, SolversThatWereMovedFromAreNotReady) {
  using T = typename TestFixture::T;
  auto moved = std::move(this->solver);
  auto& gone = this->solver;
  Block<T> const b(this->b), x(TestFixture::n, 2);
  auto const refused = [](auto const& call) { expect_thrown<NotReady>("was moved from", call); };
  refused([&] { gone.update(this->exec, to_device<T>(this->p.values)); });
  refused([&] { gone.reserve(this->exec, 1); });
  refused([&] { gone.solve(this->exec, b.view(), x.view()); });
  refused([&] { gone.algorithm(); });
  refused([&] { gone.reason(); });
  refused([&] { gone.parameters(); });
  refused([&] { gone.timings(); });
  refused([&] { gone.set_clock({}); });
  refused([&] { gone.plan_input(this->exec); });
  refused([&] { gone.memory_bytes(); });
  refused([&] { gone.num_rows(); });
  refused([&] { gone.shape(); });
  refused([&] { gone.structure(this->exec); });
  gone = std::move(moved);
  gone.solve(this->exec, b.view(), x.view());
  this->exec.fence();
  expect_solves(this->p, x.get(), this->b);
}

/// Checks that large teams solve or are refused with the limit: on a GPU a team has fewer threads than the option
/// allows if a thread needs many registers.
TYPED_TEST(Views, LargeTeamsSolveOrAreRefusedWithTheLimit) {
  for (int rows = 1024; rows > 0;) {
    Variant v = variant("threadlevel");
    v.options = {{"threadlevel_rows_per_ticket", std::to_string(rows)}};
    try {
      auto const solver = make_solver<double>(v, this->exec, this->p);
      for (int columns : {1, 2, 33}) {
        auto const b = make_right_hand_sides<double>(TestFixture::n, columns);
        expect_solves(this->p, solve<double>(solver, this->exec, b), b);
      }
      break;
    } catch (InvalidOption const& e) {
      std::string const text = e.what(), mark = "give at most ";
      ASSERT_NE(text.find(mark), std::string::npos) << text;
      int const least = std::stoi(text.substr(text.find(mark) + mark.size()));
      ASSERT_LT(least, rows);
      rows = least;
    }
  }
}

#ifdef KOKKOS_ENABLE_CUDA
/// Captures a solve of each type into a CUDA graph. Types without memory of their own between solves are right in every
/// replay; all others refuse, and solve outside of the capture.
TEST(GraphCapture, IsReplayedOrRefused_cuda) {
  using T = TypesOf<double, Kokkos::Cuda>;
  constexpr int n = 2500;
  auto const p = make_problem<double>("chain:2500", {Triangle::lower, Diagonal::stored, Op::none});
  auto const rhs = make_right_hand_sides<double>(n, 1);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  for (auto const& info : algorithm_infos()) {
    SCOPED_TRACE(info.name);
    Kokkos::Cuda const exec(stream);
    auto const solver = make_solver<double>(variant(info.name), exec, p);
    Block<T> const b(rhs), x(n, 1);
    solver.solve(exec, b.view(), x.view());  // CUDA loads kernels at their first launch, which invalidates a capture
    Kokkos::fence();
    bool refused = false;
    cudaGraph_t graph;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    try {
      solver.solve(exec, b.view(), x.view());
    } catch (Unsupported const& e) {
      refused = true;
      EXPECT_NE(std::string(e.what()).find("CUDA or HIP graph"), std::string::npos) << e.what();
    }
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    bool const stateless = info.name == "sequential" || info.name == "colorset";
    EXPECT_EQ(refused, !stateless);
    if (refused) {
      solver.solve(exec, b.view(), x.view());
      exec.fence();
      expect_solves(p, x.get(), rhs);
    } else {
      cudaGraphExec_t replay;
      ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
      for (int k = 0; k < 2; ++k) {
        Block<T> const none(n, 1);
        Kokkos::deep_copy(x.view(), none.view());
        Kokkos::fence();
        ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        expect_solves(p, x.get(), rhs);
      }
      ASSERT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
    }
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  Kokkos::fence();
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}
#endif

}  // namespace
}  // namespace sptrsv::test
