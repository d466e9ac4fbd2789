// SPDX-License-Identifier: Apache-2.0
// Tests coloring and color sets by their invariants.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <sptrsv/algorithm/colorset/color_set.hpp>
#include <sptrsv/ordering/greedy_colors.hpp>
#include <sptrsv/triangle/analysis.hpp>

#include "solve_cases.hpp"
#include "sptrsv_instances.hpp"

namespace sptrsv::test {
namespace {

Graph<int> graph_of(std::string const& spec) {
  auto const a = support::generate(spec);
  std::vector<int> const row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col_idx(a.col_idx.begin(), a.col_idx.end());
  return symmetric_graph<int>(static_cast<int>(a.num_rows), row_ptr.data(), col_idx.data());
}

/// Checks that the coloring has each vertex once, gives neighbors different colors, and sorts by falling size of the
/// color, then by vertex.
void check_coloring(Graph<int> const& graph, Coloring<int> const& c) {
  int const n = graph.num_vertices();
  ASSERT_EQ(static_cast<int>(c.color_of.size()), n);
  ASSERT_EQ(c.color_ptr.front(), 0);
  ASSERT_EQ(c.color_ptr.back(), n);
  std::vector<int> seen(n, 0);
  for (int color = 0; color < c.num_colors(); ++color) {
    ASSERT_GT(c.size(color), 0);
    EXPECT_LE(c.size(color), c.size(color > 0 ? color - 1 : 0));
    for (int p = c.color_ptr[color]; p < c.color_ptr[color + 1]; ++p) {
      ++seen.at(c.color_rows[p]);
      ASSERT_EQ(c.color_of[c.color_rows[p]], color);
      ASSERT_TRUE(p == c.color_ptr[color] || c.color_rows[p - 1] < c.color_rows[p]);
    }
  }
  for (int v = 0; v < n; ++v) {
    ASSERT_EQ(seen[v], 1);
    for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k)
      ASSERT_NE(c.color_of[v], c.color_of[graph.col_idx[k]]) << v << " and " << graph.col_idx[k];
  }
}

std::vector<std::string> const specs{"diagonal:0",    "diagonal:7",   "chain:60", "dense:70",
                                     "arrow_down:90", "lap2d:17",     "lap3d:6",  "fem2d:9",
                                     "rmat:8,6",      "powerlaw:600", "kkt2:200"};
std::vector<ColorAlgorithm> const algorithms{ColorAlgorithm::serial, ColorAlgorithm::deterministic,
                                             ColorAlgorithm::speculative};

template <class Space>
class ColoringTest : public ::testing::Test {
 protected:
  using exec = std::conditional_t<is_host_space<Space>, Space, Kokkos::DefaultHostExecutionSpace>;
};
TYPED_TEST_SUITE(ColoringTest, Spaces, SpaceNames);

TYPED_TEST(ColoringTest, NoTwoNeighborsShareAColor) {
  for (auto const& spec : specs)
    for (int distance : {1, 2, 3})
      for (auto algorithm : algorithms)
        for (bool balance : {false, true}) {
          SCOPED_TRACE(spec + " distance " + std::to_string(distance) + " algorithm " +
                       std::to_string(static_cast<int>(algorithm)));
          auto const graph = graph_of(spec);
          auto const coloring = color_graph<typename TestFixture::exec>(graph, {algorithm, distance, balance});
          check_coloring(distance == 1 ? graph : graph_power(graph, distance), coloring);
        }
}

TYPED_TEST(ColoringTest, IsTheSameOnEverySpaceAndEveryTime) {
  for (auto const& spec : specs)
    for (auto algorithm : {ColorAlgorithm::serial, ColorAlgorithm::deterministic}) {
      auto const graph = graph_of(spec);
      auto const first = color_graph<typename TestFixture::exec>(graph, {algorithm, 1, true}).color_of;
      EXPECT_EQ(color_graph<typename TestFixture::exec>(graph, {algorithm, 1, true}).color_of, first) << spec;
      EXPECT_EQ(color_graph<Kokkos::DefaultHostExecutionSpace>(graph, {algorithm, 1, true}).color_of, first) << spec;
    }
}

template <class Space>
Coloring<int> color_in_place(std::string const& spec, std::string& fallback_reason, long long most_polls = 1LL << 60) {
  using T = TypesOf<double, Space>;
  auto const a = support::generate(spec);
  return color_on_device<T>(Space(),
                            to_pattern<T>({a.row_ptr.begin(), a.row_ptr.end()}, {a.col_idx.begin(), a.col_idx.end()}),
                            fallback_reason, most_polls);
}

TYPED_TEST(ColoringTest, InPlaceIsThatOfOneThread) {
  for (std::string const spec :
       {"diagonal:0", "diagonal:7", "chain:1", "dense:70", "dense:130", "dense:200", "arrow_down:90", "arrow_up:90",
        "lap2d:17", "lap3d:12", "stencil27:7", "fem3:5", "lap2d:40,random", "fem2d:20,rcm"}) {
    std::string fallback_reason;
    auto const here = color_in_place<TypeParam>(spec, fallback_reason);
    auto const wanted = color_graph<Kokkos::DefaultHostExecutionSpace>(graph_of(spec));
    EXPECT_EQ(fallback_reason, "") << spec;
    EXPECT_EQ(here.color_of, wanted.color_of) << spec;
    EXPECT_EQ(here.color_ptr, wanted.color_ptr) << spec;
    EXPECT_EQ(here.color_rows, wanted.color_rows) << spec;
  }
}

TYPED_TEST(ColoringTest, InPlaceSaysWhyNot) {
  using T = TypesOf<double, TypeParam>;
  std::string fallback_reason;
  auto const try_pattern = [&](std::vector<int> const& row_ptr, std::vector<int> const& col_idx) {
    auto const c = color_on_device<T>(TypeParam(), to_pattern<T>(row_ptr, col_idx), fallback_reason);
    EXPECT_EQ(c.num_colors() == 0, !fallback_reason.empty());
    return fallback_reason;
  };
  EXPECT_EQ(try_pattern({0, 2, 3}, {0, 1, 1}), "the pattern is not symmetric");
  EXPECT_EQ(try_pattern({0, 2, 4}, {1, 0, 0, 1}), "the pattern is not symmetric") << "columns do not ascend";
  EXPECT_EQ(try_pattern({0, 2, 4}, {0, 1, 0, 1}), "");
  EXPECT_EQ(try_pattern({0, 1, 2}, {1, 0}), "") << "no diagonal";
  if constexpr (!is_host_space<TypeParam>) {  // a thread of a host may have no row to wait for
    color_in_place<TypeParam>("chain:300000", fallback_reason, 64);
    EXPECT_EQ(fallback_reason, "too many rows wait for each other");
  }
}

/// Checks the bound that balance_colors() states, and that no further vertex could be moved.
TYPED_TEST(ColoringTest, BalancedSizesKeepTheBound) {
  for (auto const& spec : specs)
    for (auto algorithm : {ColorAlgorithm::serial, ColorAlgorithm::deterministic}) {
      SCOPED_TRACE(spec);
      auto const graph = graph_of(spec);
      auto const before = color_graph<typename TestFixture::exec>(graph, {algorithm, 1, false}),
                 after = color_graph<typename TestFixture::exec>(graph, {algorithm, 1, true});
      int const n = graph.num_vertices(), colors = before.num_colors();
      ASSERT_EQ(after.num_colors(), colors);
      if (n == 0) continue;
      int const most = (n + colors - 1) / colors, least = n / colors, largest = after.size(0),
                smallest = after.size(colors - 1);
      EXPECT_LE(largest, before.size(0));
      EXPECT_GE(smallest, before.size(colors - 1));
      EXPECT_TRUE(smallest >= least || largest <= std::max(most, graph.largest_degree() * smallest))
          << smallest << " to " << largest;
      for (int v = 0; v < n; ++v) {
        if (after.size(after.color_of[v]) <= most) continue;
        std::set<int> taken;
        for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k) taken.insert(after.color_of[graph.col_idx[k]]);
        for (int c = 0; c < colors; ++c)
          EXPECT_TRUE(after.size(c) >= least || taken.count(c)) << "vertex " << v << " could move to color " << c;
      }
    }
}

