// SPDX-License-Identifier: Apache-2.0
// Interface with virtual functions to an algorithm of the list, and functions that make one; solvers use nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sptrsv/device/graph_capture.hpp"
#include "sptrsv/options.hpp"
#include "sptrsv/plan_input.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Interface of an algorithm that is chosen by name.
template <class T>
struct AnyAlgorithm {
  virtual ~AnyAlgorithm() = default;
  virtual void update(typename T::exec_space const&, Analysis<T> const&, typename T::values const&) = 0;
  virtual void solve(typename T::exec_space const&, typename T::rhs const&, typename T::solution const&,
                     PermuteScale<T> const&) const = 0;
  virtual void reserve(typename T::exec_space const&, int columns) = 0;
  virtual std::string parameters() const = 0;
  virtual long long num_passes() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class A>
using restart_of = decltype(std::declval<A const&>().restart(std::declval<typename A::types::exec_space const&>()));

/// Tells whether a solve of A prepares memory for the next solve, so that A::restart(exec) must be called after a solve
/// that threw. restart() may throw; it neither allocates nor fences.
template <class A>
inline constexpr bool keeps_state = Kokkos::is_detected_v<restart_of, A>;

template <class T, class A>
struct HoldAlgorithm final : AnyAlgorithm<T> {
  A algorithm;
  HoldAlgorithm(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : algorithm(exec, analysis, options.of<typename A::Options>(std::string(A::name))) {}
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis,
              typename T::values const& values) override {
    algorithm.update(exec, analysis, values);
  }
  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const override {
    if constexpr (keeps_state<A>) {
      refuse_graph_capture(exec, A::name);
      if (unfinished_) algorithm.restart(exec);
      unfinished_ = true;
      algorithm.solve(exec, b, x, permute_scale);
      unfinished_ = false;
    } else {
      algorithm.solve(exec, b, x, permute_scale);
    }
  }
  void reserve(typename T::exec_space const& exec, int columns) override { algorithm.reserve(exec, columns); }
  std::string parameters() const override { return algorithm.parameters(); }
  long long num_passes() const override { return algorithm.num_passes(); }
  std::size_t memory_bytes() const override { return algorithm.memory_bytes(); }

 private:
  mutable bool unfinished_ = false;  ///< the last solve threw, perhaps after some of its launches
};

/// Functions that need the type A. Defined outside the class, so that the library can instantiate each A in a file of
/// its own: the solver's file declares them `extern template` and compiles none of A's kernels.
template <class T, class A>
struct MakeAlgorithm {
  static std::unique_ptr<AnyAlgorithm<T>> make(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                               Options const& options);
  /// Returns A as a candidate of the planner, or nothing if it is not worth planning.
  static std::optional<Candidate> candidate(typename T::exec_space const& exec, Analysis<T> const& analysis);
};

template <class T, class A>
std::unique_ptr<AnyAlgorithm<T>> MakeAlgorithm<T, A>::make(typename T::exec_space const& exec,
                                                           Analysis<T> const& analysis, Options const& options) {
  return std::make_unique<HoldAlgorithm<T, A>>(exec, analysis, options);
}

template <class T, class A>
std::optional<Candidate> MakeAlgorithm<T, A>::candidate(typename T::exec_space const& exec,
                                                        Analysis<T> const& analysis) {
  if (!A::worth_planning(exec, analysis)) return {};
  return Candidate{std::string(A::name), A::estimate(analysis)};
}

}  // namespace sptrsv::detail
