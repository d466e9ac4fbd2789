// SPDX-License-Identifier: Apache-2.0
// Tests sizes near the limit of offsets: 16 bits stand for 32, so that the limit is small.
#include <algorithm>
#include <limits>
#include <sptrsv/algorithm/tiled/tile_formats.hpp>
#include <sptrsv/algorithm/tiled/tiles.hpp>

#include "narrow.hpp"
#include "short_offsets_analysis.hpp"

namespace sptrsv::test {
namespace {

using ShortOffsets = Narrow<int, std::int16_t>;

/// Makes tile rows with few entries in many slots: a chain, whose last row is full before its diagonal, and a list.
ShortOffsets sparse_tiles(int entries) {
  ShortOffsets t;
  for (int i = 0; static_cast<int>(t.col_idx.size()) < entries; ++i) {
    std::vector<int> columns;
    int const room = entries - static_cast<int>(t.col_idx.size()) - 1;
    if (i % 16 == 15 && room >= 16) {
      if (i > 16) columns.push_back(i - 31);
      for (int c = 15; c > 0; --c) columns.push_back(i - c);
    } else if (i % 16 > 0 && room > 0) {
      columns.push_back(i - 1);
    }
    t.add_row(columns);
  }
  return t;
}

TEST(Sizes, AsManyEntriesAsOffsetsDoFor) {
  auto const t = sparse_tiles(most);
  ASSERT_EQ(t.col_idx.size(), static_cast<std::size_t>(most));
  t.expect_solved("tiled");
  sparse_tiles(5000).expect_solved();
}

TEST(Sizes, LongRowsWithinWhatOffsetsDoFor) {  // tiles of them have few slots
  ShortOffsets t;
  for (int i = 0; i < 200; ++i) {
    std::vector<int> columns;
    for (int c = 0; c < i; ++c) columns.push_back(c);
    t.add_row(columns);
  }
  t.expect_solved();
}

TEST(Sizes, MoreEntriesThanOffsetsDoForAreRefused) {
  sparse_tiles(most + 1).expect_too_large(
      "the triangle has 31745 entries, with those stored before it; offsets of 16 bits do for 31744: use longer ones");
  sparse_tiles(std::numeric_limits<std::int16_t>::max()).expect_too_large("32767 entries");
}

/// Checks lists of entries of sparse tiles that are as long as an int counts.
TEST(Sizes, ListsOfAnyLength) {
  constexpr int longest = std::numeric_limits<int>::max(), lanes = detail::tile_lanes;
  for (auto const& counts :
       std::vector<std::vector<int>>{{longest}, {longest - 1000, 1000}, {0, longest / 2, longest / 2, 1}}) {
    int count[tile_size] = {}, used = 0;
    std::copy(counts.begin(), counts.end(), count);
    int const width = detail::SparseList::width(count);
    EXPECT_GE(width, longest / lanes);
    EXPECT_LE(width, longest / (lanes - 2) + 1);
    for (int const c : count) used += detail::SparseList::lanes_of(c, width);
    EXPECT_LE(used, lanes);
    EXPECT_EQ(detail::SparseList::slots(width), static_cast<long long>(lanes) * width);
  }
}

/// Checks tile rows that each have a chain of rows, of which the last has all 15 entries before its diagonal: 45
/// entries in 16 * 15 slots, and one in a list of 32.
TEST(Sizes, SlotsOfTilesBeyondWhatOffsetsCount) {
  using T = ShortOffsets::T;
  Space const exec;
  auto const make = [&](int tile_rows) {
    std::vector<std::int16_t> row_ptr{0};
    std::vector<int> col_idx;
    for (int i = 0; i < 16 * tile_rows; ++i) {
      if (i % 16 == 15 && i > 16) col_idx.push_back(i - 31);
      for (int c = i % 16 == 15 ? i - 15 : i % 16 > 0 ? i - 1 : i; c <= i; ++c) col_idx.push_back(c);
      row_ptr.push_back(static_cast<std::int16_t>(col_idx.size()));
    }
    Kokkos::View<std::int16_t*, typename T::device> ptr("test::row_ptr", row_ptr.size());
    Kokkos::View<int*, typename T::device> idx("test::col_idx", col_idx.size());
    Kokkos::deep_copy(ptr, Kokkos::View<std::int16_t const*, Kokkos::HostSpace>(row_ptr.data(), row_ptr.size()));
    Kokkos::deep_copy(idx, Kokkos::View<int const*, Kokkos::HostSpace>(col_idx.data(), col_idx.size()));
    Analysis<T> const analysis(exec, {ptr, idx}, {});
    auto const order = detail::make_tile_order<T>(exec, analysis, true);
    return make_tiles<T>(exec, detail::sort_rows<T>(exec, analysis.rows(exec), order.positions, true),
                         detail::order_by_block_level<T>(exec, analysis.workspace(), order.levels));
  };
  EXPECT_EQ(make(100).source.extent(0), 100u * 240 + 99u * 32);
  try {
    make(200);
    ADD_FAILURE() << "nothing was thrown";
  } catch (Unsupported const& e) {
    EXPECT_STREQ(e.what(),
                 "algorithm tiled does not do 54368 positions of entries in tiles with offsets of 16 bits; "
                 "use longer offsets, or choose another algorithm");
  }
}

}  // namespace
}  // namespace sptrsv::test
