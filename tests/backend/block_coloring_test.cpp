// SPDX-License-Identifier: Apache-2.0
// Tests the ordering by colors of blocks by its invariants, and the shapes of its blocks.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <sptrsv/ordering/block_coloring.hpp>

#include "sptrsv_support/generators.hpp"

namespace sptrsv::test {
namespace {

Graph<int> graph_of(std::string const& spec) {
  auto const a = support::generate(spec);
  std::vector<int> const row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col_idx(a.col_idx.begin(), a.col_idx.end());
  return symmetric_graph<int>(static_cast<int>(a.num_rows), row_ptr.data(), col_idx.data());
}
std::vector<int> boxes_of(Graph<int> const& graph, int size) {
  return detail::boxes(graph, detail::directions_of(graph), size);
}

/// Checks that blocks have at most `size` vertices and are numbered by their first vertices.
void check_blocks(std::vector<int> const& block_of, int n, int size) {
  ASSERT_EQ(static_cast<int>(block_of.size()), n);
  std::vector<int> members;
  for (int const b : block_of) {
    ASSERT_LE(b, static_cast<int>(members.size()));
    if (b == static_cast<int>(members.size())) members.push_back(0);
    ASSERT_LE(++members[static_cast<std::size_t>(b)], size);
  }
}

/// Checks that the order has each vertex once, with its block contiguous and ascending, and that no neighbor is in
/// another block of its color.
void check_order(Graph<int> const& graph, Coloring<int> const& c, std::vector<int> const& block_ptr, int size) {
  int const n = graph.num_vertices();
  ASSERT_EQ(static_cast<int>(c.color_rows.size()), n);
  ASSERT_EQ(c.color_ptr.front(), 0);
  ASSERT_EQ(c.color_ptr.back(), n);
  ASSERT_EQ(block_ptr.front(), 0);
  ASSERT_EQ(block_ptr.back(), n);
  std::vector<int> block_of(static_cast<std::size_t>(n), -1);
  std::set<int> const ends(block_ptr.begin(), block_ptr.end());
  for (int const end : c.color_ptr) EXPECT_EQ(ends.count(end), 1u) << "a color ends within a block";
  for (std::size_t b = 0; b + 1 < block_ptr.size(); ++b) {
    ASSERT_GT(block_ptr[b + 1], block_ptr[b]);
    ASSERT_LE(block_ptr[b + 1] - block_ptr[b], size);
    for (int p = block_ptr[b]; p < block_ptr[b + 1]; ++p) {
      int const v = c.color_rows[static_cast<std::size_t>(p)];
      ASSERT_EQ(block_of[static_cast<std::size_t>(v)], -1);
      block_of[static_cast<std::size_t>(v)] = static_cast<int>(b);
      ASSERT_TRUE(p == block_ptr[b] || c.color_rows[static_cast<std::size_t>(p) - 1] < v);
    }
  }
  for (int color = 0; color < c.num_colors(); ++color) {
    ASSERT_GT(c.size(color), 0);
    for (int p = c.color_ptr[color]; p < c.color_ptr[color + 1]; ++p) ASSERT_EQ(c.color_of[c.color_rows[p]], color);
  }
  for (int v = 0; v < n; ++v)
    for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k) {
      int const u = graph.col_idx[k];
      ASSERT_TRUE(block_of[v] == block_of[u] || c.color_of[v] != c.color_of[u]) << v << " and " << u;
    }
}

TEST(BlockColoring, OrdersHaveIndependentBlocks) {
  for (std::string const spec :
       {"diagonal:0", "diagonal:7", "chain:60", "dense:70", "arrow_down:90", "lap2d:17", "lap3d:6", "stencil27:7",
        "fem2d:9", "rmat:8,6", "powerlaw:600", "kkt2:200", "lap2d:30,random", "lap3d:9,rcm"})
    for (int const size : {1, 2, 7, 64, 100000})
      for (int const colors : {0, 1, 2, 8, 50})
        for (int const distance : {1, 2}) {
          SCOPED_TRACE(spec + ", blocks of " + std::to_string(size) + ", " + std::to_string(colors) +
                       " colors, distance " + std::to_string(distance));
          auto const graph = graph_of(spec);
          std::vector<int> block_ptr;
          auto const order = color_blocks(graph, {size, colors, distance}, &block_ptr);
          ASSERT_NO_FATAL_FAILURE(check_order(graph, order, block_ptr, size));
        }
}

TEST(BlockColoring, DistanceKeepsBlocksApart) {
  auto const graph = graph_of("lap2d:24");
  std::vector<int> block_ptr;
  auto const order = color_blocks(graph, {16, 4, 3}, &block_ptr);
  ASSERT_NO_FATAL_FAILURE(check_order(graph_power(graph, 3), order, block_ptr, 16));
}

TEST(BlockColoring, WideStencilsHaveLargerBlocks) {
  for (auto const& [spec, most] :
       {std::pair{"lap2d:40", 64}, std::pair{"lap3d:24", 64}, std::pair{"stencil27:24", 256}}) {
    std::vector<int> block_ptr;
    auto const graph = graph_of(spec);
    auto const order = color_blocks(graph, {}, &block_ptr);
    ASSERT_NO_FATAL_FAILURE(check_order(graph, order, block_ptr, most));
    int largest = 0;
    for (std::size_t b = 0; b + 1 < block_ptr.size(); ++b) largest = std::max(largest, block_ptr[b + 1] - block_ptr[b]);
    EXPECT_GT(largest, most / 2) << spec;
  }
}

TEST(BlockColoring, GridsAreCutIntoBoxes) {
  for (int const side : {20, 22}) {  // divisible by 4, and not
    auto const block_of = boxes_of(graph_of("lap2d:" + std::to_string(side)), 16);
    ASSERT_NO_FATAL_FAILURE(check_blocks(block_of, side * side, 16));
    std::set<std::array<int, 3>> boxes;
    for (int v = 0; v < side * side; ++v) boxes.insert({block_of[v], v % side / 4, v / side / 4});
    EXPECT_EQ(boxes.size(), static_cast<std::size_t>((side + 3) / 4 * ((side + 3) / 4)));
  }
  auto const block_of = boxes_of(graph_of("lap3d:14"), 27);
  ASSERT_NO_FATAL_FAILURE(check_blocks(block_of, 14 * 14 * 14, 27));
  std::set<std::array<int, 4>> boxes;
  for (int v = 0; v < 14 * 14 * 14; ++v) boxes.insert({block_of[v], v % 14 / 3, v / 14 % 14 / 3, v / 196 / 3});
  EXPECT_EQ(boxes.size(), 125u);
  EXPECT_TRUE(boxes_of(graph_of("lap2d:40,random"), 16).empty()) << "no directions are left";
}

/// Checks that the blocks have an order in which edges to greater vertices lead to later blocks.
TEST(BlockColoring, NoBoxWaitsForALaterOne) {
  for (std::string const spec : {"lap2d:22", "lap3d:14", "stencil27:14", "fem2d:20", "chain:100"}) {
    auto const graph = graph_of(spec);
    auto const block_of = boxes_of(graph, 20);
    ASSERT_FALSE(block_of.empty()) << spec;
    ASSERT_NO_FATAL_FAILURE(check_blocks(block_of, graph.num_vertices(), 20));
    std::set<std::pair<int, int>> edges;
    for (int v = 0; v < graph.num_vertices(); ++v)
      for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k)
        if (int const u = graph.col_idx[k]; u < v && block_of[u] != block_of[v])
          edges.insert({block_of[u], block_of[v]});
    std::vector<int> waits_for(1 + static_cast<std::size_t>(*std::max_element(block_of.begin(), block_of.end())), 0);
    for (auto const& edge : edges) ++waits_for[static_cast<std::size_t>(edge.second)];
    std::vector<int> ready;
    for (std::size_t b = 0; b < waits_for.size(); ++b)
      if (waits_for[b] == 0) ready.push_back(static_cast<int>(b));
    for (std::size_t at = 0; at < ready.size(); ++at)
      for (auto edge = edges.lower_bound({ready[at], -1}); edge != edges.end() && edge->first == ready[at]; ++edge)
        if (--waits_for[static_cast<std::size_t>(edge->second)] == 0) ready.push_back(edge->second);
    EXPECT_EQ(ready.size(), waits_for.size()) << spec;
  }
}

