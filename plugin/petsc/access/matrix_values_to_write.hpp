// SPDX-License-Identifier: Apache-2.0
// Writes values of matrices of type seqaij, and of types derived from it, in their own memory space.
#pragma once

#include "base/petsc_compat.hpp"
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
#include <petscmat_kokkos.hpp>
#endif

namespace sptrsv_petsc {

/// Returns the memory type of the values that matrices of A's type use in solves.
inline PetscMemType device_memory_of(Mat A)
{
  PetscBool is = PETSC_FALSE;

#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  if (!PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &is) && is) return PETSC_MEMTYPE_KOKKOS;
#endif
#if defined(PETSC_HAVE_CUDA)
  if (!PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &is) && is) return PETSC_MEMTYPE_CUDA;
#endif
#if defined(PETSC_HAVE_HIP)
  if (!PetscObjectTypeCompare((PetscObject)A, MATSEQAIJHIPSPARSE, &is) && is) return PETSC_MEMTYPE_HIP;
#endif
  return (void)A, (void)is, PETSC_MEMTYPE_HOST;
}

/// Calls use(pointer, memory type), which has to write all of A's values, and raises A's object state.
template <class Use>
PetscErrorCode WithMatrixValuesToWrite(Mat A, Use const& use)
{
  PetscScalar* a;
  PetscBool is;

  PetscFunctionBegin;
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &is));
  if (is) {
    Kokkos::View<PetscScalar*> values;
    PetscCall(MatSeqAIJGetKokkosViewWrite(A, &values));
    PetscCall(use(values.data(), PETSC_MEMTYPE_KOKKOS));
    PetscCall(MatSeqAIJRestoreKokkosViewWrite(A, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
#if defined(PETSC_HAVE_CUDA)
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &is));
  if (is) {
    PetscCall(MatSeqAIJCUSPARSEGetArray(A, &a));  // unlike GetArrayWrite it allocates a missing array
    PetscCall(use(a, PETSC_MEMTYPE_CUDA));
    PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &a));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
#if defined(PETSC_HAVE_HIP)
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJHIPSPARSE, &is));
  if (is) {
    PetscCall(MatSeqAIJHIPSPARSEGetArray(A, &a));
    PetscCall(use(a, PETSC_MEMTYPE_HIP));
    PetscCall(MatSeqAIJHIPSPARSERestoreArray(A, &a));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  (void)is;
  PetscCall(MatSeqAIJGetArrayWrite(A, &a));
  PetscCall(use(a, PETSC_MEMTYPE_HOST));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &a));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
