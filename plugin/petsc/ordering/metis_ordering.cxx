// SPDX-License-Identifier: Apache-2.0
#include "ordering/metis_ordering.hpp"

#include "direct/suitesparse.hpp"
#include "ordering/matrix_graph.hpp"

namespace sptrsv_petsc {
namespace {

/// Orders a graph. Returns CHOLMOD's status.
int OrderByMetis(sptrsv::Graph<PetscInt> const& graph, std::vector<PetscInt>& order)
{
  cholmod_common common;
  HostMatrix pattern;

  pattern.n = graph.num_vertices();
  pattern.row_ptr = graph.row_ptr.data();
  pattern.col_idx = graph.col_idx.data();
  cholmod_sparse matrix = CholmodMatrix(pattern);
  matrix.sorted = 0;
  SPTRSV_CHOLMOD(start)(&common);
  common.print = 0;  // errors are PETSc's
  order.resize(matrix.nrow);
  bool const done = SPTRSV_CHOLMOD(metis)(&matrix, nullptr, 0, 1, IndicesOf(order.data()), &common);
  int const status = common.status;
  SPTRSV_CHOLMOD(finish)(&common);
  return done || status < CHOLMOD_OK ? status : CHOLMOD_INVALID;
}

}  // namespace

PetscErrorCode MatGetOrdering_Metis(Mat A, MatOrderingType, IS* rows, IS* cols)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  std::vector<PetscInt> order;
  PetscInt node_size;
  int status = CHOLMOD_OK;

  PetscFunctionBegin;
  PetscCall(CheckSuiteSparse(A));
  PetscCall(FindNodes(A, &node_size));
  PetscCall(OrderGraph(A, metis_ordering, node_size, [&](auto const& graph) { status = OrderByMetis(graph, order); }));
  PetscCheck(status != CHOLMOD_OUT_OF_MEMORY, comm, PETSC_ERR_MEM,
             "METIS lacks memory for a graph of %" PetscInt_FMT " vertices; use the ordering nd",
             (PetscInt)order.size());
  PetscCheck(status != CHOLMOD_NOT_INSTALLED, comm, PETSC_ERR_SUP,
             "This CHOLMOD was built without METIS; use the ordering nd");
  PetscCheck(status == CHOLMOD_OK, comm, PETSC_ERR_LIB,
             "METIS fails with CHOLMOD's status %d, perhaps for lack of memory; use the ordering nd", status);
  PetscCall(MakeOrderings(order, node_size, rows, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
