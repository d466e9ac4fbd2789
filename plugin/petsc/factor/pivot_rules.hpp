// SPDX-License-Identifier: Apache-2.0
// PETSc's rules for small pivots, as the backend's factorization takes them.
#pragma once

#include "factor/factor_source.hpp"
#include "sptrsv/factorization/factorization.hpp"

namespace sptrsv_petsc {

/// Finds the rules by which PETSc's numeric phase of this kind treats small pivots and rounds.
PetscErrorCode FindPivotRules(FactorTask const& task, FactorArrays const& pattern, Mat A, MatFactorInfo const* info,
                              sptrsv::PivotRules* rules);

/// Sets the error state (MatFactorError) of F, which has dense blocks of bs by bs, as PETSc's own numeric phase leaves
/// it. Errors: PETSC_ERR_MAT_LU_ZRPVT if A asks for errors (MatSetErrorIfFailure()); PETSC_ERR_FP if a dense block
/// overflows or loses its precision by underflow.
PetscErrorCode SetPivotStatus(Mat F, PetscInt bs, Mat A, MatFactorInfo const* info,
                              sptrsv::PivotStatus const& pivot_status);

}  // namespace sptrsv_petsc
