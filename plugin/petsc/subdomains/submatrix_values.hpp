// SPDX-License-Identifier: Apache-2.0
// MatCreateSubMatrices() that takes new values where they are.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Matrices whose submatrices take new values by sptrsv; those of others are PETSc's.
enum class WhereToCut { nowhere, on_device, everywhere };

/// Lets MatCreateSubMatrices() of A, a seqaij or an mpiaij matrix or one of a type made from them, take new values into
/// submatrices that it has made before by one broadcast of a PetscSF from A's local values, in the memory in which they
/// are. The first call is PETSc's, and so is each that this cannot serve; -info says why.
PetscErrorCode UseSubmatrixValues(Mat A, WhereToCut where);

/// Prints how often A's submatrices took new values without PETSc's function, if they did.
PetscErrorCode ViewSubmatrixValues(Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
