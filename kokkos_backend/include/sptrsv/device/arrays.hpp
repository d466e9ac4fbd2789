// SPDX-License-Identifier: Apache-2.0
// Arrays in an execution space's memory: copies of host vectors, and lists of positions.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/workspace.hpp"

namespace sptrsv::detail {

/// Returns a copy of `from`, which may be freed afterwards. Fences.
template <class T, class V>
Kokkos::View<const V*, typename T::device> copy_to_device(typename T::exec_space const& exec, char const* label,
                                                          std::vector<V> const& from) {
  auto const to = raw_view<V, T>(exec, label, from.size());
  Kokkos::deep_copy(exec, to,
                    Kokkos::View<V const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  exec.fence("sptrsv::copy_to_device: the vector may be freed on the host");
  return to;
}

/// Returns a copy of `from` in a vector. Fences.
template <class E, class View>
std::vector<typename View::non_const_value_type> copy_to_host(E const& exec, View const& from) {
  std::vector<typename View::non_const_value_type> to(from.extent(0));
  Kokkos::deep_copy(exec,
                    Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        to.data(), to.size()),
                    from);
  exec.fence("sptrsv::copy_to_host: the vector is read on the host");
  return to;
}

template <class T>
using AllocateList = std::function<Kokkos::View<typename T::index*, typename T::device>(std::size_t)>;

/// Returns the positions p < n for which is(p) holds, ascending. Fences.
/// @param allocate  returns an array for a given number of positions; the array must not come from `work`. A
///                  std::function, since nvcc rejects a local type as a template argument
template <class T, class Is>
Kokkos::View<typename T::index*, typename T::device> list_where(char const* label, typename T::exec_space const& exec,
                                                                Workspace<T>& work, typename T::index n, Is const& is,
                                                                AllocateList<T> const& allocate) {
  using index = typename T::index;
  typename Workspace<T>::Scope const scope(work);
  auto const before = work.template take<index>(static_cast<std::size_t>(n) + 1);
  auto const list = allocate(static_cast<std::size_t>(sum_before<T, index>(label, exec, work, n, before, is)));
  Kokkos::parallel_for(
      label, row_range<T>(exec, n), KOKKOS_LAMBDA(index p) {
        if (is(p)) list(before(p)) = p;
      });
  return list;
}

}  // namespace sptrsv::detail
