// SPDX-License-Identifier: Apache-2.0
// Runs kernels of little work on a host by the calling thread.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/space.hpp"

namespace sptrsv::detail {

/// A host reads some 10^9 entries a second by one thread, and wakes 16 sleeping threads in some 100 us.
struct SmallRangeTuning {
  static constexpr long long entries = 1 << 17;
};

/// Calls launch(policy) with a range policy of `rows` rows. On a host, rows with few entries get the policy of
/// Kokkos::Serial, where Kokkos has it: the calling thread has done them before other threads would have woken up.
/// @param entries  number of entries that the kernel reads
template <class Exec, class Index, class Launch>
void with_range(Exec const& exec, Index rows, long long entries, Launch const& launch) {
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (is_host_space<Exec>)
    if (entries < SmallRangeTuning::entries)
      return launch(Kokkos::RangePolicy<Kokkos::Serial, Index>(Kokkos::Serial(), 0, rows));
#endif
  launch(Kokkos::RangePolicy<Exec, Index>(exec, 0, rows));
}

}  // namespace sptrsv::detail
