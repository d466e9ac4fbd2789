// SPDX-License-Identifier: Apache-2.0
// Interface between a factor and the code that finds its pattern and computes its values.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/events.hpp"
#include "options/backend_choice.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

inline bool IsSymmetric(MatFactorType ftype) { return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC; }

/// Input of a symbolic phase.
struct FactorTask {
  Mat F = nullptr;  // the factor; used for errors, its prefix and its error state
  MatFactorType kind = MAT_FACTOR_NONE;
  MatType matrix_type = nullptr;      // seqaij, seqbaij or seqsbaij
  IS rows = nullptr, cols = nullptr;  // orderings as FitOrdering() returns them
  Backend backend;                    // where the solves run

  bool symmetric() const { return IsSymmetric(kind); }
  char const* prefix() const { return ((PetscObject)F)->prefix ? ((PetscObject)F)->prefix : ""; }
};

/// Source of a factor's pattern and values. PetscFactor is PETSc's own factor in host memory, BackendFactor the
/// backend's factorization where the solves run, LibraryFactor a factor of another library in host memory. Another
/// source needs another such class, and a line in MakeSource().
class FactorSource {
 public:
  virtual ~FactorSource() = default;

  /// Finds the pattern of the factor of A. Its arrays are valid while this object exists.
  /// @param event    begun here before the source's own work, and after a symbolic phase that PETSc logs itself
  /// @param instead  out: a source to be used instead, if this one cannot or should not compute the values
  virtual PetscErrorCode Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                 FactorArrays* pattern, std::unique_ptr<FactorSource>* instead) = 0;
  /// Tells whether Analyze() has found a pattern.
  virtual bool analyzed() const = 0;
  /// Tells whether Compute() finds the pattern, since it may depend on the values.
  virtual bool computes_pattern() const { return false; }

  /// Prepares Compute() once there is a solver for the pattern.
  /// @param instead  out: as in Analyze(); if it is analyzed already, it has the same pattern as this source
  virtual PetscErrorCode Prepare(FactorTask const&, Mat /*A*/, AnyFactorSolver const& /*solver*/,
                                 std::unique_ptr<FactorSource>* /*instead*/)
  {
    return PETSC_SUCCESS;
  }

  /// Computes the factor's values from those of A, and sets F's error state (MatFactorError) as PETSc's own numeric
  /// phase does.
  /// @param event    begun as in Analyze()
  /// @param pattern  out: set if the values have another pattern than those before, which ends the solver; its arrays
  ///                 are valid until the next pattern
  /// @param values   out: valid until the next call
  virtual PetscErrorCode Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                 std::optional<FactorArrays>* pattern, FactorValueArrays* values) = 0;

  /// Copies the inverted pivots of U (LU) or 1/D (Cholesky), one per row, to `to` in host memory.
  /// @pre the factor has no dense blocks of more than one row
  virtual PetscErrorCode CopyInvertedPivots(FactorTask const& task, Scalar* to) = 0;

  /// Implements MatGetInfo().
  virtual PetscErrorCode GetInfo(MatInfoType type, MatInfo* info) = 0;

  /// Prints who computes the values and why, for -ksp_view.
  virtual PetscErrorCode View(FactorTask const& task, PetscViewer viewer) = 0;

  /// Tells whether PETSc's own factor is kept.
  virtual bool holds_petsc_factor() const = 0;
  /// Returns the bytes of memory without PETSc's own factor.
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace sptrsv_petsc
