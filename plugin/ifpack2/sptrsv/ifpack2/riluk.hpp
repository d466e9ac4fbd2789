// SPDX-License-Identifier: Apache-2.0
// Riluk: Ifpack2's incomplete factorization ILU(k), applied by the library's triangular solvers.
#pragma once

#include <Ifpack2_RILUK.hpp>
#include <optional>

#include "sptrsv/ifpack2/detail/factor_values.hpp"
#include "sptrsv/ifpack2/detail/preconditioner_base.hpp"

namespace sptrsv::ifpack2 {

/// Replaces Ifpack2::RILUK: initialize() lets Ifpack2 make the patterns of L, D and U on each rank and analyzes them,
/// compute() computes their values, apply() solves with them. The library computes the values, equal to Ifpack2's up to
/// rounding. Ifpack2 computes them if "sptrsv: factor", "fact: type" or "fact: relax value" requires that, or if the
/// matrix is no Tpetra::CrsMatrix; describe() tells which one does, and why. A compute() with new values in the same
/// pattern analyzes nothing. Takes Ifpack2::RILUK's "fact: ..." parameters in addition to "sptrsv: ..."; ignores
/// "trisolver: ...". One object serves one apply() at a time.
/// @tparam MatrixType  a Tpetra::RowMatrix.
template <class MatrixType>
class Riluk final : public detail::PreconditionerBase<MatrixType> {
  using Base = detail::PreconditionerBase<MatrixType>;

 public:
  using typename Base::crs_matrix_type;
  using typename Base::multivector_type;
  using typename Base::row_matrix_type;
  using factorization_type = Ifpack2::RILUK<MatrixType>;

  /// @param A  any Tpetra::RowMatrix, or null to set the matrix later by setMatrix().
  explicit Riluk(Teuchos::RCP<row_matrix_type const> const& A);

  /// Returns Ifpack2's object: getL(), getD() (inverted), getU(), getLevelOfFill() and others show the last compute(),
  /// even a failed one. If the library computed the values, this call copies them into the object; compute() does not.
  /// The object's isComputed() is then false, and its apply() refuses to run.
  Teuchos::RCP<factorization_type const> getFactorization() const;
  int getNumAnalyses() const override { return earlier_analyses_ + (factor_ ? factor_->num_analyses() : 0); }

 private:
  using LocalFactor = detail::LocalFactor<crs_matrix_type>;
  using T = typename LocalFactor::T;

  void takeMatrix() override;
  bool takeParameters(Teuchos::ParameterList const& list) override;
  void analyze() override;
  void update() override;
  void solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const override;
  void describeTriangles(Teuchos::FancyOStream& out, bool levels) const override;
  void forget();
  /// Analyzes the current factors.
  void analyzeFactors();
  /// Checks the inverted pivots `d`. @throws Error naming the first row whose pivot is zero or not finite.
  void requireFinite(typename T::values const& d) const;
  /// Returns 1/D if D lies between L and U, otherwise an empty view.
  typename T::values inverse() const;

  Teuchos::RCP<detail::OpenRiluk<MatrixType>> factorization_;
  std::optional<LocalFactor> factor_;
  detail::FactorValues<MatrixType> values_;
  mutable bool put_values_ = false;                                  // values_ is newer than factorization_'s
  crs_matrix_type const *lower_of_ = nullptr, *upper_of_ = nullptr;  // L and U that were analyzed
  bool diagonal_apart_ = true;  // Ifpack2's own factorization has D apart, Kokkos Kernels' in U
  int earlier_analyses_ = 0;
};

}  // namespace sptrsv::ifpack2
