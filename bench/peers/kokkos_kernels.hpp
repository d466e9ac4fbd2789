// SPDX-License-Identifier: Apache-2.0
// Kokkos Kernels' own triangular solves by levels, not those of vendors' libraries.
#pragma once

#include "../contender.hpp"

namespace sptrsv::bench {

/// Makes the contender for Kokkos' default space, in a separate file, since its headers take long to compile.
/// @param algorithm  rp: a thread per row; tp1: a team per row; tp1chain: tp1, with chains of short levels in one team.
std::unique_ptr<Contender<Kokkos::DefaultExecutionSpace>> make_kokkos_kernels(std::string const& algorithm);

template <class Space>
Entry<Space> kokkos_kernels_entry(std::string const& algorithm, Shape shape, int columns) {
  Entry<Space> entry{"kokkoskernels_" + algorithm, true, "", {}};
  if (shape.diagonal != Diagonal::stored) entry.refusal = "has stored diagonals alone";
  if (shape.transposed()) entry.refusal = "has no transposes";
  if (columns != 1) entry.refusal = "has one right-hand side";
#if !defined(SPTRSV_BENCH_KOKKOS_KERNELS)
  entry.refusal = "NOT BUILT: -DSPTRSV_BENCH_KOKKOS_KERNELS=OFF";
#else
  if constexpr (std::is_same_v<Space, Kokkos::DefaultExecutionSpace>)
    entry.make = [=] { return make_kokkos_kernels(algorithm); };
  else entry.refusal = "built for the default space alone";
#endif
  return entry;
}

}  // namespace sptrsv::bench
