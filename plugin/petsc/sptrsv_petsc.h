/* SPDX-License-Identifier: Apache-2.0
   Public C interface of the PETSc plugin. Not needed by a program that only loads the plugin with -dll_append.
   Comments that begin with an at sign, MC or S are manual pages in PETSc's format. */
#ifndef SPTRSV_PETSC_H
#define SPTRSV_PETSC_H

#include <petscpc.h>

/* SUBMANSEC = Mat */

/* Version of this header; SpTRSVGetVersion() gives that of the library. */
#define SPTRSV_VERSION_MAJOR 0
#define SPTRSV_VERSION_MINOR 2
#define SPTRSV_VERSION_SUBMINOR 0
#define SPTRSV_VERSION_GE(major, minor, subminor) \
  (SPTRSV_VERSION_MAJOR > (major) ||              \
   (SPTRSV_VERSION_MAJOR == (major) &&            \
    (SPTRSV_VERSION_MINOR > (minor) || (SPTRSV_VERSION_MINOR == (minor) && SPTRSV_VERSION_SUBMINOR >= (subminor)))))
#define SPTRSV_VERSION_LT(major, minor, subminor) (!SPTRSV_VERSION_GE(major, minor, subminor))

/* Names of the solver types and orderings, for PCFactorSetMatSolverType() and PCFactorSetMatOrderingType(). Their
   manual pages are printed by tools/options_page --manual-pages. */
#define MATSOLVERSPTRSV "sptrsv"
#define MATSOLVERSEQUENTIAL "sequential"
#define MATSOLVERLEVELSET "levelset"
#define MATSOLVERSYNCFREE "syncfree"
#define MATSOLVERTHREADLEVEL "threadlevel"
#define MATSOLVERFUSED "fused"
#define MATSOLVERTILED "tiled"
#define MATSOLVERCOLORSET "colorset"
#define MATSOLVERBLOCKED "blocked"
#define MATSOLVERCHAIN "chain"
#define MATSOLVERITERATED "iterated"
#define MATSOLVERINVERTED "inverted"
#define MATORDERINGCOLOR "color"
#define MATORDERINGBLOCKCOLOR "blockcolor"

/*S
  MatSpTRSVInfo - Properties and counts of a factor of the package sptrsv, as `MatView()` shows them

  Level: intermediate

  Note:
  Strings are valid until the factor's next symbolic or numeric phase.

.seealso: [](ch_matrices), `Mat`, `MatSpTRSVGetInfo()`, `MATSOLVERSPTRSV`
S*/
typedef struct {
  const char* requested;                         /* the MatSolverType */
  const char *algorithm_lower, *algorithm_upper; /* algorithm in use: differs from requested for "sptrsv" */
  const char* reason;                            /* reason of the choice, for "sptrsv" */
  PetscInt n;                                    /* rows */
  PetscInt64 nnz_lower, nnz_upper;               /* entries, with the diagonal */
  PetscInt levels_lower, levels_upper;           /* level sets */
  PetscReal mean_rows_per_level_lower, mean_rows_per_level_upper;
  PetscInt max_rows_per_level_lower, max_rows_per_level_upper;
  PetscLogDouble memory_bytes;                      /* without PETSc's own factor */
  PetscLogDouble seconds_analysis, seconds_numeric; /* of the last phases, without PETSc's own phases */
  PetscInt num_analysis, num_numeric, num_solves;
  const char* backend; /* where solves run: "host" or "device" */
} MatSpTRSVInfo;

/*@
  SpTRSVRegister - Registers the solver types and orderings of the package sptrsv, and wraps PETSc's `PC` types

  Not Collective; No Fortran Support

  Level: advanced

  Notes:
  Programs linked with the library, shared or static (CMake targets `sptrsv::petsc` and, with a PETSc that has Kokkos,
  `sptrsv::petsc_static`), call this after `PetscInitialize()`. Without a call PETSc does not know the types, and the
  linker may leave out the library. It is safe to call it twice.

  If PETSc loads the shared library, as with `-dll_append`, the program need not call this function.

.seealso: [](ch_matrices), `MATSOLVERSPTRSV`, `MatSolverTypeRegister()`, `MatOrderingRegister()`
@*/
PETSC_EXTERN PetscErrorCode SpTRSVRegister(void);

