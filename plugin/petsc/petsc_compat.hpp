// SPDX-License-Identifier: Apache-2.0
// The only place with PETSc version checks.
#pragma once

#include <petscpc.h>
#include <petsc/private/matimpl.h>

#if PETSC_VERSION_LT(3, 18, 0)
  #error "sptrsv needs PETSc 3.18 or newer"
#endif
#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

namespace sptrsv_petsc {

/// Makes the container call Destroy(pointer) at its end.
template <PetscErrorCode (*Destroy)(void*)>
PetscErrorCode ContainerSetDestroy(PetscContainer container)
{
#if PETSC_VERSION_LT(3, 23, 0)
  return PetscContainerSetUserDestroy(container, Destroy);
#else  // is given the pointer's address, as void** or as void*
  return PetscContainerSetCtxDestroy(container, [](auto* address) { return Destroy(*(void**)address); });
#endif
}

/// PCMatApplyTranspose() for a PC of type shell, where PETSc has it.
inline PetscErrorCode ShellSetMatApplyTranspose(PC pc, PetscErrorCode (*apply)(PC, Mat, Mat))
{
#if PETSC_VERSION_LT(3, 24, 0)
  (void)pc, (void)apply;
  return PETSC_SUCCESS;
#else
  return PCShellSetMatApplyTranspose(pc, apply);
#endif
}

}  // namespace sptrsv_petsc

namespace sptrsv_petsc {

inline constexpr bool lu_with_inodes_needs_diagonal = PETSC_VERSION_GE(3, 25, 0);  ///< see FindDiagonal()

}  // namespace sptrsv_petsc
