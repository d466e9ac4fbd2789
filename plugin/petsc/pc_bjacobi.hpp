// SPDX-License-Identifier: Apache-2.0
// PETSc's block Jacobi with the solves of a rank's blocks done together.
#pragma once

#include "petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers PC type bjacobi anew: PETSc's own, but that several blocks of a rank which are factored by types of this
/// plugin are solved by one factor (docs/clusters.md). All else stays PETSc's.
PetscErrorCode RegisterBJacobi();

}  // namespace sptrsv_petsc