TEST(Coloring, BalancingMovesWhatMayMove) {  // rmat has a few large colors and many tiny ones
  auto const graph = graph_of("rmat:10,8");
  auto const after = color_graph<Kokkos::DefaultHostExecutionSpace>(graph, {ColorAlgorithm::serial, 1, true});
  int const n = graph.num_vertices(), colors = after.num_colors();
  EXPECT_GE(after.size(colors - 1), n / colors);
  EXPECT_LE(after.size(0), 2 * n / colors);
}

/// Makes a triangle of the graph in the order of its coloring; a vertex has `dof` rows that all depend on each other.
Problem<double> colored_problem(Graph<int> const& graph, Coloring<int> const& coloring, int dof, Shape shape) {
  int const n = graph.num_vertices();
  std::vector<int> position(n);
  for (int p = 0; p < n; ++p) position[coloring.color_rows[p]] = p;
  Problem<double> out;
  out.shape = shape;
  for (int row = 0; row < n * dof; ++row) {
    std::set<int> vertices{row / dof};
    int const v = coloring.color_rows[row / dof];
    for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k) vertices.insert(position[graph.col_idx[k]]);
    for (int const w : vertices)
      for (int col = w * dof; col < (w + 1) * dof; ++col)
        if (shape.triangle == Triangle::lower ? col <= row : col >= row) out.col_idx.push_back(col);
    out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
  }
  set_values(out, 5);
  return out;
}

