// SPDX-License-Identifier: Apache-2.0
// Set-up, set-up with new values and solve of a KSP with a recipe's preconditioner.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "solution_problem.hpp"
#include "solution_recipes.hpp"

namespace sptrsv::bench {

struct SolutionSettings {
  PetscInt repeat = 3;
  double cut_short = 10;         ///< seconds of a first set-up and solve above which nothing is repeated
  double residual_limit = 1e-6;  ///< an answer is wrong if norm(b - A x) / norm(b) is greater
  bool view = false;             ///< call KSPView after the last solve
};

/// Seconds, fenced before and after, and results of the last solve.
struct SolutionResult {
  std::string error;                                        ///< empty if all calls succeeded and the answers were right
  std::vector<double> first_setup, new_values, solve, sum;  ///< sum: new values and the solve after them
  PetscInt iterations = 0, levels = 0;                      ///< levels: of multigrid, else 0
  double residual = 0;                                      ///< largest norm(b - A x) / norm(b)
  std::string ksp, pc, options;                             ///< options: those of the recipe, as inserted
};

/// Solves the system. An error of PETSc, a solve that does not converge, a wrong answer or an option that was never
/// queried ends the case and is reported in `error`.
SolutionResult run_recipe(System const& system, Recipe const& recipe, SolutionSettings const& settings);

}  // namespace sptrsv::bench
