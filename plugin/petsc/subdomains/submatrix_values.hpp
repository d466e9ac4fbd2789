// SPDX-License-Identifier: Apache-2.0
// Implements MatCreateSubMatrices() and MatCreateSubMatrix() so that new values stay in their memory space.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Matrices whose submatrices take new values by sptrsv; PETSc updates those of all other matrices.
enum class Selection { nowhere, on_device, everywhere };

/// Makes MatCreateSubMatrices() and MatCreateSubMatrix() of A take new values that stay in their memory space: this
/// rank's by a copy, other ranks' by PetscSF broadcasts. A has type aij, aijkokkos, aijcusparse or aijhipsparse.
/// PETSc's function makes the submatrices, takes the first new values, and serves each call that sptrsv cannot serve;
/// -info prints the reason. Does nothing if the program has replaced A's function.
PetscErrorCode UseSubmatrixValues(Mat A, Selection where);

/// Prints how many times A's submatrices took new values by sptrsv, if they did.
PetscErrorCode ViewSubmatrixValues(Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
