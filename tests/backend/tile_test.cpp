// SPDX-License-Identifier: Apache-2.0
// Tiles: formats by hand-made tiles with exact answers, and how a triangle is cut into them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <limits>
#include <set>
#include <sptrsv/algorithm/tiled/tile_formats.hpp>
#include <sptrsv/algorithm/tiled/tile_values.hpp>
#include <sptrsv/algorithm/tiled/tiles.hpp>

#include "spaces.hpp"

namespace sptrsv::test {
namespace {

using detail::tile_lanes;

template <class Space>
using TypesOfSpace = Types<double, int, int, Space>;

/// A 16x16 tile: 0 where there is no entry.
using Entries = std::vector<std::vector<double>>;

Entries no_entries() { return Entries(tile_size, std::vector<double>(tile_size, 0.0)); }

unsigned mask_of(Entries const& tile, int r) {
  unsigned mask = 0;
  for (int c = 0; c < tile_size; ++c) mask |= tile[r][c] != 0 ? 1u << c : 0u;
  return mask;
}
int longest_row(Entries const& tile) {
  int longest = 0;
  for (int r = 0; r < tile_size; ++r) longest = std::max(longest, detail::count_columns(mask_of(tile, r)));
  return longest;
}

/// A tile as a format stores it, and numbers of its columns, where the kernels run.
template <class Space>
struct Stored {
  template <class V>
  using view = Kokkos::View<V*, Space>;
  int width;
  view<double> values, x, y;
  view<unsigned> mask;
  typename view<double>::HostMirror host_values;

