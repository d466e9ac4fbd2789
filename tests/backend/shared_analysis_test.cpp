// SPDX-License-Identifier: Apache-2.0
// Tests that an analysis is made once and then only read: algorithms that share one get the same results as with their
// own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sptrsv/algorithm/colorset/color_set.hpp>
#include <sptrsv/algorithm/levelset/level_set.hpp>
#include <sptrsv/algorithm/tiled/tiled.hpp>
#include <string>
#include <vector>

#include "on_device.hpp"
#include "spaces.hpp"
#include "sptrsv_instances.hpp"

namespace sptrsv::test {
namespace {

/// Visible results of an algorithm: its parameters, its memory, and a solution.
struct Outcome {
  std::string parameters;
  std::size_t memory = 0;
  std::vector<double> x;
};

template <class Space>
class SharedAnalysis : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  using Make = std::function<Outcome(Analysis<T> const&, Problem<double> const&)>;

  template <class A>
  static Make make(typename A::Options const& options) {
    return [options](Analysis<T> const& analysis, Problem<double> const& p) {
      Space const exec;
      A algorithm(exec, analysis, options);
      Kokkos::View<double*, Space> values("test::values", p.values.size());
      Kokkos::deep_copy(values, Kokkos::View<double const*, Kokkos::HostSpace>(p.values.data(), p.values.size()));
      algorithm.update(exec, analysis, values);
      auto const n = static_cast<std::size_t>(p.num_rows());
      Kokkos::View<double**, Kokkos::LayoutLeft, Space> const b("test::b", n, 1), x("test::x", n, 1);
      auto const on_host = Kokkos::create_mirror_view(b);
      for (std::size_t i = 0; i < n; ++i) on_host(i, 0) = random_scalar<double>(5, i);
      Kokkos::deep_copy(b, on_host);
      algorithm.solve(exec, b, x, {});
      exec.fence();
      auto const solved = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
      return Outcome{algorithm.parameters(), algorithm.memory_bytes(),
                     std::vector<double>(solved.data(), solved.data() + n)};
    };
  }
  /// Returns all algorithms that use level sets, the tile order, or both.
  static std::vector<Make> all() {
    typename Tiled<T>::Options by_level;
    by_level.variant = Tiled<T>::Variant::levelset;
    typename LevelSet<T>::Options by_columns;
    by_columns.analysis = LevelMethod::root_candidates;
    typename ColorSet<T>::Options cpls;
    cpls.form = ColorSet<T>::Form::cpls;
    return {make<LevelSet<T>>({}), make<LevelSet<T>>(by_columns), make<Tiled<T>>({}), make<Tiled<T>>(by_level),
            make<ColorSet<T>>(cpls)};
  }
  static void expect_same_outcome(Outcome const& a, Outcome const& b) {
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_EQ(a.memory, b.memory);
    expect_same(a.x, b.x);
  }
};
TYPED_TEST_SUITE(SharedAnalysis, Spaces, SpaceNames);

TYPED_TEST(SharedAnalysis, GivesEachAlgorithmWhatItsOwnGives) {
  using T = typename TestFixture::T;
  auto const makers = this->all();
  for (std::string const spec : {"lap2d:24", "arrow_up:200", "powerlaw:600", "rmat:8,6"})
    for (Shape const shape :
         {Shape{Triangle::lower, Diagonal::stored, Op::none}, Shape{Triangle::upper, Diagonal::unit, Op::none},
          Shape{Triangle::upper, Diagonal::stored, Op::transpose}}) {
      SCOPED_TRACE(spec);
      auto const problem = make_problem<double>(spec, shape);
      auto const pattern = to_pattern<T>(problem);
      std::vector<Outcome> own;
      for (auto const& make : makers) own.push_back(make(Analysis<T>(TypeParam(), pattern, shape), problem));
      std::vector<std::size_t> order(makers.size());
      for (std::size_t a = 0; a < order.size(); ++a) order[a] = a;
      for (int turn = 0; turn < 2; ++turn, std::reverse(order.begin(), order.end())) {
        Analysis<T> const shared(TypeParam(), pattern, shape);
        for (auto const a : order) {
          SCOPED_TRACE("maker " + std::to_string(a) + (turn ? ", last first" : ""));
          this->expect_same_outcome(makers[a](shared, problem), own[a]);
        }
      }
    }
}

TYPED_TEST(SharedAnalysis, StaysAsItWasMade) {
  using T = typename TestFixture::T;
  auto const problem = make_problem<double>("powerlaw:600", {});
  Analysis<T> const analysis(TypeParam(), to_pattern<T>(problem), {});
  auto const& levels = analysis.levels(TypeParam());
  auto const copy = [](auto const& view) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<int>(host.data(), host.data() + host.extent(0));
  };
  auto const level_of = copy(levels.level_of), level_rows = copy(levels.level_rows);
  for (auto const& make : this->all()) {
    make(analysis, problem);
    expect_same(copy(levels.level_of), level_of);
    expect_same(copy(levels.level_rows), level_rows);
  }
  EXPECT_EQ(&analysis.levels(TypeParam(), LevelMethod::root_candidates), &levels);
}

TYPED_TEST(SharedAnalysis, KeepsResultsByNameAndParameters) {
  using T = typename TestFixture::T;
  auto const problem = make_problem<double>("lap2d:9", {});
  Analysis<T> const analysis(TypeParam(), to_pattern<T>(problem), {});
  TypeParam const exec;
  auto const& order = detail::chosen_tile_order<T>(exec, analysis);
  EXPECT_EQ(&detail::chosen_tile_order<T>(exec, analysis), &order);
  EXPECT_EQ(analysis.template keep<int>("one", [] { return 1; }), 1);
  EXPECT_EQ(analysis.template keep<int>("two", [] { return 2; }), 2);
  EXPECT_EQ(analysis.template keep<int>("one", [] { return 3; }), 1);
}

}  // namespace
}  // namespace sptrsv::test
