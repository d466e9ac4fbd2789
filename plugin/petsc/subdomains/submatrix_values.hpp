// SPDX-License-Identifier: Apache-2.0
// MatCreateSubMatrices() and MatCreateSubMatrix() that take new values where they are.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Matrices whose submatrices take new values by sptrsv; those of others are PETSc's.
enum class Selection { nowhere, on_device, everywhere };

/// Lets MatCreateSubMatrices() and MatCreateSubMatrix() of A, of type aij, aijkokkos, aijcusparse or aijhipsparse, take
/// new values into submatrices from A's, in the memory in which they are: those of this rank by a copy, others by
/// broadcasts of PetscSFs. PETSc's function makes the submatrices first, takes the first new values, and serves each
/// call that sptrsv cannot serve; -info prints the reason. Does nothing if A has a function of a program in place of
/// its type's.
PetscErrorCode UseSubmatrixValues(Mat A, Selection where);

/// Prints how often A's submatrices took new values without PETSc's function, if they did.
PetscErrorCode ViewSubmatrixValues(Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
