/* SPDX-License-Identifier: Apache-2.0
   A Kokkos vector given to PetscObjectRegisterDestroy(): PetscFinalize() ends Kokkos before it destroys the objects
   that it was asked to destroy. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Vec x;

  PetscFunctionBegin;
  PetscCall(VecCreate(PETSC_COMM_SELF, &x));
  PetscCall(VecSetSizes(x, 100, 100));
  PetscCall(VecSetType(x, VECSEQKOKKOS));
  PetscCall(VecSet(x, 1));
  PetscCall(PetscObjectRegisterDestroy((PetscObject)x)); /* PetscFinalize() crashes */
  *shown = PETSC_FALSE;
  printf("the vector was made\n");
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_KOKKOS_KERNELS) ? Run : NULL); }
