// SPDX-License-Identifier: Apache-2.0
// Counts Kokkos' actions during the lifetime of an object of this class, by Kokkos Tools callbacks.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sptrsv::test {

class ToolCounters {
 public:
  ToolCounters() {
    namespace tools = Kokkos::Tools::Experimental;
    log() = {};
    tools::set_begin_parallel_for_callback(on_kernel);
    tools::set_begin_parallel_reduce_callback(on_kernel);
    tools::set_begin_parallel_scan_callback(on_kernel);
    tools::set_allocate_data_callback(on_allocate);
    tools::set_deallocate_data_callback(on_deallocate);
    tools::set_begin_deep_copy_callback(on_copy);
    tools::set_begin_fence_callback(on_fence);
  }
  ~ToolCounters() {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(nullptr);
    tools::set_begin_parallel_reduce_callback(nullptr);
    tools::set_begin_parallel_scan_callback(nullptr);
    tools::set_allocate_data_callback(nullptr);
    tools::set_deallocate_data_callback(nullptr);
    tools::set_begin_deep_copy_callback(nullptr);
    tools::set_begin_fence_callback(nullptr);
  }
  ToolCounters(ToolCounters const&) = delete;
  ToolCounters& operator=(ToolCounters const&) = delete;

  std::vector<std::string> const& kernels() const { return log().kernels; }
  std::vector<std::string> const& allocations() const { return log().allocations; }
  std::vector<std::string> const& deallocations() const { return log().deallocations; }
  std::vector<std::string> const& copies() const { return log().copies; }
  std::vector<std::string> const& fences() const { return log().fences; }
  /// Returns the instances that the library's kernels were launched on, as Kokkos Tools numbers them.
  std::set<std::uint32_t> const& devices() const { return log().devices; }

 private:
  struct Log {
    std::vector<std::string> kernels, allocations, deallocations, copies, fences;
    std::set<std::uint32_t> devices;
  };
  static Log& log() {
    static Log the_log;
    return the_log;
  }
  static void on_kernel(char const* name, std::uint32_t device, std::uint64_t*) {
    log().kernels.emplace_back(name);
    if (log().kernels.back().rfind("sptrsv::", 0) == 0) log().devices.insert(device);
  }
  static void on_allocate(Kokkos::Tools::SpaceHandle, char const* label, void const*, std::uint64_t) {
    log().allocations.emplace_back(label);
  }
  static void on_deallocate(Kokkos::Tools::SpaceHandle, char const* label, void const*, std::uint64_t) {
    log().deallocations.emplace_back(label);
  }
  static void on_copy(Kokkos::Tools::SpaceHandle, char const* to, void const*, Kokkos::Tools::SpaceHandle, char const*,
                      void const*, std::uint64_t) {
    log().copies.emplace_back(to);
  }
  /// Ignores the fences that Kokkos makes before each of these callbacks, since a tool might request them.
  static void on_fence(char const* name, std::uint32_t, std::uint64_t*) {
    if (std::string(name).find("Kokkos Profile Tool Fence") == std::string::npos) log().fences.emplace_back(name);
  }
};

}  // namespace sptrsv::test
