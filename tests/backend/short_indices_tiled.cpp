// SPDX-License-Identifier: Apache-2.0
// Instance of `tiled` for short_indices_test.cpp.
#include <sptrsv/algorithm/tiled/tiled.hpp>
#include <sptrsv/planner/held_algorithm.hpp>

#include "short_indices_analysis.hpp"

template struct sptrsv::detail::MakeAlgorithm<sptrsv::instances::short_indices,
                                              sptrsv::Tiled<sptrsv::instances::short_indices>>;
