/* SPDX-License-Identifier: Apache-2.0
   Public C interface of the PETSc plugin. Programs that load it with -dll_append need none of this. */
#ifndef SPTRSV_PETSC_H
#define SPTRSV_PETSC_H

#include <petscpc.h>

/* What a factor of this plugin is and did, as MatView shows it. Strings live until its next symbolic or numeric phase.
 */
typedef struct {
  const char* requested;                         /* the MatSolverType */
  const char *algorithm_lower, *algorithm_upper; /* what runs: differs from requested for "sptrsv" */
  const char* reason;                            /* why, for "sptrsv" */
  PetscInt n;                                    /* rows */
  PetscInt64 nnz_lower, nnz_upper;               /* entries, the diagonal in both */
  PetscInt levels_lower, levels_upper;           /* level sets */
  PetscReal mean_rows_per_level_lower, mean_rows_per_level_upper;
  PetscInt max_rows_per_level_lower, max_rows_per_level_upper;
  PetscLogDouble memory_bytes;                      /* beyond PETSc's own factor */
  PetscLogDouble seconds_analysis, seconds_numeric; /* ours, without PETSc's own symbolic and numeric phase; last */
  PetscInt num_analysis, num_numeric, num_solves;
  const char* backend; /* where it runs: "host" or "device" */
} MatSpTRSVInfo;

/* Registers the solver types; for programs linked with the static library (CMake target sptrsv::petsc_static, with a
   PETSc that has Kokkos), after PetscInitialize(). Safe to call twice. */
PETSC_EXTERN PetscErrorCode SpTRSVRegister(void);

/* Makes pc, of type PCSHELL, apply M^-1 = U^-1 L^-1 of triangles that the program has made itself, plain and
   transposed, to one or several right-hand sides; symmetric preconditioning has L on the left and U on the right.
   L, U       square sequential AIJ matrices of the operator's size, each its triangle alone; one may be NULL.
              The PC keeps references until it is destroyed or is given others. New values and new patterns are
              seen at the next PCSetUp() or application, KSPSetReusePreconditioner() or not, since values are
              used where they lie and patterns are compared with a copy; both are analyzed again if the
              pattern of one is new, and only then.
   unit_L/U   whether the diagonal is one; then it is stored in all rows, and ignored, or in none.
   algorithm  a TYPE as for -pc_factor_mat_solver_type, NULL for "sptrsv"; the option -mat_sptrsv_type with the
              PC's prefix replaces it, and the other options -mat_sptrsv_... hold as for factors.
   PCShellSetContext() stays free for the program. Errors name the triangle, the row and a remedy. */
PETSC_EXTERN PetscErrorCode SpTRSVPCShellSetTriangles(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                                      const char algorithm[]);

/* The same for programs that do not link the plugin: finds it where -dll_append has loaded it. */
static inline PetscErrorCode SpTRSVPCShellSetTrianglesDynamic(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                                              const char algorithm[])
{
  PetscErrorCode (*set)(PC, Mat, PetscBool, Mat, PetscBool, const char[]) = NULL;
  void* found = NULL;

  PetscFunctionBegin;
  PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, NULL, "SpTRSVPCShellSetTriangles", &found));
  PetscCheck(
      found, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
      "The sptrsv plugin is not loaded; run with -dll_append <path>/libsptrsv_petsc.so, or link the program with it");
  PetscCall(PetscMemcpy(&set, &found, sizeof set));
  PetscCall(set(pc, L, unit_L, U, unit_U, algorithm));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Fills info for a factor of this plugin; needs no linking with it. Error PETSC_ERR_ARG_WRONG for any other Mat.
   Computes the level sets if the algorithm did without. */
static inline PetscErrorCode MatSpTRSVGetInfo(Mat F, MatSpTRSVInfo* info)
{
  PetscErrorCode (*get)(Mat, MatSpTRSVInfo*) = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatSpTRSVGetInfo_C", &get));
  PetscCheck(get, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
             "Mat is not a factor of the sptrsv plugin; choose one of its types with -pc_factor_mat_solver_type");
  PetscCall(get(F, info));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
