// SPDX-License-Identifier: Apache-2.0
// The coloring of a triangle's graph by Kokkos Kernels.
#include <KokkosGraph_Distance1Color.hpp>
#include <KokkosKernels_Handle.hpp>

#include "bench/system.hpp"
#include "structure.hpp"

namespace sptrsv::tools {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Integers = Kokkos::View<int*, Host>;

/// T + T^T without its diagonal, rows in the order in which they come.
struct Graph {
  Integers row_ptr, col_idx;
};

Graph symmetrized(bench::System const& s) {
  int const n = s.num_rows();
  auto const for_each_edge = [&](auto const& visit) {
    for (int i = 0; i < n; ++i)
      for (int k = s.row_ptr[i]; k < s.row_ptr[i + 1]; ++k)
        if (s.col_idx[k] != i) visit(i, s.col_idx[k]);
  };
  Graph g{Integers("row_ptr", n + 1), {}};
  for_each_edge([&](int i, int j) { ++g.row_ptr(i + 1), ++g.row_ptr(j + 1); });
  for (int i = 0; i < n; ++i) g.row_ptr(i + 1) += g.row_ptr(i);
  g.col_idx = Integers("col_idx", g.row_ptr(n));
  std::vector<int> next(g.row_ptr.data(), g.row_ptr.data() + n);
  for_each_edge([&](int i, int j) { g.col_idx(next[i]++) = j, g.col_idx(next[j]++) = i; });
  return g;
}

}  // namespace

Colors count_colors(bench::System const& system) {
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Host, Host::memory_space, Host::memory_space>;
  Colors out;
  out.method = "greedy, Kokkos Kernels";
  int const n = system.num_rows();
  if (n == 0) return out;
  auto const graph = symmetrized(system);
  Handle handle;
  handle.create_graph_coloring_handle(KokkosGraph::COLORING_SERIAL);
  KokkosGraph::Experimental::graph_color_symbolic(&handle, n, n, graph.row_ptr, graph.col_idx);
  auto const color_of = handle.get_graph_coloring_handle()->get_vertex_colors();
  for (int i = 0; i < n; ++i) {  // from 1 on
    auto const color = static_cast<std::size_t>(color_of(i));
    if (out.rows.size() < color) out.rows.resize(color, 0);
    ++out.rows[color - 1];
  }
  handle.destroy_graph_coloring_handle();
  return out;
}

}  // namespace sptrsv::tools
