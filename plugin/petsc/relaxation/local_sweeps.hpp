// SPDX-License-Identifier: Apache-2.0
// Performs the sweeps of MatSOR() with one rank's matrix by sptrsv.
#pragma once

#include <memory>
#include <string>

#include "access/matrix_arrays.hpp"
#include "base/petsc_compat.hpp"
#include "options/backend_choice.hpp"
#include "relaxation/sweep_options.hpp"
#include "solver/any_sweeps.hpp"

namespace sptrsv_petsc {

/// PC type that sweeps.
enum class SweptBy { sor, eisenstat };

/// PC type, options and matrix of sweeps: everything on which sweeps depend, except for values.
struct SweepKey {
  SweptBy by = SweptBy::sor;
  PetscReal omega = 1;  // omega of the PC
  SweepChoice choice;
  Backend backend;
  PetscObjectId matrix = 0;
  std::string type;  // type of the matrix for which the backend was chosen

  bool operator==(SweepKey const& other) const
  {
    return by == other.by && omega == other.omega && choice == other.choice && backend.device == other.backend.device &&
           backend.kokkos == other.backend.kokkos && matrix == other.matrix && type == other.type;
  }
};

/// Sweeps with one matrix, and the pattern and values that they are valid for.
struct LocalSweeps {
  SweepKey key;
  std::string native_reason;  // why the last MatSOR() was PETSc's own; empty: sptrsv's, or none yet

  std::unique_ptr<AnySweeps> sweeps;  // null: to be analyzed
  bool by_blocks = false;             // whether rows are swept by inodes
  PatternStamp stamp;
  PetscObjectState state = 0;  // object state of the values that were read
  bool has_values = false;
  PetscReal omega = 1, shift = 0;  // arguments of MatSOR() for which the values were read
  PetscLogDouble entries = 0;
  bool exact = true;  // whether the algorithm solves exactly
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;
};

/// Tells why PETSc's own MatSOR() has to run with these arguments.
/// @param why  out: the reason; null if sptrsv's sweeps can run
PetscErrorCode FindFallbackReason(Mat A, LocalSweeps const& s, PetscReal omega, PetscReal shift, MatSORType flag,
                                  char const** why);

/// Analyzes A if its pattern is new, and takes its values if they, omega or the shift have changed.
/// @param set_up  whether to ignore faults of the pattern or the values, since both may change before MatSOR()
PetscErrorCode RefreshSweeps(Mat A, LocalSweeps& s, PetscReal omega, PetscReal shift, bool set_up);

/// Performs the sweeps of one MatSOR(), after RefreshSweeps().
PetscErrorCode RunSweeps(Mat A, LocalSweeps& s, Vec b, MatSORType flag, PetscInt its, PetscInt lits, Vec x);

}  // namespace sptrsv_petsc
