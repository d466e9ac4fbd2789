// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers the PC types sor and eisenstat again, with PETSc's own behind them: their set-up lets MatSOR() of the
/// local matrix sweep where its vectors are, see UseSweeps(). Everything else is PETSc's.
PetscErrorCode RegisterRelaxations();

}  // namespace sptrsv_petsc
