// SPDX-License-Identifier: Apache-2.0
// Memory for arrays that are needed for a while only.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace sptrsv::detail {

/// Arrays without initial values, taken from the end of a few chunks of memory. On a GPU an allocation takes 50 to 250
/// microseconds and freeing it as long, more than most kernels of an analysis; taking costs nothing.
/// All kernels that use one workspace go to the same instance, one after another: what is given back is written again
/// without a fence.
template <class T>
class Workspace {
 public:
  /// What is taken while this lives is given back when it ends, the last one to begin first.
  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), chunk_(workspace.chunk_), used_(workspace.used_) {}
    ~Scope() {
      workspace_.chunk_ = chunk_;
      workspace_.used_ = used_;
    }
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

   private:
    Workspace& workspace_;
    std::size_t chunk_, used_;
  };

  /// @param bytes  of the first chunk, if so many can be had
  explicit Workspace(std::size_t bytes) : usual_(std::max<std::size_t>(bytes, std::size_t(1) << 16)) {}

  /// A copy has memory of its own, and none at first.
  Workspace(Workspace const& other) : usual_(other.usual_) {}
  Workspace& operator=(Workspace const& other) {
    usual_ = other.usual_;
    clear();
    return *this;
  }

  /// @param count  elements. Allocates where no chunk has room.
  template <class V>
  Kokkos::View<V*, typename T::device> take(std::size_t count) {
    std::size_t const bytes = (count * sizeof(V) + alignment - 1) / alignment * alignment;
    while (chunk_ < chunks_.size() && chunks_[chunk_].extent(0) - used_ < bytes) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      used_ = 0;
      chunks_.push_back(allocate(bytes));
    }
    auto* const at = chunks_[chunk_].data() + used_;
    used_ += bytes;
    return Kokkos::View<V*, typename T::device>(reinterpret_cast<V*>(at), count);
  }

  /// Frees the memory; nothing may be in use.
  void clear() {
    chunks_.clear();
    chunk_ = used_ = 0;
  }

 private:
  using memory = Kokkos::View<char*, typename T::device>;
  static constexpr std::size_t alignment = 256;

  static memory chunk(std::size_t bytes) {
    return memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("sptrsv::workspace")), bytes);
  }
  memory allocate(std::size_t bytes) const {
    if (bytes >= usual_) return chunk(bytes);
    try {
      return chunk(usual_);
    } catch (std::exception const&) {  // not so much is free
      return chunk(bytes);
    }
  }

  std::size_t usual_;
  std::vector<memory> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

}  // namespace sptrsv::detail