/// Checks that sets and blocks cover the solve order, and that within its set a row depends only on rows of its block.
void check_sets(Problem<double> const& p, std::vector<int> const& set_ptr, std::vector<int> const& position_ptr,
                std::vector<int> block_ptr) {
  int const n = p.num_rows();
  if (block_ptr.empty()) {
    block_ptr.resize(n + 1);
    std::iota(block_ptr.begin(), block_ptr.end(), 0);
  }
  ASSERT_EQ(set_ptr.size(), position_ptr.size());
  ASSERT_EQ(position_ptr.back(), n);
  ASSERT_EQ(block_ptr[set_ptr.back()], n);
  for (std::size_t s = 0; s + 1 < set_ptr.size(); ++s) {
    ASSERT_EQ(block_ptr[set_ptr[s]], position_ptr[s]);
    for (int block = set_ptr[s]; block < set_ptr[s + 1]; ++block)
      for (int at = block_ptr[block]; at < block_ptr[block + 1]; ++at) {
        int const i = p.shape.ascending() ? at : n - 1 - at;
        for (auto const& e : p.op.rows[i]) {
          int const needed = static_cast<int>(p.shape.ascending() ? e.col : n - 1 - e.col);
          if (needed == at) continue;
          ASSERT_TRUE(needed < position_ptr[s] || (needed >= block_ptr[block] && needed < at))
              << "position " << at << " needs " << needed;
        }
      }
  }
}

