// SPDX-License-Identifier: Apache-2.0
// Memory for temporary arrays.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/space.hpp"

namespace sptrsv::detail {

/// Pool of GPU memory that freed workspaces leave for later ones, at most `most_bytes`: freeing and allocating it again
/// would take as long as the analysis of a matrix with few levels. Freed by Kokkos::finalize(). Thread-safe.
template <class Device>
class SpareMemory {
 public:
  using memory = Kokkos::View<char*, Device>;
  static constexpr std::size_t most_bytes = std::size_t(1) << 29;

  /// Returns the smallest chunk of at least `bytes` bytes, or an empty view.
  static memory take(std::size_t bytes) {
    Spare& spare = own();
    std::lock_guard<std::mutex> const lock(spare.mutex);
    auto best = spare.chunks.end();
    for (auto at = spare.chunks.begin(); at != spare.chunks.end(); ++at)
      if (at->extent(0) >= bytes && (best == spare.chunks.end() || at->extent(0) < best->extent(0))) best = at;
    if (best == spare.chunks.end()) return {};
    memory const chunk = *best;
    spare.chunks.erase(best);
    return chunk;
  }
  /// Adds the chunk to the pool, and frees the smallest of the others until the pool has at most `most_bytes`.
  /// @pre no kernel uses the chunk any more
  static void leave(memory const& chunk) {
    if (chunk.extent(0) > most_bytes) return;
    Spare& spare = own();
    std::lock_guard<std::mutex> const lock(spare.mutex);
    if (!std::exchange(spare.is_hooked, true)) Kokkos::push_finalize_hook(clear);
    spare.chunks.push_back(chunk);
    std::sort(spare.chunks.begin(), spare.chunks.end() - 1,
              [](memory const& a, memory const& b) { return a.extent(0) < b.extent(0); });
    std::size_t bytes = 0;
    for (auto const& each : spare.chunks) bytes += each.extent(0);
    for (; bytes > most_bytes; spare.chunks.erase(spare.chunks.begin())) bytes -= spare.chunks.front().extent(0);
  }
  static void clear() {
    Spare& spare = own();
    std::lock_guard<std::mutex> const lock(spare.mutex);
    spare.chunks.clear();
  }

 private:
  struct Spare {
    std::mutex mutex;
    std::vector<memory> chunks;
    bool is_hooked = false;
  };
  static Spare& own() {
    static auto* const spare = new Spare;  // never destroyed: Kokkos may outlive static objects
    return *spare;
  }
};

/// Allocates `bytes` uninitialized bytes. If that fails on a GPU, frees the pool of spare memory and tries again.
template <class T>
Kokkos::View<char*, typename T::device> allocate_bytes(char const* label, std::size_t bytes) {
  auto const attempt = [&] {
    return Kokkos::View<char*, typename T::device>(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)),
                                                   bytes);
  };
  if constexpr (!is_host_space<typename T::exec_space>) {
    try {
      return attempt();
    } catch (std::exception const&) {
      SpareMemory<typename T::device>::clear();
    }
  }
  return attempt();
}

/// Uninitialized arrays, taken one after another from a few chunks of memory. On a GPU an allocation and its release
/// take 50 to 250 microseconds each, more than most kernels of an analysis; taking from a chunk costs nothing. All
/// kernels that use one workspace must go to one instance, since released memory is reused without a fence.
template <class T>
class Workspace {
 public:
  /// Scope whose end releases the arrays that were taken during its lifetime. Scopes must end in reverse order.
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

  /// @param bytes  desired size of the first chunk
  explicit Workspace(std::size_t bytes) { expect(bytes); }

  /// Copies the settings; the copy starts without memory.
  Workspace(Workspace const& other) : usual_(other.usual_) {}
  Workspace& operator=(Workspace const& other) {
    usual_ = other.usual_;
    free();
    return *this;
  }

  /// Sets the desired size of later chunks.
  void expect(std::size_t bytes) { usual_ = std::max(bytes, least_bytes); }

  /// Returns an array of `count` elements. Allocates where no chunk has room.
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

  /// Frees the memory, or on a GPU leaves it to the next workspace (fences). No array may be in use.
  /// @param exec  instance of the kernels that have used the memory
  void clear([[maybe_unused]] typename T::exec_space const& exec) {
    if constexpr (!is_host_space<typename T::exec_space>) {
      if (!chunks_.empty()) exec.fence("sptrsv::workspace: kernels of another instance may use it next");
      for (auto const& chunk : chunks_) SpareMemory<typename T::device>::leave(chunk);
    }
    free();
  }

 private:
  using memory = Kokkos::View<char*, typename T::device>;
  static constexpr std::size_t alignment = 256, least_bytes = std::size_t(1) << 16;

  static memory chunk(std::size_t bytes) { return allocate_bytes<T>("sptrsv::workspace", bytes); }
  memory allocate(std::size_t bytes) const {
    if constexpr (!is_host_space<typename T::exec_space>)
      for (std::size_t const wanted : {std::max(bytes, usual_), bytes}) {
        auto const spare = SpareMemory<typename T::device>::take(wanted);
        if (spare.extent(0) > 0) return spare;
      }
    if (bytes >= usual_) return chunk(bytes);
    try {
      return chunk(usual_);
    } catch (std::exception const&) {  // the larger chunk is not available
      return chunk(bytes);
    }
  }
  void free() {
    chunks_.clear();
    chunk_ = used_ = 0;
  }

  std::size_t usual_ = least_bytes;
  std::vector<memory> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

}  // namespace sptrsv::detail
