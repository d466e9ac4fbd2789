// SPDX-License-Identifier: Apache-2.0
// One solver type, run from set-up to the check of its answer, and timed.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "settings.hpp"

/// Seconds that the runs of one solver type took, an element per run.
struct Samples {
  std::vector<double> symbolic, numeric;  ///< by PETSc's log
  std::vector<double> mat_solve;          ///< MatSolve alone, again and again
  std::vector<double> in_krylov;          ///< a MatSolve of the Krylov method, by PETSc's log
  std::vector<double> ksp_solve;          ///< KSPSolve
};

/// What one solver type did; numbers that are not known are negative.
struct Row {
  std::string type;
  std::string algorithm = "-";                  ///< chosen for the lower and, where it differs, the upper triangle
  double n = -1, nnz = -1;                      ///< rows and entries of the factor
  double levels_lower = -1, levels_upper = -1;  ///< level sets
  double rows_lower = -1, rows_upper = -1;      ///< mean rows a level
  double iterations = -1, residual = -1;        ///< of the Krylov method; |b - A x| / |b| computed anew, largest
  double difference = -1;                       ///< of one application from PETSc's own, largest element by element
  double rtol = 0;                              ///< relative tolerance of the Krylov method
  double tolerance = 0;                         ///< rounding explains a difference up to this
  bool converged = false;
  bool measured = false;  ///< there was a factor to measure
  Samples samples;
  double seconds = 0;              ///< that the samples took
  std::string reason = "-";        ///< why the Krylov method stopped
  std::vector<std::string> notes;  ///< an error message or the plugin's remarks
  std::string verdict;             ///< `reference`, `same`, or what is wrong
  /// One application, after the first and after the last numeric phase.
  std::vector<std::vector<PetscScalar>> answers;

  /// Whether the type did what was asked of it.
  bool good() const { return verdict == "same" || verdict == "reference"; }
};

/// Right-hand side as -rhs asks for.
PetscErrorCode make_rhs(Mat A, const std::string& kind, Vec* b);

/// Runs one solver type with A x = b and checks its answer.
/// @param type_option  name of the option that picks the type.
/// @param reference    the row of PETSc's own type; null when this is that row.
/// @param row          on rank 0's factor; difference and verdict of all ranks together.
/// The verdict asks that one application differs from PETSc's own by rounding only, and that the true residual is at
/// most 100 times that of PETSc's own or the tolerance, since Krylov methods amplify rounding.
/// On one rank PETSc's errors end up in row; on several they end the program, since ranks could wait for each other.
PetscErrorCode run_type(const Settings& settings, Mat A, Vec b, const std::string& type, const std::string& type_option,
                        const Row* reference, Row* row);

/// Runs the row's type once more, from set-up to the end of KSPSolve, and appends the times to its samples. Does
/// nothing after an error.
PetscErrorCode time_type(const Settings& settings, Mat A, Vec b, const std::string& type_option, Row* row);
