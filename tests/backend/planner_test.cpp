// SPDX-License-Identifier: Apache-2.0
// Tests the planner: features computed by hand, and choices by a table of prices.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sptrsv/algorithm/colorset/color_sets.hpp>
#include <sptrsv/planner/planner.hpp>

#include "solve_cases.hpp"
#include "sptrsv_instances.hpp"

namespace sptrsv::test {
namespace {

using detail::Feature;
constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};
constexpr long long resident = 64;  // resident threads; few, so that windows are small

template <class Space>
class PlannerTest : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;

  void SetUp() override { forget_plans(); }
  void TearDown() override { forget_plans(); }
  Analysis<T> analysis_of(std::string const& spec, Shape shape = plain) {
    return Analysis<T>(exec, to_pattern<T>(make_problem<double>(spec, shape)), shape);
  }
};
TYPED_TEST_SUITE(PlannerTest, Spaces, SpaceNames);

/// Returns all features of one system, found in forward or backward order.
template <class T>
std::vector<double> all_features(typename T::exec_space const& exec, Analysis<T> const& analysis, bool backward) {
  PlanFeatures<T> features(exec, analysis, resident);
  std::vector<double> least, found(detail::num_features);
  for (std::size_t f = 0; f < detail::num_features; ++f) least.push_back(features.value(Feature(f)));
  for (std::size_t k = 0; k < detail::num_features; ++k)
    features.find(Feature(backward ? detail::num_features - 1 - k : k));
  for (std::size_t f = 0; f < detail::num_features; ++f) {
    found[f] = features.value(Feature(f));
    EXPECT_TRUE(features.exact(Feature(f)));
    EXPECT_LE(least[f], found[f]) << Feature(f).name();
  }
  return found;
}

TYPED_TEST(PlannerTest, FeaturesOfKnownTriangles) {
  using T = typename TestFixture::T;
  struct Known {
    char const* spec;
    std::vector<std::pair<Feature, double>> values;
  };
  double const log3 = std::log2(3.0);
  std::vector<Known> const known{
      {"chain:100",
       {{"solve", 1},
        {"rows", 100},
        {"bytes", 99 * 12 + 100 * 28},
        {"longest_row", 1},
        {"longest_lane", 1},
        {"levels", 100},
        {"narrow_steps", 99},
        {"wide_longest", 0},
        {"level_rows", 0},
        {"level_entries", 99},
        {"far_longest", 0},
        {"late_longest", 0},
        {"long_levels", 0},
        {"warp_window", 100},
        {"thread_window", 100},
        {"tile_levels", 7},
        {"tile_entries", 6},
        {"strip_bytes", 99 * 12 + 100 * 28},
        {"sets", 100}}},
      // one level; 2 warps take 500 turns, 64 threads take 16
      {"diagonal:1000",
       {{"levels", 1},
        {"narrow_steps", 0},
        {"level_rows", std::log2(1000.0)},
        {"level_entries", 0},
        {"warp_window", 500},
        {"thread_window", 16},
        {"tile_levels", 1},
        {"tile_entries", 0},
        {"strip_bytes", 1000 * 28},
        {"sets", 1}}},
      // dense rows of 0 to 39 entries; mean_row / 4 = 4.9, so 8 lanes; of the rows of three tiles, 16 need one tile and
      // 8 need two
      {"dense:40",
       {{"longest_row", 39},
        {"longest_lane", 5},
        {"levels", 40},
        {"level_lanes", 8 * 1 + 8 * 2 + 8 * 3 + 8 * 4 + 7 * 5},
        {"narrow_steps", 97.5},
        {"tile_levels", 3},
        {"tile_entries", 16 + 8 * 2},
        {"sets", 40}}},
      // 3 by 3 grid: levels of 1, 2, 3, 2, 1 rows, whose longest rows have 0, 1, 2, 2, 2 entries; with two rows at a
      // time, starts are at 0 1 2, 2 3 4, 4 5 6
      {"lap2d:3",
       {{"levels", 5},
        {"level_rows", 2 + log3},
        {"level_entries", 1 + 3 * log3},
        {"narrow_steps", 12},
        {"tile_levels", 1},
        {"warp_window", 7},
        {"thread_window", 5}}},
      // in row order a line is two tiles, with 33 levels; 1.4 * 33 is less than the 33 wide levels and 2 * 8 tiles of
      // narrow ones. The second tile of a line needs 16 rows of the line before, and one row of the first tile.
      {"lap2d:32",
       {{"levels", 63},
        {"narrow_steps", 2 * 31 * 32},
        {"tile_levels", 33},
        {"tile_entries", 16 + 31 * 17},
        {"strip_bytes", 0}}},  // boxes
  };
  for (auto const& k : known)
    for (bool upper : {false, true}) {
      SCOPED_TRACE(std::string(k.spec) + (upper ? " upper transposed" : ""));
      Shape const shape{upper ? Triangle::upper : Triangle::lower, Diagonal::stored, upper ? Op::transpose : Op::none};
      auto const analysis = this->analysis_of(k.spec, shape);
      auto const found = all_features<T>(this->exec, analysis, false);
      for (auto const& [feature, value] : k.values) {
        EXPECT_DOUBLE_EQ(found[feature.number], value) << feature.name();
      }
      EXPECT_EQ(found, all_features<T>(this->exec, this->analysis_of(k.spec, shape), true));
    }
}

