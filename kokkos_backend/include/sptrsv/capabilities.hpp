// SPDX-License-Identifier: Apache-2.0
// Capabilities of an algorithm, and defaults of its optional members. Requests beyond the capabilities are refused
// before any work.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sptrsv/error.hpp"
#include "sptrsv/plan_input.hpp"
#include "sptrsv/storage.hpp"

namespace sptrsv {

struct Capabilities {
  bool upper = false;
  bool transpose = false;
  bool multi_rhs = false;
  bool single_storage = false;  ///< Storage::single
  bool any_pattern = true;      ///< if false, the analysis throws Unsupported for some triangles
  bool exact = true;            ///< if false, solve() approximates the solution, and the planner never chooses it
  bool one_thread = false;      ///< on a host, needs no analysis; the calling thread solves, without a kernel
};

/// Throws Unsupported for the first requested feature that the algorithm lacks.
inline void require(Capabilities can, std::string const& algorithm, bool upper, bool transpose,
                    Storage storage = Storage::full) {
  if (upper && !can.upper) throw Unsupported(algorithm, "upper triangles");
  if (transpose && !can.transpose) throw Unsupported(algorithm, "transposed solves");
  if (storage == Storage::single && !can.single_storage)
    throw Unsupported(
        algorithm, "values in single precision",
        "choose levelset, blocked or sptrsv, or leave out the option storage (PETSc: -mat_sptrsv_storage)");
}

/// Optional members of an algorithm, mostly for the planner. Each algorithm derives from this struct and redefines the
/// members that differ.
struct AlgorithmDefaults {
  /// MatOrdering that the algorithm is made for; incomplete factors use it by default. Empty: none.
  static constexpr std::string_view ordering = "";
  /// Features of the planner's model of a solve's time on a GPU, in addition to `solve` and `bytes`.
  static constexpr std::array<FeatureInfo, 0> model{};
  /// Whether the planner may choose the algorithm on a host, by its host_bound(times) and host_nanoseconds(times, exec,
  /// analysis). The algorithm must then sum the terms of a row in the same order as substitution by one thread.
  static constexpr bool planned_on_host = false;

  /// Tells whether the planner considers the algorithm for this triangle.
  template <class Exec, class Analysis>
  static bool worth_planning(Exec const&, Analysis const&) {
    return true;
  }
  /// Returns the nanoseconds of a solve on a GPU, if the algorithm has an estimate instead of a model. The planner then
  /// chooses the algorithm without comparing, so worth_planning() must be true only where it is the fastest.
  template <class Analysis>
  static std::optional<double> estimate(Analysis const&) {
    return {};
  }
  /// Returns the analysis of a smaller graph that the algorithm solves instead of the rows, of which the model then
  /// takes the features; nullptr: none.
  template <class Exec, class Analysis>
  static Analysis const* solved_graph(Exec const&, Analysis const&) {
    return nullptr;
  }
  /// Sets or bounds features of the model, once the levels are known.
  template <class Features, class Levels>
  static void derive_features(Features&, Levels const&) {}
  /// Finds a feature of the model that is neither common nor derived from the levels.
  template <class Features>
  static void find_feature(Features&, std::string_view) {}
  /// Tells whether the algorithm may be the fastest, judging by the features known so far.
  template <class Features>
  static bool pays(Features const&) {
    return true;
  }
  /// Returns the number of passes of a solve over T.
  static long long num_passes() { return 1; }
};

}  // namespace sptrsv
