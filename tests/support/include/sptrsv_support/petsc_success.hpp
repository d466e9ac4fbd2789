// SPDX-License-Identifier: Apache-2.0
// Names that older versions of PETSc lack.
#pragma once

#include <petscsys.h>

#ifndef PETSC_SUCCESS  // this macro up to 3.18, an enumerator of PETSc from 3.19 on
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif
#endif
