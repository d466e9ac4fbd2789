// SPDX-License-Identifier: Apache-2.0
// Tests the analysis by its invariants, and the structure of patterns that are known by formula.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <sptrsv/algorithm/levelset/level_kernels.hpp>
#include <sptrsv/algorithm/sync_free/fused.hpp>
#include <sptrsv/triangle/analysis.hpp>
#include <sstream>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

template <class V>
auto to_host(V const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Checks that launches follow each other without a gap, and that a slice has one level, at most the rows of a warp,
/// and belongs to one launch.
TEST(LevelPlan, LaunchesCoverEachPositionOnce) {
  std::uint64_t state = 7;
  auto const draw = [&](int below) {
    return static_cast<int>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % below;
  };
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<int> level_ptr{0};
    for (int l = draw(200); l > 0; --l) level_ptr.push_back(level_ptr.back() + 1 + draw(draw(3) == 0 ? 300 : 3));
    int const shared = 1 + draw(100), per_slice = 1 << draw(6), narrow = 1 + draw(4), piece_rows = 32 + draw(100);
    auto plan = detail::plan_levels<int>(level_ptr, shared, per_slice, narrow);
    detail::cut_into_pieces(plan, piece_rows);
    std::set<int> const bounds(level_ptr.begin(), level_ptr.end());
    using Launch = detail::LevelLaunch<int>;
    int at = 0;
    for (auto const& launch : plan.launches) {
      ASSERT_EQ(launch.first, at);
      at = launch.last;
      if (launch.kind == Launch::one_level) {
        EXPECT_EQ(launch.levels, 1);
        EXPECT_GT(launch.last - launch.first, shared);
        continue;
      }
      ASSERT_EQ(plan.slice_ptr[launch.first_slice], launch.first);
      ASSERT_EQ(plan.slice_ptr[launch.last_slice], launch.last);
      for (int s = launch.first_slice; s < launch.last_slice; ++s) {
        int const begin = plan.slice_ptr[s], end = plan.slice_ptr[s + 1];
        EXPECT_LT(begin, end);
        EXPECT_LE(end - begin, per_slice);
        EXPECT_GE(*bounds.upper_bound(begin), end) << "a slice of two levels";
      }
      if (launch.kind != Launch::one_team) continue;
      EXPECT_EQ(plan.piece_ptr[launch.first_piece], launch.first_slice);
      EXPECT_EQ(plan.piece_ptr[launch.last_piece], launch.last_slice);
      for (int p = launch.first_piece; p < launch.last_piece; ++p)
        EXPECT_LE(plan.slice_ptr[plan.piece_ptr[p + 1]] - plan.slice_ptr[plan.piece_ptr[p]],
                  std::max(piece_rows, per_slice));
    }
    EXPECT_EQ(at, level_ptr.back());
  }
}

/// Analysis of a generated problem, and op(T)'s off-diagonals by rows on the host.
template <class Space>
struct Analyzed {
  using T = TypesOf<double, Space>;
  Space exec;
  Problem<double> problem;
  Analysis<T> analysis;

  Analyzed(std::string const& spec, Shape shape)
      : problem(make_problem<double>(spec, shape)), analysis(exec, to_pattern<T>(problem), shape) {}

  std::set<int> needs(int i) const {
    std::set<int> rows;
    for (auto const& e : problem.op.rows[i])
      if (e.col != i) rows.insert(static_cast<int>(e.col));
    return rows;
  }
};

std::vector<std::string> const specs{"diagonal:0",    "diagonal:1",    "diagonal:9",  "chain:40",
                                     "dense:20",      "arrow_down:50", "arrow_up:50", "lap2d:13",
                                     "band:300,6,50", "powerlaw:400",  "rmat:7,5"};

template <class Space>
class AnalysisTest : public ::testing::Test {
 protected:
  template <class F>
  static void for_each_case(F const& f) {
    for (auto const& spec : specs)
      for (auto const& shape : all_shapes()) {
        SCOPED_TRACE(spec + " " + text(shape.triangle) + " " + text(shape.op) + " " + text(shape.diagonal));
        Analyzed<Space> const a(spec, shape);
        f(a);
      }
  }

