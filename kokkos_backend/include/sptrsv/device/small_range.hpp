// SPDX-License-Identifier: Apache-2.0
// Kernels with little work on a host, run by the calling thread.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/space.hpp"

namespace sptrsv::detail {

/// Limit of a small kernel: one host thread reads some 10^9 entries/s; waking 16 sleeping threads takes some 100 us.
struct SmallRangeTuning {
  static constexpr long long entries = 1 << 17;
};

/// Tells whether a kernel that reads `entries` entries is small.
template <class Count>
bool is_small(Count entries) {
  return static_cast<long long>(entries) < SmallRangeTuning::entries;
}

/// Calls launch(policy) with a range policy of `rows` rows. On a host, if the rows have few entries and Kokkos has
/// Serial, it is a policy of Kokkos::Serial: the calling thread finishes before other threads would have woken up.
/// @param entries  number of entries that the kernel reads
template <class Exec, class Index, class Launch>
void with_range(Exec const& exec, Index rows, long long entries, Launch const& launch) {
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (is_host_space<Exec>)
    if (is_small(entries)) return launch(Kokkos::RangePolicy<Kokkos::Serial, Index>(Kokkos::Serial(), 0, rows));
#endif
  launch(Kokkos::RangePolicy<Exec, Index>(exec, 0, rows));
}

/// Calls body(i) for i = 0 to n - 1. On a host, the calling thread makes these calls without a launch if entries are
/// few.
/// @param entries  number of entries that the calls read
template <class Index, class Exec, class Body>
void for_range(char const* label, Exec const& exec, Index n, long long entries, Body const& body) {
  if constexpr (runs_inline<Exec>)
    if (is_small(entries)) {
      for (Index i = 0; i < n; ++i) body(i);
      return;
    }
  Kokkos::parallel_for(label, with_arguments_in_launch(range_of<Index>(exec, n)), body);
}

/// Returns the first row for which has(row) holds, or n if there is none. Calls has() once for each row; on a host, if
/// the entries are few, the calling thread does so without a launch. Fences.
/// @param entries  number of entries that the calls read
template <class T, class Count, class Has>
long long first_row_with(char const* label, typename T::exec_space const& exec, typename T::index n, Count entries,
                         Has const& has) {
  if constexpr (runs_inline<typename T::exec_space>)
    if (is_small(entries)) {
      typename T::index first = n;
      for (typename T::index i = 0; i < n; ++i)
        if (has(i) && first == n) first = i;
      return first;
    }
  return first_row_with<T>(label, exec, n, has);
}

}  // namespace sptrsv::detail
