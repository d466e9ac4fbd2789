// SPDX-License-Identifier: Apache-2.0
// Definitions of LocalTriangularSolver, for the files that instantiate it.
#pragma once

#include "sptrsv/ifpack2/detail/preconditioner_base_impl.hpp"
#include "sptrsv/ifpack2/local_triangular_solver.hpp"

namespace sptrsv::ifpack2 {

template <class M>
LocalTriangularSolver<M>::LocalTriangularSolver(Teuchos::RCP<row_matrix_type const> const& A)
    : Base("sptrsv::ifpack2::LocalTriangularSolver", A) {}

template <class M>
void LocalTriangularSolver<M>::forget() {
  earlier_analyses_ = getNumAnalyses();
  triangle_.reset();
}

template <class M>
void LocalTriangularSolver<M>::checkMaps(crs_matrix_type const& A) const {
  auto const rows = A.getRowMap(), cols = A.getColMap();
  auto const r = rows->getLocalElementList(), c = cols->getLocalElementList();
  for (Teuchos_Ordinal i = 0; i < std::min(r.size(), c.size()); ++i)
    if (r[i] != c[i])
      throw Error("local row " + std::to_string(i) + " is global row " + std::to_string(r[i]) + ", but local column " +
                  std::to_string(i) + " is global column " + std::to_string(c[i]) +
                  ". Triangles are told by local indices: build the matrix with its row map as column map");
}

template <class M>
void LocalTriangularSolver<M>::analyze() {
  forget();
  auto const A = this->crsMatrix();
  checkMaps(*A);
  triangle_.emplace(
      std::vector<detail::LocalTriangle<crs_matrix_type>>{{A, "Triangle", std::nullopt}}, false, this->request(),
      [](crs_matrix_type const& matrix, long long row) { return Base::row_name(*matrix.getRowMap(), row); });
}

template <class M>
void LocalTriangularSolver<M>::solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const {
  auto const b = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  auto const x = Y.getLocalViewDevice(Tpetra::Access::ReadWrite);  // not OverwriteAll, since X may be Y
  triangle_->solve(mode, b, x);
}

}  // namespace sptrsv::ifpack2
