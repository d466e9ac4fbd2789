// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_factor: whether PETSc computes a factor's values on the host, or the backend where the solves
// run.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

enum class FactorChoice { automatic, host, device };

/// Reads the option with the object's prefix. Error PETSC_ERR_ARG_OUTOFRANGE for an unknown word.
PetscErrorCode ReadFactorChoice(PetscObject object, FactorChoice* choice);

}  // namespace sptrsv_petsc
