// SPDX-License-Identifier: Apache-2.0
// Times the phases of one of PETSc's solver types on one matrix type.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "measure.hpp"

namespace sptrsv::bench {

/// Case to be timed.
struct PetscCase {
  MatFactorType factor;  ///< ILU or ICC, without fill; LU or Cholesky
  std::string mat_type, type, ordering;
};

/// Seconds of the phases. Some types put off analysis until the first numeric phase or solve, or the first solve with
/// new values.
struct PetscResult {
  std::string error;  ///< empty if all calls succeeded and the answer was right
  double symbolic = 0, first_numeric = 0, first_solve = 0;
  Times numeric;  ///< numeric phase with other values
  Times renewal;  ///< numeric phase and one MatSolve
  Times solve;    ///< MatSolve: L and U
  bool cut_short = false;
};

/// Answer to compare with, element by element.
struct PetscReference {
  std::vector<PetscScalar> answer;
  double tolerance = 0;  ///< largest relative difference that rounding explains
};

/// Applies the factor of PETSc's own type once, and once more to a right-hand side that differs by rounding.
/// @throws std::runtime_error with PETSc's message.
/// @param what  has a matrix type of the host, and an ordering; its solver type is ignored
PetscReference make_reference(Mat A, PetscCase what);

/// Sets up twice and times the second set-up; checks the answer before and after all runs.
PetscResult time_petsc_case(Mat A, PetscCase const& what, Limits const& limits, PetscReference const& reference);

}  // namespace sptrsv::bench
