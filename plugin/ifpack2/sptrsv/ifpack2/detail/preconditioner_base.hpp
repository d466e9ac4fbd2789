// SPDX-License-Identifier: Apache-2.0
// What LocalTriangularSolver and Riluk share: parameters, phases with counters and timers, alpha and beta,
// descriptions.
#pragma once

#include <Ifpack2_Details_CanChangeMatrix.hpp>
#include <Ifpack2_Preconditioner.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_VerboseObject.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <string>

#include "sptrsv/ifpack2/detail/local_factor.hpp"
#include "sptrsv/ifpack2/detail/parameters.hpp"

namespace sptrsv::ifpack2::detail {

/// Ifpack2's interface over four steps that a subclass makes. Counters count calls that succeeded, as Ifpack2's do.
/// An error on one rank is thrown on that rank alone, as in Ifpack2: catch it to end the program, not to go on.
template <class MatrixType>
class PreconditionerBase
    : virtual public Ifpack2::Preconditioner<typename MatrixType::scalar_type, typename MatrixType::local_ordinal_type,
                                             typename MatrixType::global_ordinal_type, typename MatrixType::node_type>,
      virtual public Ifpack2::Details::CanChangeMatrix<
          Tpetra::RowMatrix<typename MatrixType::scalar_type, typename MatrixType::local_ordinal_type,
                            typename MatrixType::global_ordinal_type, typename MatrixType::node_type>> {
 public:
  using scalar_type = typename MatrixType::scalar_type;
  using local_ordinal_type = typename MatrixType::local_ordinal_type;
  using global_ordinal_type = typename MatrixType::global_ordinal_type;
  using node_type = typename MatrixType::node_type;
  using row_matrix_type = Tpetra::RowMatrix<scalar_type, local_ordinal_type, global_ordinal_type, node_type>;
  using crs_matrix_type = Tpetra::CrsMatrix<scalar_type, local_ordinal_type, global_ordinal_type, node_type>;
  using map_type = Tpetra::Map<local_ordinal_type, global_ordinal_type, node_type>;
  using multivector_type = Tpetra::MultiVector<scalar_type, local_ordinal_type, global_ordinal_type, node_type>;
  static_assert(std::is_same_v<MatrixType, row_matrix_type>,
                "sptrsv::ifpack2: MatrixType must be a Tpetra::RowMatrix, as Ifpack2's classes have it");

  /// Those of the matrix. @throws std::runtime_error if it is null.
  Teuchos::RCP<map_type const> getDomainMap() const override { return matrix("getDomainMap")->getDomainMap(); }
  Teuchos::RCP<map_type const> getRangeMap() const override { return matrix("getRangeMap")->getRangeMap(); }
  bool hasTransposeApply() const override { return true; }

  /// Y = beta Y + alpha op(M)^-1 X, each column on its own, all of them in one pass. With beta == 0, Y is output only.
  /// X may be Y. The first apply in a transposed mode analyzes; the first one with more columns than before may
  /// allocate.
  /// @throws std::runtime_error before compute(), std::invalid_argument if X or Y does not fit the matrix.
  void apply(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             scalar_type alpha = Teuchos::ScalarTraits<scalar_type>::one(),
             scalar_type beta = Teuchos::ScalarTraits<scalar_type>::zero()) const override;

  /// Parameters that are not given have their defaults. A change of algorithm, options, or of what makes
  /// L and U other ones ("fact: type", "fact: iluk level-of-fill") asks for initialize() again; compute() calls it.
  /// @throws Teuchos::Exceptions::InvalidParameter... naming the parameter.
  void setParameters(Teuchos::ParameterList const& list) override;
  /// Every "sptrsv: ..." parameter with default, validator and documentation.
  Teuchos::RCP<Teuchos::ParameterList const> getValidParameters() const { return valid_parameters(); }

  /// Analyzes the pattern. @throws std::runtime_error, std::invalid_argument naming the row and what to do.
  void initialize() override;
  bool isInitialized() const override { return initialized_; }
  /// Takes the values; analyzes only if initialize() was not called. @throws std::runtime_error naming the row.
  void compute() override;
  bool isComputed() const override { return computed_; }

  Teuchos::RCP<row_matrix_type const> getMatrix() const override { return A_; }
  /// Another matrix, or null: undoes initialize() and compute(). The same one again: nothing.
  void setMatrix(Teuchos::RCP<row_matrix_type const> const& A) override;

  int getNumInitialize() const override { return initialize_.calls; }
  int getNumCompute() const override { return compute_.calls; }
  int getNumApply() const override { return apply_.calls; }
  double getInitializeTime() const override { return initialize_.seconds; }
  double getComputeTime() const override { return compute_.seconds; }
  /// On a GPU: until the kernels were launched, since apply() does not wait for them.
  double getApplyTime() const override { return apply_.seconds; }
  /// How many triangles were analyzed so far, each mode of each for itself.
  virtual int getNumAnalyses() const = 0;

  std::string description() const override;
  /// VERB_LOW: types and request; from VERB_MEDIUM on, each rank's triangles with algorithm and reason; VERB_HIGH:
  /// levels too. Collective from VERB_MEDIUM on.
  void describe(Teuchos::FancyOStream& out,
                Teuchos::EVerbosityLevel level = Teuchos::Describable::verbLevel_default) const override;

 protected:
  PreconditionerBase(std::string const& class_name, Teuchos::RCP<row_matrix_type const> const& A)
      : class_name_(class_name), A_(A) {}

  virtual void takeMatrix() = 0;  ///< A_ is another one
  /// Those that are not ours. @return whether initialize() has to be called again for them.
  virtual bool takeParameters(Teuchos::ParameterList const& list) = 0;
  virtual void analyze() = 0;
  virtual void update() = 0;
  /// Y = op(M)^-1 X; both have constant stride; they are the same array or do not overlap.
  virtual void solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const = 0;
  virtual void describeTriangles(Teuchos::FancyOStream& out, bool levels) const = 0;

  Request const& request() const { return request_; }
  /// "row 17 (global 1017)" of a map.
  static std::string row_name(map_type const& rows, long long row);
  /// Runs f and turns the library's errors into std::runtime_error and std::invalid_argument with method, rank and row.
  template <class F>
  void guarded(char const* method, F&& f) const;
  /// The matrix, which must not be null.
  Teuchos::RCP<row_matrix_type const> matrix(char const* method) const;

 private:
  struct Phase {
    int calls = 0;
    double seconds = 0;
  };
  /// Runs f under the timer "<class>::<method>" and counts it.
  template <class F>
  void timed(char const* method, Phase& phase, F&& f) const;
  void checkVectors(multivector_type const& X, multivector_type const& Y) const;
  void applyTo(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode, scalar_type alpha,
               scalar_type beta) const;
  std::string where(char const* method) const;
  /// Vectors of as many columns as Y, of its map: `kept` or a part of it, made anew only where it is too small.
  static Teuchos::RCP<multivector_type> roomLike(multivector_type const& Y, Teuchos::RCP<multivector_type>& kept);

  std::string class_name_;
  Teuchos::RCP<row_matrix_type const> A_;
  Request request_;
  bool initialized_ = false, computed_ = false;
  Phase initialize_, compute_;
  mutable Phase apply_;
  mutable Teuchos::RCP<multivector_type> room_;    // for solutions that must not go to Y directly
  mutable Teuchos::RCP<multivector_type> x_room_;  // for X that cannot be read as it lies
};

}  // namespace sptrsv::ifpack2::detail