/// Checks the features of long rows, which an upper triangle adds up after a wait, and of triangles beyond the cache.
TYPED_TEST(PlannerTest, FeaturesOfLongRows) {
  using T = typename TestFixture::T;
  constexpr int n = 2100, longest = n - 1, entries = n * longest / 2;
  for (bool const upper : {false, true}) {
    SCOPED_TRACE(upper ? "upper" : "lower");
    auto const analysis =
        this->analysis_of("dense:2100", {upper ? Triangle::upper : Triangle::lower, Diagonal::stored, Op::none});
    PlanFeatures<T> features(this->exec, analysis, resident);
    features.find("late_tiles");
    EXPECT_DOUBLE_EQ(features.value("far_longest"), entries * (1 - 25e6 / (12.0 * entries + 28.0 * n)));
    EXPECT_EQ(features.value("long_levels"), longest - 512);
    EXPECT_EQ(features.value("late_longest"), upper ? entries - longest : 0);
    EXPECT_EQ(features.value("late_tiles"), upper ? features.value("tile_entries") : 0);
    EXPECT_GT(features.value("tile_entries"), 0);
  }
}

/// Compares a transposed triangle with one that is stored as its transpose, where rows and columns differ in length.
TYPED_TEST(PlannerTest, FeaturesAreThoseOfTheTransposeThatIsSolved) {
  using T = typename TestFixture::T;
  for (auto const* spec : {"arrow_down:2000", "arrow_up:2000", "powerlaw:3000", "lap3d:6,nd,lu"})
    for (bool const lower : {true, false}) {
      SCOPED_TRACE(std::string(spec) + (lower ? "" : " upper"));
      Triangle const triangle = lower ? Triangle::lower : Triangle::upper,
                     other = lower ? Triangle::upper : Triangle::lower;
      auto const plainly = this->analysis_of(spec, {triangle, Diagonal::stored, Op::none}),
                 transposed = this->analysis_of(spec, {other, Diagonal::stored, Op::transpose});
      EXPECT_EQ(all_features<T>(this->exec, transposed, false), all_features<T>(this->exec, plainly, false));
      for (auto const& device : detail::plan_devices)
        for (std::size_t a = 0; a < device.num_costs; ++a) {
          PlanFeatures<T> stored(this->exec, plainly, resident), solved(this->exec, transposed, resident);
          EXPECT_DOUBLE_EQ(detail::exact_time<T>(device.costs[a], solved),
                           detail::exact_time<T>(device.costs[a], stored));
        }
    }
}

