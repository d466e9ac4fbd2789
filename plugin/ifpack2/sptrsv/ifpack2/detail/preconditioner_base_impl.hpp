// SPDX-License-Identifier: Apache-2.0
// Definitions of PreconditionerBase, for the files that instantiate it.
#pragma once

#include <Tpetra_Core.hpp>
#include <Tpetra_RowMatrix.hpp>
#include <sstream>

#include "sptrsv/error.hpp"
#include "sptrsv/ifpack2/detail/preconditioner_base.hpp"

namespace sptrsv::ifpack2::detail {

template <class M>
std::string PreconditionerBase<M>::row_name(map_type const& rows, long long row) {
  return "row " + std::to_string(row) + " (global " +
         std::to_string(rows.getGlobalElement(static_cast<local_ordinal_type>(row))) + ")";
}

template <class M>
std::string PreconditionerBase<M>::where(char const* method) const {
  std::string text = class_name_ + "::" + method;
  if (!A_.is_null() && A_->getComm()->getSize() > 1) text += " on rank " + std::to_string(A_->getComm()->getRank());
  return text + ": ";
}

template <class M>
Teuchos::RCP<typename PreconditionerBase<M>::row_matrix_type const> PreconditionerBase<M>::matrix(
    char const* method) const {
  TEUCHOS_TEST_FOR_EXCEPTION(A_.is_null(), std::runtime_error,
                             where(method) << "there is no matrix; call setMatrix() with one first.");
  return A_;
}

template <class M>
Teuchos::RCP<typename PreconditionerBase<M>::crs_matrix_type const> PreconditionerBase<M>::crsMatrix() const {
  auto const A = Teuchos::rcp_dynamic_cast<crs_matrix_type const>(A_);
  TEUCHOS_TEST_FOR_EXCEPTION(A.is_null(), std::invalid_argument,
                             where("initialize")
                                 << "the matrix is not a Tpetra::CrsMatrix; copy its local part into one.");
  TEUCHOS_TEST_FOR_EXCEPTION(!A->getGraph()->isFillComplete(), std::runtime_error,
                             where("initialize") << "the matrix is not fill complete; call its fillComplete() first.");
  auto const rows = A->getRowMap();
  if (!rows->locallySameAs(*A->getDomainMap()) || !rows->locallySameAs(*A->getRangeMap()))
    throw Error(
        "the domain or range map has other rows on this rank than the row map, or in another order; call "
        "fillComplete() with the row map for both");
  return A;
}

template <class M>
template <class F>
void PreconditionerBase<M>::guarded(char const* method, F&& f) const {
  std::string runtime, argument;
  try {
    f();
  } catch (DimensionMismatch const& e) {
    argument = e.what();
  } catch (Unsupported const& e) {
    argument = e.what();
  } catch (RowError const& e) {
    runtime = e.what();
    auto const rows = A_->getRowMap();
    if (rows->isNodeLocalElement(static_cast<local_ordinal_type>(e.row())))
      runtime += " (row " + std::to_string(e.row()) + " is " +
                 std::to_string(rows->getGlobalElement(static_cast<local_ordinal_type>(e.row()))) + " globally)";
  } catch (Error const& e) {
    runtime = e.what();
  }
  TEUCHOS_TEST_FOR_EXCEPTION(!argument.empty(), std::invalid_argument, where(method) << argument);
  TEUCHOS_TEST_FOR_EXCEPTION(!runtime.empty(), std::runtime_error, where(method) << runtime);
}

template <class M>
template <class F>
void PreconditionerBase<M>::timed(char const* method, Phase& phase, F&& f) const {
  std::string const name = class_name_ + "::" + method;
  Teuchos::RCP<Teuchos::Time> timer = Teuchos::TimeMonitor::lookupCounter(name);
  if (timer.is_null()) timer = Teuchos::TimeMonitor::getNewCounter(name);
  double const start = timer->wallTime();
  {
    Teuchos::TimeMonitor const monitor(*timer);
    guarded(method, f);
  }
  ++phase.calls;
  phase.seconds += timer->wallTime() - start;
}

template <class M>
void PreconditionerBase<M>::setParameters(Teuchos::ParameterList const& list) {
  Request const asked = read_parameters(list);
  bool const other_factors = takeParameters(foreign_parameters(list));
  if (asked == request_ && !other_factors) return;
  request_ = asked;
  initialized_ = computed_ = false;
}

template <class M>
void PreconditionerBase<M>::setMatrix(Teuchos::RCP<row_matrix_type const> const& A) {
  if (A.getRawPtr() == A_.getRawPtr()) return;
  initialized_ = computed_ = false;
  A_ = A;
  room_ = x_room_ = Teuchos::null;
  takeMatrix();
}

template <class M>
void PreconditionerBase<M>::initialize() {
  matrix("initialize");
  initialized_ = computed_ = false;
  timed("initialize", initialize_, [&] { analyze(); });
  initialized_ = true;
}

template <class M>
void PreconditionerBase<M>::compute() {
  auto const A = matrix("compute");
  if (!initialized_) initialize();
  computed_ = false;
  TEUCHOS_TEST_FOR_EXCEPTION(!A->isFillComplete(), std::runtime_error,
                             where("compute") << "the matrix is not fill complete; call its fillComplete() first.");
  timed("compute", compute_, [&] { update(); });
  computed_ = true;
}

template <class M>
void PreconditionerBase<M>::checkVectors(multivector_type const& X, multivector_type const& Y) const {
  TEUCHOS_TEST_FOR_EXCEPTION(
      !computed_, std::runtime_error,
      where("apply")
          << "there are no values; call compute() first, also after setMatrix() and a change of parameters.");
  TEUCHOS_TEST_FOR_EXCEPTION(
      !A_->isFillComplete(), std::runtime_error,
      where("apply")
          << "resumeFill() was called on the matrix after compute(); call its fillComplete(), then compute().");
  TEUCHOS_TEST_FOR_EXCEPTION(X.getNumVectors() != Y.getNumVectors(), std::invalid_argument,
                             where("apply") << "X has " << X.getNumVectors() << " columns and Y has "
                                            << Y.getNumVectors() << "; give as many.");
  std::size_t const n = A_->getLocalNumRows();
  TEUCHOS_TEST_FOR_EXCEPTION(X.getLocalLength() != n || Y.getLocalLength() != n, std::invalid_argument,
                             where("apply")
                                 << "the matrix has " << n << " rows here, X " << X.getLocalLength() << " and Y "
                                 << Y.getLocalLength() << "; make both from the matrix' row map.");
}

template <class M>
void PreconditionerBase<M>::apply(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode,
                                  scalar_type alpha, scalar_type beta) const {
  checkVectors(X, Y);
  timed("apply", apply_, [&] { applyTo(X, Y, mode, alpha, beta); });
}

/// Tells whether X and Y, both of constant stride, are the same array, column by column.
template <class MultiVector>
bool same_array(MultiVector const& X, MultiVector const& Y) {
  auto const x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  auto const y = Y.getLocalViewDevice(Tpetra::Access::ReadOnly);
  return x.data() == y.data() && (X.getNumVectors() < 2 || X.getStride() == Y.getStride());
}

template <class M>
Teuchos::RCP<typename PreconditionerBase<M>::multivector_type> PreconditionerBase<M>::roomLike(
    multivector_type const& Y, Teuchos::RCP<multivector_type>& kept) {
  auto const columns = Y.getNumVectors();
  if (kept.is_null() || kept->getNumVectors() < columns || kept->getLocalLength() != Y.getLocalLength())
    kept = Teuchos::rcp(new multivector_type(Y.getMap(), columns, false));
  return kept->getNumVectors() == columns
             ? kept
             : kept->subViewNonConst(Teuchos::Range1D(0, static_cast<Teuchos::Ordinal>(columns) - 1));
}

template <class M>
void PreconditionerBase<M>::applyTo(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode,
                                    scalar_type alpha, scalar_type beta) const {
  using traits = Teuchos::ScalarTraits<scalar_type>;
  if (X.getNumVectors() == 0) return;
  if (alpha == traits::zero()) {
    if (beta == traits::zero()) Y.putScalar(traits::zero());  // even if Y holds NaN
    else Y.scale(beta);
    return;
  }
  bool const direct = beta == traits::zero() && Y.isConstantStride();
  auto const room = direct ? Teuchos::rcpFromRef(Y) : roomLike(Y, room_);
  multivector_type& solution = *room;
  if (iterates() && !direct) Tpetra::deep_copy(solution, Y);
  bool const overlap = direct && X.aliases(Y);
  if (!X.isConstantStride() || (overlap && (iterates() || !same_array(X, Y)))) {
    auto const copy = roomLike(X, x_room_);
    Tpetra::deep_copy(*copy, X);
    solve(*copy, solution, mode);
  } else {
    solve(X, solution, mode);
  }
  if (beta != traits::zero()) Y.update(alpha, solution, beta);
  else if (!direct) Y.update(alpha, solution, traits::zero());
  else if (alpha != traits::one()) Y.scale(alpha);
}

template <class M>
std::string PreconditionerBase<M>::description() const {
  std::ostringstream os;
  os << "\"" << class_name_ << "\": {";
  if (this->getObjectLabel() != "") os << "Label: \"" << this->getObjectLabel() << "\", ";
  os << "Initialized: " << (initialized_ ? "true" : "false") << ", Computed: " << (computed_ ? "true" : "false")
     << ", Algorithm: " << request_.algorithm << ", Analyses: " << getNumAnalyses() << ", ";
  if (A_.is_null()) os << "Matrix: null";
  else
    os << "Global matrix dimensions: [" << A_->getGlobalNumRows() << ", " << A_->getGlobalNumCols()
       << "], Global nnz: " << A_->getGlobalNumEntries();
  os << "}";
  return os.str();
}

template <class M>
void PreconditionerBase<M>::describe(Teuchos::FancyOStream& out, Teuchos::EVerbosityLevel level) const {
  if (level == Teuchos::VERB_NONE) return;
  auto const comm = A_.is_null() ? Tpetra::getDefaultComm() : A_->getComm();
  Teuchos::OSTab const tab0(out);
  if (comm->getRank() == 0) {
    out << "\"" << class_name_ << "\":\n";
    Teuchos::OSTab const tab1(out);
    out << "Scalar: " << Teuchos::TypeNameTraits<scalar_type>::name()
        << "\nLocalOrdinal: " << Teuchos::TypeNameTraits<local_ordinal_type>::name()
        << "\nGlobalOrdinal: " << Teuchos::TypeNameTraits<global_ordinal_type>::name()
        << "\nNode: " << Teuchos::TypeNameTraits<node_type>::name() << "\nVersion: " << version()
        << "\nAlgorithm: " << request_.algorithm << "\nOptions: {";
    char const* comma = "";
    for (auto const& [key, value] : request_.options.text()) {
      out << comma << key << ": " << value;
      comma = ", ";
    }
    out << "}\nCalls: {initialize: " << initialize_.calls << ", compute: " << compute_.calls
        << ", apply: " << apply_.calls << ", analyses: " << getNumAnalyses() << "}\n";
  }
  if (level == Teuchos::VERB_DEFAULT || level == Teuchos::VERB_LOW) return;
  for (int rank = 0; rank < comm->getSize(); ++rank) {
    if (rank == comm->getRank()) {
      Teuchos::OSTab const tab1(out);
      out << "Rank " << rank << ":\n";
      Teuchos::OSTab const tab2(out);
      describeTriangles(out, level >= Teuchos::VERB_HIGH);
      out.flush();
    }
    comm->barrier();
  }
}

}  // namespace sptrsv::ifpack2::detail
