/* SPDX-License-Identifier: Apache-2.0
   Public C interface of the PETSc plugin. Programs that load the plugin with -dll_append can do without. */
#ifndef SPTRSV_PETSC_H
#define SPTRSV_PETSC_H

#include <petscpc.h>

/* Properties and counts of a factor of this plugin, as MatView shows them. Strings are valid until the factor's next
   symbolic or numeric phase. */
typedef struct {
  const char* requested;                         /* the MatSolverType */
  const char *algorithm_lower, *algorithm_upper; /* algorithm in use: differs from requested for "sptrsv" */
  const char* reason;                            /* reason of the choice, for "sptrsv" */
  PetscInt n;                                    /* rows */
  PetscInt64 nnz_lower, nnz_upper;               /* entries, with the diagonal */
  PetscInt levels_lower, levels_upper;           /* level sets */
  PetscReal mean_rows_per_level_lower, mean_rows_per_level_upper;
  PetscInt max_rows_per_level_lower, max_rows_per_level_upper;
  PetscLogDouble memory_bytes;                      /* besides PETSc's own factor */
  PetscLogDouble seconds_analysis, seconds_numeric; /* of the last phases, without PETSc's own phases */
  PetscInt num_analysis, num_numeric, num_solves;
  const char* backend; /* where solves run: "host" or "device" */
} MatSpTRSVInfo;

/* Registers the solver types and orderings. Programs linked with the static library (CMake target sptrsv::petsc_static,
   with a PETSc that has Kokkos) call it after PetscInitialize(). Safe to call twice. */
PETSC_EXTERN PetscErrorCode SpTRSVRegister(void);

/* Makes pc, of type PCSHELL, apply M^-1 = U^-1 L^-1 with triangles that the program has made, plain and transposed, to
   one or several right-hand sides. Symmetric preconditioning has L on the left and U on the right.
   L, U       square sequential AIJ matrices of the operator's size, each with its triangle only; one may be NULL.
              The PC keeps references until it is destroyed or gets other triangles. It uses new values and new
              patterns from the next PCSetUp() or application on, even with KSPSetReusePreconditioner(). Both
              triangles are analyzed again only if the pattern of one has changed.
   unit_L/U   whether the diagonal is one; then it is stored in all rows, and ignored, or in none.
   algorithm  a TYPE as for -pc_factor_mat_solver_type, NULL for "sptrsv". The option -mat_sptrsv_type with the
              PC's prefix replaces it; the other options -mat_sptrsv_... apply as for factors.
   PCShellSetContext() remains available to the program. Errors name the triangle, the row and a remedy. */
PETSC_EXTERN PetscErrorCode SpTRSVPCShellSetTriangles(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                                      const char algorithm[]);

/* Calls SpTRSVPCShellSetTriangles() in programs that do not link the plugin, but load it with -dll_append. */
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

/* Fills info for a factor of this plugin, without linking the plugin. Error PETSC_ERR_ARG_WRONG for any other Mat.
   Computes the level sets if the algorithm has not done so. */
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
