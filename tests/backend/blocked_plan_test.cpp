// SPDX-License-Identifier: Apache-2.0
// Tests that blocks of rows are cut and numbered as the kernels of `blocked` need them, for all kinds of patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <set>
#include <sptrsv/algorithm/blocked/block_columns.hpp>
#include <sptrsv/algorithm/blocked/block_estimate.hpp>
#include <sptrsv/algorithm/blocked/block_groups.hpp>
#include <sptrsv/algorithm/blocked/block_kernel.hpp>
#include <sptrsv/algorithm/blocked/block_plan.hpp>
#include <sptrsv/algorithm/blocked/node_kernel.hpp>
#include <string>
#include <utility>
#include <vector>

#include "on_device.hpp"
#include "spaces.hpp"

namespace sptrsv::test {
namespace {

template <class View>
auto on_host(View const& view) {
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename View::non_const_value_type>(copy.data(), copy.data() + copy.extent(0));
}

struct Cut {
  bool boxes;
  int levels_or_side;
  int warp;
  std::size_t bytes, rows;
};

template <class Space>
class BlockPlans : public ::testing::Test {
 public:
  using T = TypesOf<double, Space>;
  Space exec;
  Problem<double> problem;
  std::vector<int> row, position, block_row, block_slice, slice_row, chunks, halo, level_of;
  std::vector<std::uint64_t> slice_pack, block_halo;
  std::vector<std::uint16_t> col_idx;
  detail::RowShape shape;
  std::size_t scratch = 0;

  void plan(std::string const& matrix, Shape const& solve, Cut const& cut) {
    problem = make_problem<double>(matrix, solve, 1);
    Analysis<T> const analysis(exec, to_pattern<T>(problem.row_ptr, problem.col_idx), solve);
    auto const& sets = analysis.levels(exec);
    shape = detail::row_shape<T>(exec, analysis, cut.warp);
    auto const& rows = analysis.rows(exec);
    auto const groups = detail::take_groups<T>(analysis);
    if (cut.boxes) {
      std::array<int, 3> const sides{cut.levels_or_side, cut.levels_or_side, cut.levels_or_side};
      detail::group_by_boxes<T>(exec, analysis, detail::find_depths<T>(exec, analysis), sides, groups);
    } else {
      detail::group_by_strips<T>(exec, analysis, sets, cut.levels_or_side, groups);
    }
    detail::Workspace<T> of_plan(1);
    detail::BlockCutter<T> cutter(exec, analysis, sets, shape, of_plan);
    auto made = cutter.cut(groups, cut.bytes, cut.rows);
    detail::number_columns<T>(exec, analysis.workspace(), of_plan, rows, made, cutter.slice_of());
    row = on_host(made.row);
    position = on_host(made.position);
    block_row = on_host(made.block_row);
    block_slice = on_host(made.block_slice);
    slice_row = on_host(made.slice_row);
    slice_pack = on_host(made.slice_pack);
    chunks = on_host(made.slice_chunks);
    block_halo = on_host(made.block_halo);
    halo = on_host(made.halo);
    col_idx = on_host(made.col_idx);
    level_of = on_host(sets.level_of);
    scratch = made.scratch_bytes;
    if (shape.entries == 2) {
      EXPECT_LE(made.most_chunks, 1);
    }
  }

  /// Returns the columns of op(T) in a row, without the diagonal.
  std::vector<int> columns_of(int i) const {
    std::vector<int> out;
    for (auto const& [j, value] : problem.op.rows[i])
      if (j != i) out.push_back(static_cast<int>(j));
    return out;
  }

  void expect_every_row_once() const {
    auto sorted = row;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < problem.num_rows(); ++i) {
      ASSERT_EQ(sorted[i], i);
      ASSERT_EQ(row[position[i]], i);
    }
    ASSERT_EQ(block_row.front(), 0);
    ASSERT_EQ(block_row.back(), problem.num_rows());
    ASSERT_TRUE(std::is_sorted(block_row.begin(), block_row.end(), std::less_equal<>())) << "an empty block";
    ASSERT_EQ(slice_row.back(), problem.num_rows());
  }

