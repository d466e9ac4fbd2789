// SPDX-License-Identifier: Apache-2.0
// List of peers: one header and one line each.
#pragma once

#include "cusparse.hpp"
#include "kokkos_kernels.hpp"
#include "one_core.hpp"

namespace sptrsv::bench {

template <class Space>
std::vector<Entry<Space>> peers(Shape shape, int columns) {
  return {
      cusparse_entry<Space>(shape, columns),
      kokkos_kernels_entry<Space>("rp", shape, columns),
      kokkos_kernels_entry<Space>("tp1", shape, columns),
      kokkos_kernels_entry<Space>("tp1chain", shape, columns),
      one_core_entry<Space>(shape),
  };
}

}  // namespace sptrsv::bench
