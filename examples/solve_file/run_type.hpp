// SPDX-License-Identifier: Apache-2.0
// One solver type, run from set-up to the check of its answer.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "settings.hpp"

/// What one solver type did; numbers that are not known are negative.
struct Row {
  std::string type;
  std::string algorithm = "-";                  ///< chosen for the lower and, where it differs, the upper triangle
  double n = -1, nnz = -1;                      ///< rows and entries of the factor
  double levels_lower = -1, levels_upper = -1;  ///< level sets
  double rows_lower = -1, rows_upper = -1;      ///< mean rows a level
  double iterations = -1, residual = -1;        ///< of the Krylov method; |b - A x| / |b| computed anew, largest
  double symbolic = -1, numeric = -1;           ///< seconds by PETSc's log
  double mat_solve = -1, ksp_solve = -1;        ///< seconds
  double difference = -1;                       ///< of one application from PETSc's own, largest element by element
  double rtol = 0;                              ///< relative tolerance of the Krylov method
  double tolerance = 0;                         ///< rounding explains a difference up to this
  bool converged = false;
  bool measured = false;          ///< there was a factor to measure
  std::string reason = "-";       ///< why the Krylov method stopped
  std::string note;               ///< an error message or the plugin's remark
  std::string verdict = "error";  ///< `reference`, `same`, or what is wrong
  /// One application, after the first and after the last numeric phase.
  std::vector<std::vector<PetscScalar>> answers;

  /// Whether the type did what was asked of it.
  bool good() const { return verdict == "same" || verdict == "reference"; }
};

/// Right-hand side as -rhs asks for.
PetscErrorCode make_rhs(Mat A, const std::string& kind, Vec* b);

/// Runs one solver type with A x = b.
/// @param type_option  name of the option that picks the type.
/// @param reference    the row of PETSc's own type; null when this is that row.
/// @param row          on rank 0's factor; difference and verdict of all ranks together.
/// The verdict asks that one application differs from PETSc's own by rounding only, and that the true residual is at
/// most 100 times that of PETSc's own or the tolerance, since Krylov methods amplify rounding.
/// On one rank PETSc's errors end up in row; on several they end the program, since ranks could wait for each other.
PetscErrorCode run_type(const Settings& settings, Mat A, Vec b, const std::string& type, const std::string& type_option,
                        const Row* reference, Row* row);
