// SPDX-License-Identifier: Apache-2.0
// Reads matrices: their patterns and values as arrays, where these lie.
#pragma once

#include "kokkos/guarded.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Calls use(MatrixArrays) with A's pattern, of its blocks where it has them: on a device, where it is there and wanted
/// there.
template <class Use>
PetscErrorCode WithMatrixPattern(Mat A, bool device, Use const& use)
{
  MatrixArrays arrays;
  PetscInt const *i, *j;
  PetscBool done, by_blocks;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, by_blocks, &arrays.n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "The matrix, of type %s, does not show its pattern",
             ((PetscObject)A)->type_name);
  arrays.num_entries = arrays.n ? static_cast<std::size_t>(i[arrays.n]) : 0;
  arrays.row_ptr = i;
  arrays.col_idx = j;
  if (device && shows_pattern_on_device && !by_blocks) {
    PetscMemType where = PETSC_MEMTYPE_HOST;
    PetscInt const *i_there, *j_there;
    PetscScalar* a;
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &i_there, &j_there, &a, &where));
    if (PetscMemTypeDevice(where)) {
      arrays.row_ptr = i_there;
      arrays.col_idx = j_there;
      arrays.on_device = true;
    }
  }
  PetscErrorCode const code = use(arrays);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, by_blocks, &arrays.n, &i, &j, &done));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A's values as the solver can read them: a device's in place, brought up to date there if the host's are newer.
/// Leaves the object's state alone. use(MatrixValues).
template <class Use>
PetscErrorCode WithMatrixValues(Mat A, bool device, std::size_t size, Use const& use)
{
  PetscScalar* there = nullptr;
  PetscScalar const* a = nullptr;
  PetscMemType where = PETSC_MEMTYPE_HOST;
  PetscBool baij, sbaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  if (baij || sbaij) {  // on the host alone
    PetscCall(sbaij ? MatSeqSBAIJGetArray(A, &there) : MatSeqBAIJGetArray(A, &there));
    PetscErrorCode const used = use(MatrixValues{scalars(const_cast<PetscScalar const*>(there)), size, false});
    PetscCall(sbaij ? MatSeqSBAIJRestoreArray(A, &there) : MatSeqBAIJRestoreArray(A, &there));
    PetscCall(used);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (device) PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, &there, &where));
  if (PetscMemTypeDevice(where)) {
    PetscCall(use(MatrixValues{scalars(const_cast<PetscScalar const*>(there)), size, true}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscErrorCode const code = use(MatrixValues{scalars(a), size, false});
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