/*@C
  SpTRSVGetVersion - Gets the version of the package sptrsv, and how it was built

  Not Collective; No Fortran Support

  Input Parameters:
+ version - gets the version, the commit, the versions of PETSc and Kokkos, execution spaces and libraries for factors
- len     - length of `version`; 256 characters suffice

  Level: developer

  Note:
  Can be called before `PetscInitialize()`. The macros `SPTRSV_VERSION_MAJOR`, `SPTRSV_VERSION_MINOR` and
  `SPTRSV_VERSION_SUBMINOR` have the version of the header; `SPTRSV_VERSION_GE`(major,minor,subminor) and
  `SPTRSV_VERSION_LT`(major,minor,subminor) compare it.

.seealso: `SpTRSVRegister()`, `PetscGetVersion()`
@*/
PETSC_EXTERN PetscErrorCode SpTRSVGetVersion(char version[], size_t len);

/*@
  SpTRSVPCShellSetTriangles - Makes a `PC` of type `PCSHELL` apply U^-1 L^-1, with triangles that the program has made

  Logically Collective; No Fortran Support

  Input Parameters:
+ pc        - the preconditioner, of type `PCSHELL`
. L         - a square `MATSEQAIJ` of the operator's size with the lower triangle only, or `NULL`
. unit_L    - whether `L` has a unit diagonal; all rows store it (the values are ignored), or no row does
. U         - a matrix like `L` with the upper triangle only; one of `L` and `U` may be `NULL`
. unit_U    - whether the diagonal of `U` is one
- algorithm - a type as for `-pc_factor_mat_solver_type`, or `NULL` for `MATSOLVERSPTRSV`

  Options Database Key:
. -mat_sptrsv_type type - with the prefix of `pc`: replaces `algorithm`

  Level: intermediate

  Notes:
  The triangles are applied plain and transposed, to one or several right-hand sides. Symmetric preconditioning has `L`
  on the left and `U` on the right.

  The `PC` keeps references to the triangles until it is destroyed or gets others. It uses new values and new patterns
  from the next `PCSetUp()` or application on, even with `KSPSetReusePreconditioner()`. Both triangles are analyzed
  again only if the pattern of one has changed.

  The options of `MATSOLVERSPTRSV` and of its types apply as for factors. `PCShellSetContext()` remains available to the
  program. Errors name the triangle, the row and a remedy.

.seealso: [](ch_ksp), `PC`, `PCSHELL`, `SpTRSVPCShellSetTrianglesDynamic()`, `MATSOLVERSPTRSV`, `PCShellSetContext()`
@*/
PETSC_EXTERN PetscErrorCode SpTRSVPCShellSetTriangles(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                                      const char algorithm[]);

/*@
  SpTRSVPCShellSetTrianglesDynamic - Calls `SpTRSVPCShellSetTriangles()` in a program that does not link the package
  sptrsv, but loads it with `-dll_append`

  Logically Collective; No Fortran Support

  Input Parameters:
+ pc        - the preconditioner, of type `PCSHELL`
. L         - the lower triangle, or `NULL`
. unit_L    - whether the diagonal of `L` is one
. U         - the upper triangle, or `NULL`
. unit_U    - whether the diagonal of `U` is one
- algorithm - a type, or `NULL` for `MATSOLVERSPTRSV`

  Level: intermediate

.seealso: [](ch_ksp), `PC`, `PCSHELL`, `SpTRSVPCShellSetTriangles()`, `MATSOLVERSPTRSV`
@*/
static inline PetscErrorCode SpTRSVPCShellSetTrianglesDynamic(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                                              const char algorithm[])
{
  PetscErrorCode (*set)(PC, Mat, PetscBool, Mat, PetscBool, const char[]) = NULL;
  void* found = NULL;

  PetscFunctionBegin;
  PetscCall(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, NULL, "SpTRSVPCShellSetTriangles", &found));
  PetscCheck(found, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "The sptrsv plugin is not loaded; run with -dll_append <path>/libsptrsv_petsc.so, or link the program "
             "with it and call SpTRSVRegister()");
  PetscCall(PetscMemcpy(&set, &found, sizeof set));
  PetscCall(set(pc, L, unit_L, U, unit_U, algorithm));
  PetscFunctionReturn((PetscErrorCode)0);
}

/*@
  MatSpTRSVGetInfo - Returns properties and counts of a factor of the package sptrsv, in a program that need not link it

  Not Collective; No Fortran Support

  Input Parameter:
. F - the factor; another `Mat` is error `PETSC_ERR_ARG_WRONG`

  Output Parameter:
. info - its properties and counts

  Level: intermediate

  Note:
  Computes the level sets if the algorithm has not done so.

.seealso: [](ch_matrices), `Mat`, `MatSpTRSVInfo`, `MATSOLVERSPTRSV`, `PCFactorGetMatrix()`, `MatGetFactor()`
@*/
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
