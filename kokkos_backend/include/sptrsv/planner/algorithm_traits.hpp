// SPDX-License-Identifier: Apache-2.0
// Required and optional members of an entry of the list of algorithms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/options.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv {

template <class A, class = void>
struct is_algorithm : std::false_type {};

/// Name, capabilities, self-describing options; analysis by constructor, update, const solve.
template <class A>
struct is_algorithm<
    A, std::void_t<decltype(std::string_view(A::name)), decltype(Capabilities(A::capabilities)),
                   decltype(std::declval<typename A::Options&>().visit(std::declval<detail::CollectOptions&>())),
                   decltype(A(std::declval<typename A::types::exec_space const&>(),
                              std::declval<Analysis<typename A::types> const&>(), std::declval<typename A::Options>())),
                   decltype(std::declval<A&>().update(std::declval<typename A::types::exec_space const&>(),
                                                      std::declval<Analysis<typename A::types> const&>(),
                                                      std::declval<typename A::types::values>())),
                   decltype(std::declval<A const&>().solve(
                       std::declval<typename A::types::exec_space const&>(), std::declval<typename A::types::rhs>(),
                       std::declval<typename A::types::solution>(), std::declval<Fold<typename A::types>>())),
                   decltype(std::declval<A&>().reserve(std::declval<typename A::types::exec_space const&>(), 1)),
                   decltype(std::string(std::declval<A const&>().parameters())),
                   decltype(std::size_t(std::declval<A const&>().memory_bytes()))>> : std::true_type {};

/// Tells whether a solve of A prepares memory for the next solve, so that A::restart(exec) must be called after a solve
/// that threw. restart() may throw; it neither allocates nor fences.
template <class A, class = void>
struct keeps_state : std::false_type {};
template <class A>
struct keeps_state<
    A, std::void_t<decltype(std::declval<A const&>().restart(std::declval<typename A::types::exec_space const&>()))>>
    : std::true_type {};

/// Tells whether the planner may consider A, by A::worth_planning(exec, analysis) if it exists.
template <class A, class = void>
struct WorthPlanning {
  template <class Exec, class Analysis>
  static bool of(Exec const&, Analysis const&) {
    return true;
  }
};
template <class A>
struct WorthPlanning<
    A, std::void_t<decltype(bool(A::worth_planning(std::declval<typename A::types::exec_space const&>(),
                                                   std::declval<Analysis<typename A::types> const&>())))>> {
  template <class Exec, class Analysis>
  static bool of(Exec const& exec, Analysis const& analysis) {
    return A::worth_planning(exec, analysis);
  }
};

/// Returns the nanoseconds of a solve on a GPU, by A::estimate(analysis) if it exists, otherwise nothing. Such a type
/// is worth planning only for triangles that it solves faster than all others.
template <class A, class = void>
struct OwnEstimate {
  template <class Analysis>
  static std::optional<double> of(Analysis const&) {
    return {};
  }
};
template <class A>
struct OwnEstimate<A, std::void_t<decltype(double(A::estimate(std::declval<Analysis<typename A::types> const&>())))>> {
  template <class Analysis>
  static std::optional<double> of(Analysis const& analysis) {
    return A::estimate(analysis);
  }
};

}  // namespace sptrsv
