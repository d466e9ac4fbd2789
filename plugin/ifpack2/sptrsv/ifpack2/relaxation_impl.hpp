// SPDX-License-Identifier: Apache-2.0
// Definitions of Relaxation, for the files that instantiate it.
#pragma once

#include <algorithm>

#include "sptrsv/ifpack2/detail/preconditioner_base_impl.hpp"
#include "sptrsv/ifpack2/relaxation.hpp"

namespace sptrsv::ifpack2 {

template <class M>
Relaxation<M>::Relaxation(Teuchos::RCP<row_matrix_type const> const& A) : Base("sptrsv::ifpack2::Relaxation", A) {}

template <class M>
Teuchos::RCP<Teuchos::ParameterList const> Relaxation<M>::getValidParameters() const {
  auto const list = Teuchos::rcp(new Teuchos::ParameterList(*Base::getValidParameters()));
  list->setParameters(detail::valid_relaxation_parameters());
  return list;
}

template <class M>
void Relaxation<M>::takeMatrix() {
  sweeps_.reset();
  block_.reset();
  pattern_ = {};
  matrix_ = Teuchos::null;
  residual_ = Teuchos::null;
}

template <class M>
bool Relaxation<M>::takeParameters(Teuchos::ParameterList const& list) {
  double const damping = parameters_.damping;
  parameters_ = detail::read_relaxation(list);
  return parameters_.damping != damping;
}

template <class M>
void Relaxation<M>::analyze() {
  takeMatrix();
  auto const A = this->crsMatrix();
  auto const rows = A->getLocalNumRows();
  if (rows > 0 && !A->getColMap()->isLocallyFitted(*A->getRowMap()))  // without rows Tpetra may answer no
    throw Error(
        "the column map does not begin with the row map. Store all diagonal entries, even if they are zero, and let "
        "fillComplete() make the column map");
  typename T::exec_space const exec;
  auto const pattern = LocalFactor::pattern_of(*A);
  if (A->getLocalNumCols() > rows) block_ = detail::diagonal_block<T>(exec, pattern);
  sweeps_.emplace(this->request().algorithm, exec, block_ ? block_->pattern() : pattern, SweptRows<T>{},
                  this->request().options);
  num_analyses_ += 2;
  pattern_ = pattern;
  matrix_ = A;
}

template <class M>
void Relaxation<M>::update() {
  if (matrix_.is_null() || !detail::same_arrays(LocalFactor::pattern_of(*matrix_), pattern_)) analyze();
  typename T::exec_space const exec;
  auto const own = matrix_->getLocalValuesDevice(Tpetra::Access::ReadOnly);
  typename T::values values(own.data(), own.extent(0));
  if (block_) {
    ::sptrsv::detail::gather<T>(exec, block_->source, values, block_->values);
    values = block_->values;
  }
  long long const zero = sweeps_->update(exec, values, {parameters_.damping});
  if (zero >= 0)
    throw Error(Base::row_name(*matrix_->getRowMap(), zero) +
                " has a zero on its diagonal, by which a sweep divides; reorder the matrix, or change that entry");
}

template <class M>
void Relaxation<M>::solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const {
  if (mode != Teuchos::NO_TRANS)
    throw Unsupported("SPTRSV_RELAXATION", "transposed sweeps", "apply it with NO_TRANS, or use SPTRSV_RILUK");
  typename T::exec_space const exec;
  auto const sweep = [&](multivector_type const& B, multivector_type& to, bool zero_guess, int times) {
    auto const b = B.getLocalViewDevice(Tpetra::Access::ReadOnly);
    auto const x = to.getLocalViewDevice(Tpetra::Access::ReadWrite);  // not OverwriteAll, since B may be `to`
    sweeps_->sweep(exec, parameters_.sweep, b, x, zero_guess, times);
  };
  int const times = parameters_.times;
  if (matrix_->getGraph()->getImporter().is_null()) return sweep(X, Y, parameters_.zero_guess, times);
  int done = 0;
  if (parameters_.zero_guess) sweep(X, Y, true, done = std::min(1, times));
  for (; done < times; ++done) {  // adds a sweep for the residual, whose product imports x from other ranks
    auto const R = Base::roomLike(X, residual_);
    Tpetra::deep_copy(*R, X);
    auto const one = Teuchos::ScalarTraits<typename Base::scalar_type>::one();
    matrix_->apply(Y, *R, Teuchos::NO_TRANS, -one, one);
    sweep(*R, *R, true, 1);
    Y.update(one, *R, one);
  }
}

template <class M>
void Relaxation<M>::describeTriangles(Teuchos::FancyOStream& out, bool levels) const {
  char const* const names[] = {"forward", "backward", "symmetric"};  // in the order of Sweep
  out << "sweeps: {kind: " << names[static_cast<int>(parameters_.sweep)] << ", number: " << parameters_.times
      << ", damping factor: " << parameters_.damping
      << ", zero starting solution: " << (parameters_.zero_guess ? "true" : "false") << "}\n";
  if (!sweeps_) return;
  detail::describe_solver(out, "E + L", sweeps_->solver(Triangle::lower), levels);
  detail::describe_solver(out, "E + U", sweeps_->solver(Triangle::upper), levels);
}

}  // namespace sptrsv::ifpack2
