// SPDX-License-Identifier: Apache-2.0
// Computes the values of RILUK's L, D and U with the library, reading a Tpetra::CrsMatrix in place.
#pragma once

#include <Ifpack2_LocalFilter.hpp>
#include <Ifpack2_RILUK.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <Teuchos_FancyOStream.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "sptrsv/error.hpp"
#include "sptrsv/factorization/factor_rows.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/ifpack2/detail/local_factor.hpp"
#include "sptrsv/planner/plan_key.hpp"

namespace sptrsv::ifpack2::detail {

/// Ifpack2::RILUK with access to the matrices that initialize() makes.
template <class MatrixType>
class OpenRiluk final : public Ifpack2::RILUK<MatrixType> {
  using Base = Ifpack2::RILUK<MatrixType>;

 public:
  using Base::Base;
  using typename Base::crs_matrix_type;
  using typename Base::row_matrix_type;

  /// Returns a Tpetra::CrsMatrix with A's local rows, whose column map begins with its row map; or null and the reason.
  std::pair<Teuchos::RCP<crs_matrix_type const>, std::string> local_rows() const {
    Teuchos::RCP<row_matrix_type const> A = this->A_;
    if (auto const filter = Teuchos::rcp_dynamic_cast<Ifpack2::LocalFilter<row_matrix_type> const>(A);
        !filter.is_null())
      A = filter->getUnderlyingMatrix();
    auto found = Teuchos::rcp_dynamic_cast<crs_matrix_type const>(A);
    if (found.is_null() && this->A_local_crs_.getRawPtr() != this->A_local_crs_nc_.getRawPtr())  // RILUK made no copy
      found = this->A_local_crs_;
    if (found.is_null()) return {{}, "the matrix is not a Tpetra::CrsMatrix"};
    if (!found->getColMap()->isLocallyFitted(*found->getRowMap()))
      return {{}, "the column map does not begin with the row map"};
    return {found, {}};
  }
  /// Marks the object as not computed, so that apply() refuses to use values that compute() left earlier.
  void set_not_computed() { this->isComputed_ = false; }
  /// Writes values to the matrices that getL(), getU() and getD() return.
  template <class Values>
  void put(Values const& values) const {
    copy(values.lower, this->L_->getLocalValuesDevice(Tpetra::Access::OverwriteAll));
    copy(values.upper, this->U_->getLocalValuesDevice(Tpetra::Access::OverwriteAll));
    copy(values.inverse, Kokkos::subview(this->D_->getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL(), 0));
  }

 private:
  template <class From, class To>
  static void copy(From const& from, To const& to) {
    typename To::execution_space const exec;
    Kokkos::deep_copy(exec, Kokkos::View<typename To::value_type*, typename To::device_type>(to.data(), to.extent(0)),
                      Kokkos::subview(from, std::make_pair(std::size_t(0), to.extent(0))));
    exec.fence("sptrsv::ifpack2: the factors are Tpetra's");
  }
};

/// Returns the greatest of all ranks' values. Collective.
inline int greatest_of_ranks(Teuchos::Comm<int> const& comm, int mine) {
  int all = mine;
  if (comm.getSize() > 1) Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(all));
  return all;
}

/// Computes the values, or decides that Ifpack2 has to: call prepare() first, then factor() for each set of values.
template <class MatrixType>
class FactorValues {
  using Riluk = OpenRiluk<MatrixType>;
  using crs_matrix_type = typename Riluk::crs_matrix_type;
  using LocalFactor = detail::LocalFactor<crs_matrix_type>;
  using T = typename LocalFactor::T;
  using Factorization =
      sptrsv::Factorization<typename T::scalar, typename T::index, typename T::offset, typename T::exec_space>;

 public:
  void forget() { *this = FactorValues(); }

