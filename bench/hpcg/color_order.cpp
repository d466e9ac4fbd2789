// SPDX-License-Identifier: Apache-2.0
// Orders by colors, in a file of their own since the headers of Kokkos Kernels take long to compile.
#include <Kokkos_Core.hpp>
#include <sptrsv/ordering/block_coloring.hpp>
#include <sptrsv/ordering/coloring.hpp>

#include "grid.hpp"

namespace sptrsv::bench::hpcg {

std::vector<int> color_order(HostMatrix const& a, Order order) {
  auto const graph = symmetric_graph(a.num_rows(), a.row_ptr.data(), a.col_idx.data());
  if (order == Order::block_color) return color_blocks(graph).color_rows;
  return color_graph<Kokkos::DefaultHostExecutionSpace>(graph).color_rows;
}

}  // namespace sptrsv::bench::hpcg
