// SPDX-License-Identifier: Apache-2.0
// Relaxation: an Ifpack2::Preconditioner of Gauss-Seidel and SOR sweeps in natural order, by triangular solves.
#pragma once

#include <optional>

#include "sptrsv/ifpack2/detail/local_block.hpp"
#include "sptrsv/ifpack2/detail/preconditioner_base.hpp"
#include "sptrsv/sweeps.hpp"

namespace sptrsv::ifpack2 {

/// Replaces Ifpack2::Relaxation of type "Gauss-Seidel" and "Symmetric Gauss-Seidel": initialize() analyzes the
/// triangles of each rank's diagonal block, compute() takes their values, apply() sweeps. Results equal Ifpack2's up to
/// rounding, also on several ranks: a sweep uses the entries of x on other ranks from before the sweep. Y is the
/// starting solution, unless a zero starting solution is requested. Takes Ifpack2's parameters "relaxation: type",
/// "sweeps", "damping factor", "zero starting solution" and "backward mode" in addition to "sptrsv: ..."; refuses
/// others whose names begin with "relaxation". Another damping factor requires compute() again. One object serves one
/// apply() at a time.
/// @tparam MatrixType  a Tpetra::RowMatrix.
template <class MatrixType>
class Relaxation final : public detail::PreconditionerBase<MatrixType> {
  using Base = detail::PreconditionerBase<MatrixType>;

 public:
  using typename Base::crs_matrix_type;
  using typename Base::multivector_type;
  using typename Base::row_matrix_type;

  /// @param A  a Tpetra::CrsMatrix, or null to set the matrix later by setMatrix().
  explicit Relaxation(Teuchos::RCP<row_matrix_type const> const& A);

  bool hasTransposeApply() const override { return false; }
  Teuchos::RCP<Teuchos::ParameterList const> getValidParameters() const override;
  int getNumAnalyses() const override { return num_analyses_; }

 private:
  using LocalFactor = detail::LocalFactor<crs_matrix_type>;
  using T = typename LocalFactor::T;
  using Sweeps = sptrsv::Sweeps<typename T::scalar, typename T::index, typename T::offset, typename T::exec_space>;

  void takeMatrix() override;
  bool takeParameters(Teuchos::ParameterList const& list) override;
  void analyze() override;
  void update() override;
  bool iterates() const override { return !parameters_.zero_guess || parameters_.times > 1; }
  void solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const override;
  void describeTriangles(Teuchos::FancyOStream& out, bool levels) const override;

  detail::RelaxationParameters parameters_;
  Teuchos::RCP<crs_matrix_type const> matrix_;
  typename T::pattern pattern_;                              // analyzed pattern of matrix_
  std::optional<::sptrsv::detail::SplitTriangle<T>> block_;  // diagonal block, if matrix_ has other columns too
  mutable std::optional<Sweeps> sweeps_;
  mutable Teuchos::RCP<multivector_type> residual_;
  int num_analyses_ = 0;
};

}  // namespace sptrsv::ifpack2
