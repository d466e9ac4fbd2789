/* SPDX-License-Identifier: Apache-2.0
   MatMult() of an aijkokkos matrix with vectors of PETSc's default type, which a program gets that creates its
   vectors itself. Cured by MatCreateVecs(), or by -vec_type kokkos; a debug build reports an error. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 1, &A));
  PetscCall(MatConvert(A, MATSEQAIJKOKKOS, MAT_INPLACE_MATRIX, &A));
  PetscCall(VecCreate(PETSC_COMM_SELF, &x));
  PetscCall(VecSetSizes(x, 8, 8));
  PetscCall(VecSetFromOptions(x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  *shown = PETSC_FALSE;
  printf("MatMult() %s\n", MatMult(A, x, y) ? "reports an error" : "came to its end"); /* crashes */
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_KOKKOS_KERNELS) ? Run : NULL); }
