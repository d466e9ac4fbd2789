// SPDX-License-Identifier: Apache-2.0
// Implements AnyFactorSolver with the backend's Factor on one execution space.
#pragma once

#include <climits>
#include <optional>
#include <string>

#include "solver/any_solver.hpp"
#include "solver/cholesky_values.hpp"
#include "solver/matrix_pattern.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv_petsc {

/// Returns the pattern of PETSc's factor in the memory of Exec: PETSc's arrays on a host, copies elsewhere.
template <class Exec>
typename sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>::pattern_type PatternOf(FactorArrays const& a)
{
  using sptrsv::in_memory_of;
  typename sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>::pattern_type p;
  auto const n = static_cast<std::size_t>(a.n);
  bool const rows_in_order = a.kind != FactorKind::lu || a.block_size > 0;
  auto const col_idx = in_memory_of<Exec>(a.col_idx, a.num_entries);
  auto const part = [&](PetscInt const* row_ptr, sptrsv::Diagonal diagonal) {
    typename decltype(p)::Part made;
    made.rows.row_ptr = in_memory_of<Exec>(row_ptr, n + 1);
    made.rows.col_idx = col_idx;
    made.diagonal = diagonal;
    return made;
  };
  if (a.kind == FactorKind::triangle) {
    if (a.row_ptr_lower) p.lower = part(a.row_ptr_lower, a.diagonal);
    if (a.row_ptr_upper) p.upper = part(a.row_ptr_upper, a.diagonal);
    return p;
  }
  p.symmetric = a.kind == FactorKind::cholesky;
  p.block_size = p.symmetric && !a.block_size ? 1 : static_cast<int>(a.block_size);
  p.upper = part(a.row_ptr_upper, rows_in_order ? sptrsv::Diagonal::unit : sptrsv::Diagonal::inverted);
  if (!p.symmetric) p.lower = part(a.row_ptr_lower, sptrsv::Diagonal::unit);
  if (!rows_in_order) p.upper->rows.row_order = sptrsv::RowOrder::reversed;
  p.upper->rows.sum_backward = p.symmetric ? !a.block_size : a.has_inodes;  // PETSc's order, except for inodes
  if (a.row_perm) p.row_perm = in_memory_of<Exec>(a.row_perm, n);
  if (a.col_perm) p.col_perm = in_memory_of<Exec>(a.col_perm, n);
  return p;
}

/// Copies the pivots of LU, which are the last entries of U's rows, to `out` in natural order.
template <class Exec, class Rows, class Values, class Out>
void GatherPivots(Exec const& exec, Rows const& rows, Values values, Out out)
{
  auto const row_ptr = rows.row_ptr;
  std::size_t const n = out.extent(0);
  bool const reversed = rows.row_order == sptrsv::RowOrder::reversed;
  Kokkos::parallel_for(
      "sptrsv::petsc::gather_pivots", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(std::size_t i) { out(i) = values(row_ptr(reversed ? n - i : i + 1) - 1); });
}

/// Requires A's own diagonal, as PETSc does in any ordering, even where fill provides the factor's.
/// @param ascending  whether the columns of all rows ascend
/// @throws sptrsv::MissingDiagonal
template <class T, class Exec>
void RequireDiagonal(Exec const& exec, typename T::pattern const& matrix, bool ascending)
{
  PetscInt const n = matrix.num_rows();
  auto const lacks = KOKKOS_LAMBDA(PetscInt i) { return sptrsv::detail::find_in_row<T>(matrix, i, i, ascending) < 0; };
  long long const missing = sptrsv::detail::first_row_with<T>("sptrsv::petsc::diagonal", exec, n, lacks);
  if (missing < n) throw sptrsv::MissingDiagonal(missing, "factored");
}

template <class Exec>
struct FactorSolverState {
  using Factor = sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>;

  Factor factor;
  typename Factor::pattern_type pattern;
  decltype(Factor::types::pattern::row_ptr) row_ptr;  // offsets of U's rows if its values are split
  CholeskyValues<Exec> cholesky;
  std::optional<sptrsv::Factorization<Scalar, PetscInt, PetscInt, Exec>> factorization;
  sptrsv::StagedValues<Scalar, Exec> staging;  // for values of A in host memory
};

template <class Exec>
class FactorSolver final : public OnSpace<AnyFactorSolver, Exec, FactorSolverState<Exec>> {
 public:
  using State = FactorSolverState<Exec>;
  using Base = OnSpace<AnyFactorSolver, Exec, State>;
  using Factor = sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>;
  using Factorization = sptrsv::Factorization<Scalar, PetscInt, PetscInt, Exec>;
  using T = typename Factor::types;