/// Returns the number of levels if a row also waits for the one `window` rows before it.
template <class P>
long long levels_in_window(P const& p, long long window) {
  std::vector<long long> level(static_cast<std::size_t>(p.num_rows()));
  long long levels = 0;
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (static_cast<long long>(i) >= window) level[i] = level[i - static_cast<std::size_t>(window)] + 1;
    for (auto k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
      if (auto const j = static_cast<std::size_t>(p.col_idx[k]); j != i) level[i] = std::max(level[i], level[j] + 1);
    levels = std::max(levels, level[i] + 1);
  }
  return levels;
}

TYPED_TEST(PlannerTest, WindowsAndTilesAreCountedAsTheyAreSolved) {
  using T = typename TestFixture::T;
  // powerlaw has rows so long that a GPU gives each a warp
  for (auto const* spec :
       {"lap2d:50", "band:3000,8,90", "rmat:10,8", "powerlaw:9000", "lap3d:12", "fem2d:30,rcm", "kkt2:4000"}) {
    SCOPED_TRACE(spec);
    auto const p = make_problem<double>(spec, plain);
    auto const analysis = this->analysis_of(spec);
    PlanFeatures<T> features(this->exec, analysis, resident);
    for (auto f : {"warp_window", "thread_window", "tile_levels"}) features.find(f);
    EXPECT_EQ(features.value("warp_window"), levels_in_window(p, resident / 32));
    EXPECT_EQ(features.value("thread_window"), levels_in_window(p, resident));
    Solver<double, TypeParam> const tiled("tiled", this->exec, to_pattern<T>(p), plain);
    auto const text = " in " + std::to_string(static_cast<long long>(features.value("tile_levels"))) + " block levels";
    EXPECT_NE(tiled.parameters().find(text), std::string::npos) << tiled.parameters() << text;
  }
}

/// Compares levels of tile rows with a loop over them in order, and with a search that stops at a limit.
TYPED_TEST(PlannerTest, BlockLevelsAreLongestPathsAmongRowsOfTiles) {
  using T = typename TestFixture::T;
  for (auto const* spec : {"lap2d:50", "band:3000,8,90", "rmat:10,8", "powerlaw:9000", "dense:300", "arrow_down:700"})
    for (bool upper : {false, true})
      for (bool own_order : {true, false}) {
        SCOPED_TRACE(std::string(spec) + (upper ? " upper" : "") + (own_order ? "" : " by level"));
        Shape const shape{upper ? Triangle::upper : Triangle::lower, Diagonal::stored, Op::none};
        auto const p = make_problem<double>(spec, shape);
        auto const analysis = this->analysis_of(spec, shape);
        auto const order = detail::make_tile_order<T>(this->exec, analysis, own_order);
        auto const row = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.positions.row);
        auto const position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.positions.position);
        auto const level_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.levels.level_of);
        std::vector<int> expected(row.extent(0) / tile_size);
        for (std::size_t at = 0; at < row.extent(0); ++at) {
          if (row(at) < 0) continue;
          auto const i = static_cast<std::size_t>(row(at)), node = at / tile_size;
          for (auto k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
            if (auto const needed = static_cast<std::size_t>(position(p.col_idx[k])) / tile_size; needed != node)
              expected[node] = std::max(expected[node], expected[needed] + 1);
        }
        ASSERT_EQ(level_of.extent(0), expected.size());
        for (std::size_t node = 0; node < expected.size(); ++node)
          EXPECT_EQ(level_of(node), expected[node]) << "tile row " << node;
        long long const levels = order.levels.levels;
        EXPECT_EQ(levels, *std::max_element(expected.begin(), expected.end()) + 1);
        EXPECT_EQ(detail::make_tile_order<T>(this->exec, analysis, own_order, levels).levels.levels, levels);
        for (long long const limit : {1LL, levels / 2, levels - 1})
          if (limit > 0) {
            EXPECT_GT(detail::make_tile_order<T>(this->exec, analysis, own_order, limit).levels.levels, limit);
          }
      }
}

