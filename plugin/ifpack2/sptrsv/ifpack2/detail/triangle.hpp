// SPDX-License-Identifier: Apache-2.0
// The solves of one triangle that lies in a Tpetra::CrsMatrix, in all modes.
#pragma once

#include <Teuchos_BLAS_types.hpp>
#include <Teuchos_FancyOStream.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Access.hpp>
#include <array>
#include <optional>
#include <string>
#include <type_traits>

#include "sptrsv/ifpack2/detail/inspect.hpp"
#include "sptrsv/ifpack2/detail/parameters.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv::ifpack2::detail {

/// Analyze: constructor, for NO_TRANS. The other modes are analyzed at their first solve and kept.
/// The matrix' arrays are used in place, so it must neither be changed nor resumed between update() and solve().
template <class CrsMatrix>
class Triangle {
 public:
  using exec_space = typename CrsMatrix::execution_space;
  using scalar = typename CrsMatrix::impl_scalar_type;
  using row_offset = typename CrsMatrix::crs_graph_type::local_graph_device_type::size_type;
  /// Tpetra counts entries by size_t; the same words are read as signed numbers, which C++ allows.
  using T = Types<scalar, typename CrsMatrix::local_ordinal_type, std::make_signed_t<row_offset>, exec_space>;
  using Solver = TriangularSolver<typename T::scalar, typename T::index, typename T::offset, exec_space>;
  static_assert(std::is_same_v<typename CrsMatrix::device_type::memory_space, typename T::memory_space>,
                "sptrsv::ifpack2: the Node's memory space must be its execution space's own; build Trilinos without "
                "unified memory");

  /// @param label     what a person calls this triangle.
  /// @param row_name  what a person calls local row i.
  template <class RowName>
  Triangle(Teuchos::RCP<CrsMatrix const> const& matrix, Request const& request, std::string const& label,
           RowName const& row_name)
      : matrix_(matrix), request_(request), label_(label) {
    pattern_ = pattern_of(*matrix);
    shape_ = shape_of<T>(exec_space(), pattern_, row_name);
    analyze(shape_.op);
  }

  /// Takes the matrix' values; analyzes again if its pattern is at another place or of another size.
  void update() {
    typename T::pattern const now = pattern_of(*matrix_);
    if (now.row_ptr.data() != pattern_.row_ptr.data() || now.col_idx.data() != pattern_.col_idx.data() ||
        now.row_ptr.extent(0) != pattern_.row_ptr.extent(0) || now.col_idx.extent(0) != pattern_.col_idx.extent(0)) {
      pattern_ = now;
      for (auto& solver : solvers_) solver.reset();
      analyze(Op::none);
    }
    auto const values = matrix_->getLocalValuesDevice(Tpetra::Access::ReadOnly);
    values_ = typename T::values(values.data(), values.extent(0));
    for (auto& solver : solvers_)
      if (solver) solver->update(exec_space(), values_);
  }

  /// x = op(T)^-1 (scale .* b), on the Node's default instance; scale may be empty.
  void solve(Teuchos::ETransp mode, typename T::rhs const& b, typename T::solution const& x,
             typename T::values const& scale = {}) const {
    Op const op = op_of(mode);
    auto& solver = solvers_[static_cast<std::size_t>(op)];
    if (!solver) {
      analyze(op);
      solver->update(exec_space(), values_);
    }
    Fold<T> fold;
    fold.b_scale = scale;
    solver->solve(exec_space(), b, x, fold);
  }

  int num_analyses() const { return analyses_; }
  Shape shape() const { return shape_; }
  std::string const& algorithm() const { return solvers_[0]->algorithm(); }

  /// One line of YAML for each mode in use, and with `levels` the level sets, which may have to be made.
  void describe(Teuchos::FancyOStream& out, bool levels) const {
    char const* const modes[] = {"NO_TRANS", "TRANS", "CONJ_TRANS"};
    for (std::size_t op = 0; op < solvers_.size(); ++op) {
      if (!solvers_[op]) continue;
      Solver const& s = *solvers_[op];
      out << label_ << " " << modes[op]
          << ": {triangle: " << (shape_.triangle == sptrsv::Triangle::lower ? "lower" : "upper")
          << ", diagonal: " << (shape_.diagonal == Diagonal::unit ? "unit" : "stored")
          << ", algorithm: " << s.algorithm() << ", reason: \"" << s.reason() << "\", parameters: \"" << s.parameters()
          << "\", bytes: " << s.memory_bytes();
      if (levels) {
        Structure const structure = s.structure(exec_space());
        out << ", levels: " << structure.levels << ", rows per level: " << structure.mean_level;
      }
      out << "}\n";
    }
  }

 private:
  /// Views without ownership: Tpetra refuses its arrays to the host while a device view of them is held.
  static typename T::pattern pattern_of(CrsMatrix const& matrix) {
    auto const graph = matrix.getCrsGraph();
    auto const row_ptr = graph->getLocalRowPtrsDevice();
    auto const col_idx = graph->getLocalIndicesDevice();
    typename T::pattern p;
    p.row_ptr = decltype(p.row_ptr)(reinterpret_cast<typename T::offset const*>(row_ptr.data()), row_ptr.extent(0));
    p.col_idx = decltype(p.col_idx)(col_idx.data(), col_idx.extent(0));
    return p;
  }

  /// A real matrix has one transposed solver for both modes.
  static Op op_of(Teuchos::ETransp mode) {
    if (mode == Teuchos::NO_TRANS) return Op::none;
    return mode == Teuchos::CONJ_TRANS && !std::is_arithmetic_v<scalar> ? Op::conj_transpose : Op::transpose;
  }

  void analyze(Op op) const {
    Shape shape = shape_;
    shape.op = op;
    solvers_[static_cast<std::size_t>(op)].emplace(request_.algorithm, exec_space(), pattern_, shape, request_.options);
    ++analyses_;
  }

  Teuchos::RCP<CrsMatrix const> matrix_;  // owns what the views see
  Request request_;
  std::string label_;
  Shape shape_;
  typename T::pattern pattern_;
  typename T::values values_;
  mutable std::array<std::optional<Solver>, 3> solvers_;  // by Op
  mutable int analyses_ = 0;
};

}  // namespace sptrsv::ifpack2::detail
