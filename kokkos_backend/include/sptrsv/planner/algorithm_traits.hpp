// SPDX-License-Identifier: Apache-2.0
// Optional members of an entry of the list of algorithms. HoldAlgorithm uses all others.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <string>
#include <utility>

#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

/// Algorithm that supports the solve and is worth planning.
struct Candidate {
  std::string algorithm;
  std::optional<double> nanoseconds;  ///< own estimate of a solve on a GPU; nothing: by the table
};

namespace detail {

template <class A>
using restart_of = decltype(std::declval<A const&>().restart(std::declval<typename A::types::exec_space const&>()));
template <class A>
using num_passes_of = decltype(std::declval<A const&>().num_passes());
template <class A>
using worth_planning_of = decltype(A::worth_planning(std::declval<typename A::types::exec_space const&>(),
                                                     std::declval<Analysis<typename A::types> const&>()));
template <class A>
using estimate_of = decltype(A::estimate(std::declval<Analysis<typename A::types> const&>()));

/// Tells whether a solve of A prepares memory for the next solve, so that A::restart(exec) must be called after a solve
/// that threw. restart() may throw; it neither allocates nor fences.
template <class A>
inline constexpr bool keeps_state = Kokkos::is_detected_v<restart_of, A>;

/// Returns the number of passes of a solve over T: A::num_passes() if it exists, otherwise 1.
template <class A>
long long passes_of([[maybe_unused]] A const& algorithm) {
  if constexpr (Kokkos::is_detected_v<num_passes_of, A>) return algorithm.num_passes();
  else return 1;
}

/// Returns A as a candidate of the planner, or nothing if A::worth_planning(exec, analysis) exists and is false. If A
/// has estimate(analysis), the nanoseconds of a solve on a GPU, it is worth planning only for triangles that it solves
/// faster than all others.
template <class A>
std::optional<Candidate> candidate_of([[maybe_unused]] typename A::types::exec_space const& exec,
                                      [[maybe_unused]] Analysis<typename A::types> const& analysis) {
  if constexpr (Kokkos::is_detected_v<worth_planning_of, A>)
    if (!A::worth_planning(exec, analysis)) return {};
  Candidate candidate{std::string(A::name), {}};
  if constexpr (Kokkos::is_detected_v<estimate_of, A>) candidate.nanoseconds = A::estimate(analysis);
  return candidate;
}

}  // namespace detail
}  // namespace sptrsv