  template <class T>
  static void check_levels(Analyzed<Space> const& a, LevelSets<T> const& sets) {
    int const n = a.problem.num_rows();
    auto const level_of = to_host(sets.level_of);
    auto const level_rows = to_host(sets.level_rows);
    ASSERT_EQ(sets.level_ptr.front(), 0);
    ASSERT_EQ(sets.level_ptr.back(), n);
    std::vector<int> seen(n, 0);
    for (int l = 0; l < sets.num_levels(); ++l) {
      ASSERT_GT(sets.rows_in_level(l), 0) << "level " << l << " is empty";
      for (int p = sets.level_ptr[l]; p < sets.level_ptr[l + 1]; ++p) {
        int const i = level_rows(p);
        ++seen.at(i);
        ASSERT_EQ(level_of(i), l);
        int highest = -1;
        for (int const j : a.needs(i)) highest = std::max(highest, level_of(j));
        ASSERT_EQ(highest, l - 1) << "row " << i;
        ASSERT_TRUE(p == sets.level_ptr[l] || level_rows(p - 1) < i) << "level " << l << " does not ascend";
      }
    }
    for (int i = 0; i < n; ++i) ASSERT_EQ(seen[i], 1) << "row " << i;
  }
};
TYPED_TEST_SUITE(AnalysisTest, Spaces, SpaceNames);

TYPED_TEST(AnalysisTest, LevelSetsAreTheLongestPathsByEitherMethod) {
  this->for_each_case([&](Analyzed<TypeParam> const& a) {
    using T = typename Analyzed<TypeParam>::T;
    bool const ascending = a.analysis.shape().ascending();
    auto const by_rows = level_sets_from_rows<T>(a.exec, a.analysis.workspace(), a.analysis.rows(a.exec), ascending,
                                                 a.analysis.longest_row(a.exec));
    auto const by_columns = level_sets_from_columns<T>(a.exec, a.analysis.workspace(), a.analysis.columns(a.exec));
    this->check_levels(a, by_rows);
    this->check_levels(a, by_columns);
    EXPECT_EQ(by_rows.level_ptr, by_columns.level_ptr);
    auto const rows = to_host(by_rows.level_rows), rows_by_columns = to_host(by_columns.level_rows);
    for (std::size_t p = 0; p < rows.extent(0); ++p) ASSERT_EQ(rows(p), rows_by_columns(p));
    this->check_levels(a, a.analysis.levels(a.exec));
  });
}

TYPED_TEST(AnalysisTest, RowsAndColumnsHoldEachEntryOnceAndKnowItsSource) {
  this->for_each_case([&](Analyzed<TypeParam> const& a) {
    auto const& rows = a.analysis.rows(a.exec);
    auto const& columns = a.analysis.columns(a.exec);
    auto const check = [&](auto const& part, bool by_rows) {
      auto const row_ptr = to_host(part.row_ptr), source = to_host(part.source);
      auto const col_idx = to_host(part.col_idx);
      long long count = 0;
      for (int r = 0; r < part.num_rows; ++r)
        for (int k = row_ptr(r) + part.front; k < row_ptr(r + 1) - part.back; ++k, ++count) {
          int const i = by_rows ? r : col_idx(k), j = by_rows ? col_idx(k) : r;
          int const at = part.source.extent(0) ? source(k) : k;
          bool const flip = a.problem.shape.transposed();
          int const stored_row = flip ? j : i, stored_col = flip ? i : j;
          ASSERT_EQ(a.problem.col_idx[at], stored_col);
          ASSERT_LE(a.problem.row_ptr[stored_row], at);
          ASSERT_LT(at, a.problem.row_ptr[stored_row + 1]);
          ASSERT_TRUE(a.needs(i).count(j));
        }
      EXPECT_EQ(count, a.analysis.num_off_diagonals());
      EXPECT_EQ(a.analysis.values_needed(), a.problem.values.size());
    };
    check(rows, true);
    check(columns, false);
  });
}

