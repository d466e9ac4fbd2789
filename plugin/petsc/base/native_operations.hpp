// SPDX-License-Identifier: Apache-2.0
// PETSc's own operations of a matrix type, for functions of the plugin that replace some of them.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Gets PETSc's own operations of a matrix type. Collective.
inline PetscErrorCode GetNativeOperations(MPI_Comm comm, MatType type, _MatOps* operations)
{
  Mat other;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, &other));
  PetscCall(MatSetType(other, type));
  *operations = *other->ops;
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own operations of A's type. Collective.
inline PetscErrorCode GetNativeOperations(Mat A, _MatOps* operations)
{
  PetscFunctionBegin;
  PetscCall(GetNativeOperations(PetscObjectComm((PetscObject)A), ((PetscObject)A)->type_name, operations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
