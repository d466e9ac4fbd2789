// SPDX-License-Identifier: Apache-2.0
// Several arrays in one allocation.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "sptrsv/device/workspace.hpp"

namespace sptrsv::detail {

/// Uninitialized arrays that are laid out first and then allocated together: on a GPU each allocation costs as much as
/// reading 200 MB. Views of the arrays are valid as long as any copy of this object exists.
template <class T>
class JointMemory {
 public:
  /// Reserves an array of `count` elements of type V, and returns its offset in bytes.
  template <class V>
  std::size_t append(std::size_t count) {
    std::size_t const at = bytes_;
    bytes_ += (count * sizeof(V) + alignment - 1) / alignment * alignment;
    return at;
  }
  void allocate(char const* label) { memory_ = allocate_bytes<T>(label, bytes_); }
  /// Returns the array at an offset, after allocate().
  /// @param at  offset that append() returned
  template <class V>
  Kokkos::View<V*, typename T::device> view(std::size_t at, std::size_t count) const {
    return Kokkos::View<V*, typename T::device>(reinterpret_cast<V*>(memory_.data() + at), count);
  }
  std::size_t bytes() const { return memory_.span(); }

 private:
  static constexpr std::size_t alignment = 256;
  std::size_t bytes_ = 0;
  Kokkos::View<char*, typename T::device> memory_;
};

}  // namespace sptrsv::detail