/// Checks the limit of sets above which colorset excludes itself on a GPU.
TYPED_TEST(PlannerTest, FewColorSetsAreToldFromMany) {
  using T = typename TestFixture::T;
  for (bool upper : {false, true}) {
    Shape const shape{upper ? Triangle::upper : Triangle::lower, Diagonal::stored, Op::none};
    auto const few = [&](std::string const& spec) {
      auto const analysis = this->analysis_of(spec, shape);
      return detail::may_have_few_color_sets<T>(this->exec, analysis.workspace(), analysis.rows(this->exec),
                                                shape.ascending(), 10);
    };
    EXPECT_TRUE(few("lap2d:100,color"));
    EXPECT_TRUE(few("lap3d:20,color"));
    EXPECT_TRUE(few("diagonal:5000"));
    EXPECT_TRUE(few("diagonal:0"));
    EXPECT_FALSE(few("lap2d:100"));
    EXPECT_FALSE(few("lap3d:20"));
    EXPECT_FALSE(few("rmat:12,8"));
    EXPECT_FALSE(few("dense:2000"));
  }
}

TYPED_TEST(PlannerTest, NothingIsKnownOfNothing) {
  using T = typename TestFixture::T;
  auto const found = all_features<T>(this->exec, this->analysis_of("diagonal:0"), false);
  for (std::size_t f = 2; f < detail::num_features; ++f) EXPECT_EQ(found[f], 0) << Feature(f).name();
}

/// Checks that the planner computes expensive features only while the choice depends on them, and chooses as with all
/// features, except for sweeps that do not pay.
TYPED_TEST(PlannerTest, BoundsFromBelowChooseAsAllFeaturesDo) {
  using T = typename TestFixture::T;
  std::uint64_t seed = 1;
  auto const random = [&](int below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((seed >> 33) % static_cast<std::uint64_t>(below));
  };
  std::vector<std::string> const names{"a", "b", "c", "d"};
  std::set<std::string> chosen;
  int without_sweeps = 0;
  for (auto const* spec :
       {"lap2d:30", "chain:300", "dense:60", "powerlaw:500", "rmat:8,8", "kkt2:400", "lap3d:9,color", "fem2d:12,rcm"}) {
    auto const analysis = this->analysis_of(spec);
    auto const exact = all_features<T>(this->exec, analysis, false);
    for (int draw = 0; draw < 20; ++draw) {
      detail::PlanCost costs[4];
      double times[4];
      std::string best;
      double least = 0, share = 0;
      for (int a = 0; a < 4; ++a) {
        costs[a] = {names[a], {}};
        double time = 0;
        for (int t = 0; t < 4; ++t) {
          auto const feature = static_cast<std::size_t>(1 + random(static_cast<int>(detail::num_features) - 1));
          double const price = 1e3 * random(1000) / (1 + exact[feature]);
          costs[a].terms[t] = {Feature(feature), price};
          time += price * exact[feature];
          if (a < 3 && price > 0)
            share = std::max(share, detail::sweep_share(Feature(feature), exact[Feature("levels").number]));
        }
        times[a] = time;
        if (a < 3 && (best.empty() || time < least)) best = names[a], least = time;  // "d" is no candidate below
      }
      detail::PlanDevice const device{"made up", costs, 4};
      PlanFeatures<T> features(this->exec, analysis, resident), own(this->exec, analysis, resident);
      for (int a = 0; a < 4; ++a) EXPECT_DOUBLE_EQ(detail::exact_time<T>(costs[a], own), times[a]);
      auto const plan = detail::choose_by_table<T>(device, {"a", "b", "c"}, features);
      auto const time = times[std::find(names.begin(), names.end(), plan.algorithm) - names.begin()];
      EXPECT_LE(time, (least + share) * (1 + 1e-12)) << spec << " " << draw;
      if (share == 0) {
        ++without_sweeps;
        EXPECT_EQ(plan.algorithm, best) << spec << " " << draw;
      }
      EXPECT_NE(plan.reason.find("estimated "), std::string::npos) << plan.reason;
      chosen.insert(plan.algorithm);
    }
  }
  EXPECT_EQ(chosen.size(), 3u);
  EXPECT_GT(without_sweeps, 5);
}

