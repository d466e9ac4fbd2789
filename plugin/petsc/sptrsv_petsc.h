/* SPDX-License-Identifier: Apache-2.0
   Public C interface of the PETSc plugin. Programs that load it with -dll_append need none of this. */
#ifndef SPTRSV_PETSC_H
#define SPTRSV_PETSC_H

#include <petscmat.h>

/* What a factor of this plugin is and did, as MatView shows it. Strings live as long as the factor. */
typedef struct {
  const char    *requested;                                   /* the MatSolverType */
  const char    *algorithm_lower, *algorithm_upper;           /* what runs: differs from requested for "sptrsv" */
  const char    *reason;                                      /* why, for "sptrsv" */
  PetscInt       n;                                           /* rows */
  PetscInt       nnz_lower, nnz_upper;                        /* entries, the diagonal in both */
  PetscInt       levels_lower, levels_upper;                  /* level sets */
  PetscReal      mean_rows_per_level_lower, mean_rows_per_level_upper;
  PetscInt       max_rows_per_level_lower, max_rows_per_level_upper;
  PetscLogDouble memory_bytes;                                /* beyond PETSc's own factor */
  PetscLogDouble seconds_analysis, seconds_numeric;           /* ours, without PETSc's own symbolic and numeric phase; last */
  PetscInt       num_analysis, num_numeric, num_solves;
} MatSpTRSVInfo;

/* Registers the solver types; for static builds, after PetscInitialize(). Safe to call twice. */
PETSC_EXTERN PetscErrorCode SpTRSVRegister(void);

/* Fills info for a factor of this plugin; needs no linking with it. Error PETSC_ERR_ARG_WRONG for any other Mat.
   Computes the level sets if the algorithm did without. */
static inline PetscErrorCode MatSpTRSVGetInfo(Mat F, MatSpTRSVInfo *info)
{
  PetscErrorCode (*get)(Mat, MatSpTRSVInfo *) = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatSpTRSVGetInfo_C", &get));
  PetscCheck(get, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG, "Mat is not a factor of the sptrsv plugin; choose one of its types with -pc_factor_mat_solver_type");
  PetscCall(get(F, info));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