  Stored(int width_in, int slots)
      : width(width_in),
        values("test::values", slots),
        x("test::x", tile_size),
        y("test::y", tile_size),
        mask("test::mask", tile_size),
        host_values(Kokkos::create_mirror_view(values)) {
    Kokkos::deep_copy(host_values, std::numeric_limits<double>::quiet_NaN());  // free slots are not touched
  }
  void send(Entries const& tile, std::vector<double> const& numbers) {
    auto const m = Kokkos::create_mirror_view(mask);
    auto const from = Kokkos::create_mirror_view(x);
    for (int r = 0; r < tile_size; ++r) {
      m(r) = mask_of(tile, r);
      from(r) = numbers[r];
    }
    Kokkos::deep_copy(values, host_values);
    Kokkos::deep_copy(mask, m);
    Kokkos::deep_copy(x, from);
  }
  std::vector<double> result() const {
    auto const to = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    return std::vector<double>(to.data(), to.data() + tile_size);
  }
};

template <class Space>
auto one_warp() {
  return Kokkos::TeamPolicy<Space>(Space(), 1, 1, is_host_space<Space> ? 1 : tile_lanes);
}

/// y = tile times x, by the lanes.
template <class Format, class Space>
void multiply(Stored<Space> const& s) {
  using sums = detail::ColumnValues<double, 1>;
  using product = detail::TileProduct<Format>;
  Kokkos::parallel_for(
      "test::multiply", one_warp<Space>(), KOKKOS_LAMBDA(typename Kokkos::TeamPolicy<Space>::member_type const&) {
        detail::PerLane<double[product::steps]> a;
        detail::PerLane<sums> x{}, part{};
        detail::each_lane([&](int l) {
          x[l].at[0] = s.x(l % tile_size);
          product::load(s.values.data(), s.width, s.mask(l % tile_size), l, a[l]);
        });
        detail::each_lane([&](int l) { product::subtract(s.width, s.mask(l % tile_size), l, a[l], x, part[l]); });
        detail::each_lane([&](int l) {
          auto const other = from(part, l ^ tile_size);
          if (l < tile_size) s.y(l) = -(part[l].at[0] + other.at[0]);
        });
      });
  Kokkos::fence();
}

/// y = the solution for x, by the lanes; `pivot` 0: of a tile with ones on its diagonal.
template <class Space>
void solve_triangle(Stored<Space> const& s, unsigned columns, double pivot) {
  using triangle = detail::TriangleTile;
  Kokkos::parallel_for(
      "test::solve_triangle", one_warp<Space>(), KOKKOS_LAMBDA(typename Kokkos::TeamPolicy<Space>::member_type const&) {
        detail::PerLane<double[triangle::most]> a;
        detail::PerLane<detail::ColumnValues<double, 1>> x;
        detail::PerLane<unsigned> mask;
        detail::PerLane<double> pivots;
        detail::each_lane([&](int l) {
          x[l].at[0] = s.x(l % tile_size);
          mask[l] = s.mask(l % tile_size);
          pivots[l] = pivot;
          triangle::load(s.values.data(), mask[l], l, a[l]);
        });
        if (pivot == 0) triangle::solve(columns, mask, a, x);
        else triangle::solve_with_pivots(mask, a, pivots, [](double sum, double p) { return sum / p; }, x);
        detail::each_lane([&](int l) {
          if (l < tile_size) s.y(l) = x[l].at[0];
        });
      });
  Kokkos::fence();
}

std::vector<double> times(Entries const& tile, std::vector<double> const& x) {
  std::vector<double> y(tile_size, 0.0);
  for (int r = 0; r < tile_size; ++r)
    for (int c = 0; c < tile_size; ++c)
      if (tile[r][c] != 0) y[r] += tile[r][c] * x[c];
  return y;
}
std::vector<double> some_x() {
  std::vector<double> x;
  for (int c = 0; c < tile_size; ++c) x.push_back(c % 2 ? c + 1 : -c);
  return x;
}

/// Small whole numbers in the places that `there(r, c)` names.
template <class There>
Entries entries_where(There const& there) {
  auto tile = no_entries();
  for (int r = 0; r < tile_size; ++r)
    for (int c = 0; c < tile_size; ++c)
      if (there(r, c)) tile[r][c] = (r * 7 + c * 3) % 11 - 5 == 0 ? 9 : (r * 7 + c * 3) % 11 - 5;
  return tile;
}

template <class Space>
class Tiles : public ::testing::Test {
 protected:
  template <class Format>
  static void expect_product(Entries const& tile, int width, std::vector<double> const& x) {
    Stored<Space> stored(width, Format::slots(width));
    std::set<int> places;
    for (int r = 0; r < tile_size; ++r)
      for (int c = 0; c < tile_size; ++c)
        if (tile[r][c] != 0) {
          int const place = Format::slot(mask_of(tile, r), r, c);
          ASSERT_LT(place, Format::slots(width));
          ASSERT_TRUE(places.insert(place).second);
          stored.host_values(place) = tile[r][c];
        }
    stored.send(tile, x);
    multiply<Format>(stored);
    EXPECT_EQ(stored.result(), times(tile, x));
  }
};
TYPED_TEST_SUITE(Tiles, Spaces, SpaceNames);

TEST(TileFormats, FollowTheShape) {
  EXPECT_EQ(tile_width(15, 1), 0);   // too few entries
  EXPECT_EQ(tile_width(16, 1), 1);   // a diagonal
  EXPECT_EQ(tile_width(16, 2), 2);   // half of the slots
  EXPECT_EQ(tile_width(16, 16), 0);  // one full row
  EXPECT_EQ(tile_width(72, 9), 0);   // too long a row
  EXPECT_EQ(tile_width(127, 8), 8);
  EXPECT_EQ(tile_width(128, 8), 16);  // half of all places
  EXPECT_EQ(tile_width(256, 16), 16);
}

TYPED_TEST(Tiles, EllRows) {
  auto const diagonal = entries_where([](int r, int c) { return r == c; });
  this->template expect_product<detail::EllTile>(diagonal, 1, some_x());
  auto const three = entries_where([](int r, int c) { return r % 5 != 0 && (c == 0 || c == (r + 7) % 16 || c == 15); });
  this->template expect_product<detail::EllTile>(three, 3, some_x());
  auto const eight = entries_where([](int r, int c) { return (r + c) % 2 == 0; });
  this->template expect_product<detail::EllTile>(eight, 8, some_x());
}

TYPED_TEST(Tiles, DensePlaces) {
  this->template expect_product<detail::DenseTile>(entries_where([](int, int) { return true; }), 16, some_x());
  auto x = some_x();
  auto const gaps = entries_where([](int r, int c) { return (r * c) % 3 != 1 && c != 6; });
  x[6] = std::numeric_limits<double>::infinity();  // which no row has
  this->template expect_product<detail::DenseTile>(gaps, 16, x);
}

TYPED_TEST(Tiles, TrianglesAreSolved) {
  for (int const band : {0, 1, 3, 15}) {
    auto const tile = entries_where([&](int r, int c) { return c < r && r - c <= band; });
    int const width = longest_row(tile);
    Stored<TypeParam> stored(width, std::max(1, detail::TriangleTile::slots(width)));
    unsigned columns = 0;
    for (int r = 0; r < tile_size; ++r)
      for (int c = 0; c < r; ++c)
        if (tile[r][c] != 0) {
          stored.host_values(detail::TriangleTile::slot(mask_of(tile, r), r, c)) = tile[r][c];
          columns |= 1u << c;
        }
    std::vector<double> x(tile_size);
    for (int r = 0; r < tile_size; ++r) x[r] = r % 3 - 1;
    for (double const pivot : {0.0, 4.0}) {
      auto b = times(tile, x);
      for (int r = 0; r < tile_size; ++r) b[r] += (pivot == 0 ? 1 : pivot) * x[r];
      stored.send(tile, b);
      solve_triangle(stored, columns, pivot);
      EXPECT_EQ(stored.result(), x) << "band " << band << ", pivot " << pivot;
    }
  }
}

TEST(TileFormats, ListsCutRowsIntoEqualParts) {
  for (auto const& counts : std::vector<std::vector<int>>{
           {1}, {1, 1, 1, 2}, std::vector<int>(16, 6), std::vector<int>(16, 7), {0, 1000, 3, 0, 1}, {33, 1}}) {
    int count[tile_size] = {}, all = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) all += count[r] = counts[r];
    int const width = detail::SparseList::width(count);
    std::set<int> places;
    int first = 0;
    for (int r = 0; r < tile_size; ++r) {
      int const lanes = detail::SparseList::lanes_of(count[r], width);
      for (int e = 0; e < count[r]; ++e) {
        int const place = detail::SparseList::slot(width, first, count[r], e);
        EXPECT_TRUE(places.insert(place).second);
        EXPECT_LT(place / tile_lanes, width);
        EXPECT_TRUE(place % tile_lanes >= first && place % tile_lanes < first + lanes);
        if (e == count[r] - 1) {
          EXPECT_EQ(place, (width - 1) * tile_lanes + first + lanes - 1);  // ends in the last slot of its last lane
        }
      }
      first += lanes;
    }
    EXPECT_LE(first, tile_lanes);
    if (width > 1) {  // no narrower list would do
      int lanes = 0;
      for (int const c : count) lanes += detail::SparseList::lanes_of(c, width - 1);
      EXPECT_GT(lanes, tile_lanes);
    }
  }
}

/// The lower triangle with the entries that `there(i, j)` names below its diagonal, cut into tiles in the order of its
/// rows.
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
  return {make_tiles<T>(exec, rows, detail::order_by_block_level<T>(exec, order.levels)),
          static_cast<int>(col_idx.size()) - n};
}
template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Every entry below the diagonal has one slot.
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