/// Checks lines, planes and level increments of grids numbered line by line; for other patterns there must be none, or
/// such as the check of all levels refuses.
TYPED_TEST(AnalysisTest, LinesOfGridsAreFound) {
  struct Grid {
    char const* spec;
    long long line, plane, level_per_y, level_per_z;
  };
  for (auto const& g : {Grid{"lap2d:50", 50, 2500, 1, 0}, Grid{"lap3d:20", 20, 400, 1, 1},
                        Grid{"stencil27:14", 14, 196, 2, 4}, Grid{"fem3:12", 36, 432, 6, 12}})
    for (bool const upper : {false, true}) {
      SCOPED_TRACE(std::string(g.spec) + (upper ? " upper" : ""));
      Analyzed<TypeParam> const a(g.spec, {upper ? Triangle::upper : Triangle::lower, Diagonal::stored, Op::none});
      auto const& lines = a.analysis.grid(a.exec);
      ASSERT_TRUE(lines.found());
      EXPECT_EQ(lines.line, g.line);
      EXPECT_EQ(lines.plane, g.plane);
      EXPECT_EQ(lines.level_per_y, g.level_per_y);
      EXPECT_EQ(lines.level_per_z, g.level_per_z);
    }
  for (char const* spec : {"chain:4000", "diagonal:500", "dense:40"}) {
    Analyzed<TypeParam> const a(spec, {Triangle::lower, Diagonal::stored, Op::none});
    EXPECT_FALSE(a.analysis.grid(a.exec).found()) << spec;
  }
}

