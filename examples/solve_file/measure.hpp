// SPDX-License-Identifier: Apache-2.0
// Measures one factor: time of a solve, its answer, times of the phases.
#pragma once

#include <petscksp.h>

#include <vector>

/// Seconds in PETSc's log for the symbolic and the numeric phases of all factorizations so far.
struct PhaseTimes {
  PetscLogDouble symbolic = 0;
  PetscLogDouble numeric = 0;
};

/// Reads the phase times from the log; 0 if PETSc was built without it.
PetscErrorCode read_phase_times(PhaseTimes* times);

/// Seconds and calls of MatSolve in PETSc's log so far.
struct SolveLog {
  PetscLogDouble seconds = 0;
  int calls = 0;
};

/// Reads the solves from the log; 0 if PETSc was built without it.
PetscErrorCode read_solve_log(SolveLog* log);

/// Finds the factor behind a preconditioner that is set up: the PC's own factor or that of its first block on this
/// rank.
/// @param F  the factor; null if the preconditioner has none.
/// @param P  the sequential matrix that was factored.
PetscErrorCode find_factor(KSP ksp, Mat* F, Mat* P);

/// Applies the factor once to a fixed vector.
/// @param nudge  relative change of the vector's elements, in random direction; 0 for the vector itself.
PetscErrorCode apply_once(Mat F, Mat P, PetscReal nudge, std::vector<PetscScalar>* z);

/// Measures the median time in seconds of MatSolve on this rank, after a warm-up.
/// @param enough_seconds  MatSolve runs at least 5 times, and again until about this time is over.
PetscErrorCode time_solve(Mat F, Mat P, double* seconds, double enough_seconds = 0.2);

/// Returns the median of some values, the mean of the middle two for an even number; -1 if there are none.
double median_of(std::vector<double> values);

/// Returns the largest relative difference of two vectors, element by element; 1 if exactly one of both is not finite.
double largest_difference(const std::vector<PetscScalar>& z, const std::vector<PetscScalar>& reference);