  /// Checks slices, columns and halo values of a block.
  void expect_block(std::size_t b) {
    int const first = block_row[b], last = block_row[b + 1], rows = last - first;
    std::vector<int> const needed(halo.begin() + block_halo[b], halo.begin() + block_halo[b + 1]);
    for (int const p : needed) ASSERT_LT(p, first) << "waits for a later block";
    ASSERT_EQ(slice_row[block_slice[b]], first);
    ASSERT_EQ(slice_row[block_slice[b + 1]], last);
    bool const is_long = chunks[block_slice[b]] == 0;
    if (is_long) {
      ASSERT_EQ(rows, 1);
      auto expected = columns_of(row[first]);
      ASSERT_GT(static_cast<int>(expected.size()), detail::BlockedTuning::long_row);
      for (int& j : expected) j = position[j];
      auto found = needed;
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected);
      ASSERT_GE(scratch, detail::BlockedTuning::long_row_parts * sizeof(typename T::scalar) + 16);
      return;
    }
    ASSERT_EQ(std::set<int>(needed.begin(), needed.end()).size(), needed.size()) << "fetched twice";
    int used = 0;  // halo values that the rows so far need; they are stored in the order of need
    for (int s = block_slice[b]; s < block_slice[b + 1]; ++s) {
      ASSERT_LE(slice_row[s + 1] - slice_row[s], shape.rows_per_slice);
      for (int p = slice_row[s]; p < slice_row[s + 1]; ++p) {
        ASSERT_EQ(level_of[row[p]], level_of[row[slice_row[s]]]);
        expect_row(s, p, first, rows, needed, used);
      }
    }
    ASSERT_EQ(used, static_cast<int>(needed.size())) << "fetched for nothing";
    std::size_t const bytes = detail::block_scratch_bytes<T>(
        shape, (slice_pack[block_slice[b + 1]] - slice_pack[block_slice[b]]) * shape.entries, rows,
        block_slice[b + 1] - block_slice[b], needed.size());
    ASSERT_LE(bytes, scratch);
  }
  void expect_row(int s, int p, int first, int rows, std::vector<int> const& needed, int& used) {
    auto const lanes = static_cast<std::uint64_t>(shape.lanes);
    auto const rows_of_slice = static_cast<std::uint64_t>(slice_row[s + 1] - slice_row[s]);
    std::uint64_t const packs = rows_of_slice * lanes;
    auto const mine = static_cast<std::uint64_t>(p - slice_row[s]);
    detail::EntryOffsets const offsets{
        shape.lanes,  shape.entries, packs, mine * lanes, static_cast<std::uint64_t>(chunks[s]) * packs + mine,
        rows_of_slice};
    std::uint64_t const base = slice_pack[s] * static_cast<std::uint64_t>(shape.entries);
    std::vector<int> found, halos;
    int latest = -1, earliest_late = INT_MAX;  // levels
    int const early = chunks[s] * shape.width();
    for (int e = 0; e < early + shape.late; ++e) {
      bool const is_deferred = e >= early;
      std::uint64_t const column = is_deferred ? offsets.late(e - early) : offsets.column(e),
                          value = is_deferred ? offsets.late(e - early) : offsets.value(e);
      int const local = col_idx[base + column];
      ASSERT_LT(value, (slice_pack[s + 1] - slice_pack[s]) * static_cast<std::uint64_t>(shape.entries));
      ASSERT_TRUE(values_seen_.insert(base + value).second) << "two entries at one offset";
      if (local == rows + static_cast<int>(needed.size())) continue;  // pads the row
      ASSERT_LT(local, rows + static_cast<int>(needed.size()));
      if (local < rows) {
        ASSERT_LT(level_of[row[first + local]], level_of[row[p]]);
      } else {
        halos.push_back(local - rows);
      }
      found.push_back(local < rows ? first + local : needed[local - rows]);
      int const level = level_of[row[found.back()]];
      if (is_deferred) earliest_late = std::min(earliest_late, level);
      else latest = std::max(latest, level);
    }
    ASSERT_LE(latest, earliest_late) << "an entry is later than a late one";
    std::sort(halos.begin(), halos.end());
    for (int const halo_value : halos) {
      ASSERT_LE(halo_value, used) << "not in the order of need";
      used = std::max(used, halo_value + 1);
    }
    auto expected = columns_of(row[p]);
    for (int& j : expected) j = position[j];
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
  }
  void expect_plan() {
    values_seen_.clear();
    ASSERT_NO_FATAL_FAILURE(expect_every_row_once());
    for (std::size_t b = 0; b + 1 < block_row.size(); ++b) ASSERT_NO_FATAL_FAILURE(expect_block(b)) << "block " << b;
  }

