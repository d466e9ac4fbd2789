/* SPDX-License-Identifier: Apache-2.0
   ICC by PETSc's solver type kokkos after a change of A's values: the factor's transpose keeps the first values, so
   that the preconditioner is not that of a new PC. */
#include "child.h"

static PetscErrorCode MakeIcc(Mat A, PC* pc) {
  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, PCICC));
  PetscCall(PCFactorSetMatSolverType(*pc, "kokkos"));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(PetscBool* shown) {
  Mat A;
  PC kept, fresh;
  Vec b, x, y;
  PetscReal size, difference;

  PetscFunctionBegin;
  PetscCall(BlockLine(8, 1, &A));
  PetscCall(MatConvert(A, MATSEQAIJKOKKOS, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecSet(b, 1));
  PetscCall(MakeIcc(A, &kept));
  PetscCall(PCApply(kept, b, x));
  PetscCall(MatShift(A, 8));
  PetscCall(PCSetUp(kept));
  PetscCall(PCApply(kept, b, x));
  PetscCall(MakeIcc(A, &fresh));
  PetscCall(PCApply(fresh, b, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &size));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_INFINITY, &difference));
  printf("off by %.1e of what a new PC gives\n", (double)(difference / size));
  *shown = (PetscBool)(difference > 1e-10 * size);
  PetscFunctionReturn(0);
}

int main(void) { return Show(PetscDefined(HAVE_KOKKOS_KERNELS) ? Run : NULL); }
