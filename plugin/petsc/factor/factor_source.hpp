// SPDX-License-Identifier: Apache-2.0
// Interface between a factor and the code that computes its values.
#pragma once

#include "base/petsc_scalar.hpp"

namespace sptrsv_petsc {

/// Source of the values of a factor F: PetscFactor, PETSc's own factor in host memory, or BackendFactor, the backend's
/// factorization where the solves run. F's solver and pattern exist before its source is used.
class FactorSource {
 public:
  virtual ~FactorSource() = default;

  /// Does the numeric phase: computes the values of F's factor from those of A, brings them to F's solver, and sets F's
  /// verdict on pivots as PETSc's own numeric phase does.
  virtual PetscErrorCode Compute(Mat F, Mat A, MatFactorInfo const* info) = 0;

  /// Copies the inverted pivots of U (LU) or 1/D (Cholesky), one per row, to `to` in host memory.
  /// @pre no dense blocks of 2 or more
  virtual PetscErrorCode CopyInvertedPivots(Mat F, Scalar* to) = 0;

  /// Implements MatGetInfo() for F.
  virtual PetscErrorCode GetInfo(Mat F, MatInfoType type, MatInfo* info) = 0;

  /// Prints who computes the values and why, for -ksp_view.
  virtual PetscErrorCode View(Mat F, PetscViewer viewer) = 0;

  /// Tells whether PETSc's own factor is kept.
  virtual bool holds_petsc_factor() const = 0;
};

}  // namespace sptrsv_petsc
