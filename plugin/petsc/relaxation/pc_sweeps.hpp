// SPDX-License-Identifier: Apache-2.0
// MatSOR() of one rank's matrix by sptrsv, as the options of a PC say.
#pragma once

#include "relaxation/local_sweeps.hpp"

namespace sptrsv_petsc {

/// Makes MatSOR() of A, whose type is seqaij or derived from it, sweep as the PC's options say: by sptrsv if A's
/// vectors are on a GPU or the options ask for sptrsv, otherwise by PETSc. Analyzes A if its pattern is new, and takes
/// its values if they or the PC's omega have changed; MatSOR() reports faults of pattern and values. The PC owns the
/// sweeps. PCs of one matrix with the same type, omega and options share them.
PetscErrorCode UseSweeps(PC pc, Mat A, PetscReal omega, SweptBy by);

/// Makes MatSOR() of A sweep as the options of this PC say, until UseSweeps() or SelectSweeps() is called for another
/// PC with the same matrix.
PetscErrorCode SelectSweeps(PC pc, Mat A);

/// Frees the PC's sweeps, unless other PCs share them. The PC's next set-up then reads its options again.
PetscErrorCode ReleaseSweeps(PC pc);

/// Prints the PC's sweeps with A: type, backend and triangles. Prints nothing if PETSc's own sweeps run on a host.
PetscErrorCode ViewSweeps(PC pc, Mat A, PetscViewer viewer);

}  // namespace sptrsv_petsc