TYPED_TEST(Tiles, OfEveryFormatInOneTriangle) {
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

/// Lines of 20 rows have two tiles each, which no other line's rows share, so that block levels are 2 + lines - 1.
TYPED_TEST(Tiles, EndWithTheLinesOfAGrid) {
  auto const [tiles, entries] =
      cut<TypeParam>(20 * 30, [](int i, int j) { return (j == i - 1 && i % 20 != 0) || j == i - 20; });
  EXPECT_EQ(tiles.num_tile_rows(), 60);
  expect_all_entries(tiles, entries);
  auto const row = on_host(tiles.row);
  EXPECT_EQ(row(0), 0);
  EXPECT_EQ(row(15), 15);
}

/// Rows without any needs share tiles, although none follows the one before.
TYPED_TEST(Tiles, TakeSixteenRowsThatNeedNothing) {
  auto const [tiles, entries] = cut<TypeParam>(100, [](int, int) { return false; });
  EXPECT_EQ(tiles.num_tile_rows(), 7);
  expect_all_entries(tiles, entries);
}

TEST(TileFormats, ListsOfAnyLength) {
  constexpr int most = std::numeric_limits<int>::max();
  for (auto const& counts : std::vector<std::vector<int>>{{most}, {most - 1000, 1000}, {0, most / 2, most / 2, 1}}) {
    int count[tile_size] = {};
    for (std::size_t r = 0; r < counts.size(); ++r) count[r] = counts[r];
    int const width = detail::SparseList::width(count);
    EXPECT_GE(width, most / tile_lanes);
    EXPECT_LE(width, most / (tile_lanes - 2) + 1);
    int lanes = 0;
    for (int const c : count) lanes += detail::SparseList::lanes_of(c, width);
    EXPECT_LE(lanes, tile_lanes);
    EXPECT_EQ(detail::SparseList::slots(width), static_cast<long long>(tile_lanes) * width);  // more than an int counts
  }
}

/// Each row of tiles has a chain of rows, of which the last has all 15 places before its diagonal: 45 entries in 16 *
/// 15 slots, and one in a list of 32.
TYPED_TEST(Tiles, CountSlotsBeyondWhatOffsetsCount) {
  using T = Types<double, int, std::int16_t, TypeParam>;
  if constexpr (!is_host_space<TypeParam>) return;  // counted on the host alone; no device code for 16 bits
  TypeParam exec;
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
                         detail::order_by_block_level<T>(exec, order.levels));
  };
  EXPECT_EQ(make(100).source.extent(0), 100u * 240 + 99u * 32);
  try {
    make(200);
    ADD_FAILURE() << "nothing was thrown";
  } catch (Unsupported const& e) {
    EXPECT_STREQ(e.what(),
                 "algorithm tiled does not do 54368 places for entries in tiles with offsets of 16 bits; "
                 "use longer offsets, or choose another algorithm");
  }
}

