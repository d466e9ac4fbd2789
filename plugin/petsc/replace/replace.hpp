// SPDX-License-Identifier: Apache-2.0
// Factors of other solver types that are made by the plugin, as -mat_sptrsv_replace asks.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Registers the solver types of PETSc and of libraries again, with functions that make factors of type sptrsv where
/// -mat_sptrsv_replace asks for them, and the registered ones elsewhere.
PetscErrorCode RegisterReplacements();

}  // namespace sptrsv_petsc
