// SPDX-License-Identifier: Apache-2.0
// Implements the interfaces of any_solver.hpp with the backend's Factor and Factorization, for a host and for a device.
#include "solver/any_solver.hpp"

#include <climits>
#include <optional>
#include <string>

#include "sptrsv/device/small_range.hpp"
#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv_petsc {
namespace {

/// Splits PETSc's values into U/D and 1/D. PETSc stores -U/D off the diagonal, and 1/D at the end of each of U's rows.
template <class Exec, class Offsets, class Values, class Out>
void SplitCholesky(Exec const& exec, std::size_t n, Offsets row_ptr, Values stored, Out negated, Out diagonal)
{
  auto const split = KOKKOS_LAMBDA(std::size_t i)
  {
    auto const last = row_ptr(i + 1) - 1;
    for (auto k = row_ptr(i); k < last; ++k) negated(k) = -stored(k);
    diagonal(i) = stored(last);
  };
  sptrsv::detail::with_range(exec, n, static_cast<long long>(stored.extent(0)), [&](auto const& rows) {
    Kokkos::parallel_for("sptrsv::petsc::split_cholesky", rows, split);
  });
}

/// U/D and 1/D in the memory of Exec. The positions of U/D at which PETSc stores 1/D are not written; solves with a
/// unit diagonal do not read them.
template <class Exec>
class CholeskyValues {
 public:
  using Staging = sptrsv::StagedValues<Scalar, Exec>;
  using Values = typename Staging::values;

  /// Takes PETSc's values. The first call allocates.
  /// @param row_ptr  n + 1 offsets of U's rows
  /// @param values   `size` values in host memory
  template <class Offsets>
  sptrsv::FactorValues<Scalar, typename Exec::memory_space> take(Exec const& exec, Offsets row_ptr,
                                                                 Scalar const* values, std::size_t size)
  {
    std::size_t const n = row_ptr.extent(0) - 1;
    auto const stored = staging_.stage(exec, values, size);
    if (diagonal_.extent(0) != n) diagonal_ = sptrsv::detail::raw_view<Values>(exec, "sptrsv::petsc::diagonal", n);
    Values negated = staging_.copy();
    if constexpr (Staging::in_place) {
      if (negated_.extent(0) != size) negated_ = sptrsv::detail::raw_view<Values>(exec, "sptrsv::petsc::values", size);
      negated = negated_;
    }
    SplitCholesky(exec, n, row_ptr, stored, negated, diagonal_);
    return {negated, negated, diagonal_};
  }

  std::size_t memory_bytes() const
  {
    return staging_.memory_bytes() + (negated_.span() + diagonal_.span()) * sizeof(Scalar);
  }

 private:
  Staging staging_;
  Values negated_, diagonal_;
};

/// Returns the factor's pattern in the memory of Exec: the arrays themselves if they are there, otherwise copies.
template <class Exec>
typename sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>::pattern_type PatternOf(FactorArrays const& a)
{
  using sptrsv::in_memory_of;
  typename sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>::pattern_type p;
  using Indices = decltype(p.row_perm);
  auto const n = static_cast<std::size_t>(a.n);
  auto const here = [&](PetscInt const* numbers, std::size_t size) {
    return a.on_device ? Indices(numbers, size) : Indices(in_memory_of<Exec>(numbers, size));
  };
  auto const col_idx = here(a.upper.col_idx, a.upper.size);
  auto const part = [&](TriangleArrays const& t, sptrsv::Diagonal diagonal) {
    typename decltype(p)::Part made;
    made.rows.row_ptr = here(t.row_ptr, n + 1);
    made.rows.col_idx = t.col_idx == a.upper.col_idx ? col_idx : here(t.col_idx, t.size);
    made.diagonal = diagonal;
    return made;
  };
  if (a.kind == FactorKind::triangle) {
    if (a.lower.row_ptr) p.lower = part(a.lower, a.diagonal);
    if (a.upper.row_ptr) p.upper = part(a.upper, a.diagonal);
    return p;
  }
  p.symmetric = a.symmetric();
  p.block_size = p.symmetric && !a.block_size ? 1 : static_cast<int>(a.block_size);
  p.upper = part(a.upper, p.block_size ? sptrsv::Diagonal::unit : sptrsv::Diagonal::inverted);
  if (!p.symmetric) p.lower = part(a.lower, sptrsv::Diagonal::unit);
  if (a.upper_reversed) p.upper->rows.row_order = sptrsv::RowOrder::reversed;
  p.upper->rows.sum_backward = p.symmetric ? !a.block_size : a.has_inodes;  // PETSc's order of sums, except with inodes
  if (a.row_perm) p.row_perm = here(a.row_perm, n);
  if (a.col_perm) p.col_perm = here(a.col_perm, n);
  return p;
}

template <class Exec>
struct FactorSolverState {
  sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec> factor;
  CholeskyValues<Exec> cholesky;
};

template <class Exec>
class FactorSolver final : public OnSpace<AnyFactorSolver, Exec, FactorSolverState<Exec>> {
 public:
  using Base = OnSpace<AnyFactorSolver, Exec, FactorSolverState<Exec>>;
  using Factor = sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>;
  using T = typename Factor::types;