TEST(BlockColoring, GrownBlocksAreFull) {
  for (std::string const spec : {"lap2d:40,random", "fem2d:9", "rmat:8,6", "diagonal:100", "chain:33"}) {
    auto const graph = graph_of(spec);
    auto const block_of = detail::grow_blocks(graph, 16);
    ASSERT_NO_FATAL_FAILURE(check_blocks(block_of, graph.num_vertices(), 16));
    EXPECT_EQ(*std::max_element(block_of.begin(), block_of.end()), (graph.num_vertices() - 1) / 16) << spec;
  }
  auto const block_of = detail::grow_blocks(graph_of("lap2d:12"), 16);  // square blocks
  for (int v = 0; v < 144; ++v) EXPECT_EQ(block_of[v], v % 12 / 4 + 3 * (v / 48));
}

/// Checks that on a grid only every eighth box has an earlier neighbor of a greater color; with two colors every second
/// box has one.
TEST(BlockColoring, MostEdgesLeadToGreaterColors) {
  auto const graph = graph_of("lap2d:64");
  auto const falling = [&](int colors) {
    auto const order = color_blocks(graph, {16, colors, 1});
    int count = 0;
    for (int v = 0; v < 64 * 64; ++v)
      for (int k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k)
        count += graph.col_idx[k] < v && order.color_of[graph.col_idx[k]] > order.color_of[v];
    return count;
  };
  int const between = 2 * 15 * 64;  // edges between boxes
  EXPECT_EQ(falling(1000), 0);
  EXPECT_NEAR(falling(8), between / 8, between / 40);
  EXPECT_NEAR(falling(2), between / 2, between / 20);
}

}  // namespace
}  // namespace sptrsv::test
