// SPDX-License-Identifier: Apache-2.0
// The solves of one triangle on one execution space, plain and transposed; knows no PETSc objects.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <string>

#include "factor_solver.hpp"

namespace sptrsv_petsc {

/// A triangle as it lies in host memory, rows sorted by column.
template <class Index>
struct TrianglePattern {
  Index n = 0;
  std::size_t num_entries = 0;
  Index const* row_ptr = nullptr;  ///< n+1
  Index const* col_idx = nullptr;  ///< num_entries
};

/// Analyze: constructor. The transposed solve gets its analysis at its first call.
template <class Scalar, class Index, class Exec>
class TriangleSolver final : public KokkosHolder {
 public:
  using Solver = sptrsv::TriangularSolver<Scalar, Index, Index, Exec>;
  using T = typename Solver::types;

  /// On a host the pattern's arrays are used in place.
  TriangleSolver(std::string const& algorithm, TrianglePattern<Index> const& p, sptrsv::Triangle triangle, sptrsv::Diagonal diagonal, sptrsv::OptionValues const& options)
      : algorithm_(algorithm), options_(options), shape_{triangle, diagonal, sptrsv::Op::none}
  {
    state_.emplace();
    state_->pattern.row_ptr = on_device(p.row_ptr, static_cast<std::size_t>(p.n) + 1);
    state_->pattern.col_idx = on_device(p.col_idx, p.num_entries);
    state_->plain.emplace(algorithm_, state_->exec, state_->pattern, shape_, options_);
  }
  ~TriangleSolver() override = default;

  void release() override { state_.reset(); }

  /// Takes the values (host memory, one per entry), read in place on a host.
  void update(Scalar const* values)
  {
    State& s = state();
    s.values = on_device(values, s.pattern.col_idx.extent(0));
    s.plain->update(s.exec, s.values);
    if (s.transposed) s.transposed->update(s.exec, s.values);
  }

  /// x = T^-1 b; b and x may be the same array.
  void solve(Columns<Scalar const> b, Columns<Scalar> x) const { state().plain->solve(state().exec, view<typename T::rhs>(b), view<typename T::solution>(x)); }

  /// x = T^-T b, likewise. The first call analyzes and allocates.
  void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x)
  {
    State& s = state();
    if (!s.transposed) {
      sptrsv::Shape shape = shape_;
      shape.op = sptrsv::Op::transpose;
      Solver made(algorithm_, s.exec, s.pattern, shape, options_);
      made.update(s.exec, s.values);
      s.transposed.emplace(std::move(made));
    }
    s.transposed->solve(s.exec, view<typename T::rhs>(b), view<typename T::solution>(x));
  }

  Solver const& plain() const { return *state().plain; }
  sptrsv::Structure structure() const { return plain().structure(state().exec); }
  std::size_t memory_bytes() const
  {
    State const& s = state();
    return s.plain->memory_bytes() + (s.transposed ? s.transposed->memory_bytes() : 0);
  }

 private:
  struct State {
    Exec exec;
    typename T::pattern pattern;
    typename T::values values;
    std::optional<Solver> plain, transposed;
  };

  State& state() const
  {
    if (!state_) throw sptrsv::NotReady("Kokkos has ended, and this triangle's solver with it; destroy solvers before Kokkos::finalize()");
    return *state_;
  }
  /// The caller's array itself on a host, a copy elsewhere.
  template <class V>
  static Kokkos::View<V const*, typename T::device> on_device(V const* data, std::size_t size)
  {
    Kokkos::View<V const*, Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>> const given(data, size);
    return Kokkos::create_mirror_view_and_copy(typename T::memory_space(), given);
  }
  template <class View, class V>
  static View view(Columns<V> c)
  {
    return {c.data, Kokkos::LayoutStride(c.rows, 1, c.columns, c.stride)};
  }

  std::string algorithm_;
  sptrsv::OptionValues options_;
  sptrsv::Shape shape_;
  mutable std::optional<State> state_;
};

}  // namespace sptrsv_petsc