  FactorSolver(Stream stream, std::string const& algorithm, FactorArrays const& arrays, sptrsv::Options const& options)
      : Base(stream),
        num_entries_(arrays.num_entries),
        num_inverse_(arrays.num_values() - arrays.num_entries),
        splits_(arrays.kind == FactorKind::cholesky && !arrays.block_size)
  {
    auto const pattern = PatternOf<Exec>(arrays);
    this->set_state({Factor(algorithm, exec(), pattern, options), pattern, {}, {}, {}, {}});
    if (splits_) state().row_ptr = pattern.upper->rows.row_ptr;
  }
  FactorSolver(Stream stream, std::string const& algorithm, FillFactor const& what, sptrsv::Options const& options)
      : Base(stream), num_entries_(0), num_inverse_(0), splits_(false)
  {
    auto const n = static_cast<std::size_t>(what.matrix.n);
    auto const perm = [&](PetscInt const* p) {
      return p ? typename T::indices(sptrsv::in_memory_of<Exec>(p, n)) : typename T::indices();
    };
    auto const row_perm = perm(what.row_perm), col_perm = what.symmetric ? row_perm : perm(what.col_perm);
    auto const matrix = PatternOfMatrix<T>(what.matrix);
    RequireDiagonal<T>(exec(), matrix, sptrsv::detail::require_proper_rows<T>(exec(), matrix, what.rules));
    auto pattern = Factorization::level_pattern(exec(), matrix, row_perm, col_perm, what.symmetric, what.levels);
    if (what.accept && !what.accept(Factorization::decide(exec(), matrix, pattern))) return;
    pattern.upper->rows.sum_backward = what.symmetric || what.has_inodes;  // PETSc's order, except for inodes
    num_entries_ = pattern.upper->rows.col_idx.extent(0) + (what.symmetric ? n : pattern.lower->rows.col_idx.extent(0));
    this->set_state({Factor(algorithm, exec(), pattern, options), pattern, {}, {}, {}, {}});
  }

  void update(Scalar const* values) override
  {
    State& s = state();
    if (splits_) {
      s.factor.update(exec(), s.cholesky.take(exec(), s.row_ptr, values, num_entries_));
    } else {
      using View = Kokkos::View<Scalar const*, Kokkos::HostSpace>;
      View const entries(values, num_entries_), inverse(values + num_entries_, num_inverse_);
      s.factor.update(exec(), sptrsv::FactorValues<Scalar, Kokkos::HostSpace>{entries, entries, inverse});
    }
  }

  /// Tells whether FillFactor::accept has declined: the object may then only be destroyed.
  bool declined() const { return !this->has_state(); }

  sptrsv::FactorizationReport make_factorization(MatrixArrays const& m,
                                                 sptrsv::FactorizationOptions const& options) override
  {
    State& s = state();
    auto const matrix = PatternOfMatrix<T>(m);
    s.factorization.reset();
    s.factorization.emplace(exec(), matrix, s.factor, options);
    return s.factorization->report();
  }
  void drop_factorization() override { state().factorization.reset(); }
  std::size_t num_entries() const override { return num_entries_; }

  sptrsv::PivotVerdict factor(MatrixValues const& values, sptrsv::PivotRules const& rules) override
  {
    State& s = state();
    if (!s.factorization) throw sptrsv::NotReady("the factorization of this pattern failed; repeat the symbolic phase");
    auto const verdict = s.factorization->factor(exec(), ValuesOfMatrix<T>(exec(), s.staging, values), rules);
    try {
      s.factor.update(exec(), s.factorization->values());
    } catch (sptrsv::SingleRange const&) {
      if (verdict.zero_row < 0 && !verdict.endless) throw;  // otherwise the verdict is the answer
    }
    return verdict;
  }
  void copy_inverted_pivots(Scalar* to) override
  {
    State const& s = state();
    auto const values = s.factorization->values();
    auto const n = static_cast<std::size_t>(s.factor.num_rows());
    Kokkos::View<Scalar*, Kokkos::HostSpace> const out(to, n);
    auto const pivots = Base::template fresh<Kokkos::View<Scalar*, typename Base::device>>("sptrsv::petsc::pivots", n);
    if (s.pattern.symmetric) Kokkos::deep_copy(exec(), pivots, values.inverse);
    else GatherPivots(exec(), s.pattern.upper->rows, values.upper, pivots);
    Kokkos::deep_copy(exec(), out, pivots);
    exec().fence("sptrsv::petsc: pivots are copied");
  }

  void solve(sptrsv::Op op, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) override
  {
    state().factor.solve(exec(), op, Rhs(b), Solution(x), accumulate);
  }
  bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    return state().factor.solve_first_half(exec(), Rhs(b), Solution(x));
  }
  bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    return state().factor.solve_second_half(exec(), Rhs(b), Solution(x));
  }
  void reserve(std::size_t columns, bool accumulate) override
  {
    if (columns > INT_MAX) throw sptrsv::Unsupported("sptrsv", "more than 2^31 - 1 columns", "solve in parts");
    state().factor.reserve(exec(), static_cast<int>(columns), accumulate);
  }

  long long num_passes() const override
  {
    auto const* upper = state().factor.solver(sptrsv::Triangle::upper);
    auto const* solver = upper ? upper : state().factor.solver(sptrsv::Triangle::lower);
    return solver ? solver->num_passes() : 1;
  }
  TriangleReport report(sptrsv::Triangle triangle) const override
  {
    auto const& solver = *state().factor.solver(triangle);
    return {solver.algorithm(), solver.reason(), solver.parameters(), solver.structure(exec()), solver.timings()};
  }
  std::size_t memory_bytes() const override
  {
    State const& s = state();
    return s.factor.memory_bytes() + s.cholesky.memory_bytes() + s.staging.memory_bytes() + this->copy_bytes() +
           (s.factorization ? s.factorization->memory_bytes() : 0);
  }

 private:
  using Base::exec;
  using Base::state;
  static typename T::rhs Rhs(Columns<Scalar const> c) { return Base::template as_view<typename T::rhs>(c); }
  static typename T::solution Solution(Columns<Scalar> c) { return Base::template as_view<typename T::solution>(c); }

  std::size_t num_entries_, num_inverse_;
  bool splits_;
};

}  // namespace sptrsv_petsc
