// SPDX-License-Identifier: Apache-2.0
// Coloring of a matrix's graph, balancing of the colors, and the order of rows color by color. Host only.
#pragma once

#include <KokkosGraph_Distance1Color.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/error.hpp"

namespace sptrsv {

/// Undirected graph: the neighbors of v are at row_ptr[v] .. row_ptr[v+1], ascending, without v.
template <class Index>
struct Graph {
  std::vector<Index> row_ptr{0}, col_idx;

  Index num_vertices() const { return static_cast<Index>(row_ptr.size() - 1); }
  Index degree(Index v) const { return row_ptr[v + 1] - row_ptr[v]; }
  Index largest_degree() const {
    Index most = 0;
    for (Index v = 0; v < num_vertices(); ++v) most = std::max(most, degree(v));
    return most;
  }
};

/// Coloring algorithm of Kokkos Kernels. `serial` (in the order of the vertices, by one thread) and `deterministic` (by
/// decreasing degree, then decreasing number, in parallel; COLORING_VBDBIT) give the same colors for every run and
/// number of threads. `speculative` (COLORING_VB) is parallel, and reproducible on one thread only. COLORING_VBBIT is
/// not used: it negates the least integer.
enum class ColorAlgorithm { serial, deterministic, speculative };

struct ColorOptions {
  ColorAlgorithm algorithm = ColorAlgorithm::serial;
  int distance = 1;      ///< vertices of one color are more than this number of edges apart; k+1 for k levels of fill
  bool balance = false;  ///< moves vertices from large to small colors

  template <class V>
  void visit(V& v) {
    v.integer("distance", distance, 1, 10, "rows of a color are further apart than that: k+1 with k levels of fill");
    v.flag("balance", balance, "moves rows from large to small colors");
    v.choice("algorithm", algorithm, {"serial", "deterministic", "speculative"},
             "coloring of Kokkos Kernels; speculative is not reproducible");
  }
};

/// Coloring, with colors sorted by decreasing size. Source: B. Suchoski, MSc thesis, Penn State 2012, section 3.1.
template <class Index>
struct Coloring {
  std::vector<Index> color_of;    ///< n
  std::vector<Index> color_ptr;   ///< num_colors+1
  std::vector<Index> color_rows;  ///< n, the vertex at each position; vertices of a color ascend

  Index num_colors() const { return color_ptr.empty() ? 0 : static_cast<Index>(color_ptr.size() - 1); }
  Index size(Index color) const { return color_ptr[color + 1] - color_ptr[color]; }
};

namespace detail {

/// Builder of a graph, vertex after vertex.
template <class Index>
class GraphBuilder {
 public:
  explicit GraphBuilder(Index vertices) : seen_by_(static_cast<std::size_t>(vertices), -1) {
    graph_.row_ptr.reserve(seen_by_.size() + 1);
  }
  /// Adds the next vertex, with the neighbors that add_neighbors() passes to add(); add() drops repeated ones and the
  /// vertex itself.
  /// @throws Error if Index cannot count the neighbors.
  template <class AddNeighbors>
  void add_vertex(AddNeighbors const& add_neighbors) {
    Index const v = graph_.num_vertices();
    seen_by_[v] = v;
    add_neighbors();
    auto& all = graph_.col_idx;
    std::sort(all.begin() + graph_.row_ptr.back(), all.end());
    if (all.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw Error("the graph to be colored has more pairs of neighbors than an index of " +
                  std::to_string(8 * sizeof(Index)) + " bits counts; choose a smaller distance, or longer indices");
    graph_.row_ptr.push_back(static_cast<Index>(all.size()));
  }
  void add(Index neighbor) {
    if (seen_by_[neighbor] == graph_.num_vertices()) return;
    seen_by_[neighbor] = graph_.num_vertices();
    graph_.col_idx.push_back(neighbor);
  }
  Graph<Index>& graph() { return graph_; }

 private:
  Graph<Index> graph_;
  std::vector<Index> seen_by_;  ///< by vertex: the last vertex that has it as a neighbor
};

/// Numbers grouped by a key: those with key k are at begin[k] .. begin[k+1] of `number`, ascending.
template <class Index>
struct ByKey {
  std::vector<Index> begin, number;

