// SPDX-License-Identifier: Apache-2.0
// Makes the n-th point of failure of a call throw: launches, copies and fences by Kokkos Tools callbacks, allocations
// by operator new, which the test that uses them replaces.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace sptrsv::test {

enum class Point { launch, allocation };

/// Exception of an injected failure.
class Injected : public std::runtime_error {
 public:
  Injected() : std::runtime_error("injected") {}
};

/// Counts points of one kind on this thread and determines which one fails.
class Injection {
 public:
  static void arm(Point kind, int nth) { state() = {true, kind, nth, false}; }
  /// Disarms. @return whether the point was reached.
  static bool disarm() {
    state().armed = false;
    return state().hit;
  }
  /// Tells whether to fail now.
  static bool here(Point kind) {
    State& s = state();
    if (!s.armed || s.kind != kind || --s.left > 0) return false;
    s.armed = false;
    s.hit = true;
    return true;
  }

 private:
  struct State {
    bool armed = false;
    Point kind = Point::launch;
    int left = 0;
    bool hit = false;
  };
  static State& state() {
    thread_local State s;
    return s;
  }
};

/// During its lifetime, launches, copies and fences are points. Excluded are those of Kokkos within an allocation,
/// which would leak (Kokkos frees no view whose initialization throws), and Kokkos' own fences, some of which are in
/// destructors.
class ThrowingLaunches {
 public:
  ThrowingLaunches() { set(on_kernel, on_copy, on_fence); }
  ~ThrowingLaunches() { set(nullptr, nullptr, nullptr); }
  ThrowingLaunches(ThrowingLaunches const&) = delete;
  ThrowingLaunches& operator=(ThrowingLaunches const&) = delete;

 private:
  template <class Kernel, class Copy, class Fence>
  static void set(Kernel kernel, Copy copy, Fence fence) {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(kernel);
    tools::set_begin_parallel_reduce_callback(kernel);
    tools::set_begin_parallel_scan_callback(kernel);
    tools::set_begin_deep_copy_callback(copy);
    tools::set_begin_fence_callback(fence);
  }
  static void point() {
    if (Injection::here(Point::launch)) throw Injected();
  }
  static void on_kernel(char const* name, std::uint32_t, std::uint64_t*) {
    if (std::strstr(name, "Kokkos::View::") == nullptr) point();
  }
  static void on_copy(Kokkos::Tools::SpaceHandle, char const*, void const*, Kokkos::Tools::SpaceHandle, char const*,
                      void const*, std::uint64_t) {
    point();
  }
  static void on_fence(char const* name, std::uint32_t, std::uint64_t*) {
    if (std::strncmp(name, "sptrsv::", 8) == 0) point();
  }
};

/// Result of a call in which one point was to fail.
struct Outcome {
  bool reached, threw;
};

/// Calls `call` with point `nth` failing. @return reached is false if the call has fewer points.
template <class Call>
Outcome fail_at(Point kind, int nth, Call const& call) {
  Outcome out{false, false};
  ThrowingLaunches const throwing;
  Injection::arm(kind, nth);
  try {
    call();
  } catch (Injected const&) {
    out.threw = true;
  } catch (std::exception const& e) {  // std::bad_alloc, or Kokkos' exception for it
    out.threw = true;
    EXPECT_EQ(kind, Point::allocation) << "another exception than that of the launch: " << e.what();
  }
  out.reached = Injection::disarm();
  EXPECT_TRUE(out.reached || !out.threw) << "thrown by itself";
  return out;
}

}  // namespace sptrsv::test
