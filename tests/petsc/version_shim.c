/* SPDX-License-Identifier: Apache-2.0
   Preloaded: a PETSc that claims to be 3.99, or to have complex scalars or 64-bit indices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release)
{
  int const real = getenv("SPTRSV_TEST_WIDE_SCALAR") || getenv("SPTRSV_TEST_WIDE_INT");

  *major    = PETSC_VERSION_MAJOR;
  *minor    = real ? PETSC_VERSION_MINOR : 99;
  *subminor = PETSC_VERSION_SUBMINOR;
  *release  = 1;
  return 0;
}

/* As a complex PETSc writes it: real part and imaginary part. Called by the plugin alone at that time. */
PetscErrorCode PetscOptionsStringToScalar(const char text[], PetscScalar *value)
{
  double const parts[2] = {strtod(text, NULL), 0};

  memcpy(value, parts, getenv("SPTRSV_TEST_WIDE_SCALAR") ? sizeof parts : sizeof parts[0]);
  return 0;
}

/* As a PETSc with 64-bit indices, for the plugin's own call; PETSc's calls get what they expect. */
PetscErrorCode PetscOptionsStringToInt(const char text[], PetscInt *value)
{
  long long const wide = strtoll(text, NULL, 10);
  Dl_info         caller;
  int const       plugin = dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "sptrsv_petsc");

  memcpy(value, &wide, plugin && getenv("SPTRSV_TEST_WIDE_INT") ? sizeof wide : sizeof *value);
  return 0;
}
