/* SPDX-License-Identifier: Apache-2.0
   Preloaded library: a PETSc that claims to be 3.99, or to have the other scalars (complex for real) or indices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode PetscGetVersionNumber(PetscInt* major, PetscInt* minor, PetscInt* subminor, PetscInt* release) {
  int const real = getenv("SPTRSV_TEST_OTHER_SCALAR") || getenv("SPTRSV_TEST_OTHER_INT");

  *major = PETSC_VERSION_MAJOR;
  *minor = real ? PETSC_VERSION_MINOR : 99;
  *subminor = PETSC_VERSION_SUBMINOR;
  *release = 1;
  return 0;
}

/* Reads a number as a complex PETSc does, real part and imaginary part, or as a real one. Only the plugin calls it at
   that time. */
PetscErrorCode PetscOptionsStringToScalar(const char text[], PetscScalar* value) {
  double const parts[2] = {strtod(text, NULL), 0};

  int const two_parts = (sizeof *value == sizeof parts) != (getenv("SPTRSV_TEST_OTHER_SCALAR") != NULL);

  memcpy(value, parts, two_parts ? sizeof parts : sizeof parts[0]);
  return 0;
}

/* Reads an index as a PETSc with the other indices does, for the plugin's call only. */
PetscErrorCode PetscOptionsStringToInt(const char text[], PetscInt* value) {
  long long const wide = strtoll(text, NULL, 10);
  Dl_info caller;
  int const plugin = dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "sptrsv_petsc");

  int const other = plugin && getenv("SPTRSV_TEST_OTHER_INT");

  memcpy(value, &wide, (sizeof *value == sizeof wide) != other ? sizeof wide : sizeof(int)); /* little-endian */
  return 0;
}
