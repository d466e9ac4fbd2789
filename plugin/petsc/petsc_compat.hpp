// SPDX-License-Identifier: Apache-2.0
// The only place with PETSc version checks.
#pragma once

#include <petscmat.h>
#include <petsc/private/matimpl.h>

#if PETSC_VERSION_LT(3, 18, 0)
  #error "sptrsv needs PETSc 3.18 or newer"
#endif
#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif
