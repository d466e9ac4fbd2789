// SPDX-License-Identifier: Apache-2.0
// The library's Factor on triangles that are read in place from Tpetra::CrsMatrix objects.
#pragma once

#include <Teuchos_BLAS_types.hpp>
#include <Teuchos_FancyOStream.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Access.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sptrsv/factor.hpp"
#include "sptrsv/ifpack2/detail/inspect.hpp"
#include "sptrsv/ifpack2/detail/parameters.hpp"

namespace sptrsv::ifpack2::detail {

/// Triangle of this rank's rows.
template <class CrsMatrix>
struct LocalTriangle {
  Teuchos::RCP<CrsMatrix const> matrix;
  std::string label;                 ///< name for messages
  std::optional<Triangle> triangle;  ///< empty: found from the pattern
};

/// Returns whether two patterns are the same arrays.
template <class Pattern>
bool same_arrays(Pattern const& a, Pattern const& b) {
  return a.row_ptr.data() == b.row_ptr.data() && a.col_idx.data() == b.col_idx.data() &&
         a.row_ptr.extent(0) == b.row_ptr.extent(0) && a.col_idx.extent(0) == b.col_idx.extent(0);
}

/// Writes one line of YAML about a solver; `levels` adds the level sets, which may have to be computed.
template <class Solver>
void describe_solver(Teuchos::FancyOStream& out, std::string const& label, Solver const& s, bool levels) {
  char const* const diagonals[] = {"stored", "unit", "inverted"};
  out << label << ": {triangle: " << (s.shape().triangle == Triangle::lower ? "lower" : "upper")
      << ", diagonal: " << diagonals[static_cast<int>(s.shape().diagonal)] << ", algorithm: " << s.algorithm()
      << ", reason: \"" << s.reason() << "\", parameters: \"" << s.parameters() << "\", bytes: " << s.memory_bytes();
  if (levels) {
    Structure const structure = s.structure(typename Solver::types::exec_space());
    out << ", levels: " << structure.levels << ", rows per level: " << structure.mean_level;
  }
  out << "}\n";
}

/// Factor over Tpetra matrices. The constructor analyzes for NO_TRANS; the other modes are analyzed in their first
/// solve. The matrices' arrays are used in place: between update() and solve(), neither change values nor call
/// resumeFill().
template <class CrsMatrix>
class LocalFactor {
 public:
  using exec_space = typename CrsMatrix::execution_space;
  using scalar = typename CrsMatrix::impl_scalar_type;
  using row_offset = typename CrsMatrix::crs_graph_type::local_graph_device_type::size_type;
  /// Factor with signed offsets: Tpetra's offsets are of type size_t, and their bytes may be read as signed numbers.
  using Factor =
      sptrsv::Factor<scalar, typename CrsMatrix::local_ordinal_type, std::make_signed_t<row_offset>, exec_space>;
  using T = typename Factor::types;
  static_assert(std::is_same_v<typename CrsMatrix::device_type::memory_space, typename T::memory_space>,
                "sptrsv::ifpack2: the Node's memory space must be its execution space's own; build Trilinos without "
                "unified memory");

  /// @param triangles  L, U or both.
  /// @param diagonal   whether a diagonal D lies between L and U.
  /// @param row_name   returns the name of local row i of a matrix for messages.
  template <class RowName>
  LocalFactor(std::vector<LocalTriangle<CrsMatrix>> triangles, bool diagonal, Request const& request,
              RowName const& row_name)
      : triangles_(std::move(triangles)), request_(request) {
    pattern_.block_size = diagonal ? 1 : 0;
    for (auto& t : triangles_) {
      auto const rows = pattern_of(*t.matrix);
      Shape const shape = shape_of<T>(exec_space(), rows, [&](long long row) { return row_name(*t.matrix, row); });
      if (!t.triangle) t.triangle = shape.triangle;
      part(t).emplace();
      part(t)->rows = rows;
      part(t)->diagonal = shape.diagonal;
    }
    analyze();
  }

  /// Takes the matrices' values, and D^-1.
  void update(typename T::values const& inverse = {}) {
    sptrsv::FactorValues<scalar, typename T::memory_space> values;
    for (auto const& t : triangles_) {
      auto const own = t.matrix->getLocalValuesDevice(Tpetra::Access::ReadOnly);
      (*t.triangle == Triangle::lower ? values.lower : values.upper) = typename T::values(own.data(), own.extent(0));
    }
    values.inverse = inverse;
    update(values);
  }
  /// Takes values that may differ from those of the matrices; analyzes again if a pattern has another array or size.
  void update(sptrsv::FactorValues<scalar, typename T::memory_space> const& values) {
    bool moved = false;
    for (auto const& t : triangles_) {
      auto const now = pattern_of(*t.matrix);
      auto& before = part(t)->rows;
      moved = moved || !same_arrays(now, before);
      before = now;
    }
    if (moved) analyze();
    factor_->update(exec_space(), values);
  }

  /// Returns views without ownership: Tpetra refuses host access to its arrays while a device view of them is held.
  static typename T::pattern pattern_of(CrsMatrix const& matrix) {
    auto const graph = matrix.getCrsGraph();
    auto const row_ptr = graph->getLocalRowPtrsDevice();
    auto const col_idx = graph->getLocalIndicesDevice();
    typename T::pattern p;
    p.row_ptr = decltype(p.row_ptr)(reinterpret_cast<typename T::offset const*>(row_ptr.data()), row_ptr.extent(0));
    p.col_idx = decltype(p.col_idx)(col_idx.data(), col_idx.extent(0));
    return p;
  }

  /// Returns the solves with op = none, whose pattern and levels a factorization shares.
  Factor const& factor() const { return *factor_; }

  /// Solves x = op(M)^-1 b on the Node's default instance; b may be x.
  void solve(Teuchos::ETransp mode, typename T::rhs const& b, typename T::solution const& x) const {
    factor_->solve(exec_space(), ops[mode_of(mode)], b, x);
  }

  int num_analyses() const { return earlier_analyses_ + (factor_ ? factor_->num_analyses() : 0); }

  /// Writes one line of YAML for each triangle and mode in use; `levels` adds the level sets, which may have to be
  /// computed.
  void describe(Teuchos::FancyOStream& out, bool levels) const {
    char const* const modes[] = {"NO_TRANS", "TRANS", "CONJ_TRANS"};
    for (auto const& t : triangles_)
      for (int m = 0; m < 3; ++m) {
        auto const* const s = factor_ ? factor_->solver(*t.triangle, ops[m]) : nullptr;
        if (s) describe_solver(out, t.label + " " + modes[m], *s, levels);
      }
  }

 private:
  static constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
  static int mode_of(Teuchos::ETransp mode) { return mode == Teuchos::NO_TRANS ? 0 : mode == Teuchos::TRANS ? 1 : 2; }

  auto& part(LocalTriangle<CrsMatrix> const& t) {
    return *t.triangle == Triangle::lower ? pattern_.lower : pattern_.upper;
  }

  void analyze() {
    earlier_analyses_ = num_analyses();
    factor_.reset();
    factor_.emplace(request_.algorithm, exec_space(), pattern_, request_.options);
  }

  std::vector<LocalTriangle<CrsMatrix>> triangles_;  // own the arrays that the views refer to
  Request request_;
  typename Factor::pattern_type pattern_;
  mutable std::optional<Factor> factor_;
  int earlier_analyses_ = 0;  // analyses of earlier patterns
};

}  // namespace sptrsv::ifpack2::detail
