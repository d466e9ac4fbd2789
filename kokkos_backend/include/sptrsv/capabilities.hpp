// SPDX-License-Identifier: Apache-2.0
// Capabilities of an algorithm; anything else is refused by name before any work.
#pragma once

#include <string>

#include "sptrsv/error.hpp"
#include "sptrsv/storage.hpp"

namespace sptrsv {

struct Capabilities {
  bool upper = false;
  bool transpose = false;
  bool multi_rhs = false;
  bool single_storage = false;  ///< Storage::single
  bool any_pattern = true;      ///< if false, the analysis refuses some triangles by Unsupported
  bool exact = true;            ///< if false, solve() approximates the solution, and the planner never chooses it
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

}  // namespace sptrsv
