// SPDX-License-Identifier: Apache-2.0
// The phases of one of PETSc's solver types on one kind of matrix.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "measure.hpp"

namespace sptrsv::bench {

/// What to time.
struct PetscCase {
  MatFactorType factor;  ///< ILU or ICC, without fill
  std::string mat_type, type, ordering;
};

/// Seconds. Some types put analysis off until the first numeric phase or solve, or the first solve with new values.
struct PetscResult {
  std::string error;  ///< empty if all went well and the answer was right
  double symbolic = 0, first_numeric = 0, first_solve = 0;
  Times numeric;  ///< again, with other values
  Times renewal;  ///< that, and one MatSolve
  Times solve;    ///< MatSolve: L and U
  bool cut_short = false;
};

/// An answer to compare with, element by element.
struct PetscReference {
  std::vector<PetscScalar> answer;
  double tolerance = 0;  ///< rounding explains a relative difference up to this
};

/// Applies the factor of PETSc's own type once, and once more with a right-hand side that differs by rounding.
/// @throws std::runtime_error with PETSc's message.
/// @param what  its type of matrix, on a host, and ordering; its solver type is not looked at
PetscReference make_reference(Mat A, PetscCase what);

/// Sets up twice, times the second; checks the answer before and after all runs.
PetscResult time_petsc_case(Mat A, PetscCase const& what, Limits const& limits, PetscReference const& reference);

}  // namespace sptrsv::bench
