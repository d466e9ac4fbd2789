// SPDX-License-Identifier: Apache-2.0
// Tests the formats of tiles, by hand-made tiles with exact answers.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <sptrsv/algorithm/tiled/tile_formats.hpp>
#include <sptrsv/algorithm/tiled/tiles.hpp>

#include "spaces.hpp"

namespace sptrsv::test {
namespace {

using detail::tile_lanes;

/// A 16 by 16 tile: 0 where there is no entry.
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

/// Tile in a format, and the numbers of its columns, in the memory of the kernels.
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
    Kokkos::deep_copy(host_values, std::numeric_limits<double>::quiet_NaN());  // free slots are not written
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

/// Computes y = tile times x by the lanes.
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

/// Computes y = tile^-1 x by the lanes; `pivot` 0: the tile has ones on its diagonal.
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

/// Returns small whole numbers at the positions that `there(r, c)` selects.
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
  EXPECT_EQ(tile_width(128, 8), 16);  // half of all positions
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
  x[6] = std::numeric_limits<double>::infinity();  // no row has this column
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
    if (width > 1) {  // no narrower list suffices
      int lanes = 0;
      for (int const c : count) lanes += detail::SparseList::lanes_of(c, width - 1);
      EXPECT_GT(lanes, tile_lanes);
    }
  }
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

}  // namespace
}  // namespace sptrsv::test
