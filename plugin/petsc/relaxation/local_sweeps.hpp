// SPDX-License-Identifier: Apache-2.0
// MatSOR() of one rank's matrix by sptrsv.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Lets MatSOR() of A, a seqaij matrix or one of a type made from it, sweep as the PC's options say: by sptrsv where
/// A's vectors are on a GPU, or on a host if asked for; otherwise PETSc's own. Analyzes A if its pattern is new, and
/// takes its values if they or omega, the PC's, have changed; errors of either are left to MatSOR().
/// @param by_inodes_too  otherwise PETSc's own sweep over inodes
PetscErrorCode UseSweeps(PC pc, Mat A, PetscReal omega, bool by_inodes_too);

/// Prints the type, the memory space and the reason of A's sweeps; nothing for PETSc's own on a host.
PetscErrorCode ViewSweeps(Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
