// SPDX-License-Identifier: Apache-2.0
// Kokkos Kernels' coloring for indices of type int; for other types it is compiled where it is used.
#include "sptrsv/ordering/coloring.hpp"

template std::vector<int> sptrsv::detail::colors_by_kokkos_kernels<Kokkos::DefaultHostExecutionSpace>(Graph<int> const&,
                                                                                                      ColorAlgorithm);
