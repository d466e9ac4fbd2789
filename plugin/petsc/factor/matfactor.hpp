// SPDX-License-Identifier: Apache-2.0
// Creates factors for the solver types that register.cxx registers, and instead of those that replace/ registers again.
#pragma once

#include "base/native_factor.hpp"

namespace sptrsv_petsc {

/// Solver type of PETSc whose factors the plugin makes instead.
struct ReplacedType {
  MatSolverType name = nullptr;
  FactorCreator create = nullptr;  ///< makes the factors of that type
};

/// Finds whether A's type is seqbaij, seqsbaij, or derived from seqaij, of which the plugin has factors.
PetscErrorCode SupportsMatType(Mat A, PetscBool* supported);

/// Creates a factor by algorithm `algorithm`, or sptrsv, for MatGetFactor(). Does little, since PETSc may never use the
/// factor.
/// @param instead  solver type that the factor shows to PETSc, and that makes the factor if the symbolic or the numeric
///                 phase of the plugin fails; null: none
PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* algorithm, Mat* F,
                            ReplacedType const* instead = nullptr);

}  // namespace sptrsv_petsc