/// Checks that faults in rows so long that a GPU gives each a team are reported as those in short rows.
TYPED_TEST(AnalysisTest, LongRowsAreInspected) {
  using T = TypesOf<double, TypeParam>;
  TypeParam const exec;
  int const n = 1200, row = 1100;  // every row i >= 700 needs all earlier rows
  auto const make = [&](auto const& change) {
    std::vector<int> row_ptr{0}, col_idx;
    for (int i = 0; i < n; ++i) {
      if (i >= 700)
        for (int j = 0; j < i; ++j) col_idx.push_back(j);
      col_idx.push_back(i);
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    change(row_ptr, col_idx);
    return Analysis<T>(exec, to_pattern<T>(row_ptr, col_idx), {});
  };
  auto const good = make([](auto&, auto&) {});
  EXPECT_EQ(good.longest_row(exec), n - 1);
  EXPECT_EQ(good.levels(exec).num_levels(), 501);
  EXPECT_THROW(make([&](auto& row_ptr, auto& col_idx) { col_idx[row_ptr[row] + 600] = n; }), InvalidPattern);
  EXPECT_THROW(make([&](auto& row_ptr, auto& col_idx) { col_idx[row_ptr[row] + 600] = -1; }), InvalidPattern);
  EXPECT_THROW(make([&](auto& row_ptr, auto& col_idx) { col_idx[row_ptr[row + 1] - 1] = 3; }), MissingDiagonal);
  EXPECT_THROW(make([&](auto& row_ptr, auto& col_idx) { col_idx[row_ptr[row] + 600] = row + 1; }), NotTriangular);
  try {
    make([&](auto& row_ptr, auto& col_idx) {
      col_idx[row_ptr[row] + 600] = row + 1;
      col_idx[row_ptr[row + 50] + 600] = row + 60;
    });
    FAIL() << "rows on the wrong side were taken";
  } catch (NotTriangular const& e) {
    EXPECT_NE(std::string(e.what()).find("row 1100"), std::string::npos) << e.what();
  }
}

struct Known {
  std::string spec;
  long long rows, entries, longest, longest_column, levels, narrowest, widest;
};

TYPED_TEST(AnalysisTest, FusedUnitsFollowTheMeanOfEachBlock) {
  using T = TypesOf<double, TypeParam>;
  bool mixed = false;
  this->for_each_case([&](auto const& a) {
    int const n = a.problem.num_rows();
    bool const ascending = a.analysis.shape().ascending();
    for (int const block_rows : {1, 5, 32})
      for (int const threshold : {0, 1, 2, 5, 1000}) {
        std::vector<int> expected;
        int warp_rows = 0;
        for (int first = 0; first < n; first += block_rows) {
          int const rows = std::min(block_rows, n - first);
          std::size_t entries = 0;
          for (int s = first; s < first + rows; ++s) entries += a.needs(ascending ? s : n - 1 - s).size();
          bool const warp = entries >= static_cast<std::size_t>(threshold * rows);
          for (int s = first; s < first + (warp ? rows : 1); ++s) expected.push_back(s);
          warp_rows += warp ? rows : 0;
        }
        auto const units =
            detail::make_fused_units<T>(a.exec, {a.analysis.rows(a.exec), block_rows, threshold, ascending});
        ASSERT_EQ(units.count, static_cast<int>(expected.size()));
        EXPECT_EQ(units.warp_rows, warp_rows);
        mixed = mixed || (warp_rows > 0 && warp_rows < n);
        if (n == 0) continue;
        expected.push_back(n);
        auto const first = to_host(units.first);
        for (std::size_t u = 0; u < expected.size(); ++u) ASSERT_EQ(first(u), expected[u]) << "unit " << u;
      }
  });
  EXPECT_TRUE(mixed) << "no case has blocks of both kinds";
}

TYPED_TEST(AnalysisTest, StructureOfKnownPatterns) {
  std::vector<Known> const known{{"diagonal:0", 0, 0, 0, 0, 0, 0, 0},      {"diagonal:1", 1, 1, 0, 0, 1, 1, 1},
                                 {"diagonal:50", 50, 50, 0, 0, 1, 50, 50}, {"chain:50", 50, 99, 1, 1, 50, 1, 1},
                                 {"dense:20", 20, 210, 19, 19, 20, 1, 1},  {"arrow_down:50", 50, 99, 49, 1, 2, 1, 49},
                                 {"arrow_up:50", 50, 99, 1, 49, 2, 1, 49}, {"lap2d:10", 100, 280, 2, 2, 19, 1, 10},
                                 {"lap3d:4", 64, 208, 3, 3, 10, 1, 12}};
  for (auto const& k : known)
    for (auto op : {Op::none, Op::transpose}) {
      SCOPED_TRACE(k.spec);
      Analyzed<TypeParam> a(k.spec, {Triangle::lower, Diagonal::stored, op});
      auto const s = a.analysis.structure(a.exec);
      EXPECT_EQ(s.rows, k.rows);
      EXPECT_EQ(s.entries, k.entries);
      EXPECT_EQ(s.longest_row, op == Op::none ? k.longest : k.longest_column);
      a.analysis.drop_kept(a.exec);
      a.analysis.rows(a.exec);  // for a transpose, from now on the longest row is found in its rows
      EXPECT_EQ(a.analysis.longest_row(a.exec), s.longest_row);
      EXPECT_EQ(s.levels, k.levels);
      EXPECT_EQ(s.narrowest_level, k.narrowest);
      EXPECT_EQ(s.widest_level, k.widest);
      EXPECT_DOUBLE_EQ(s.mean_level, k.levels ? double(k.rows) / double(k.levels) : 0.0);
      EXPECT_DOUBLE_EQ(s.mean_row, k.rows ? double(k.entries - k.rows) / double(k.rows) : 0.0);
    }
  std::ostringstream text;
  text << Analyzed<TypeParam>("lap2d:20", {}).analysis.structure(TypeParam());
  EXPECT_EQ(
      text.str(),
      "rows 400, entries 1160, entries per row mean 1.9 longest 2, levels 39, rows per level mean 10.2564 min 1 max "
      "20");
}

TYPED_TEST(AnalysisTest, WideLevelsAlternateWithChains) {
  // wide and narrow levels alternate, around the limit at which root candidates change kernels
  using T = TypesOf<double, TypeParam>;
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<int> const widths{3000, 1, 1, 2500, 2500, 2, 5000};
  int first = 0, before = 0;
  for (std::size_t l = 0; l < widths.size(); ++l) {
    for (int i = 0; i < widths[l]; ++i) {
      if (l > 0) col_idx.push_back(before + i % (first - before));
      col_idx.push_back(first + i);
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    before = first;
    first += widths[l];
  }
  TypeParam const exec;
  Analysis<T> const analysis(exec, to_pattern<T>(row_ptr, col_idx), {});
  for (auto const& sets :
       {level_sets_from_rows<T>(exec, analysis.workspace(), analysis.rows(exec), true, analysis.longest_row(exec)),
        level_sets_from_columns<T>(exec, analysis.workspace(), analysis.columns(exec))}) {
    ASSERT_EQ(sets.num_levels(), static_cast<int>(widths.size()));
    for (std::size_t l = 0; l < widths.size(); ++l) EXPECT_EQ(sets.rows_in_level(static_cast<int>(l)), widths[l]);
    auto const rows = to_host(sets.level_rows);  // numbered by level
    for (int p = 0; p < first; ++p) ASSERT_EQ(rows(p), p);
  }
}

}  // namespace
}  // namespace sptrsv::test
