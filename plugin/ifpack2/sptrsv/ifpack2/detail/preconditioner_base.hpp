// SPDX-License-Identifier: Apache-2.0
// Common base of LocalTriangularSolver, Relaxation and Riluk: parameters, phases with counters and timers, alpha and
// beta, descriptions.
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

/// Implements Ifpack2's interface by steps that a subclass defines. Counters count successful calls, as in Ifpack2. An
/// error on one rank is thrown on that rank alone, as in Ifpack2: after catching it, end the program.
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

  /// Returns the matrix's domain map. @throws std::runtime_error if the matrix is null.
  Teuchos::RCP<map_type const> getDomainMap() const override { return matrix("getDomainMap")->getDomainMap(); }
  Teuchos::RCP<map_type const> getRangeMap() const override { return matrix("getRangeMap")->getRangeMap(); }
  bool hasTransposeApply() const override { return true; }

  /// Computes Y = beta Y + alpha op(M)^-1 X for all columns in one pass. With beta == 0, Y is output only. X may be Y.
  /// The first apply() in a transposed mode analyzes; the first one with more columns than before may allocate.
  /// @throws std::runtime_error before compute(), std::invalid_argument if X or Y does not fit the matrix.
  void apply(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             scalar_type alpha = Teuchos::ScalarTraits<scalar_type>::one(),
             scalar_type beta = Teuchos::ScalarTraits<scalar_type>::zero()) const override;

  /// Sets the parameters; those that are not given have their defaults. A change of algorithm, options, or parameters
  /// that determine L and U ("fact: type", "fact: iluk level-of-fill", "relaxation: damping factor") requires
  /// initialize() again; compute() calls it.
  /// @throws Teuchos::Exceptions::InvalidParameter... naming the parameter.
  void setParameters(Teuchos::ParameterList const& list) override;
  /// Returns every "sptrsv: ..." parameter with default, validator and documentation.
  virtual Teuchos::RCP<Teuchos::ParameterList const> getValidParameters() const { return valid_parameters(); }

  /// Analyzes the pattern. @throws std::runtime_error, std::invalid_argument naming the row and the remedy.
  void initialize() override;
  bool isInitialized() const override { return initialized_; }
  /// Takes the values; analyzes only if initialize() was not called. @throws std::runtime_error naming the row.
  void compute() override;
  bool isComputed() const override { return computed_; }

  Teuchos::RCP<row_matrix_type const> getMatrix() const override { return A_; }
  /// Sets another matrix, or null, which undoes initialize() and compute(). Does nothing for the same matrix.
  void setMatrix(Teuchos::RCP<row_matrix_type const> const& A) override;

  int getNumInitialize() const override { return initialize_.calls; }
  int getNumCompute() const override { return compute_.calls; }
  int getNumApply() const override { return apply_.calls; }
  double getInitializeTime() const override { return initialize_.seconds; }
  double getComputeTime() const override { return compute_.seconds; }
  /// Returns the seconds of apply(). On a GPU this is the time until the kernels are launched, since apply() does not
  /// wait for them.
  double getApplyTime() const override { return apply_.seconds; }
  /// Returns the number of analyses so far, counting each mode of each triangle.
  virtual int getNumAnalyses() const = 0;

  std::string description() const override;
  /// Describes the preconditioner. VERB_LOW: types and request; VERB_MEDIUM: each rank's triangles with algorithm and
  /// reason; VERB_HIGH: levels too. Collective from VERB_MEDIUM on.
  void describe(Teuchos::FancyOStream& out,
                Teuchos::EVerbosityLevel level = Teuchos::Describable::verbLevel_default) const override;

 protected:
  PreconditionerBase(std::string const& class_name, Teuchos::RCP<row_matrix_type const> const& A)
      : class_name_(class_name), A_(A) {}

  virtual void takeMatrix() = 0;  ///< called when A_ is another matrix
  /// Takes the parameters whose names do not begin with "sptrsv". @return whether they require initialize() again.
  virtual bool takeParameters(Teuchos::ParameterList const& list) = 0;
  virtual void analyze() = 0;
  virtual void update() = 0;
  /// Returns whether solve() reads Y, or X after it has written to Y.
  virtual bool iterates() const { return false; }
  /// Computes Y = op(M)^-1 X, on ranks without rows, too. Both have constant stride. They do not overlap or, unless
  /// solve() iterates, are the same array.
  virtual void solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const = 0;
  virtual void describeTriangles(Teuchos::FancyOStream& out, bool levels) const = 0;

  Request const& request() const { return request_; }
  /// Returns the matrix for an analysis. @throws std::invalid_argument, std::runtime_error, Error unless it is a
  /// Tpetra::CrsMatrix, fill complete, with one map for rows, domain and range.
  Teuchos::RCP<crs_matrix_type const> crsMatrix() const;
  /// Returns text such as "row 17 (global 1017)".
  static std::string row_name(map_type const& rows, long long row);
  /// Runs f; turns the library's errors into std::runtime_error or std::invalid_argument with method, rank and row.
  template <class F>
  void guarded(char const* method, F&& f) const;
  /// Returns the matrix. @throws std::runtime_error if it is null.
  Teuchos::RCP<row_matrix_type const> matrix(char const* method) const;
  /// Returns vectors with the columns and map of Y in the memory of `kept`, which is enlarged if it is too small.
  static Teuchos::RCP<multivector_type> roomLike(multivector_type const& Y, Teuchos::RCP<multivector_type>& kept);

 private:
  struct Phase {
    int calls = 0;
    double seconds = 0;
  };
  /// Runs f under the timer "<class>::<method>" and counts the call.
  template <class F>
  void timed(char const* method, Phase& phase, F&& f) const;
  void checkVectors(multivector_type const& X, multivector_type const& Y) const;
  void applyTo(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode, scalar_type alpha,
               scalar_type beta) const;
  std::string where(char const* method) const;

  std::string class_name_;
  Teuchos::RCP<row_matrix_type const> A_;
  Request request_;
  bool initialized_ = false, computed_ = false;
  Phase initialize_, compute_;
  mutable Phase apply_;
  mutable Teuchos::RCP<multivector_type> room_;    // for solutions that cannot be written to Y directly
  mutable Teuchos::RCP<multivector_type> x_room_;  // for X that cannot be read in place
};

}  // namespace sptrsv::ifpack2::detail
