// SPDX-License-Identifier: Apache-2.0
// The PC types asm, gasm, bjacobi, fieldsplit and redistribute with values of submatrices that do not go through the
// host.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers the PC types asm, gasm, bjacobi, fieldsplit and redistribute again, with PETSc's own behind them: their
/// set-up lets MatCreateSubMatrices() and MatCreateSubMatrix() of a matrix on a GPU take new values there, see
/// UseSubmatrixValues(). Everything else is PETSc's.
PetscErrorCode RegisterSubdomains();

}  // namespace sptrsv_petsc
