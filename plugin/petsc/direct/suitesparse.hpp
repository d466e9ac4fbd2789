// SPDX-License-Identifier: Apache-2.0
// What the interfaces to SuiteSparse's libraries share.
#pragma once

#include <cholmod.h>

#include <string>

#include "direct/direct_library.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {

static_assert(sizeof(PetscScalar) == sizeof(double), "the interfaces are for real double");

#if defined(PETSC_USE_64BIT_INDICES)
using SuiteSparseIndex = SuiteSparse_long;
#define SPTRSV_CHOLMOD(function) cholmod_l_##function
#else
using SuiteSparseIndex = int;
#define SPTRSV_CHOLMOD(function) cholmod_##function
#endif
static_assert(sizeof(SuiteSparseIndex) == sizeof(PetscInt));

/// Returns PETSc's indices as SuiteSparse's functions take them, which do not change input arrays.
inline SuiteSparseIndex* IndicesOf(PetscInt const* p)
{
  return reinterpret_cast<SuiteSparseIndex*>(const_cast<PetscInt*>(p));
}

/// Checks that the CHOLMOD that this process has loaded has the version of the headers, up to patches: others have
/// other structs. It may be that of PETSc, or of another library of the program.
inline PetscErrorCode CheckSuiteSparse(Mat object)
{
  int version[3] = {0, 0, 0};

  PetscFunctionBegin;
  (void)cholmod_version(version);
  PetscCheck(version[0] == CHOLMOD_MAIN_VERSION && version[1] == CHOLMOD_SUB_VERSION,
             PetscObjectComm((PetscObject)object), PETSC_ERR_LIB,
             "The plugin was built with CHOLMOD %d.%d, but this process has loaded version %d.%d, perhaps PETSc's; "
             "build the plugin with that SuiteSparse (CMake: -DSPTRSV_SUITESPARSE_DIR=...)",
             CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, version[0], version[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Shows the upper triangle of A by rows as the lower triangle of its transpose by columns.
inline cholmod_sparse CholmodMatrix(HostMatrix const& A)
{
  cholmod_sparse matrix{};
  matrix.nrow = matrix.ncol = static_cast<std::size_t>(A.n);
  matrix.nzmax = A.n ? static_cast<std::size_t>(A.row_ptr[A.n]) : 0;
  matrix.p = IndicesOf(A.row_ptr);
  matrix.i = IndicesOf(A.col_idx);
  matrix.x = const_cast<PetscScalar*>(A.values);
  matrix.stype = -1;
  matrix.itype = sizeof(PetscInt) == sizeof(int) ? CHOLMOD_INT : CHOLMOD_LONG;
  matrix.xtype = A.values ? CHOLMOD_REAL : CHOLMOD_PATTERN;
  matrix.dtype = CHOLMOD_DOUBLE;
  matrix.packed = 1;
  matrix.sorted = 1;
  return matrix;
}

std::unique_ptr<DirectLibrary> MakeCholmod();
std::unique_ptr<DirectLibrary> MakeUmfpack();
std::unique_ptr<DirectLibrary> MakeKlu();

}  // namespace sptrsv_petsc
