// SPDX-License-Identifier: Apache-2.0
// Differences between versions of PETSc. No other file of the plugin has code that depends on PETSc's version.
#pragma once

#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>
#include <petscpc.h>

#if PETSC_VERSION_LT(3, 18, 0)
#error "sptrsv needs PETSc 3.18 or newer"
#endif
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS ((PetscErrorCode)0)
#endif
#if PETSC_VERSION_GE(3, 20, 0)
#define SPTRSV_PETSC_SHOWS_STREAM
#endif

#if PETSC_VERSION_GE(3, 24, 0)
#define SPTRSV_PETSC_MAT_APPLY_TRANSPOSE
#endif

namespace sptrsv_petsc {

/// Makes the container call Destroy(pointer) when it is destroyed.
template <PetscErrorCode (*Destroy)(void*)>
PetscErrorCode ContainerSetDestroy(PetscContainer container)
{
#if PETSC_VERSION_LT(3, 23, 0)
  return PetscContainerSetUserDestroy(container, Destroy);
#else  // the callback gets the pointer's address, as void** or as void*
  return PetscContainerSetCtxDestroy(container, [](auto* address) { return Destroy(*(void**)address); });
#endif
}

/// Sets PCMatApplyTranspose() of a PC of type shell, if PETSc has that function.
inline PetscErrorCode ShellSetMatApplyTranspose(PC pc, PetscErrorCode (*apply)(PC, Mat, Mat))
{
#if PETSC_VERSION_LT(3, 24, 0)
  (void)pc, (void)apply;
  return PETSC_SUCCESS;
#else
  return PCShellSetMatApplyTranspose(pc, apply);
#endif
}

/// Gets the array of a dense matrix for reading: in device memory if `device` and M has it there, otherwise in host
/// memory.
inline PetscErrorCode DenseGetArrayRead(bool device, Mat M, PetscScalar const** a, PetscMemType* where)
{
  *where = PETSC_MEMTYPE_HOST;
#if defined(SPTRSV_PETSC_SHOWS_STREAM)
  if (device) return MatDenseGetArrayReadAndMemType(M, a, where);
#endif
  return (void)device, MatDenseGetArrayRead(M, a);
}
inline PetscErrorCode DenseRestoreArrayRead(bool device, Mat M, PetscScalar const** a)
{
#if defined(SPTRSV_PETSC_SHOWS_STREAM)
  if (device) return MatDenseRestoreArrayReadAndMemType(M, a);
#endif
  return (void)device, MatDenseRestoreArrayRead(M, a);
}
inline PetscErrorCode DenseGetArrayWrite(bool device, Mat M, PetscScalar** a, PetscMemType* where)
{
  *where = PETSC_MEMTYPE_HOST;
#if defined(SPTRSV_PETSC_SHOWS_STREAM)
  if (device) return MatDenseGetArrayWriteAndMemType(M, a, where);
#endif
  return (void)device, MatDenseGetArray(M, a);
}
inline PetscErrorCode DenseRestoreArrayWrite(bool device, Mat M, PetscScalar** a)
{
#if defined(SPTRSV_PETSC_SHOWS_STREAM)
  if (device) return MatDenseRestoreArrayWriteAndMemType(M, a);
#endif
  return (void)device, MatDenseRestoreArray(M, a);
}

/// Tells whether -pc_factor_mat_factor_on_host is set; false if PETSc lacks the option.
inline bool FactorsOnHost(MatFactorInfo const* info)
{
#if PETSC_VERSION_LT(3, 23, 0)
  return (void)info, false;
#else
  return info->factoronhost;
#endif
}

/// Whether MatSeqAIJGetCSRAndMemType() gives access to a pattern in device memory; PETSc 3.18 with 64-bit indices does
/// not.
inline constexpr bool shows_pattern_on_device = PETSC_VERSION_GE(3, 19, 0) || sizeof(PetscInt) == sizeof(int);

inline constexpr bool lu_with_inodes_needs_diagonal = PETSC_VERSION_GE(3, 25, 0);  ///< see FindDiagonal()

}  // namespace sptrsv_petsc
