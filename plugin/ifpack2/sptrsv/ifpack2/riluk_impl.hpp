// SPDX-License-Identifier: Apache-2.0
// Definitions of Riluk, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <cctype>

#include "sptrsv/ifpack2/detail/preconditioner_base_impl.hpp"
#include "sptrsv/ifpack2/riluk.hpp"

namespace sptrsv::ifpack2 {
namespace detail {

inline bool is_named(std::string const& text, std::string const& name) {
  return text.size() == name.size() &&
         std::equal(text.begin(), text.end(), name.begin(),
                    [](unsigned char a, unsigned char b) { return std::toupper(a) == b; });
}

}  // namespace detail

template <class M>
Riluk<M>::Riluk(Teuchos::RCP<row_matrix_type const> const& A)
    : Base("sptrsv::ifpack2::Riluk", A), factorization_(Teuchos::rcp(new detail::OpenRiluk<M>(A))) {}

template <class M>
Teuchos::RCP<typename Riluk<M>::factorization_type const> Riluk<M>::getFactorization() const {
  if (put_values_) factorization_->put(values_.values());
  put_values_ = false;
  return factorization_;
}

template <class M>
void Riluk<M>::forget() {
  earlier_analyses_ = getNumAnalyses();
  values_.forget();
  factor_.reset();
  put_values_ = false;
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
  std::vector<detail::LocalTriangle<crs_matrix_type>> const triangles{
      {Teuchos::rcpFromRef(factorization_->getL()), "L", Triangle::lower},
      {Teuchos::rcpFromRef(factorization_->getU()), "U", Triangle::upper}};
  factor_.emplace(triangles, diagonal_apart_, this->request(), [](crs_matrix_type const& matrix, long long row) {
    return Base::row_name(*matrix.getRowMap(), row);
  });
  lower_of_ = &factorization_->getL();
  upper_of_ = &factorization_->getU();
  values_.prepare(*factorization_, *factor_, diagonal_apart_, this->request().factor_by);
}

template <class M>
void Riluk<M>::update() {
  put_values_ = false;
  if (values_.prepare(*factorization_, *factor_, diagonal_apart_, this->request().factor_by)) {
    auto const values = values_.factor(factorization_->getRelativeThreshold(), factorization_->getAbsoluteThreshold());
    factorization_->set_not_computed();
    put_values_ = true;  // so that broken values can be inspected, too
    requireFinite(values.inverse);
    factor_->update(values);
    return;
  }
  factorization_->compute();
  // Ifpack2 16.1 reuses its factors; other versions make new ones, perhaps at the old address on one rank alone
  bool const replaced = &factorization_->getL() != lower_of_ || &factorization_->getU() != upper_of_;
  if (detail::greatest_of_ranks(*factorization_->getL().getComm(), replaced ? 1 : 0) != 0) {
    forget();
    analyzeFactors();
  }
  auto const d = inverse();
  requireFinite(d);
  factor_->update(d);
}

template <class M>
void Riluk<M>::requireFinite(typename T::values const& d) const {
  long long const row = detail::first_unusable_pivot<T>(typename T::exec_space(), d);
  if (row < static_cast<long long>(d.extent(0)))
    throw Error(Base::row_name(*factorization_->getL().getRowMap(), row) +
                " has a pivot that is zero or not finite; set \"fact: absolute threshold\" or "
                "\"fact: relative threshold\", raise \"fact: iluk level-of-fill\", or reorder the matrix");
}

template <class M>
typename Riluk<M>::T::values Riluk<M>::inverse() const {
  if (!diagonal_apart_) return {};
  auto const d = Kokkos::subview(factorization_->getD().getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL(), 0);
  return typename T::values(d.data(), d.extent(0));
}

template <class M>
void Riluk<M>::solve(multivector_type const& X, multivector_type& Y, Teuchos::ETransp mode) const {
  auto const b = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  auto const x = Y.getLocalViewDevice(Tpetra::Access::ReadWrite);  // not OverwriteAll, since X may be Y
  factor_->solve(mode, b, x);
}

template <class M>
void Riluk<M>::describeTriangles(Teuchos::FancyOStream& out, bool levels) const {
  out << factorization_->description() << "\n";
  if (!factor_) return;
  values_.describe(out);
  factor_->describe(out, levels);
}

}  // namespace sptrsv::ifpack2