template <class V>
std::vector<int> copy_out(V const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

TYPED_TEST(ColoringTest, AFactorHasAtMostAsManySetsAsColors) {
  using T = TypesOf<double, TypeParam>;
  TypeParam const exec;
  for (auto const& spec : specs)
    for (int dof : {1, 3})
      for (auto const& shape : all_shapes()) {
        if (shape.diagonal != Diagonal::stored) continue;
        SCOPED_TRACE(spec + " dof " + std::to_string(dof) + " " + text(shape.triangle) + " " + text(shape.op));
        auto const graph = graph_of(spec);
        auto const coloring = color_graph<typename TestFixture::exec>(graph);
        auto const p = colored_problem(graph, coloring, dof, shape);
        Analysis<T> const analysis(exec, to_pattern<T>(p), shape);
        auto const sets = find_color_sets<T>(exec, analysis.rows(exec), shape.ascending());
        EXPECT_LE(sets.num_sets(), coloring.num_colors());
        check_sets(p, sets.set_ptr, sets.position_ptr, copy_out(sets.block_ptr));
      }
}

TYPED_TEST(ColoringTest, SetsOfAnyTriangleAreIndependent) {
  using T = TypesOf<double, TypeParam>;
  TypeParam const exec;
  for (std::string const spec :
       {"chain:60", "dense:30", "arrow_up:50", "lap2d:13", "lap2d:13,rcm", "band:300,6,50", "powerlaw:400", "rmat:7,5"})
    for (auto const& shape : all_shapes()) {
      auto const p = make_problem<double>(spec, shape);
      Analysis<T> const analysis(exec, to_pattern<T>(p), shape);
      auto const sets = find_color_sets<T>(exec, analysis.rows(exec), shape.ascending());
      check_sets(p, sets.set_ptr, sets.position_ptr, copy_out(sets.block_ptr));
    }
}

TYPED_TEST(ColoringTest, SetsListedByKernelsAreThoseOfTheHost) {
  using T = TypesOf<double, TypeParam>;
  TypeParam const exec;
  for (std::string const spec : {"chain:60", "diagonal:3000", "lap2d:70,color", "lap3d:15,color", "stencil27:9,color",
                                 "kkt2:5000", "lap2d:33", "arrow_up:5000", "rmat:7,5", "powerlaw:400"})
    for (auto const& shape : all_shapes()) {
      SCOPED_TRACE(spec + " " + text(shape.triangle) + " " + text(shape.op));
      auto const p = make_problem<double>(spec, shape);
      Analysis<T> const analysis(exec, to_pattern<T>(p), shape);
      auto const& listed = detail::consecutive_sets_of<T>(exec, analysis);
      std::vector<int> first{0};  // by a pass over the rows in solve order
      bool adjacent = false;
      auto const row_ptr = copy_out(analysis.rows(exec).row_ptr), col_idx = copy_out(analysis.rows(exec).col_idx);
      auto const& rows = analysis.rows(exec);
      int const n = p.num_rows();
      long long entries = 0;
      std::vector<long long> before{0};
      for (int s = 0; s < n; ++s) {
        int const i = shape.ascending() ? s : n - 1 - s;
        int last = -1;
        for (int k = row_ptr[i] + rows.front; k < row_ptr[i + 1] - rows.back; ++k)
          last = std::max(last, shape.ascending() ? col_idx[k] : n - 1 - col_idx[k]);
        adjacent = adjacent || (s > 0 && last == s - 1);
        if (last >= first.back()) {
          first.push_back(s);
          before.push_back(entries);
        }
        entries += row_ptr[i + 1] - rows.back - row_ptr[i] - rows.front;
      }
      EXPECT_EQ(listed.count, static_cast<long long>(first.size()));
      EXPECT_EQ(listed.adjacent, adjacent);
      if (listed.count > detail::ConsecutiveSets<T>::most_listed) {
        EXPECT_TRUE(listed.first.empty());
        continue;
      }
      first.push_back(n);
      before.push_back(entries);
      EXPECT_EQ(std::vector<int>(listed.first.begin(), listed.first.end()), first);
      EXPECT_EQ(std::vector<long long>(listed.before.begin(), listed.before.end()), before);
      if (adjacent) continue;
      auto const sets = find_color_sets<T>(exec, rows, shape.ascending());
      auto const same = detail::sets_of_single_rows<T>(listed);
      EXPECT_EQ(same.set_ptr, sets.set_ptr);
      EXPECT_EQ(same.position_ptr, sets.position_ptr);
      EXPECT_EQ(same.mean_row, sets.mean_row);
      EXPECT_EQ(same.longest_block, sets.longest_block);
    }
}

/// A symmetric pattern whose rows ascend is copied; others, also with an entry missing or another row order, are merged
/// with their transpose.
TEST(Coloring, GraphsOfSymmetricPatternsAreThoseOfOthers) {
  for (std::string const spec : {"lap3d:5", "stencil27:4", "rmat:7,4", "lap2d:9", "chain:30", "diagonal:4"}) {
    auto const graph = graph_of(spec);
    int const n = graph.num_vertices();
    for (std::string const kind : {"symmetric", "without diagonals", "one row out of order", "upper triangle"}) {
      std::vector<int> row_ptr{0}, col_idx;
      for (int i = 0; i < n; ++i) {
        std::vector<int> row;
        for (int k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k)
          if (kind != "upper triangle" || graph.col_idx[k] > i) row.push_back(graph.col_idx[k]);
        if (kind != "without diagonals") row.insert(std::lower_bound(row.begin(), row.end(), i), i);
        if (kind == "one row out of order" && i == n / 2) std::reverse(row.begin(), row.end());
        col_idx.insert(col_idx.end(), row.begin(), row.end());
        row_ptr.push_back(static_cast<int>(col_idx.size()));
      }
      EXPECT_EQ(detail::is_symmetric(n, row_ptr.data(), col_idx.data()),
                kind == "symmetric" || kind == "without diagonals" || graph.degree(n / 2) == 0 ||
                    (kind == "upper triangle" && graph.col_idx.empty()))
          << spec << ", " << kind;
      auto const same = symmetric_graph<int>(n, row_ptr.data(), col_idx.data());
      EXPECT_EQ(same.row_ptr, graph.row_ptr) << spec << ", " << kind;
      EXPECT_EQ(same.col_idx, graph.col_idx) << spec << ", " << kind;
    }
  }
}

TEST(Coloring, GraphsThatIndicesCannotCountAreRefused) {  // a line of 200: at distance 200 there are 200 * 199 pairs
  std::vector<short> row_ptr{0}, col_idx;
  for (short i = 0; i < 200; ++i) {
    col_idx.push_back(i);
    if (i > 0) col_idx.push_back(static_cast<short>(i - 1));
    row_ptr.push_back(static_cast<short>(col_idx.size()));
  }
  auto const line = symmetric_graph<short>(200, row_ptr.data(), col_idx.data());
  EXPECT_EQ(graph_power(line, 2).largest_degree(), 4);
  EXPECT_THROW(graph_power(line, 200), Error);
}

TEST(Coloring, ADistanceBeyondTheWholeGraphIsReachedAtOnce) {
  for (std::string const spec : {"chain:60", "diagonal:7", "rmat:6,3"}) {
    auto const graph = graph_of(spec);
    auto const all = graph_power(graph, graph.num_vertices());
    auto const far = graph_power(graph, std::numeric_limits<int>::max());
    EXPECT_EQ(far.row_ptr, all.row_ptr) << spec;
    EXPECT_EQ(far.col_idx, all.col_idx) << spec;
  }
}

}  // namespace
}  // namespace sptrsv::test