 private:
  std::set<std::uint64_t> values_seen_;
};
TYPED_TEST_SUITE(BlockPlans, Spaces, SpaceNames);

TYPED_TEST(BlockPlans, AreAcyclicAndComplete) {
  std::vector<std::string> const matrices{
      "diagonal:5", "chain:300",    "dense:60",      "lap2d:25",       "lap3d:9",      "stencil27:6",    "fem3:4",
      "rmat:7,6",   "powerlaw:900", "band:400,9,60", "arrow_down:700", "arrow_up:700", "lap2d:20,random"};
  std::vector<Cut> const cuts{{false, 4, 32, 3000, 50},
                              {false, 32, 1, 45000, 1024},
                              {false, 1000, 64, 45000, 1024},
                              {true, 4, 32, 45000, 1024},
                              {true, 3, 1, 2000, 7}};
  for (auto const& matrix : matrices)
    for (auto const& cut : cuts)
      for (Triangle const triangle : {Triangle::lower, Triangle::upper})
        for (Op const op : {Op::none, Op::transpose}) {
          SCOPED_TRACE(matrix + (cut.boxes ? ", boxes, " : ", strips, ") + std::to_string(cut.levels_or_side) +
                       (triangle == Triangle::lower ? ", lower" : ", upper") + (op == Op::none ? "" : ", transposed"));
          this->plan(matrix, {triangle, Diagonal::stored, op}, cut);
          ASSERT_NO_FATAL_FAILURE(this->expect_plan());
        }
}

/// Checks that blocks of a grid have about the requested number of rows if cuts are cheap.
TYPED_TEST(BlockPlans, BoxesOfAGridAreFull) {
  this->plan("lap2d:64", {}, {true, 16, 32, 45000, 1024});
  EXPECT_EQ(this->block_row.size() - 1, 16u);
  this->plan("lap3d:24", {}, {true, 8, 32, 45000, 1024});
  EXPECT_EQ(this->block_row.size() - 1, 27u);
}

/// Checks that depths computed from the rows' numbers do not decrease along an entry, and differ along it in the
/// entry's direction or a later one.
TYPED_TEST(BlockPlans, GridsNumberedLineByLineNeedNoSweep) {
  using T = typename TestFixture::T;
  for (auto const& [spec, grid] : std::vector<std::pair<std::string, bool>>{{"lap2d:50", true},
                                                                            {"lap3d:23", true},
                                                                            {"stencil27:17", true},
                                                                            {"fem3:9", true},
                                                                            {"lap3d:17,random", false},
                                                                            {"lap2d:50,rcm", false},
                                                                            {"lap2d:2", false},
                                                                            {"band:3000,8,90", false},
                                                                            {"rmat:10,8", false}})
    for (bool const upper : {false, true})
      for (Op const op : {Op::none, Op::transpose}) {
        SCOPED_TRACE(spec + (upper ? " upper" : " lower") + (op == Op::none ? "" : " transposed"));
        Shape const shape{upper ? Triangle::upper : Triangle::lower, Diagonal::stored, op};
        this->problem = make_problem<double>(spec, shape, 1);
        Analysis<T> const analysis(this->exec, to_pattern<T>(this->problem.row_ptr, this->problem.col_idx), shape);
        auto const& directions = analysis.directions(this->exec);
        auto const& lines = analysis.grid(this->exec);
        auto const n = static_cast<std::size_t>(this->problem.num_rows());
        Kokkos::View<std::uint64_t*, typename T::device> depths("depths", n);
        bool const found = lines.found() && detail::depths_by_grid<T>(this->exec, analysis, directions, lines, depths);
        EXPECT_EQ(found, grid);
        if (!found) continue;
        auto const swept = on_host(analysis.levels(this->exec, LevelMethod::sweep).level_of);
        Kokkos::View<int*, typename T::device> level_of("level_of", n);
        bool const ascending = shape.ascending();
        int const deepest =
            detail::level_of_by_grid<T>(this->exec, analysis.rows(this->exec), ascending, lines, level_of);
        EXPECT_EQ(deepest, *std::max_element(swept.begin(), swept.end()));
        EXPECT_EQ(on_host(level_of), swept);
        auto const of = on_host(depths);
        std::set<std::uint64_t> different(of.begin(), of.end());
        EXPECT_EQ(different.size(), n);
        for (std::size_t i = 0; i < n; ++i)
          for (int const j : this->columns_of(static_cast<int>(i)))
            for (int d = 0; d < directions.count(); ++d)
              EXPECT_LE(detail::Depths::of(of[static_cast<std::size_t>(j)], d), detail::Depths::of(of[i], d));
      }
}

