// SPDX-License-Identifier: Apache-2.0
// PETSc's rules for small pivots, as the backend's factorization takes them.
#pragma once

#include "base/petsc_compat.hpp"
#include "sptrsv/factorization/factorization.hpp"

namespace sptrsv_petsc {

/// Finds the rules by which PETSc's numeric phase of F's kind treats small pivots and rounds.
PetscErrorCode FindPivotRules(Mat F, Mat A, MatFactorInfo const* info, sptrsv::PivotRules* rules);

/// Sets F's verdict on pivots as PETSc's own numeric phase leaves it. Errors: PETSC_ERR_MAT_LU_ZRPVT if A asks for
/// errors (MatSetErrorIfFailure()); PETSC_ERR_FP for a dense block that leaves the range of numbers.
PetscErrorCode SetVerdict(Mat F, Mat A, MatFactorInfo const* info, sptrsv::PivotVerdict const& verdict);

}  // namespace sptrsv_petsc
