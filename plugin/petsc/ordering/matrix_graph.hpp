// SPDX-License-Identifier: Apache-2.0
// The graph of a matrix that orderings on the host work on.
#pragma once

#include <algorithm>
#include <vector>

#include "kokkos/guarded.hpp"
#include "sptrsv/ordering/coloring.hpp"

namespace sptrsv_petsc {

/// Finds nodes: blocks of A's block size whose rows have equal columns, which are whole blocks. PETSc finds such rows,
/// as inodes, in some types of matrices only.
/// @param size  out: A's block size; 1 if A's blocks are no nodes, if A has inodes or if A's type has blocks
inline PetscErrorCode FindNodes(Mat A, PetscInt* size)
{
  PetscInt const *i, *j;
  PetscInt n, bs, num_inodes = 0;
  PetscBool aij, done;
  bool nodes = true;

  PetscFunctionBegin;
  *size = 1;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (!aij || bs == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  if (num_inodes > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  for (PetscInt row = 0; done && nodes && row < n; ++row) {
    PetscInt const* const first = j + i[row - row % bs];
    PetscInt const count = i[row - row % bs + 1] - i[row - row % bs];
    nodes = count % bs == 0 && i[row + 1] - i[row] == count && std::equal(first, first + count, j + i[row]);
    for (PetscInt k = 0; nodes && row % bs == 0 && k < count; ++k)
      nodes = first[k] == first[k - k % bs] + k % bs && first[k - k % bs] % bs == 0;
  }
  if (done && nodes) *size = bs;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls order(graph), where `graph` is A's compressed graph: its vertices are inodes or nodes of seqaij, blocks of
/// seqbaij and seqsbaij, otherwise rows.
/// @param name       of the ordering, for errors
/// @param node_size  of FindNodes()
template <class Order>
PetscErrorCode OrderGraph(Mat A, MatOrderingType name, PetscInt node_size, Order const& order)
{
  PetscInt const *i, *j;
  PetscInt n;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of type %s does not show its pattern; the ordering %s needs one of type %s, %s or %s",
             ((PetscObject)A)->type_name, name, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ);
  PetscErrorCode const code = Guarded(A, [&] {
    if (node_size == 1) return order(sptrsv::symmetric_graph<PetscInt>(n, i, j));
    std::vector<PetscInt> row_ptr{0}, col_idx;
    for (PetscInt row = 0; row < n; row += node_size) {
      for (PetscInt k = i[row]; k < i[row + 1]; k += node_size) col_idx.push_back(j[k] / node_size);
      row_ptr.push_back((PetscInt)col_idx.size());
    }
    order(sptrsv::symmetric_graph<PetscInt>(n / node_size, row_ptr.data(), col_idx.data()));
  });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));  // frees the copy made for inodes
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the orderings of rows and columns from an order of the vertices of A's compressed graph. MatGetOrdering()
/// expands an ordering of inodes to rows, the factorizations expand an ordering of blocks.
/// @param node_size  rows of a vertex that are expanded here: that of OrderGraph()
inline PetscErrorCode MakeOrderings(std::vector<PetscInt> const& order, PetscInt node_size, IS* rows, IS* cols)
{
  std::vector<PetscInt> expanded;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    expanded.reserve(order.size() * (std::size_t)node_size);
    for (PetscInt vertex : order)
      for (PetscInt r = 0; r < node_size; ++r) expanded.push_back(vertex * node_size + r);
  }));
  for (IS* is : {rows, cols})
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)expanded.size(), expanded.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