TEST(BoxSides, FewestBoxesFromCornerToCorner) {
  using Sides = std::array<int, 3>;
  auto const boxes = [](Sides const& extent, Sides const& side) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) sum += static_cast<double>(extent[d]) / side[d];
    return sum;
  };
  EXPECT_EQ(detail::sides_of_boxes({100, 100, 100}, 512, {}), (Sides{8, 8, 8}));
  EXPECT_EQ(detail::sides_of_boxes({5, 1, 1}, 100, {}), (Sides{5, 1, 1}));
  EXPECT_EQ(detail::sides_of_boxes({100, 100, 1}, 0.5, {}), (Sides{1, 1, 1}));
  for (Sides const& extent : {Sides{1000, 1000, 1}, Sides{400, 25, 1}, Sides{96, 32, 32}, Sides{7, 5000, 3}})
    for (double const rows : {1.0, 27.0, 45.9, 800.0}) {
      auto const chosen = detail::sides_of_boxes(extent, rows, {});
      EXPECT_LE(chosen[0] * chosen[1] * chosen[2], rows);
      for (int a = 1; a <= extent[0]; ++a)
        for (int b = 1; b <= extent[1] && a * b <= rows; ++b)
          for (int c = 1; c <= extent[2] && a * b * c <= rows; ++c)
            EXPECT_LE(boxes(extent, chosen), boxes(extent, {a, b, c})) << a << " x " << b << " x " << c;
    }
  EXPECT_EQ(detail::sides_of_boxes({100, 100, 100}, 512, {INT_MAX, 3, 0}), (Sides{INT_MAX, 3, 1}));
  EXPECT_EQ(detail::sides_of_boxes({100, 100, 100}, 512, {0, 0, 2}), (Sides{22, 23, 2}));  // 506 rows
}

