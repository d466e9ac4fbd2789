// SPDX-License-Identifier: Apache-2.0
// Coloring of blocks of neighboring vertices, and the order of vertices color by color, block by block. Host only.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sptrsv/ordering/block_coloring_tuning.hpp"
#include "sptrsv/ordering/coloring.hpp"
#include "sptrsv/triangle/directions.hpp"

namespace sptrsv {

template <class Index>
struct BlockColorOptions {
  /// Maximum vertices of a block; 0: 256 if vertices have more than 8 neighbors on average, otherwise 64.
  Index size = 0;
  /// Number of colors; 0 means 8 if a block has more than 8 neighbors, otherwise 4. If the neighbors of a block have
  /// all colors, a color is added.
  Index colors = 0;
  int distance = 1;  ///< blocks of one color are more than this number of edges apart; k+1 for k levels of fill

  template <class V>
  void visit(V& v) {
    v.integer("size", size, 0, INT_MAX,
              "rows of a block, or inodes, at most; 0: 256 where rows have more than 8 neighbors, else 64");
    v.integer("colors", colors, 0, 10000,
              "colors; 0: 4, or 8 where blocks have more than 8 neighbors; fewer wait less, more keep more of the "
              "natural order");
    v.integer("distance", distance, 1, 10, "blocks of a color are further apart than that: k+1 with k levels of fill");
  }
};

namespace detail {

template <class Index>
Directions directions_of(Graph<Index> const& graph) {
  Directions::Histogram edges{};
  for (Index v = 0; v < graph.num_vertices(); ++v)
    for (Index k = graph.row_ptr[v]; k < graph.row_ptr[v + 1] && graph.col_idx[k] < v; ++k)
      ++edges[Directions::bin(v - graph.col_idx[k])];
  return Directions(edges);
}

/// Returns the vertices sorted by key; vertices with equal keys ascend. Keys consist of numbers from 0 on.
template <class Index, class Key>
std::vector<Index> sort_by_keys(std::vector<Key> const& key) {
  std::vector<Index> order(key.size()), sorted(key.size());
  std::iota(order.begin(), order.end(), Index(0));
  for (std::size_t d = std::tuple_size<Key>::value; d-- > 0;) {  // last component first, since each sort is stable
    std::vector<Index> begin(1, 0);
    for (auto const& k : key) {
      if (static_cast<std::size_t>(k[d]) + 2 > begin.size()) begin.resize(static_cast<std::size_t>(k[d]) + 2, 0);
      ++begin[k[d] + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (Index const v : order) sorted[begin[key[v][d]]++] = v;
    order.swap(sorted);
  }
  return order;
}

/// Returns the block of each vertex. Vertices with equal keys form blocks of up to `size` vertices, numbered by their
/// first vertices.
/// @param keys  out: number of different keys
template <class Index, class Key>
std::vector<Index> number_blocks(std::vector<Key> const& key, Index size, Index& keys) {
  auto const n = static_cast<Index>(key.size());
  std::vector<Index> const order = sort_by_keys<Index>(key);
  std::vector<Index> first_of(key.size()), number(key.size());
  keys = 0;
  for (Index begin = 0, end = 0; begin < n; begin = end, ++keys) {
    while (end < n && key[order[end]] == key[order[begin]]) ++end;
    Index const parts = (end - begin - 1) / size + 1;
    for (Index part = 0, at = begin; part < parts; ++part) {
      Index const first = at, last = begin + static_cast<Index>(1LL * (end - begin) * (part + 1) / parts);
      for (; at < last; ++at) first_of[order[at]] = order[first];
    }
  }
  Index blocks = 0;
  for (Index v = 0; v < n; ++v) number[v] = first_of[v] == v ? blocks++ : number[first_of[v]];
  return number;
}

/// Returns the block of each vertex in a graph numbered like a grid: a box of depths. The depth in a direction is the
/// maximum number of edges of that direction on a path of ascending numbers to the vertex. Depths do not decrease along
/// an edge, so no block waits for a later one.
/// @return empty if the mean size of boxes is below size / 4 or above 4 size, since the graph is then no grid
template <class Index>
std::vector<Index> boxes(Graph<Index> const& graph, Directions const& directions, Index size) {
  Index const n = graph.num_vertices();
  if (directions.count() == 0) return {};
  std::vector<std::array<Index, Directions::most>> key(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) {
    key[v].fill(0);
    for (Index k = graph.row_ptr[v]; k < graph.row_ptr[v + 1] && graph.col_idx[k] < v; ++k) {
      Index const u = graph.col_idx[k];
      int const direction = directions.of(v - u);
      for (int d = 0; d < Directions::most; ++d) key[v][d] = std::max(key[v][d], key[u][d] + (d == direction));
    }
  }
  auto const side = std::max<Index>(
      1, static_cast<Index>(std::lround(std::pow(static_cast<double>(size), 1.0 / directions.count()))));
  for (auto& depths : key)
    for (Index& depth : depths) depth /= side;
  Index keys = 0;
  auto block_of = number_blocks(key, size, keys);
  double const wanted = static_cast<double>(n) / static_cast<double>(size), found = static_cast<double>(keys);
  if (found > std::max(1.0, 4 * wanted) || 4 * found < wanted) return {};
  return block_of;
}

/// Returns the block of each vertex in any graph. A block starts with the first vertex that is in no block yet. Then it
/// takes the free vertex with the most neighbors in the block, among equals the one that became its neighbor first. If
/// the block has no free neighbors, it takes the first free vertex. All blocks except the last are full.
/// @return blocks numbered by their first vertices
template <class Index>
std::vector<Index> grow_blocks(Graph<Index> const& graph, Index size) {
  struct Candidate {
    Index neighbors, touched, vertex;
    bool operator<(Candidate const& other) const {
      return neighbors != other.neighbors ? neighbors < other.neighbors : touched > other.touched;
    }
  };
  Index const n = graph.num_vertices();
  auto const count = static_cast<std::size_t>(n);
  std::vector<Index> block_of(count, -1), neighbors(count, 0), touched(count, 0), touched_by(count, -1);
  Index first = 0;
  for (Index block = 0, done = 0; done < n; ++block) {
    std::priority_queue<Candidate> queue;
    Index order = 0;
    auto const take = [&](Index v) {
      block_of[v] = block;
      for (Index k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k) {
        Index const u = graph.col_idx[k];
        if (block_of[u] >= 0) continue;
        if (touched_by[u] != block) {
          touched_by[u] = block;
          touched[u] = order++;
          neighbors[u] = 0;
        }
        queue.push({++neighbors[u], touched[u], u});
      }
    };
    for (Index taken = 0; taken < size && done < n; ++taken, ++done) {
      while (!queue.empty() && block_of[queue.top().vertex] >= 0) queue.pop();  // already joined with more neighbors
      while (queue.empty() && block_of[first] >= 0) ++first;
      take(queue.empty() ? first : queue.top().vertex);
    }
  }
  return block_of;
}

/// Returns the graph of blocks: two blocks are neighbors if some of their vertices are.
/// @param block_of  by vertex; every block from 0 to the last one has vertices
/// @throws Error if Index cannot count the pairs of neighbors.
template <class Index>
Graph<Index> quotient_graph(Graph<Index> const& graph, std::vector<Index> const& block_of) {
  Index const blocks = block_of.empty() ? 0 : 1 + *std::max_element(block_of.begin(), block_of.end());
  ByKey<Index> const members(block_of, blocks);
  GraphBuilder<Index> out(blocks);
  for (Index b = 0; b < blocks; ++b)
    out.add_vertex([&] {
      for (Index m = members.begin[b]; m < members.begin[b + 1]; ++m)
        for (Index v = members.number[m], k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k)
          out.add(block_of[graph.col_idx[k]]);
    });
  return std::move(out.graph());
}

/// Returns a color per vertex: the length of the longest path of ascending numbers to it, modulo `colors`. If a
/// neighbor has that color, takes the next free color, or a new one if none is free. Most edges thus lead from a
/// smaller to a greater color: on a path, all except every `colors`-th. Every color up to the maximum is used.
template <class Index>
std::vector<Index> cyclic_colors(Graph<Index> const& graph, Index colors) {
  auto const n = static_cast<std::size_t>(graph.num_vertices());
  std::vector<Index> color_of(n, -1), depth(n, 0), taken_by(static_cast<std::size_t>(colors), -1);
  for (Index v = 0; v < graph.num_vertices(); ++v) {
    for (Index k = graph.row_ptr[v]; k < graph.row_ptr[v + 1] && graph.col_idx[k] < v; ++k) {
      depth[v] = std::max(depth[v], depth[graph.col_idx[k]] + 1);
      taken_by[color_of[graph.col_idx[k]]] = v;
    }
    auto const last = static_cast<Index>(taken_by.size() - 1);
    Index color = depth[v] % colors;
    for (Index tried = 0; taken_by[color] == v && tried < last; ++tried) color = color < last ? color + 1 : 0;
    if (taken_by[color] == v) {
      color = last + 1;
      taken_by.push_back(-1);
    }
    color_of[v] = color;
  }
  std::vector<Index> name(taken_by.size(), 0);
  for (Index const c : color_of) name[c] = 1;
  std::partial_sum(name.begin(), name.end(), name.begin());
  for (Index& c : color_of) c = name[c] - 1;
  return color_of;
}

}  // namespace detail

/// Colors blocks of vertices: no vertex has a neighbor in another block of its color. Colors are numbered in their
/// elimination order, not by size. In `color_rows` the blocks of a color are consecutive and ascend, and so do the
/// vertices of a block. Blocks are boxes if the graph is numbered like a grid, otherwise they are grown.
/// @param block_ptr  out, if not null: first positions of the blocks in color_rows, and n
/// @throws Error if Index cannot count the pairs of neighbors.
/// Source: T. Iwashita, H. Nakashima, Y. Takahashi, IPDPS 2012 (algebraic block multicolor ordering), where a block
/// grows by its neighbor of the least number and colors are as few as possible. Cyclic colors need fewer iterations.
template <class Index>
Coloring<Index> color_blocks(Graph<Index> const& graph, BlockColorOptions<Index> const& options = {},
                             std::vector<Index>* block_ptr = nullptr) {
  if (block_ptr) block_ptr->assign(1, 0);
  if (graph.num_vertices() == 0) return {{}, {0}, {}};
  using Tuning = detail::BlockColoringTuning;
  bool const wide = graph.row_ptr[graph.num_vertices()] / Tuning::narrow_neighbors > graph.num_vertices();
  auto const directions = detail::directions_of(graph);
  Index const usual = wide ? Tuning::wide_size : Tuning::size;
  Index const size = options.size > 0 ? options.size : usual;
  auto block_of = detail::boxes(graph, directions, size);
  if (block_of.empty()) block_of = detail::grow_blocks(graph, size);
  auto quotient = detail::quotient_graph(graph, block_of);
  if (options.distance > 1) quotient = graph_power(quotient, options.distance);
  bool const few = quotient.largest_degree() <= Tuning::few_neighbors;
  Index const chosen = few ? Tuning::few_colors : Tuning::colors;
  auto const color_of_block = detail::cyclic_colors(quotient, options.colors > 0 ? options.colors : chosen);

  Index const colors = 1 + *std::max_element(color_of_block.begin(), color_of_block.end());
  std::vector<Index> const order = detail::ByKey<Index>(color_of_block, colors).number;  // blocks by color
  std::vector<Index> number(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) number[order[at]] = static_cast<Index>(at);
  Coloring<Index> out;
  for (Index const b : block_of) out.color_of.push_back(color_of_block[b]);
  out.color_ptr = detail::ByKey<Index>(out.color_of, colors).begin;
  for (Index& b : block_of) b = number[b];
  detail::ByKey<Index> const rows(block_of, static_cast<Index>(number.size()));
  if (block_ptr) *block_ptr = rows.begin;
  out.color_rows = rows.number;
  return out;
}

}  // namespace sptrsv
