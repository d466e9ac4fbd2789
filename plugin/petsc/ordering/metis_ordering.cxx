// SPDX-License-Identifier: Apache-2.0
#include "ordering/metis_ordering.hpp"

#include <cholmod.h>

#include <vector>

#include "direct/suitesparse.hpp"
#include "sptrsv/ordering/coloring.hpp"

namespace sptrsv_petsc {
namespace {

/// Orders a graph. Returns CHOLMOD's status.
int OrderByMetis(sptrsv::Graph<PetscInt> const& graph, std::vector<PetscInt>& order)
{
  cholmod_common common;
  cholmod_sparse matrix{};

  SPTRSV_CHOLMOD(start)(&common);
  common.print = 0;  // errors are PETSc's
  matrix.nrow = matrix.ncol = static_cast<std::size_t>(graph.num_vertices());
  matrix.nzmax = graph.col_idx.size();
  matrix.p = IndicesOf(graph.row_ptr.data());
  matrix.i = IndicesOf(graph.col_idx.data());
  matrix.stype = -1;
  matrix.itype = sizeof(PetscInt) == sizeof(int) ? CHOLMOD_INT : CHOLMOD_LONG;
  matrix.xtype = CHOLMOD_PATTERN;
  matrix.packed = 1;
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
  PetscInt const *i, *j;
  PetscInt n;
  PetscBool done;
  std::vector<PetscInt> order;
  int status = CHOLMOD_OK;

  PetscFunctionBegin;
  PetscCall(CheckSuiteSparse(A));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));
  PetscCheck(done, comm, PETSC_ERR_SUP,
             "A matrix of type %s does not show its pattern; the ordering %s needs one of type %s, %s or %s",
             ((PetscObject)A)->type_name, metis_ordering, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ);
  PetscErrorCode const code =
      Caught(A, [&] { status = OrderByMetis(sptrsv::symmetric_graph<PetscInt>(n, i, j), order); });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));  // frees the copy made for inodes
  PetscCall(code);
  n = static_cast<PetscInt>(order.size());  // MatRestoreRowIJ() has set it to 0
  PetscCheck(status != CHOLMOD_OUT_OF_MEMORY, comm, PETSC_ERR_MEM,
             "METIS lacks memory for a graph of %" PetscInt_FMT " vertices; use the ordering nd", n);
  PetscCheck(status != CHOLMOD_NOT_INSTALLED, comm, PETSC_ERR_SUP,
             "This CHOLMOD was built without METIS; use the ordering nd");
  PetscCheck(status == CHOLMOD_OK, comm, PETSC_ERR_LIB,
             "METIS fails with CHOLMOD's status %d, perhaps for lack of memory; use the ordering nd", status);
  for (IS* is : {rows, cols}) PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, order.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
