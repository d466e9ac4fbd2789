// SPDX-License-Identifier: Apache-2.0
// Riluk: Ifpack2's incomplete factorization ILU(k), applied by the library's triangular solvers.
#pragma once

#include <Ifpack2_RILUK.hpp>
#include <optional>

#include "sptrsv/ifpack2/detail/factor_values.hpp"
#include "sptrsv/ifpack2/detail/preconditioner_base.hpp"

namespace sptrsv::ifpack2 {

/// Stands where Ifpack2::RILUK does: initialize() has Ifpack2 make the patterns of L, D and U on each rank and analyzes
/// them, compute() computes their values, apply() solves with them. The values are Ifpack2's to rounding where the
/// library computes them, as it does unless "sptrsv: factor", "fact: type" or "fact: relax value" ask for Ifpack2 or
/// the matrix is no Tpetra::CrsMatrix: describe() says who, and why. A compute() with new values and the same pattern
/// analyzes nothing.
/// Takes Ifpack2::RILUK's "fact: ..." parameters beside "sptrsv: ..."; "trisolver: ..." has nothing to say here and is
/// left out. One object serves one apply() at a time.
/// @tparam MatrixType  a Tpetra::RowMatrix.
template <class MatrixType>
class Riluk final : public detail::PreconditionerBase<MatrixType> {
  using Base = detail::PreconditionerBase<MatrixType>;

 public:
  using typename Base::crs_matrix_type;
  using typename Base::multivector_type;
  using typename Base::row_matrix_type;
  using factorization_type = Ifpack2::RILUK<MatrixType>;

  /// @param A  any Tpetra::RowMatrix, or null: then setMatrix() gives one later.
  explicit Riluk(Teuchos::RCP<row_matrix_type const> const& A);

  /// Ifpack2's object: getL(), getD() (inverted), getU(), getLevelOfFill() and so on, with the values of the last
  /// compute(), or of one that failed. Where the library computed them they are put there by this call, not by
  /// compute(); the object's own isComputed() is false, and its apply() refuses.
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
  /// Analyzes the factors that there are now.
  void analyzeFactors();
  /// @throws Error naming the first row whose pivot is zero or not finite.
  void requireFinite(typename T::values const& d) const;
  /// 1/D where it lies between L and U, else no entries.
  typename T::values inverse() const;

  Teuchos::RCP<detail::OpenRiluk<MatrixType>> factorization_;
  std::optional<LocalFactor> factor_;
  detail::FactorValues<MatrixType> values_;
  mutable bool put_values_ = false;                                  // values_ has newer ones than factorization_
  crs_matrix_type const *lower_of_ = nullptr, *upper_of_ = nullptr;  // what they were made of
  bool diagonal_apart_ = true;  // Ifpack2's own factorization has D, that of Kokkos Kernels has it in U
  int earlier_analyses_ = 0;
};

}  // namespace sptrsv::ifpack2