/// n rows in levels of 17 and 1 in turn, which leave 30 of 48 places empty.
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

TYPED_TEST(Tiles, LeavePlacesEmptyOnlyWhereIndicesCountThem) {
  using T = Types<double, std::int16_t, int, TypeParam>;
  EXPECT_EQ(detail::plan_positions_by_level<T>(wide_and_narrow_levels<TypeParam>(9000)).positions, 9000 / 18 * 48 - 15);
  for (int const n : {12500, 16000, 28000}) {
    auto const plan = detail::plan_positions_by_level<T>(wide_and_narrow_levels<TypeParam>(n));
    EXPECT_EQ(plan.positions, n);
    for (auto const shift : plan.shift) ASSERT_EQ(shift, 0);
  }
}

/// 16 times as many numbers as there are positions: from 2^23 rows of tiles on an int does not count them. All but the
/// last one's memory is never touched.
#if defined(KOKKOS_ENABLE_SERIAL)
TEST(TileValues, InverseOfTheLastOfManyTiles) {
  using T = TypesOfSpace<Kokkos::Serial>;
  std::size_t const tiles = (std::size_t(1) << 23) + 1;
  std::vector<std::pair<void*, std::size_t>> mapped;
  auto const map = [&](auto& view, std::size_t count) {
    using view_type = std::remove_reference_t<decltype(view)>;
    std::size_t const bytes = count * sizeof(typename view_type::value_type);
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return;
    mapped.push_back({at, bytes});
    view = view_type(static_cast<typename view_type::value_type*>(at), count);
  };
  TilePattern<T> pattern;
  detail::TileValues<T> values;
  map(pattern.rows, tiles);
  map(pattern.diagonal_mask, tiles * tile_size);
  map(values.pivot, tiles * tile_size);
  map(values.kept, tiles);
  map(values.inverse_mask, tiles * tile_size);
  map(values.inverse, tiles * tile_size * tile_size);
  if (mapped.size() < 6) GTEST_SKIP() << "this machine gives no 20 GB of addresses";
  for (std::size_t q = 0; q + 1 < tiles; ++q) values.kept(q) = detail::DiagonalTile::as_stored;
  values.kept(tiles - 1) = detail::DiagonalTile::inverse;
  for (int r = 0; r < tile_size; ++r) values.pivot((tiles - 1) * tile_size + r) = 0.5;
  values.at = decltype(values.at)("test::at", 1);
  detail::invert_diagonal_tiles<T>(Kokkos::Serial(), pattern, values);
  for (int r = 0; r < tile_size; ++r)
    for (int c = 0; c < tile_size; ++c)
      EXPECT_EQ(values.inverse((tiles - 1) * tile_size * tile_size + detail::DenseTile::slot(0, r, c)),
                r == c ? 0.5 : 0.0);
  EXPECT_EQ(values.kept(tiles - 1), detail::DiagonalTile::inverse);
  pattern = {};
  values = {};
  for (auto const& [at, bytes] : mapped) ::munmap(at, bytes);
}
#endif

/// Level 0 has the even rows, level 1 the odd ones; each begins with a tile of its own.
TYPED_TEST(Tiles, LevelsOfManyRowsBeginWithATileEach) {
  using T = TypesOfSpace<TypeParam>;
  TypeParam const exec;
  int const n = 100;
  auto sets = detail::allocate_level_sets<T>(exec, n);
  auto const level_of = Kokkos::create_mirror_view(sets.level_of);
  for (int i = 0; i < n; ++i) level_of(i) = i % 2;
  Kokkos::deep_copy(sets.level_of, level_of);
  detail::group_rows_by_level<T>(exec, sets);
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