  FactorSolver(Stream stream, std::string const& algorithm, FactorArrays const& arrays, sptrsv::Options const& options)
      : Base(stream)
  {
    this->set_state({Factor(algorithm, exec(), PatternOf<Exec>(arrays), options), {}});
  }

  Factor const& factor() const { return state().factor; }

  void update(FactorValueArrays const& values) override
  {
    if (values.on_device) take<typename Exec::memory_space>(values);
    else if (!values.inverse && factor().pattern().symmetric) split(values.upper);
    else take<Kokkos::HostSpace>(values);
  }

  void solve(sptrsv::Op op, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) override
  {
    state().factor.solve(exec(), op, as_view(b), as_view(x), accumulate);
  }
  bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    return state().factor.solve_first_half(exec(), as_view(b), as_view(x));
  }
  bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    return state().factor.solve_second_half(exec(), as_view(b), as_view(x));
  }
  void reserve(std::size_t columns, bool accumulate) override
  {
    if (columns > INT_MAX) throw sptrsv::Unsupported("sptrsv", "more than 2^31 - 1 columns", "solve in parts");
    state().factor.reserve(exec(), static_cast<int>(columns), accumulate);
  }

  long long num_passes() const override
  {
    auto const* upper = factor().solver(sptrsv::Triangle::upper);
    auto const* solver = upper ? upper : factor().solver(sptrsv::Triangle::lower);
    return solver ? solver->num_passes() : 1;
  }
  TriangleReport report(sptrsv::Triangle triangle) const override
  {
    auto const& solver = *factor().solver(triangle);
    return {solver.algorithm(), solver.reason(), solver.parameters(), solver.structure(exec()), solver.timings()};
  }
  std::size_t memory_bytes() const override
  {
    return factor().memory_bytes() + state().cholesky.memory_bytes() + this->copy_bytes();
  }

 private:
  using Base::as_view;
  using Base::exec;
  using Base::state;

  /// Takes values of PETSc's Cholesky factors without dense blocks.
  void split(Scalar const* stored)
  {
    auto const& upper = factor().pattern().upper;
    if (!upper) return;
    auto const size = upper->rows.col_idx.extent(0);
    state().factor.update(exec(), state().cholesky.take(exec(), upper->rows.row_ptr, stored, size));
  }
  /// Takes values in the memory space `Memory`.
  template <class Memory>
  void take(FactorValueArrays const& v)
  {
    using View = Kokkos::View<Scalar const*, Memory>;
    auto const& p = factor().pattern();
    auto const size = [](auto const& triangle) { return triangle ? triangle->rows.col_idx.extent(0) : 0; };
    std::size_t const pivots = static_cast<std::size_t>(factor().num_rows()) * static_cast<std::size_t>(p.block_size);
    View const upper(v.upper, size(p.upper)), lower = p.symmetric ? upper : View(v.lower, size(p.lower));
    state().factor.update(exec(), sptrsv::FactorValues<Scalar, Memory>{lower, upper, View(v.inverse, pivots)});
  }
};

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

/// Requires that A stores all its diagonal entries, even those that the factor would get by fill. PETSc requires that
/// with any ordering.
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
using FillPatternState = typename sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec>::pattern_type;

template <class Exec>
class FillPattern final : public OnSpace<AnyFillPattern, Exec, FillPatternState<Exec>> {
 public:
  using Base = OnSpace<AnyFillPattern, Exec, FillPatternState<Exec>>;
  using Factorization = sptrsv::Factorization<Scalar, PetscInt, PetscInt, Exec>;
  using T = typename Factorization::types;

  /// Makes no state if what.accept() declines.
  FillPattern(Stream stream, FillFactor const& what) : Base(stream), n_(what.matrix.n), has_inodes_(what.has_inodes)
  {
    auto const& exec = this->exec();
    auto const perm = [&](PetscInt const* p) {
      return p ? typename T::indices(sptrsv::in_memory_of<Exec>(p, static_cast<std::size_t>(n_)))
               : typename T::indices();
    };
    auto const row_perm = perm(what.row_perm), col_perm = what.symmetric ? row_perm : perm(what.col_perm);
    auto const matrix = PatternOfMatrix<T>(what.matrix);
    RequireDiagonal<T>(exec, matrix, sptrsv::detail::require_proper_rows<T>(exec, matrix, what.rules));
    auto const pattern = Factorization::level_pattern(exec, matrix, row_perm, col_perm, what.symmetric, what.levels);
    if (!what.accept || what.accept(Factorization::decide(exec, matrix, pattern))) this->set_state(pattern);
  }
  bool declined() const { return !this->has_state(); }

