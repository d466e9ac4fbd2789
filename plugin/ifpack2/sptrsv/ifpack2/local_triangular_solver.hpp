// SPDX-License-Identifier: Apache-2.0
// LocalTriangularSolver: an Ifpack2::Preconditioner that solves with a Tpetra::CrsMatrix that is triangular on each
// rank.
#pragma once

#include <optional>

#include "sptrsv/ifpack2/detail/preconditioner_base.hpp"

namespace sptrsv::ifpack2 {

/// Replaces Ifpack2::LocalSparseTriangularSolver: initialize() analyzes the pattern, compute() takes the values,
/// apply() solves with T, T^T or T^H. The pattern determines the triangle and whether its diagonal is stored: a matrix
/// without any diagonal entry has a unit diagonal. A local index must stand for the same global index as a row and as a
/// column. Every apply() reads the matrix's arrays in place: change values only between resumeFill() and
/// fillComplete(), then call compute(). One object serves one apply() at a time.
/// @tparam MatrixType  a Tpetra::RowMatrix.
template <class MatrixType>
class LocalTriangularSolver final : public detail::PreconditionerBase<MatrixType> {
  using Base = detail::PreconditionerBase<MatrixType>;

 public:
  using typename Base::crs_matrix_type;
  using typename Base::multivector_type;
  using typename Base::row_matrix_type;

  /// @param A  a Tpetra::CrsMatrix, or null to set the matrix later by setMatrix().
  explicit LocalTriangularSolver(Teuchos::RCP<row_matrix_type const> const& A);

  int getNumAnalyses() const override { return earlier_analyses_ + (triangle_ ? triangle_->num_analyses() : 0); }

 private:
  void takeMatrix() override { forget(); }
  bool takeParameters(Teuchos::ParameterList const&) override { return false; }
  void analyze() override;
  void update() override { triangle_->update(); }
  void solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const override;
  void describeTriangles(Teuchos::FancyOStream& out, bool levels) const override {
    if (triangle_) triangle_->describe(out, levels);
  }
  void forget();
  void checkMaps(crs_matrix_type const& A) const;

  std::optional<detail::LocalFactor<crs_matrix_type>> triangle_;
  int earlier_analyses_ = 0;  // analyses of earlier matrices
};

}  // namespace sptrsv::ifpack2