/// Checks that few sets replace levels, which are not computed then, and that a type with one kernel per set is left
/// out if there are many sets.
TYPED_TEST(PlannerTest, FewSetsStandForLevels) {
  using T = typename TestFixture::T;
  detail::PlanCost const costs[] = {{"levelset", {{{"levels", 1000}, {"level_lanes", 1}}}},
                                    {"colorset", {{{"sets", 10}}}}};
  detail::PlanDevice const device{"made up", costs, 2};
  for (auto const* spec : {"lap2d:60,color", "lap3d:14,color", "diagonal:2500", "kkt2:4000"}) {
    SCOPED_TRACE(spec);
    auto const exact = all_features<T>(this->exec, this->analysis_of(spec), false);
    auto const analysis = this->analysis_of(spec);
    PlanFeatures<T> features(this->exec, analysis, resident);
    EXPECT_EQ(detail::choose_by_table<T>(device, {"levelset", "colorset"}, features).algorithm, "colorset");
    EXPECT_EQ(analysis.known_levels(), nullptr);
    for (auto f : {"levels", "sets", "level_rows", "long_levels", "narrow_steps", "level_entries", "level_lanes"})
      EXPECT_DOUBLE_EQ(features.value(f), exact[Feature(f).number]) << f;
  }
  auto const chain = this->analysis_of("chain:3000");
  PlanFeatures<T> features(this->exec, chain, resident);
  EXPECT_EQ(detail::choose_by_table<T>(device, {"levelset", "colorset"}, features).algorithm, "levelset");
  EXPECT_NE(chain.known_levels(), nullptr);
  EXPECT_FALSE(features.exact("sets"));
}

/// Checks that tiles are not looked for where levels are wide, unless there is no other candidate.
TYPED_TEST(PlannerTest, TilesOfWideLevelsAreNotLookedFor) {
  using T = typename TestFixture::T;
  detail::PlanCost const costs[] = {{"levelset", {{{"levels", 1e9}}}}, {"tiled", {{{"tile_levels", 1}}}}};
  detail::PlanDevice const device{"made up", costs, 2};
  auto const narrow = this->analysis_of("lap2d:40"), wide = this->analysis_of("lap3d:40");  // 21 and 538 rows per level
  PlanFeatures<T> of_narrow(this->exec, narrow, resident), of_wide(this->exec, wide, resident);
  EXPECT_EQ(detail::choose_by_table<T>(device, {"levelset", "tiled"}, of_narrow).algorithm, "tiled");
  EXPECT_EQ(detail::choose_by_table<T>(device, {"levelset", "tiled"}, of_wide).algorithm, "levelset");
  EXPECT_FALSE(of_wide.exact("tile_levels"));
  EXPECT_EQ(detail::choose_by_table<T>(device, {"tiled"}, of_wide).algorithm, "tiled");
}

TYPED_TEST(PlannerTest, WhatCannotMatterIsNotLookedFor) {
  using T = typename TestFixture::T;
  // 400 rows in 39 levels, each a set, cost 400, 800 and more, 335.6, 336 and more
  detail::PlanCost const costs[] = {{"few", {{{"rows", 1}}}},
                                    {"dear", {{{"rows", 2}, {"warp_window", 1}}}},
                                    {"close", {{{"rows", 0.8}, {"sets", 0.4}}}},
                                    {"nearly", {{{"rows", 0.84}, {"thread_window", 0.01}}}}};
  detail::PlanDevice const device{"made up", costs, 4};
  auto const analysis = this->analysis_of("lap2d:20,rcm");
  PlanFeatures<T> features(this->exec, analysis, resident);
  EXPECT_EQ(detail::choose_by_table<T>(device, {"few", "dear", "close", "nearly"}, features).algorithm, "close");
  EXPECT_TRUE(features.exact("sets"));
  EXPECT_DOUBLE_EQ(features.value("sets"), 39);
  EXPECT_FALSE(features.exact("warp_window"));
  EXPECT_FALSE(features.exact("thread_window"));  // `nearly` takes more time whatever it is
  EXPECT_EQ(detail::choose_by_table<T>(device, {"dear"}, features).algorithm, "dear");
  EXPECT_TRUE(features.exact("warp_window"));
  EXPECT_EQ(detail::choose_by_table<T>(device, {"other"}, features).algorithm, "other");
}