  /// @param key_of  keys from 0 to keys - 1
  ByKey(std::vector<Index> const& key_of, Index keys)
      : begin(static_cast<std::size_t>(keys) + 1, 0), number(key_of.size()) {
    for (Index const k : key_of) ++begin[k + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (std::size_t v = 0; v < key_of.size(); ++v) number[next[key_of[v]]++] = static_cast<Index>(v);
  }
};

/// Tells whether a square pattern has ascending rows, and equals its transpose.
template <class Index>
bool is_symmetric(Index n, Index const* row_ptr, Index const* col_idx) {
  std::vector<Index> next(row_ptr, row_ptr + n);  // of each row: the entry whose transpose comes next
  for (Index i = 0; i < n; ++i)
    for (Index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      Index const j = col_idx[k];
      if (next[j] == row_ptr[j + 1] || col_idx[next[j]++] != i) return false;
      if (k > row_ptr[i] && col_idx[k - 1] >= j) return false;
    }
  return true;
}

}  // namespace detail

/// Returns the graph of a square pattern and its transpose, without the diagonal.
/// @throws Error if Index cannot count its entries.
template <class Index>
Graph<Index> symmetric_graph(Index n, Index const* row_ptr, Index const* col_idx) {
  if (detail::is_symmetric(n, row_ptr, col_idx)) {
    Graph<Index> graph;
    graph.row_ptr.reserve(static_cast<std::size_t>(n) + 1);
    graph.col_idx.reserve(static_cast<std::size_t>(row_ptr[n] - row_ptr[0]));
    for (Index i = 0; i < n; ++i) {
      std::copy_if(col_idx + row_ptr[i], col_idx + row_ptr[i + 1], std::back_inserter(graph.col_idx),
                   [i](Index j) { return j != i; });
      graph.row_ptr.push_back(static_cast<Index>(graph.col_idx.size()));
    }
    return graph;
  }
  std::vector<Index> start(static_cast<std::size_t>(n) + 1, 0);  // of each column in `rows`
  for (Index k = row_ptr[0]; k < row_ptr[n]; ++k) ++start[col_idx[k] + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Index> rows(static_cast<std::size_t>(row_ptr[n] - row_ptr[0])), next(start.begin(), start.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) rows[next[col_idx[k]]++] = i;
  detail::GraphBuilder<Index> out(n);
  for (Index i = 0; i < n; ++i)
    out.add_vertex([&] {
      for (Index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) out.add(col_idx[k]);
      for (Index k = start[i]; k < start[i + 1]; ++k) out.add(rows[k]);
    });
  return std::move(out.graph());
}

/// Returns the graph in which vertices at most `distance` steps apart are neighbors. Cost: proportional to its edges.
/// @throws Error if Index cannot count its edges.
template <class Index>
Graph<Index> graph_power(Graph<Index> const& from, int distance) {
  Index const n = from.num_vertices();
  detail::GraphBuilder<Index> out(n);
  auto const& found = out.graph().col_idx;
  auto const add_neighbors = [&](Index w) {
    for (Index k = from.row_ptr[w]; k < from.row_ptr[w + 1]; ++k) out.add(from.col_idx[k]);
  };
  for (Index v = 0; v < n; ++v)
    out.add_vertex([&] {
      std::size_t ring = found.size();
      add_neighbors(v);
      for (int step = 1; step < distance && ring < found.size(); ++step)
        for (std::size_t const end = found.size(); ring < end; ++ring) add_neighbors(found[ring]);
    });
  return std::move(out.graph());
}

namespace detail {

/// Returns colors from 0 by Kokkos Kernels on Exec, a host space.
template <class Exec, class Index>
std::vector<Index> colors_by_kokkos_kernels(Graph<Index> const& graph, ColorAlgorithm algorithm) {
  using handle_type =
      KokkosKernels::Experimental::KokkosKernelsHandle<Index, Index, double, Exec, typename Exec::memory_space,
                                                       typename Exec::memory_space>;
  using view = Kokkos::View<const Index*, Kokkos::Device<Exec, typename Exec::memory_space>, Kokkos::MemoryUnmanaged>;
  // Kokkos Kernels 4.4 loops forever in COLORING_VBDBIT if neighbors take 64 colors
  if (algorithm == ColorAlgorithm::deterministic && graph.largest_degree() >= 64) algorithm = ColorAlgorithm::serial;
  Index const n = graph.num_vertices();
  handle_type handle;
  handle.create_graph_coloring_handle(algorithm == ColorAlgorithm::serial          ? KokkosGraph::COLORING_SERIAL
                                      : algorithm == ColorAlgorithm::deterministic ? KokkosGraph::COLORING_VBDBIT
                                                                                   : KokkosGraph::COLORING_VB);
  KokkosGraph::Experimental::graph_color(&handle, n, n, view(graph.row_ptr.data(), graph.row_ptr.size()),
                                         view(graph.col_idx.data(), graph.col_idx.size()));
  Exec().fence("sptrsv::coloring: done");
  auto const colors =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), handle.get_graph_coloring_handle()->get_vertex_colors());
  handle.destroy_graph_coloring_handle();
  std::vector<Index> color_of(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) {
    color_of[v] = static_cast<Index>(colors(v)) - 1;
    bool good = color_of[v] >= 0;
    for (Index k = graph.row_ptr[v]; good && k < graph.row_ptr[v + 1]; ++k)
      good = graph.col_idx[k] > v || color_of[graph.col_idx[k]] != color_of[v];
    if (!good)
      throw Error("Kokkos Kernels left row " + std::to_string(v) +
                  " without a color of its own; choose another algorithm, as serial");
  }
  return color_of;
}

/// Instantiated in the library, since Kokkos Kernels' coloring takes seconds to compile.
extern template std::vector<int> colors_by_kokkos_kernels<Kokkos::DefaultHostExecutionSpace>(Graph<int> const&,
                                                                                             ColorAlgorithm);

/// Renumbers the colors by decreasing size and lists their vertices.
template <class Index>
Coloring<Index> group_by_color(std::vector<Index> const& color_of) {
  Index const colors = color_of.empty() ? 0 : 1 + *std::max_element(color_of.begin(), color_of.end());
  std::vector<Index> size(static_cast<std::size_t>(colors), 0), order(static_cast<std::size_t>(colors)),
      name(static_cast<std::size_t>(colors));
  for (Index const c : color_of) ++size[c];
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size[a] > size[b]; });
  Index used = 0;
  for (Index at = 0; at < colors; ++at) {
    name[order[at]] = at;
    used += size[order[at]] > 0;
  }
  Coloring<Index> out;
  for (Index const c : color_of) out.color_of.push_back(name[c]);
  ByKey<Index> rows(out.color_of, used);
  out.color_ptr = std::move(rows.begin);
  out.color_rows = std::move(rows.number);
  return out;
}

}  // namespace detail

