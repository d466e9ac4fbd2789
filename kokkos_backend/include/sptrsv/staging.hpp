// SPDX-License-Identifier: Apache-2.0
// Host arrays in memory that an execution space's kernels can read: in place, or copied to the device.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "sptrsv/csr_view.hpp"

namespace sptrsv {

/// Device of host memory.
using HostDevice = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;

/// Returns a host array in the memory of ExecSpace: the array itself if kernels can read it, otherwise a copy
/// (allocates and fences).
template <class ExecSpace, class V>
Kokkos::View<V const*, Kokkos::Device<ExecSpace, typename ExecSpace::memory_space>> in_memory_of(V const* data,
                                                                                                 std::size_t size) {
  using memory_space = typename ExecSpace::memory_space;
  return Kokkos::create_mirror_view_and_copy(memory_space(), Kokkos::View<V const*, HostDevice>(data, size));
}

/// Repeated copies of host values to the memory of ExecSpace through at most 32 MiB of pinned memory. The host does not
/// wait for the copy of values that fit there. More values are copied in parts of half of that memory, of which each
/// second one is written while the device reads the one before.
/// Copies nothing if kernels read host memory.
template <class Scalar, class ExecSpace>
class StagedValues {
 public:
  using values = Kokkos::View<Scalar*, Kokkos::Device<ExecSpace, typename ExecSpace::memory_space>>;
  static constexpr bool in_place = Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible;

  /// Returns the values in the memory of ExecSpace.
  /// @param data  `size` host values. Values used in place must not change while in use. Copied values may change at
  /// once; kernels submitted to `exec` after the call read the copy.
  /// Cost: the first call, and one with another size, allocates; waits for the copy of the previous values.
  typename values::const_type stage(ExecSpace const& exec, Scalar const* data, std::size_t size) {
    if constexpr (in_place) {
      return typename values::const_type(data, size);
    } else {
      if (copied_.extent(0) != size) allocate(exec, size);
      wait();
      std::size_t const part = size <= most_pinned ? size : most_pinned / 2;
      for (std::size_t first = 0, k = 0; first < size; first += part, ++k) {
        std::size_t const count = std::min(part, size - first);
        if (k > 0 && k % 2 == 0) exec.fence("sptrsv::staging: both halves have left");
        auto const from = Kokkos::subview(pinned_, Kokkos::make_pair(k % 2 * part, k % 2 * part + count));
        std::copy_n(data + first, count, from.data());
        Kokkos::deep_copy(exec, Kokkos::subview(copied_, Kokkos::make_pair(first, first + count)), from);
      }
      under_way_on_ = exec;
      return copied_;
    }
  }

  /// Returns the copy, which may be overwritten until the next stage(); empty if values are used in place.
  values const& copy() const { return copied_; }
  std::size_t memory_bytes() const { return (copied_.span() + pinned_.span()) * sizeof(Scalar); }

 private:
  static constexpr std::size_t most_pinned = (std::size_t(1) << 25) / sizeof(Scalar);

  /// Waits until the last copy has finished, on its instance.
  void wait() {
    if (under_way_on_) under_way_on_->fence("sptrsv::staging: the values before these have left");
    under_way_on_.reset();
  }
  void allocate(ExecSpace const& exec, std::size_t size) {
    wait();
    auto const label = [](char const* name) { return std::string("sptrsv::staging::") + name; };
    values copied(Kokkos::view_alloc(exec, label("values"), Kokkos::WithoutInitializing), size);
    pinned_ = decltype(pinned_)(Kokkos::view_alloc(label("pinned"), Kokkos::WithoutInitializing),
                                std::min(size, most_pinned));
    copied_ = copied;
  }

  values copied_;
  Kokkos::View<Scalar*, Kokkos::SharedHostPinnedSpace> pinned_;  // a copy from pageable memory would block the host
  std::optional<ExecSpace> under_way_on_;                        // instance of the last copy
};

}  // namespace sptrsv
