// SPDX-License-Identifier: Apache-2.0
// State of a factor of type sptrsv, shared by the files that implement its operations: phases (matfactor), solves,
// views.
#pragma once

#include <memory>
#include <string>

#include "factor/factor_source.hpp"
#include "factor/matfactor.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {

/// Data of a factor of type sptrsv: its algorithm, the results of the symbolic phase, and counts.
struct Mat_SpTRSV {
  std::string requested;  // the algorithm, or sptrsv; the MatSolverType unless the factor replaces another
  ReplacedType instead;   // without a name: none

  // results of the symbolic phase
  FactorTask task;
  MatFactorInfo symbolic_info;
  sptrsv::Options options;
  std::unique_ptr<FactorSource> source;     // null before a successful symbolic phase
  FactorArrays pattern;                     // its arrays belong to `source`
  std::unique_ptr<AnyFactorSolver> solver;  // null before the numeric phase of a source that computes the pattern

  PetscBool numeric_done = PETSC_FALSE;
  PetscLogDouble seconds_analysis = 0, seconds_numeric = 0, flops = 0;
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;
};

inline Mat_SpTRSV* Get(Mat F) { return static_cast<Mat_SpTRSV*>(F->data); }

/// Sets the solve operations that PETSc's own factors of F's kind have.
/// @param by_blocks  whether F is a factor of a seqbaij or seqsbaij matrix
void SetSolves(Mat F, bool by_blocks);

/// Sets MatView(), MatGetInfo() and MatSpTRSVGetInfo().
PetscErrorCode SetViews(Mat F);

}  // namespace sptrsv_petsc
