// SPDX-License-Identifier: Apache-2.0
// Measurements on one factor: time of a solve, its answer, time of the phases.
#pragma once

#include <petscksp.h>

#include <vector>

/// Seconds that PETSc's log holds for the symbolic and the numeric phase of factorizations so far.
struct PhaseTimes {
  PetscLogDouble symbolic = 0;
  PetscLogDouble numeric = 0;
};

/// Reads the log; 0 where PETSc was built without it.
PetscErrorCode read_phase_times(PhaseTimes* times);

/// Seconds and calls of MatSolve that PETSc's log holds so far.
struct SolveLog {
  PetscLogDouble seconds = 0;
  int calls = 0;
};

/// Reads the log; 0 where PETSc was built without it.
PetscErrorCode read_solve_log(SolveLog* log);

/// Finds the factor behind a preconditioner that is set up: of the PC itself or of its first block on this rank.
/// @param F  the factor; null if the preconditioner has none.
/// @param P  the sequential matrix that was factored.
PetscErrorCode find_factor(KSP ksp, Mat* F, Mat* P);

/// One application of the factor to a fixed vector.
/// @param nudge  relative change of the vector's elements, in random direction; 0 for the vector itself.
PetscErrorCode apply_once(Mat F, Mat P, PetscReal nudge, std::vector<PetscScalar>* z);

/// Takes the median time in seconds of MatSolve on this rank, after a warm-up.
/// @param enough_seconds  MatSolve runs at least 5 times, and again until about this time is over.
PetscErrorCode time_solve(Mat F, Mat P, double* seconds, double enough_seconds = 0.2);

/// Returns the middle of some values, the mean of two for an even number; -1 if there are none.
double median_of(std::vector<double> values);

/// Largest relative difference of two vectors, element by element; 1 where exactly one of both is not finite.
double largest_difference(const std::vector<PetscScalar>& z, const std::vector<PetscScalar>& reference);
