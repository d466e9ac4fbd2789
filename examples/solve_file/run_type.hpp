// SPDX-License-Identifier: Apache-2.0
// Runs one solver type from set-up to the check of its answer, and times it.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "settings.hpp"

/// Seconds of the runs of one solver type, one element per run.
struct Samples {
  std::vector<double> symbolic, numeric;  ///< by PETSc's log
  std::vector<double> mat_solve;          ///< MatSolve alone, repeated
  std::vector<double> in_krylov;          ///< a MatSolve within the Krylov method, by PETSc's log
  std::vector<double> ksp_solve;          ///< KSPSolve
};

/// Results of one solver type; unknown numbers are negative.
struct Row {
  std::string type;
  std::string algorithm = "-";                  ///< chosen for the lower and, where it differs, the upper triangle
  double n = -1, nnz = -1;                      ///< rows and entries of the factor
  double levels_lower = -1, levels_upper = -1;  ///< level sets
  double rows_lower = -1, rows_upper = -1;      ///< mean rows per level
  double iterations = -1, residual = -1;        ///< Krylov iterations; largest |b - A x| / |b|, computed from A and
                                                ///< x
  double difference = -1;                       ///< largest element-wise difference of one application from PETSc's own
  double rtol = 0;                              ///< relative tolerance of the Krylov method
  double tolerance = 0;                         ///< rounding explains a difference up to this
  bool converged = false;
  bool measured = false;  ///< there was a factor to measure
  Samples samples;
  double seconds = 0;              ///< total time of the samples
  std::string reason = "-";        ///< why the Krylov method stopped
  std::vector<std::string> notes;  ///< an error message or the plugin's remarks
  std::string verdict;             ///< `reference`, `same`, or what is wrong
  /// Results of one application, after the first and after the last numeric phase.
  std::vector<std::vector<PetscScalar>> answers;

  /// Tells whether the type gave the right answer.
  bool good() const { return verdict == "same" || verdict == "reference"; }
};

/// Makes the right-hand side that -rhs requests.
PetscErrorCode make_rhs(Mat A, const std::string& kind, Vec* b);

/// Runs one solver type with A x = b and checks its answer. The verdict requires that one application differs from
/// PETSc's own by rounding only, and that the true residual is at most 100 times that of PETSc's own or the tolerance,
/// since Krylov methods amplify rounding. On one rank PETSc's errors are reported in row; on several they end the
/// program, since ranks could wait for each other.
/// @param type_option  name of the option that selects the type.
/// @param reference    the row of PETSc's own type; null if this is that row.
/// @param row          about rank 0's factor; difference and verdict are those of all ranks together.
PetscErrorCode run_type(const Settings& settings, Mat A, Vec b, const std::string& type, const std::string& type_option,
                        const Row* reference, Row* row);

/// Runs the row's type once more, from set-up to the end of KSPSolve, and appends the times to its samples. Does
/// nothing after an error.
PetscErrorCode time_type(const Settings& settings, Mat A, Vec b, const std::string& type_option, Row* row);
