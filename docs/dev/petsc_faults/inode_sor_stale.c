/* SPDX-License-Identifier: Apache-2.0
   MatSOR() of an aijkokkos matrix with inodes after its values have changed on a GPU: sweeps by inodes read the host's
   copy of the values without bringing it up to date. */
#include "child.h"

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  Vec b, x;
  PetscReal before, after;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 3, &A));
  PetscCall(MatConvert(A, MATSEQAIJKOKKOS, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(MatMult(A, b, x)); /* brings the values to the GPU */
  PetscCall(Sweep(A, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &before));
  PetscCall(MatScale(A, 2));
  PetscCall(Sweep(A, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &after));
  printf("after a scaling by 2 the sweep's result is %.3f of that before\n", (double)(after / before));
  *shown = (PetscBool)(PetscAbsReal(after / before - 0.5) > 1e-10);
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_KOKKOS_KERNELS) && PetscDefined(HAVE_CUDA) ? Run : NULL); }
