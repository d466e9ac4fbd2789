/* SPDX-License-Identifier: Apache-2.0
   Preloaded library: each request of a program, or of PETSc for it, for a factor of PETSc's own default type that
   sptrsv can replace adds a line to the file SPTRSV_FACTORS_RECORD, with the type of the factor. With
   SPTRSV_LAST_BIT set, the last bit of MatSolve()'s results is changed, up or down, which shows the effect of rounding
   on the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <petscmat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef PetscErrorCode (*Creator)(Mat, MatFactorType, Mat*);

/* Whether PETSc factors in place: it then gets a factor of its own, and merges it into the matrix. */
static int in_place = 0;

static void* Real(const char name[]) {
  void* const address = dlsym(RTLD_NEXT, name);

  if (!address) {
    fprintf(stderr, "record_factors: no %s after this library\n", name);
    abort();
  }
  return address;
}

static void Record(MatType matrix, MatFactorType ftype, MatType type) {
  char const* const path = getenv("SPTRSV_FACTORS_RECORD");
  char line[160];
  int file;

  if (!path || (file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600)) < 0) return;
  snprintf(line, sizeof line, "%s of %s by %s\n", MatFactorTypes[ftype], matrix, type);
  if (write(file, line, strlen(line)) < 0) perror("record_factors");
  close(file);
}

/* Tells whether PETSc's own type would answer the request, and sptrsv can replace it. */
static PetscErrorCode IsReplaced(Mat A, MatSolverType type, MatFactorType ftype, int* is) {
  Creator own = NULL, asked = NULL, ours = NULL;
  PetscBool found_type, found_matrix;
  MatType matrix;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &matrix));
  PetscCall(MatSolverTypeGet(type, matrix, ftype, &found_type, &found_matrix, &asked));
  PetscCall(MatSolverTypeGet(MATSOLVERPETSC, matrix, ftype, &found_type, &found_matrix, &own));
  PetscCall(MatSolverTypeGet("sptrsv", matrix, ftype, &found_type, &found_matrix, &ours));
  *is = own && asked == own && ours;
  PetscFunctionReturn(0);
}

PetscErrorCode MatGetFactor(Mat A, MatSolverType type, MatFactorType ftype, Mat* F) {
  PetscErrorCode (*const get)(Mat, MatSolverType, MatFactorType, Mat*) =
      (PetscErrorCode (*)(Mat, MatSolverType, MatFactorType, Mat*))Real("MatGetFactor");
  MatType matrix, factor;
  Dl_info caller;
  int const plugin = dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "sptrsv_petsc");
  int recorded = 0;

  PetscFunctionBegin;
  if (!plugin && !in_place && A) PetscCall(IsReplaced(A, type, ftype, &recorded));
  PetscCall(get(A, type, ftype, F));
  if (recorded && *F) {
    PetscCall(MatGetType(A, &matrix));
    PetscCall(MatGetType(*F, &factor));
    Record(matrix, ftype, factor);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode MatSolve(Mat F, Vec b, Vec x) {
  PetscErrorCode (*const solve)(Mat, Vec, Vec) = (PetscErrorCode (*)(Mat, Vec, Vec))Real("MatSolve");
  PetscScalar* entries;
  PetscReal bit;
  PetscInt n, i;

  PetscFunctionBegin;
  PetscCall(solve(F, b, x));
  if (!getenv("SPTRSV_LAST_BIT")) PetscFunctionReturn(0);
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &entries));
  for (i = 0; i < n; ++i) {
    bit = i * 2654435761u >> 16 & 1 ? PETSC_MACHINE_EPSILON : -PETSC_MACHINE_EPSILON;
    entries[i] *= 1 + bit;
  }
  PetscCall(VecRestoreArray(x, &entries));
  PetscFunctionReturn(0);
}

/* Defines NAME, which factors A in place, and counts that PETSc does so. */
#define FACTOR_IN_PLACE(NAME, PARAMETERS, ARGUMENTS)              \
  PetscErrorCode NAME PARAMETERS {                                \
    PetscErrorCode error;                                         \
                                                                  \
    ++in_place;                                                   \
    error = ((PetscErrorCode(*) PARAMETERS)Real(#NAME))ARGUMENTS; \
    --in_place;                                                   \
    return error;                                                 \
  }
FACTOR_IN_PLACE(MatLUFactor, (Mat A, IS rows, IS cols, const MatFactorInfo* info), (A, rows, cols, info))
FACTOR_IN_PLACE(MatILUFactor, (Mat A, IS rows, IS cols, const MatFactorInfo* info), (A, rows, cols, info))
FACTOR_IN_PLACE(MatCholeskyFactor, (Mat A, IS rows, const MatFactorInfo* info), (A, rows, info))
FACTOR_IN_PLACE(MatICCFactor, (Mat A, IS rows, const MatFactorInfo* info), (A, rows, info))
