// SPDX-License-Identifier: Apache-2.0
// Colors a triangle's graph.
#include <sptrsv/ordering/coloring.hpp>

#include "bench/system.hpp"
#include "structure.hpp"

namespace sptrsv::tools {

Colors count_colors(bench::System const& system) {
  Colors out;
  out.method = "greedy, Kokkos Kernels";
  auto const graph = symmetric_graph<int>(system.num_rows(), system.row_ptr.data(), system.col_idx.data());
  auto const coloring = color_graph<Kokkos::DefaultHostExecutionSpace>(graph);
  for (int c = 0; c < coloring.num_colors(); ++c) out.rows.push_back(coloring.size(c));
  return out;
}

}  // namespace sptrsv::tools