  FactorArrays arrays() const override
  {
    auto const& p = this->state();
    auto const of = [](auto const& part) -> TriangleArrays {
      if (!part) return {};
      return {part->rows.row_ptr.data(), part->rows.col_idx.data(), part->rows.col_idx.extent(0)};
    };
    FactorArrays a;
    a.kind = p.symmetric ? FactorKind::cholesky : FactorKind::lu;
    a.has_inodes = has_inodes_;
    a.has_pivots = !p.symmetric;
    a.on_device = !Base::host;
    a.n = n_;
    a.lower = of(p.lower);
    a.upper = of(p.upper);
    a.row_perm = p.row_perm.data();
    a.col_perm = p.col_perm.data();
    return a;
  }

 private:
  PetscInt n_;
  bool has_inodes_;
};

template <class Exec>
struct FactorizationState {
  sptrsv::Factor<Scalar, PetscInt, PetscInt, Exec> const* factor;
  std::optional<sptrsv::Factorization<Scalar, PetscInt, PetscInt, Exec>> factorization;
  sptrsv::StagedValues<Scalar, Exec> staging;  // for values of A in host memory
};

template <class Exec>
class FactorizationOnSpace final : public OnSpace<AnyFactorization, Exec, FactorizationState<Exec>> {
 public:
  using Base = OnSpace<AnyFactorization, Exec, FactorizationState<Exec>>;
  using T = typename FactorSolver<Exec>::T;

  FactorizationOnSpace(Stream stream, FactorSolver<Exec> const& solver) : Base(stream)
  {
    this->set_state({&solver.factor(), {}, {}});
  }

  sptrsv::FactorizationReport analyze(MatrixArrays const& m, sptrsv::FactorizationOptions const& options) override
  {
    auto& s = this->state();
    auto const matrix = PatternOfMatrix<T>(m);
    s.factorization.reset();
    s.factorization.emplace(this->exec(), matrix, *s.factor, options);
    return s.factorization->report();
  }
  sptrsv::PivotStatus compute(MatrixValues const& a, sptrsv::PivotRules const& rules,
                              FactorValueArrays* values) override
  {
    auto const here = ValuesOfMatrix<T>(this->exec(), this->state().staging, a);
    auto const pivot_status = made().factor(this->exec(), here, rules);
    auto const computed = made().values();
    *values = {computed.lower.data(), computed.upper.data(), computed.inverse.data(), !Base::host};
    return pivot_status;
  }
  void copy_inverted_pivots(Scalar* to) const override
  {
    auto const values = made().values();
    auto const& factor = *this->state().factor;
    auto const n = static_cast<std::size_t>(factor.num_rows());
    auto const pivots = sptrsv::detail::raw_view<Kokkos::View<Scalar*, typename Base::device>>(
        this->exec(), "sptrsv::petsc::pivots", n);
    auto const& upper = factor.pattern().upper;
    if (factor.pattern().symmetric) Kokkos::deep_copy(this->exec(), pivots, values.inverse);
    else if (upper) GatherPivots(this->exec(), upper->rows, values.upper, pivots);
    Kokkos::deep_copy(this->exec(), Kokkos::View<Scalar*, Kokkos::HostSpace>(to, n), pivots);
    this->exec().fence("sptrsv::petsc: pivots are copied");
  }
  std::size_t memory_bytes() const override
  {
    auto const& s = this->state();
    return s.staging.memory_bytes() + (s.factorization ? s.factorization->memory_bytes() : 0);
  }

 private:
  sptrsv::Factorization<Scalar, PetscInt, PetscInt, Exec>& made() const
  {
    auto& made = this->state().factorization;
    if (!made) throw sptrsv::NotReady("the factorization of this pattern failed; repeat the symbolic phase");
    return *made;
  }
};

using HostExec = Kokkos::DefaultHostExecutionSpace;

template <class Exec>
std::unique_ptr<AnyFillPattern> MakeFill(Stream stream, FillFactor const& what)
{
  auto made = std::make_unique<FillPattern<Exec>>(stream, what);
  if (made->declined()) return nullptr;
  return made;
}

template <class Exec>
std::unique_ptr<AnyFactorization> MakeFor(AnyFactorSolver const& solver, Stream stream)
{
  return std::make_unique<FactorizationOnSpace<Exec>>(stream, static_cast<FactorSolver<Exec> const&>(solver));
}

}  // namespace

std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorArrays const& arrays, sptrsv::Options const& options)
{
  if (device) return std::make_unique<FactorSolver<DeviceExec>>(stream, algorithm, arrays, options);
  return std::make_unique<FactorSolver<HostExec>>(stream, algorithm, arrays, options);
}

std::unique_ptr<AnyFillPattern> MakeFillPattern(bool device, Stream stream, FillFactor const& what)
{
  return device ? MakeFill<DeviceExec>(stream, what) : MakeFill<HostExec>(stream, what);
}

std::unique_ptr<AnyFactorization> MakeFactorization(AnyFactorSolver const& solver, Stream stream)
{
  return solver.on_device() ? MakeFor<DeviceExec>(solver, stream) : MakeFor<HostExec>(solver, stream);
}

}  // namespace sptrsv_petsc