  /// Analyzes the updates of L and U for the patterns of `solves`, unless Ifpack2 is to factor or A's pattern has been
  /// analyzed. Collective on the communicator of L, like RILUK's compute(): all of its ranks decide alike.
  /// @param diagonal_apart  whether RILUK's own factorization has the form A = L D U.
  /// @return whether factor() is to be called.
  /// @throws std::invalid_argument if the library was requested and cannot factor.
  bool prepare(Riluk const& riluk, LocalFactor const& solves, bool diagonal_apart, FactorBy by) {
    std::exception_ptr failed;
    reason_ = by == FactorBy::ifpack2      ? "\"sptrsv: factor\" asks for it"
              : !diagonal_apart            ? "\"fact: type\" asks for Kokkos Kernels"
              : riluk.getRelaxValue() != 0 ? "\"fact: relax value\" is not 0"
                                           : "";
    try {
      if (reason_.empty()) reason_ = analyze(riluk, solves, by);
    } catch (...) {
      failed = std::current_exception();
    }
    int const worst = greatest_of_ranks(*riluk.getL().getComm(), failed ? 2 : !reason_.empty());
    if (failed) std::rethrow_exception(failed);
    TEUCHOS_TEST_FOR_EXCEPTION(worst == 2, std::runtime_error,
                               "sptrsv::ifpack2::Riluk: another rank of the matrix's communicator has failed.");
    if (worst && reason_.empty()) reason_ = "another rank of the matrix's communicator needs it: see what it says";
    if (!reason_.empty()) matrix_ = Teuchos::null;
    TEUCHOS_TEST_FOR_EXCEPTION(by == FactorBy::library && !reason_.empty(), std::invalid_argument,
                               "sptrsv::ifpack2::Riluk: \"sptrsv: factor\" is sptrsv, which cannot factor here: "
                                   << reason_ << "; set it to automatic, and Ifpack2 does.");
    return reason_.empty();
  }

  auto factor(double relative_threshold, double absolute_threshold) {
    auto const own = matrix_->getLocalValuesDevice(Tpetra::Access::ReadOnly);
    PivotRules rules;
    rules.zero_pivot = 0;
    rules.diagonal_scale = relative_threshold;
    rules.diagonal_offset = absolute_threshold;
    factorization_->factor(exec_space(), typename T::values(own.data(), own.extent(0)), rules);
    return factorization_->values();
  }
  auto values() const { return factorization_->values(); }

  /// Writes one line of YAML.
  void describe(Teuchos::FancyOStream& out) const {
    if (!reason_.empty() || !factorization_) {
      out << "factors: {by: Ifpack2, reason: '" << reason_ << "'}\n";
      return;
    }
    auto const report = factorization_->report();
    out << "factors: {by: sptrsv, entries: " << report.entries << ", updates: " << report.updates
        << (report.listed ? ", listed" : ", searched for") << ": " << report.list_bytes
        << ", bytes: " << factorization_->memory_bytes() << "}\n";
  }

 private:
  using exec_space = typename T::exec_space;

  /// Analyzes the updates. @return the reason why Ifpack2 has to factor, or an empty text.
  std::string analyze(Riluk const& riluk, LocalFactor const& solves, FactorBy by) {
    std::string reason;
    std::tie(matrix_, reason) = riluk.local_rows();
    if (!reason.empty()) return reason;
    look_at_pattern();
    if (by == FactorBy::automatic && !too_many_.empty()) return too_many_;
    if (!factorization_) {
      try {
        auto const pattern = LocalFactor::pattern_of(*matrix_);
        // a graph may claim to be sorted when its rows are not
        ::sptrsv::detail::require_proper_rows<T>(exec_space(), pattern, {ColumnOrder::ascending});
        FactorizationOptions options;
        if (by == FactorBy::automatic) options.accept = [](FactorizationReport const& report) { return report.listed; };
        factorization_.emplace(exec_space(), pattern, solves.factor(), options);
      } catch (ImproperRow const& e) {
        return e.what();
      }
    }
    auto const report = factorization_->report();
    if (by != FactorBy::automatic || report.listed) return {};
    too_many_ = "there are too many updates to list them, up to " + std::to_string(report.updates);
    factorization_.reset();
    return too_many_;
  }
  /// Forgets the analysis if A's graph has changed; like RILUK, the library keeps the patterns of L and U. A graph that
  /// the matrix cannot change is not read again.
  void look_at_pattern() {
    auto const graph = matrix_->getCrsGraph();
    if (!graph_.is_null() && graph_ == graph) return;
    auto const now = sptrsv::detail::hash_of<T>(exec_space(), LocalFactor::pattern_of(*matrix_), 0,
                                                static_cast<long long>(matrix_->getLocalNumEntries()));
    if (now != hash_) {
      factorization_.reset();
      too_many_.clear();
    }
    hash_ = now;
    graph_ = matrix_->isStaticGraph() ? graph : Teuchos::null;
  }

  std::optional<Factorization> factorization_;
  Teuchos::RCP<crs_matrix_type const> matrix_;
  Teuchos::RCP<typename crs_matrix_type::crs_graph_type const> graph_;  // static graph of factorization_, or null
  std::uint64_t hash_ = 0;                                              // hash of A's pattern when it was last read
  std::string reason_;                                                  // why Ifpack2 factors; empty: it does not
  std::string too_many_;  // message that this pattern has too many updates, or empty
};

}  // namespace sptrsv::ifpack2::detail