/// Moves vertices out of colors with more than ceil(n / colors) vertices, each to the smallest color below floor(n /
/// colors) that no neighbor has. One pass suffices, since the colors to which a vertex may move only become fewer.
/// Afterwards no vertex of a too large color can move to a too small one. Let s be the size of the smallest color and D
/// the largest degree: if s < floor(n / colors), the largest color has at most max(ceil(n / colors), D s) vertices. The
/// largest color never grows, and the smallest never shrinks.
template <class Index>
void balance_colors(Graph<Index> const& graph, std::vector<Index>& color_of) {
  Index const n = graph.num_vertices();
  if (n == 0) return;
  Index const colors = 1 + *std::max_element(color_of.begin(), color_of.end());
  Index const least = n / colors, most = least + (n % colors > 0);
  std::vector<Index> size(static_cast<std::size_t>(colors), 0), taken_by(static_cast<std::size_t>(colors), -1);
  for (Index const c : color_of) ++size[c];
  std::vector<Index> small;
  for (Index c = 0; c < colors; ++c)
    if (size[c] < least) small.push_back(c);
  for (Index v = 0; v < n && !small.empty(); ++v) {
    if (size[color_of[v]] <= most) continue;
    for (Index k = graph.row_ptr[v]; k < graph.row_ptr[v + 1]; ++k) taken_by[color_of[graph.col_idx[k]]] = v;
    Index best = -1;
    for (Index const c : small)
      if (size[c] < least && taken_by[c] != v && (best < 0 || size[c] < size[best])) best = c;
    if (best < 0) continue;
    --size[color_of[v]];
    ++size[best];
    color_of[v] = best;
  }
}

/// Colors the graph, balances the colors on request, and numbers them by decreasing size.
/// @tparam Exec  host space in which Kokkos Kernels works
/// @throws Error if Kokkos Kernels leaves a vertex without a color.
template <class Exec, class Index>
Coloring<Index> color_graph(Graph<Index> const& graph, ColorOptions const& options = {}) {
  if (options.distance > 1) {
    ColorOptions direct = options;
    direct.distance = 1;
    return color_graph<Exec>(graph_power(graph, options.distance), direct);
  }
  if (graph.num_vertices() == 0) return {{}, {0}, {}};
  auto color_of = detail::colors_by_kokkos_kernels<Exec>(graph, options.algorithm);
  if (options.balance) balance_colors(graph, color_of);
  return detail::group_by_color(color_of);
}

}  // namespace sptrsv
