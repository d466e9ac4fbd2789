// SPDX-License-Identifier: Apache-2.0
// Patterns from edges, adjacency, and the orderings random, reverse Cuthill-McKee and greedy coloring.
#include "pattern.hpp"

#include <algorithm>

#include "random.hpp"

namespace sptrsv::support::detail {

LowerPattern pattern_from_edges(std::int64_t num_rows, const std::vector<Edge>& edges) {
  LowerPattern pattern;
  pattern.num_rows = num_rows;
  pattern.row_ptr.assign(num_rows + 1, 0);
  for (const auto& [i, j] : edges) pattern.row_ptr[std::max(i, j) + 1] += i != j;
  for (std::int64_t i = 0; i < num_rows; ++i) pattern.row_ptr[i + 1] += pattern.row_ptr[i];
  std::vector<std::int64_t> next(pattern.row_ptr.begin(), pattern.row_ptr.end() - 1);
  auto& cols = pattern.col_idx;
  cols.resize(pattern.row_ptr.back());
  for (const auto& [i, j] : edges)
    if (i != j) cols[next[std::max(i, j)]++] = std::min(i, j);
  std::int64_t out = 0;
  for (std::int64_t i = 0, begin = 0; i < num_rows; ++i) {
    const std::int64_t end = pattern.row_ptr[i + 1];
    std::sort(cols.begin() + begin, cols.begin() + end);
    const auto last = std::unique(cols.begin() + begin, cols.begin() + end);
    out = std::copy(cols.begin() + begin, last, cols.begin() + out) - cols.begin();
    pattern.row_ptr[i + 1] = out;
    begin = end;
  }
  cols.resize(out);
  return pattern;
}

LowerPattern renumber(const LowerPattern& pattern, const std::vector<std::int64_t>& new_index) {
  std::vector<Edge> edges;
  edges.reserve(pattern.col_idx.size());
  for (std::int64_t i = 0; i < pattern.num_rows; ++i)
    for (std::int64_t k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k)
      edges.emplace_back(new_index[i], new_index[pattern.col_idx[k]]);
  return pattern_from_edges(pattern.num_rows, edges);
}

Adjacency adjacency(const LowerPattern& pattern) {
  Adjacency result;
  result.ptr.assign(pattern.num_rows + 1, 0);
  for (std::int64_t i = 0; i < pattern.num_rows; ++i) {
    result.ptr[i + 1] += pattern.row_ptr[i + 1] - pattern.row_ptr[i];
    for (std::int64_t k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k) ++result.ptr[pattern.col_idx[k] + 1];
  }
  for (std::int64_t i = 0; i < pattern.num_rows; ++i) result.ptr[i + 1] += result.ptr[i];
  std::vector<std::int64_t> next(result.ptr.begin(), result.ptr.end() - 1);
  result.neighbors.resize(result.ptr.back());
  for (std::int64_t i = 0; i < pattern.num_rows; ++i) {
    for (std::int64_t k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k) {
      const std::int64_t j = pattern.col_idx[k];
      result.neighbors[next[i]++] = j;
      result.neighbors[next[j]++] = i;
    }
  }
  return result;
}

namespace {

/// Appends to `order` the rows not yet numbered, breadth first from `start`, neighbors by ascending degree.
/// @return the first row of the last layer.
std::int64_t cuthill_mckee(const Adjacency& graph, std::int64_t start, std::vector<std::int64_t>& layer_of,
                           std::vector<std::int64_t>& order) {
  const auto degree = [&](std::int64_t i) { return graph.ptr[i + 1] - graph.ptr[i]; };
  std::vector<std::int64_t> fresh;
  std::size_t head = order.size();
  std::int64_t last_layer = 0, last_start = start;
  layer_of[start] = 0;
  order.push_back(start);
  for (; head < order.size(); ++head) {
    const std::int64_t i = order[head];
    if (layer_of[i] > last_layer) {
      last_layer = layer_of[i];
      last_start = i;
    }
    fresh.clear();
    for (std::int64_t k = graph.ptr[i]; k < graph.ptr[i + 1]; ++k) {
      const std::int64_t j = graph.neighbors[k];
      if (layer_of[j] >= 0) continue;
      layer_of[j] = layer_of[i] + 1;
      fresh.push_back(j);
    }
    std::stable_sort(fresh.begin(), fresh.end(), [&](auto a, auto b) { return degree(a) < degree(b); });
    order.insert(order.end(), fresh.begin(), fresh.end());
  }
  return last_start;
}

/// Returns the reverse Cuthill-McKee order; each component starts at the end of a first search through it.
std::vector<std::int64_t> rcm(const LowerPattern& pattern) {
  const Adjacency graph = adjacency(pattern);
  std::vector<std::int64_t> layer_of(pattern.num_rows, -1), order;
  order.reserve(pattern.num_rows);
  for (std::int64_t i = 0; i < pattern.num_rows; ++i) {
    if (layer_of[i] >= 0) continue;
    const std::size_t begin = order.size();
    const std::int64_t start = cuthill_mckee(graph, i, layer_of, order);
    for (std::size_t k = begin; k < order.size(); ++k) layer_of[order[k]] = -1;
    order.resize(begin);
    cuthill_mckee(graph, start, layer_of, order);
  }
  std::vector<std::int64_t> new_index(pattern.num_rows);
  for (std::int64_t k = 0; k < pattern.num_rows; ++k) new_index[order[k]] = pattern.num_rows - 1 - k;
  return new_index;
}

/// Returns the rows color by color, for a greedy coloring in row order.
std::vector<std::int64_t> color(const LowerPattern& pattern) {
  const std::int64_t n = pattern.num_rows;
  const Adjacency graph = adjacency(pattern);
  std::vector<std::int64_t> color_of(n, -1), taken_by, color_ptr(1, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = graph.ptr[i]; k < graph.ptr[i + 1]; ++k) {
      const std::int64_t used = color_of[graph.neighbors[k]];
      if (used >= 0) taken_by[used] = i;
    }
    std::int64_t free = 0;
    while (free < static_cast<std::int64_t>(taken_by.size()) && taken_by[free] == i) ++free;
    if (free == static_cast<std::int64_t>(taken_by.size())) {
      taken_by.push_back(-1);
      color_ptr.push_back(0);
    }
    color_of[i] = free;
    ++color_ptr[free + 1];
  }
  for (std::size_t c = 1; c < color_ptr.size(); ++c) color_ptr[c] += color_ptr[c - 1];
  std::vector<std::int64_t> new_index(n);
  for (std::int64_t i = 0; i < n; ++i) new_index[i] = color_ptr[color_of[i]]++;
  return new_index;
}

}  // namespace

std::vector<std::int64_t> ordering(const LowerPattern& pattern, const std::string& keyword) {
  if (keyword == "rcm") return rcm(pattern);
  if (keyword == "color") return color(pattern);
  if (keyword == "nd") return nested_dissection(pattern);
  std::vector<std::int64_t> new_index = identity(pattern.num_rows);
  Random random(2);
  shuffle(new_index, 0, pattern.num_rows, random);
  return new_index;
}

}  // namespace sptrsv::support::detail
