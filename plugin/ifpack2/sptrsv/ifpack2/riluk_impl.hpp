// SPDX-License-Identifier: Apache-2.0
// Definitions of Riluk, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <cctype>

#include "sptrsv/ifpack2/detail/preconditioner_base_impl.hpp"
#include "sptrsv/ifpack2/riluk.hpp"

namespace sptrsv::ifpack2 {
namespace detail {

template <class Real>
KOKKOS_INLINE_FUNCTION Real conjugate(Real value) {
  return value;
}
template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> conjugate(Kokkos::complex<Real> value) {
  return Kokkos::conj(value);
}

template <class T>
void conjugate_into(typename T::exec_space const& exec, typename T::values const& from,
                    Kokkos::View<typename T::scalar*, typename T::device> const& to) {
  Kokkos::parallel_for(
      "sptrsv::ifpack2::conjugate",
      Kokkos::RangePolicy<typename T::exec_space, Kokkos::IndexType<long long>>(exec, 0,
                                                                                static_cast<long long>(from.extent(0))),
      KOKKOS_LAMBDA(long long i) { to(i) = conjugate(from(i)); });
}

inline bool is_named(std::string const& text, std::string const& name) {
  return text.size() == name.size() &&
         std::equal(text.begin(), text.end(), name.begin(),
                    [](unsigned char a, unsigned char b) { return std::toupper(a) == b; });
}

}  // namespace detail

template <class M>
Riluk<M>::Riluk(Teuchos::RCP<row_matrix_type const> const& A)
    : Base("sptrsv::ifpack2::Riluk", A), factorization_(Teuchos::rcp(new factorization_type(A))) {}

template <class M>
void Riluk<M>::forget() {
  earlier_analyses_ = getNumAnalyses();
  lower_.reset();
  upper_.reset();
}

template <class M>
void Riluk<M>::takeMatrix() {
  forget();
  factorization_->setMatrix(this->getMatrix());
}

template <class M>
bool Riluk<M>::takeParameters(Teuchos::ParameterList const& list) {
  TEUCHOS_TEST_FOR_EXCEPTION(
      list.isType<int>("fact: kspiluk number-of-streams") && list.get<int>("fact: kspiluk number-of-streams") > 0,
      std::invalid_argument,
      "sptrsv::ifpack2::Riluk::setParameters: \"fact: kspiluk number-of-streams\" makes Ifpack2 factor blocks apart, "
      "which have no L and U "
      "in common; leave it out, or use Ifpack2::RILUK.");
  bool const was_apart = diagonal_apart_;
  int const was_level = factorization_->getLevelOfFill();
  factorization_->setParameters(list);
  diagonal_apart_ =
      !(list.isType<std::string>("fact: type") && detail::is_named(list.get<std::string>("fact: type"), "KSPILUK"));
  return diagonal_apart_ != was_apart || factorization_->getLevelOfFill() != was_level;
}

template <class M>
void Riluk<M>::analyze() {
  forget();
  factorization_->initialize();
  analyzeFactors();
}

template <class M>
void Riluk<M>::analyzeFactors() {
  auto const of = [&](char const* label, crs_matrix_type const& factor) {
    return Triangle(Teuchos::rcpFromRef(factor), this->request(), label,
                    [&](long long row) { return Base::row_name(*factor.getRowMap(), row); });
  };
  lower_.emplace(of("L", factorization_->getL()));
  upper_.emplace(of("U", factorization_->getU()));
  lower_of_ = &factorization_->getL();
  upper_of_ = &factorization_->getU();
}

template <class M>
void Riluk<M>::update() {
  factorization_->compute();
  if (&factorization_->getL() != lower_of_ || &factorization_->getU() != upper_of_) {  // 16.1 keeps them
    forget();
    analyzeFactors();
  }
  if (diagonal_apart_) {
    auto const d = scaling(Teuchos::NO_TRANS);
    long long const row = detail::first_not_finite<T>(typename T::exec_space(), d);
    if (row < static_cast<long long>(d.extent(0)))
      throw Error(Base::row_name(*factorization_->getL().getRowMap(), row) +
                  " has a pivot that is zero or not finite; set \"fact: absolute threshold\" or "
                  "\"fact: relative threshold\", raise \"fact: iluk level-of-fill\", or reorder the matrix");
  }
  lower_->update();
  upper_->update();
  conjugated_ = {};
}

template <class M>
typename Riluk<M>::T::values Riluk<M>::scaling(Teuchos::ETransp mode) const {
  if (!diagonal_apart_) return {};
  auto const d = Kokkos::subview(factorization_->getD().getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL(), 0);
  typename T::values const values(d.data(), d.extent(0));
  if (std::is_arithmetic_v<typename T::scalar> || mode != Teuchos::CONJ_TRANS) return values;
  if (conjugated_.extent(0) != values.extent(0)) {
    conjugated_ = decltype(conjugated_)("sptrsv::ifpack2::conjugated", values.extent(0));
    detail::conjugate_into<T>(typename T::exec_space(), values, conjugated_);
  }
  return conjugated_;
}

template <class M>
void Riluk<M>::solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const {
  bool const plain = mode == Teuchos::NO_TRANS;
  auto const scale = scaling(mode);
  auto const b = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  auto const x = Y.getLocalViewDevice(Tpetra::Access::ReadWrite);  // not OverwriteAll: X may be Y
  (plain ? lower_ : upper_)->solve(mode, b, x);
  (plain ? upper_ : lower_)->solve(mode, x, x, scale);
}

template <class M>
void Riluk<M>::describeTriangles(Teuchos::FancyOStream& out, bool levels) const {
  out << factorization_->description() << "\n";
  if (lower_) lower_->describe(out, levels);
  if (upper_) upper_->describe(out, levels);
}

}  // namespace sptrsv::ifpack2