TEST(BoxSides, NoLimitOfRowsTakesNoLongTime) {
  auto const begin = std::chrono::steady_clock::now();
  auto const chosen = detail::sides_of_boxes({1'000'000, 40'000, 1}, INT_MAX, {});
  EXPECT_LE(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5);
  double const product = static_cast<double>(chosen[0]) * chosen[1];
  EXPECT_LE(product, INT_MAX);
  EXPECT_LE(1e6 / chosen[0] + 4e4 / chosen[1], 1.001 * 2 * std::sqrt(1e6 * 4e4 / INT_MAX));
  EXPECT_EQ(detail::sides_of_boxes({1'000'003, 1, 1}, INT_MAX, {}), (std::array<int, 3>{1'000'003, 1, 1}));
}

/// Checks that the arrays of a block in scratch memory are disjoint, aligned and within the requested bytes.
template <class S, class Stored, int Entries>
void expect_places(bool unit, int rows, int halos, int slices, int packs) {
  using T = TypesOf<S, Kokkos::DefaultHostExecutionSpace>;
  using Kernel = detail::BlockOnDevice<T, Stored, Entries, false, false>;
  detail::RowShape shape;
  shape.value_bytes = sizeof(Stored);
  std::size_t const bytes = detail::block_scratch_bytes<T>(shape, packs * Entries, rows, slices, halos);
  std::vector<char> memory(bytes + 64);
  auto const start = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  auto const staged = Kernel::place(reinterpret_cast<char*>(start), unit, rows, halos, slices, packs);
  std::vector<std::pair<void const*, void const*>> const parts{{staged.values, staged.values + packs * (Entries / 2)},
                                                               {staged.columns, staged.columns + packs},
                                                               {staged.slice, staged.slice + slices},
                                                               {staged.b, staged.b + rows},
                                                               {staged.pivot, staged.pivot + (unit ? 0 : rows)},
                                                               {staged.x, staged.x + rows + halos + 1}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts[k].first) % 16, 0u) << "part " << k;
    if (k > 0) {
      EXPECT_GE(parts[k].first, parts[k - 1].second) << "part " << k;
    }
  }
  EXPECT_LE(reinterpret_cast<std::uintptr_t>(parts.back().second), start + bytes - 16);
}
TEST(BlockPlaces, AreAlignedForAllScalars) {
  for (bool const unit : {false, true})
    for (int rows = 1; rows < 6; ++rows)
      for (int halos = 0; halos < 4; ++halos)
        for (int slices = 1; slices <= rows; ++slices)
          for (int packs = 1; packs < 7; ++packs) {
            using Kokkos::complex;
            expect_places<double, double, 2>(unit, rows, halos, slices, packs);
            expect_places<double, float, 2>(unit, rows, halos, slices, packs);
            expect_places<double, float, 4>(unit, rows, halos, slices, packs);
            expect_places<float, float, 2>(unit, rows, halos, slices, packs);
            expect_places<float, float, 4>(unit, rows, halos, slices, packs);
            expect_places<complex<float>, complex<float>, 2>(unit, rows, halos, slices, packs);
            expect_places<complex<double>, complex<float>, 2>(unit, rows, halos, slices, packs);
            expect_places<complex<double>, complex<double>, 4>(unit, rows, halos, slices, packs);
          }
}

/// Checks that the arrays of a block of nodes in scratch memory are disjoint, aligned and within the requested bytes.
template <class S, int Size>
void expect_node_places(int nodes, int halos, int slices, int packs) {
  using T = TypesOf<S, Kokkos::DefaultHostExecutionSpace>;
  using Kernel = detail::NodesOnDevice<T, Size>;
  auto const shape = detail::RowShape::of_nodes(Size, 1, sizeof(S));
  std::size_t const bytes = detail::block_scratch_bytes<T>(shape, packs, nodes, slices, halos);
  std::vector<char> memory(bytes + 64);
  auto const start = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  auto const staged = Kernel::place(reinterpret_cast<char*>(start), nodes, halos, slices, packs);
  auto const end = [](auto* from, int count) { return reinterpret_cast<char const*>(from + count); };
  std::vector<std::pair<char const*, char const*>> const parts{
      {end(staged.values, 0), end(staged.values, packs * Kernel::stride) + 16},
      {end(staged.columns, 0), end(staged.columns, packs) + 16},
      {end(staged.slice, 0), end(staged.slice, slices)},
      {end(staged.b, 0), end(staged.b, nodes * Size)},
      {end(staged.x, 0), end(staged.x, (nodes + halos + 1) * Size)}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts[k].first) % 16, 0u) << "part " << k;
    if (k > 0) {
      EXPECT_GE(parts[k].first, parts[k - 1].second) << "part " << k;
    }
  }
  EXPECT_LE(reinterpret_cast<std::uintptr_t>(parts.back().second), start + bytes - 16);
}
TEST(BlockPlaces, OfNodesAreAlignedForAllScalars) {
  for (int nodes = 1; nodes < 6; ++nodes)
    for (int halos = 0; halos < 4; ++halos)
      for (int slices = 1; slices <= nodes; ++slices)
        for (int packs = 1; packs < 7; ++packs) {
          expect_node_places<double, 3>(nodes, halos, slices, packs);
          expect_node_places<float, 3>(nodes, halos, slices, packs);
          expect_node_places<float, 5>(nodes, halos, slices, packs);
          expect_node_places<Kokkos::complex<float>, 2>(nodes, halos, slices, packs);
          expect_node_places<Kokkos::complex<double>, 3>(nodes, halos, slices, packs);
        }
}

}  // namespace
}  // namespace sptrsv::test