/// Checks that the reason tells whether more than half of an estimate is independent of the size.
TYPED_TEST(PlannerTest, TellsWhatHardlyDependsOnTheSize) {
  using T = typename TestFixture::T;
  detail::PlanCost const costs[] = {{"small", {{{"rows", 10}, {"solve", 1001}}}},
                                    {"large", {{{"rows", 10}, {"solve", 999}}}}};
  detail::PlanDevice const device{"made up", costs, 2};
  auto const analysis = this->analysis_of("chain:100");
  PlanFeatures<T> features(this->exec, analysis, resident);
  EXPECT_EQ(detail::choose_by_table<T>(device, {"small"}, features).reason,
            "estimated 2.001 us, most of it independent of the size");
  EXPECT_EQ(detail::choose_by_table<T>(device, {"large"}, features).reason, "estimated 1.999 us");
}

/// Checks the library's tables, for a device of any size, on any number of threads here.
TYPED_TEST(PlannerTest, TheTablesChooseAlike) {
  using T = typename TestFixture::T;
  std::vector<std::string> names;
  for (auto const& info : algorithm_infos()) names.push_back(info.name);
  EXPECT_EQ(&detail::plan_device("a device that nobody has"), &detail::plan_devices[0]);
  for (auto const& device : detail::plan_devices) {
    EXPECT_EQ(&detail::plan_device(device.name), &device);
    for (std::size_t a = 0; a < device.num_costs; ++a)
      for (auto const& term : device.costs[a].terms) EXPECT_GE(term.nanoseconds, 0) << device.costs[a].algorithm;
    for (auto const* spec : {"lap2d:40", "lap3d:14", "chain:3000", "dense:150", "powerlaw:9000", "kkt2:9000",
                             "band:3000,8,90", "dense:8", "dense:16", "lap3d:20,nd,lu"}) {
      auto const analysis = this->analysis_of(spec);
      PlanFeatures<T> first(this->exec, analysis, 270336), second(this->exec, analysis, 270336);
      auto const plan = detail::choose_by_table<T>(device, names, first);
      EXPECT_EQ(plan.algorithm, detail::choose_by_table<T>(device, names, second).algorithm);
      EXPECT_EQ(std::count(names.begin(), names.end(), plan.algorithm), 1) << plan.algorithm;
      // a step for each level takes at least four times as long as tiles or blocks
      if (std::string(spec) == "dense:150" || std::string(spec) == "chain:3000") {
        EXPECT_TRUE(plan.algorithm == "tiled" || plan.algorithm == "blocked" || plan.algorithm == "inverted")
            << plan.algorithm;
      }
      // sets of one row each, which `colorset` takes for blocks
      if (std::string(spec) == "dense:8" || std::string(spec) == "dense:16") {
        EXPECT_NE(plan.algorithm, "colorset");
      }
      // `tiled` takes 379 us; `blocked` has to go from long row to long row and takes 494
      if (std::string(spec) == "lap3d:20,nd,lu") {
        EXPECT_EQ(plan.algorithm, "inverted");
      }
      // one GPU thread against thousands
      if (std::string(spec) == "lap3d:14") {
        EXPECT_NE(plan.algorithm, "sequential");
      }
    }
  }
}

}  // namespace
}  // namespace sptrsv::test
