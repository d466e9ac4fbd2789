// SPDX-License-Identifier: Apache-2.0
// Tests how a triangle is cut into tiles.
#include <gtest/gtest.h>

#include <set>
#include <sptrsv/algorithm/tiled/tiles.hpp>
#include <utility>
#include <vector>

#include "spaces.hpp"
#include "sptrsv_instances.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
using TypesOfSpace = Types<double, int, int, Space>;

template <class Space>
class TileCuts : public ::testing::Test {};
TYPED_TEST_SUITE(TileCuts, Spaces, SpaceNames);

/// Returns the lower triangle with the entries that `there(i, j)` selects below its diagonal, cut into tiles in row
/// order.
template <class Space, class There>
std::pair<TilePattern<TypesOfSpace<Space>>, int> cut(int n, There const& there) {
  using T = TypesOfSpace<Space>;
  std::vector<int> row_ptr{0}, col_idx;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j)
      if (i == j || there(i, j)) col_idx.push_back(j);
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  auto const send = [](std::vector<int> const& from) {
    Kokkos::View<int*, typename T::device> to("test::pattern", from.size());
    Kokkos::deep_copy(to, Kokkos::View<int const*, Kokkos::HostSpace>(from.data(), from.size()));
    return to;
  };
  Space exec;
  Analysis<T> const analysis(exec, {send(row_ptr), send(col_idx)}, {});
  auto const order = detail::make_tile_order<T>(exec, analysis, true);
  auto const rows = detail::sort_rows<T>(exec, analysis.rows(exec), order.positions, true);
  detail::Workspace<T> work(0);
  return {make_tiles<T>(exec, rows, detail::order_by_block_level<T>(exec, work, order.levels)),
          static_cast<int>(col_idx.size()) - n};
}
template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Checks that every entry below the diagonal has one slot.
template <class T>
void expect_all_entries(TilePattern<T> const& tiles, int entries) {
  auto const source = on_host(tiles.source);
  std::set<int> found;
  for (std::size_t s = 0; s < source.extent(0); ++s)
    if (source(s) >= 0) {
      EXPECT_TRUE(found.insert(source(s)).second);
    }
  EXPECT_EQ(static_cast<int>(found.size()), entries);
}

TYPED_TEST(TileCuts, OfEveryFormatInOneTriangle) {
  // a chain of rows; three dense tiles, one with a diagonal, the rest sparse
  auto const [tiles, entries] = cut<TypeParam>(64, [](int i, int j) {
    int const row = i / 16, column = j / 16;
    if (j == i - 1) return true;
    if (row == column) return false;
    if (row == 1) return true;
    if (row == 2) return column == 0 ? i % 16 == j % 16 : (i + j) % 2 == 0;
    return i == 50 && j == 3;
  });
  auto const rows = on_host(tiles.rows);
  auto const list = on_host(tiles.tiles);
  ASSERT_EQ(rows.extent(0), 4u);
  ASSERT_EQ(list.extent(0), 3u);
  EXPECT_EQ(list(0).width, 16);
  EXPECT_EQ(list(1).width, 1);
  EXPECT_EQ(list(2).width, 16);
  EXPECT_EQ(list(2).column, 1);
  EXPECT_EQ(rows(0).list_width, 0);
  EXPECT_EQ(rows(3).list_width, 1);  // one entry of row 48, one of row 50
  EXPECT_EQ(rows(3).tiles, 0);
  EXPECT_EQ(rows(3).columns, 0x7fff);
  expect_all_entries(tiles, entries);
}

/// Checks a grid whose lines of 20 rows have two tiles each, which they share with no other line, so that there are 2 +
/// lines - 1 block levels.
TYPED_TEST(TileCuts, EndWithTheLinesOfAGrid) {
  auto const [tiles, entries] =
      cut<TypeParam>(20 * 30, [](int i, int j) { return (j == i - 1 && i % 20 != 0) || j == i - 20; });
  EXPECT_EQ(tiles.num_tile_rows(), 60);
  expect_all_entries(tiles, entries);
  auto const row = on_host(tiles.row);
  EXPECT_EQ(row(0), 0);
  EXPECT_EQ(row(15), 15);
}

/// Checks that independent rows share tiles, although none follows the one before.
TYPED_TEST(TileCuts, TakeSixteenRowsThatNeedNothing) {
  auto const [tiles, entries] = cut<TypeParam>(100, [](int, int) { return false; });
  EXPECT_EQ(tiles.num_tile_rows(), 7);
  expect_all_entries(tiles, entries);
}

/// Makes n rows in levels of 17 and 1 in turn, which leave 30 of 48 positions empty.
template <class Space>
LevelSets<Types<double, std::int16_t, int, Space>> wide_and_narrow_levels(int n) {
  LevelSets<Types<double, std::int16_t, int, Space>> sets;
  sets.level_rows = Kokkos::View<std::int16_t*, Space>("test::level_rows", n);
  sets.level_ptr = {0};
  for (int at = 0, wide = 1; at < n; wide = 1 - wide) {
    at = std::min(n, at + (wide ? 17 : 1));
    sets.level_ptr.push_back(static_cast<std::int16_t>(at));
  }
  return sets;
}

TYPED_TEST(TileCuts, LeavePlacesEmptyOnlyWhereIndicesCountThem) {
  using T = Types<double, std::int16_t, int, TypeParam>;
  EXPECT_EQ(detail::plan_positions_by_level<T>(wide_and_narrow_levels<TypeParam>(9000)).positions, 9000 / 18 * 48 - 15);
  for (int const n : {12500, 16000, 28000}) {
    auto const plan = detail::plan_positions_by_level<T>(wide_and_narrow_levels<TypeParam>(n));
    EXPECT_EQ(plan.positions, n);
    for (auto const shift : plan.shift) ASSERT_EQ(shift, 0);
  }
}

/// Checks level 0 with the even rows and level 1 with the odd ones; each begins with a new tile.
TYPED_TEST(TileCuts, LevelsOfManyRowsBeginWithATileEach) {
  using T = TypesOfSpace<TypeParam>;
  TypeParam const exec;
  int const n = 100;
  auto sets = detail::allocate_level_sets<T>(exec, n);
  auto const level_of = Kokkos::create_mirror_view(sets.level_of);
  for (int i = 0; i < n; ++i) level_of(i) = i % 2;
  Kokkos::deep_copy(sets.level_of, level_of);
  detail::Workspace<T> work(0);
  detail::group_rows_by_level<T>(exec, work, sets, 2);
  auto const levels = sets.finished();
  ASSERT_EQ(levels.level_ptr, (std::vector<int>{0, n / 2, n}));
  auto const expect_ascending = [&](auto const& rows, int second) {
    auto const row = on_host(rows);
    for (int p = 0; p < n / 2; ++p) {
      ASSERT_EQ(row(p), 2 * p);
      ASSERT_EQ(row(second + p), 2 * p + 1);
    }
  };
  expect_ascending(levels.level_rows, n / 2);
  expect_ascending(detail::positions_by_level<T>(exec, levels).row, 64);
}

}  // namespace
}  // namespace sptrsv::test
