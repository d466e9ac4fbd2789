// SPDX-License-Identifier: Apache-2.0
// The graph of a matrix that orderings on the host work on.
#pragma once

#include "kokkos/guarded.hpp"
#include "sptrsv/ordering/coloring.hpp"

namespace sptrsv_petsc {

/// Calls order(graph), where `graph` is A's compressed graph: its vertices are inodes of seqaij, blocks of seqbaij and
/// seqsbaij, otherwise rows.
/// @param name  of the ordering, for errors
template <class Order>
PetscErrorCode OrderGraph(Mat A, MatOrderingType name, Order const& order)
{
  PetscInt const *i, *j;
  PetscInt n;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of type %s does not show its pattern; the ordering %s needs one of type %s, %s or %s",
             ((PetscObject)A)->type_name, name, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ);
  PetscErrorCode const code = Guarded(A, [&] { order(sptrsv::symmetric_graph<PetscInt>(n, i, j)); });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));  // frees the copy made for inodes
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the orderings of rows and columns from an order of the vertices of A's compressed graph. MatGetOrdering()
/// expands an ordering of inodes to rows, the factorizations expand an ordering of blocks.
inline PetscErrorCode MakeOrderings(std::vector<PetscInt> const& order, IS* rows, IS* cols)
{
  PetscFunctionBegin;
  for (IS* is : {rows, cols})
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)order.size(), order.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
