// SPDX-License-Identifier: Apache-2.0
// Stable sort of positions by keys of few bits.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sptrsv/device/cuda_error.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/workspace.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace sptrsv::detail {

inline int bits_for(std::uint64_t greatest) { return static_cast<int>(Kokkos::bit_width(greatest)); }

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// Sorts by CUB over `bits` bits. Kokkos' own sort also calls CUB, for all bits and with an allocation per call.
template <class T, class Key>
void sort_positions_by_cub(typename T::exec_space const& exec, Workspace<T>& work, Key const* key, Key* sorted,
                           typename T::index const* from, typename T::index* position, typename T::index n, int bits) {
  constexpr char failed[] = "sptrsv: sorting failed on the GPU";
  std::size_t bytes = 0;
  check_cuda(
      cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, sorted, from, position, n, 0, bits, exec.cuda_stream()),
      failed);
  auto const memory = work.template take<char>(bytes);
  check_cuda(cub::DeviceRadixSort::SortPairs(memory.data(), bytes, key, sorted, from, position, n, 0, bits,
                                             exec.cuda_stream()),
             failed);
}
#endif

/// Sets position(p) = p for all p.
template <class T>
void number_positions(typename T::exec_space const& exec,
                      Kokkos::View<typename T::index*, typename T::device> const& position) {
  using index = typename T::index;
  Kokkos::parallel_for(
      "sptrsv::sort::positions", row_range<T>(exec, position.extent(0)), KOKKOS_LAMBDA(index p) { position(p) = p; });
}

/// Sorts the positions 0 to n-1 by their keys; positions of equal keys keep their order.
/// @param key       n keys
/// @param sorted    out, n: the keys in order
/// @param position  out, n: the positions in order of their keys
/// @param bits      number of significant bits of the keys, at least 1
/// @pre `key`, `sorted` and `position` do not overlap. Fences if the host can access the memory.
template <class T, class Key>
void sort_positions(typename T::exec_space const& exec, Workspace<T>& work,
                    Kokkos::View<Key*, typename T::device> const& key,
                    Kokkos::View<Key*, typename T::device> const& sorted,
                    Kokkos::View<typename T::index*, typename T::device> const& position, [[maybe_unused]] int bits) {
  using index = typename T::index;
  index const n = static_cast<index>(key.extent(0));
  if (n == 0) return;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename T::memory_space>::accessible) {
    exec.fence("sptrsv::sort: keys are sorted on the host");
    std::vector<std::pair<Key, index>> both(static_cast<std::size_t>(n));
    for (index p = 0; p < n; ++p) both[static_cast<std::size_t>(p)] = {key(p), p};
    std::sort(both.begin(), both.end());  // no two are equal
    for (index p = 0; p < n; ++p) std::tie(sorted(p), position(p)) = both[static_cast<std::size_t>(p)];
  } else {
    typename Workspace<T>::Scope const scope(work);
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
    if constexpr (std::is_same_v<typename T::exec_space, Kokkos::Cuda>) {
      auto const from = work.template take<index>(static_cast<std::size_t>(n));
      number_positions<T>(exec, from);
      sort_positions_by_cub<T>(exec, work, key.data(), sorted.data(), from.data(), position.data(), n, bits);
      return;
    }
#endif
    number_positions<T>(exec, position);
    Kokkos::deep_copy(exec, sorted, key);
    Kokkos::Experimental::sort_by_key(exec, sorted, position);  // by rocThrust, which keeps the order of equal keys
  }
}

}  // namespace sptrsv::detail
