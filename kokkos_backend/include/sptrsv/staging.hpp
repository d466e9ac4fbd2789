// SPDX-License-Identifier: Apache-2.0
// Arrays of a host where an execution space's kernels read them: in place, or copied to the device.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "sptrsv/csr_view.hpp"

namespace sptrsv {

/// Memory that every execution space's host can read.
using HostDevice = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;

/// A host's array in the memory of ExecSpace: the array itself where kernels can read it, else a copy. Allocates and
/// fences there.
template <class ExecSpace, class V>
Kokkos::View<V const*, Kokkos::Device<ExecSpace, typename ExecSpace::memory_space>> in_memory_of(V const* data,
                                                                                                 std::size_t size) {
  using memory_space = typename ExecSpace::memory_space;
  return Kokkos::create_mirror_view_and_copy(memory_space(), Kokkos::View<V const*, HostDevice>(data, size));
}

/// Copies values of a host to the memory of ExecSpace, again and again, by way of pinned memory: neither the host nor
/// the device waits for the copy. Where kernels read the host's memory, nothing is copied.
template <class Scalar, class ExecSpace>
class StagedValues {
 public:
  using values = Kokkos::View<Scalar*, Kokkos::Device<ExecSpace, typename ExecSpace::memory_space>>;
  static constexpr bool in_place = Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible;

  /// @param data  `size` values of a host. In place: they must stay as they are while they are in use. Copied: the
  ///              caller may change them at once, and kernels given to `exec` after the call read the copy.
  /// Cost: the first call, and one with another size, allocates; a call waits until the values before have left.
  typename values::const_type stage(ExecSpace const& exec, Scalar const* data, std::size_t size) {
    if constexpr (in_place) {
      return typename values::const_type(data, size);
    } else {
      if (copied_.extent(0) != size) allocate(exec, size);
      wait();
      std::copy_n(data, size, pinned_.data());
      Kokkos::deep_copy(exec, copied_, pinned_);
      under_way_on_ = exec;
      return copied_;
    }
  }

  /// The copy, which may be written to until the next stage(); no entries in place.
  values const& copy() const { return copied_; }
  std::size_t memory_bytes() const { return (copied_.span() + pinned_.span()) * sizeof(Scalar); }

 private:
  /// Until the last copy has been made, on whichever instance.
  void wait() {
    if (under_way_on_) under_way_on_->fence("sptrsv::staging: the values before these have left");
    under_way_on_.reset();
  }
  void allocate(ExecSpace const& exec, std::size_t size) {
    wait();
    auto const label = [](char const* name) { return std::string("sptrsv::staging::") + name; };
    values copied(Kokkos::view_alloc(exec, label("values"), Kokkos::WithoutInitializing), size);
    pinned_ = decltype(pinned_)(Kokkos::view_alloc(label("pinned"), Kokkos::WithoutInitializing), size);
    copied_ = copied;
  }

  values copied_;
  Kokkos::View<Scalar*, Kokkos::SharedHostPinnedSpace> pinned_;  // from pageable memory a copy would hold up the host
  std::optional<ExecSpace> under_way_on_;                        // the instance of the last copy
};

}  // namespace sptrsv
