// SPDX-License-Identifier: Apache-2.0
// The PC types asm, gasm, bjacobi, fieldsplit and redistribute, whose submatrices take new values without copies
// through the host.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers the PC types asm, gasm, bjacobi, fieldsplit and redistribute again, with functions that call PETSc's own.
/// The set-up makes MatCreateSubMatrices() and MatCreateSubMatrix() of a matrix on a GPU take new values there: see
/// UseSubmatrixValues().
PetscErrorCode RegisterSubdomains();

}  // namespace sptrsv_petsc
