// SPDX-License-Identifier: Apache-2.0
// MatSOR() of one rank's matrix by sptrsv, as the options of a PC say.
#pragma once

#include "relaxation/local_sweeps.hpp"

namespace sptrsv_petsc {

/// Makes MatSOR() of A, a matrix of type seqaij or of a type made from it, sweep as the PC's options say: by sptrsv if
/// A's vectors are on a GPU or if the options ask for it on a host, otherwise by PETSc. Analyzes A if its pattern is
/// new, and takes its values if they or the PC's omega have changed; errors of both are left for MatSOR() to report.
/// The PC owns what is made; PCs of one matrix with the same type, omega and options share it.
PetscErrorCode UseSweeps(PC pc, Mat A, PetscReal omega, SweptBy by);

/// Lets MatSOR() of A sweep as the options of this PC say, until UseSweeps() or SelectSweeps() is called for another PC
/// with the same matrix.
PetscErrorCode SelectSweeps(PC pc, Mat A);

/// Frees the PC's sweeps, unless other PCs share them, and lets its next set-up read its options.
PetscErrorCode ReleaseSweeps(PC pc);

/// Prints the type, the memory space and the reason of the PC's sweeps with A; nothing for PETSc's own on a host.
PetscErrorCode ViewSweeps(PC pc, Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
