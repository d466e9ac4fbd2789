// SPDX-License-Identifier: Apache-2.0
// Plan of `fused`: the blocks of rows solved by a warp per row and by a thread per row, as units of work for a warp.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "sptrsv/algorithm/sync_free/fused_table.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Returns the name of E's device in fused_table.
template <class E>
std::string fused_device(E const& exec) {
  return is_host_space<E> ? "host" : device_name(exec);
}

/// Returns the trained threshold of a device, or 0 if it has not been trained.
inline int trained_threshold(std::string const& device) {
  for (auto const& entry : fused_table)
    if (device == entry.device) return entry.entries;
  return 0;
}

/// Blocks of up to `block_rows` rows, consecutive in solve order. A block with a mean of at least `threshold`
/// off-diagonal entries per row is warp-level.
template <class T>
struct FusedBlocks {
  using index = typename T::index;

  OffDiagonals<T> rows;
  index block_rows;
  long long threshold;
  bool ascending;

  KOKKOS_INLINE_FUNCTION index count() const { return rows.num_rows / block_rows + (rows.num_rows % block_rows > 0); }
  KOKKOS_INLINE_FUNCTION index first(index block) const { return block * block_rows; }
  KOKKOS_INLINE_FUNCTION index size(index block) const {
    index const left = rows.num_rows - first(block);
    return left < block_rows ? left : block_rows;
  }
  KOKKOS_INLINE_FUNCTION bool warp_level(index block) const {
    long long entries = 0;
    for (index s = first(block); s < first(block) + size(block); ++s)
      entries += rows.count(ascending ? s : rows.num_rows - 1 - s);
    return entries >= threshold * size(block);
  }
};

/// Units in solve order: unit u has the rows from first(u) to first(u + 1), one row if it is warp-level. (A last block
/// of one row thus becomes warp-level, whatever the threshold.)
template <class T>
struct FusedUnits {
  Kokkos::View<typename T::index*, typename T::device> first;  ///< num_units+1
  typename T::index count = 0;
  typename T::index warp_rows = 0;  ///< rows of warp-level blocks
};

/// Lists the units. Cost: two passes over the row offsets; allocates, fences.
template <class T>
FusedUnits<T> make_fused_units(typename T::exec_space const& exec, FusedBlocks<T> const& blocks) {
  using index = typename T::index;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  FusedUnits<T> units;
  Kokkos::parallel_reduce(
      "sptrsv::fused::count_units", policy(exec, 0, blocks.count()),
      KOKKOS_LAMBDA(index block, index & count, index & warp_rows) {
        bool const warp = blocks.warp_level(block);
        count += warp ? blocks.size(block) : 1;
        warp_rows += warp ? blocks.size(block) : 0;
      },
      units.count, units.warp_rows);
  exec.fence("sptrsv::fused: the number of units is needed to allocate");
  units.first =
      decltype(units.first)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::fused::units")),
                            static_cast<std::size_t>(units.count) + 1);
  auto const first = units.first;
  if (units.count == 0) return units;
  Kokkos::parallel_scan(
      "sptrsv::fused::list_units", policy(exec, 0, blocks.count()), KOKKOS_LAMBDA(index block, index & at, bool final) {
        index const size = blocks.size(block), mine = blocks.warp_level(block) ? size : 1;
        if (final) {
          for (index u = 0; u < mine; ++u) first(at + u) = blocks.first(block) + u;
          if (block == blocks.count() - 1) first(at + mine) = blocks.rows.num_rows;
        }
        at += mine;
      });
  return units;
}

}  // namespace sptrsv::detail
