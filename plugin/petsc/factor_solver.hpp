// SPDX-License-Identifier: Apache-2.0
// The triangular solves of one LU or Cholesky factor on one execution space; knows no PETSc objects.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <optional>
#include <string>

#include "kokkos_session.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

/// A factor as it lies in host memory. LU: L's rows are row_ptr_lower, U's (stored last row first) are
/// row_ptr_upper, both into one col_idx. Cholesky: U's rows are row_ptr_upper, L is their transpose.
template <class Index>
struct FactorPattern {
  bool cholesky = false;
  bool has_inodes = false;                ///< rows with the same columns follow each other: U is summed backward
  Index n = 0;
  std::size_t num_entries = 0;            ///< of the array of values
  Index const* row_ptr_lower = nullptr;   ///< n+1; LU only
  Index const* row_ptr_upper = nullptr;   ///< n+1
  Index const* col_idx = nullptr;         ///< num_entries
  Index const* row_perm = nullptr;        ///< n, or null for the identity: b is read at row_perm[i]
  Index const* col_perm = nullptr;        ///< n, or null: x is written at col_perm[i]
};

/// A dense block of vectors, column by column.
template <class Scalar>
struct Columns {
  Scalar* data;
  std::size_t rows, columns, stride;
};

namespace detail {

/// Cholesky: PETSc stores -U/D off the diagonal and 1/D on it; solves want U/D and 1/D apart.
template <class Exec, class Offsets, class Values, class Out>
void split_cholesky(Exec const& exec, std::size_t n, Offsets row_ptr, Values stored, Out negated, Out diagonal)
{
  Kokkos::parallel_for(
      "sptrsv::petsc::split_cholesky", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(std::size_t i) {
        auto const last = row_ptr(i + 1) - 1;
        for (auto k = row_ptr(i); k < last; ++k) negated(k) = -stored(k);
        diagonal(i) = stored(last);
      });
}

template <class R>
KOKKOS_INLINE_FUNCTION R real_part(R v) { return v; }
template <class R>
KOKKOS_INLINE_FUNCTION R real_part(Kokkos::complex<R> v) { return v.real(); }
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(R) { return R(0); }
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(Kokkos::complex<R> v) { return v.imag(); }

/// Square roots of the diagonal; counts what has none.
template <class Exec, class In, class Out>
std::size_t take_roots(Exec const& exec, In diagonal, Out roots)
{
  std::size_t bad = 0;
  Kokkos::parallel_reduce(
      "sptrsv::petsc::take_roots", Kokkos::RangePolicy<Exec>(exec, 0, diagonal.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & count) {
        bool const ok = !(real_part(diagonal(i)) < 0) && imaginary_part(diagonal(i)) == 0;
        count += !ok;
        roots(i) = Kokkos::sqrt(real_part(diagonal(i)));
      },
      bad);
  exec.fence("sptrsv::petsc: a negative diagonal is reported at once");
  return bad;
}

template <class Exec, class Scale, class X>
void scale_rows(Exec const& exec, Scale scale, X x)
{
  Kokkos::parallel_for(
      "sptrsv::petsc::scale_rows", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        for (std::size_t c = 0; c < x.extent(1); ++c) x(i, c) *= scale(i);
      });
}

}  // namespace detail

/// Analyze: constructor. Transposed solves of LU get their analysis at their first call.
template <class Scalar, class Index, class Exec>
class FactorSolver final : public KokkosHolder {
 public:
  using Solver = sptrsv::TriangularSolver<Scalar, Index, Index, Exec>;
  using T = typename Solver::types;
  using Fold = sptrsv::Fold<T>;

  FactorSolver(std::string const& algorithm, FactorPattern<Index> const& p, sptrsv::OptionValues const& options)
      : cholesky_(p.cholesky), n_(p.n), num_entries_(p.num_entries), algorithm_(algorithm), options_(options)
  {
    auto const n1 = static_cast<std::size_t>(n_) + 1;
    state_.emplace();
    State& s = *state_;
    s.upper.row_ptr = on_device(p.row_ptr_upper, n1);
    s.upper.col_idx = on_device(p.col_idx, num_entries_);
    if (p.row_perm) s.row_perm = on_device(p.row_perm, n1 - 1);
    if (p.col_perm) s.col_perm = on_device(p.col_perm, n1 - 1);
    if (p.row_perm || p.col_perm) reserve(1);
    if (cholesky_) {
      s.upper.sum_backward = true;  // as PETSc, to the bit
      s.lower = s.upper;
      s.diagonal = decltype(s.diagonal)("sptrsv::petsc::diagonal", n1 - 1);
      s.values = decltype(s.values)("sptrsv::petsc::values", num_entries_);
    } else {
      s.lower.row_ptr = on_device(p.row_ptr_lower, n1);
      s.lower.col_idx = s.upper.col_idx;
      s.upper.row_order = sptrsv::RowOrder::reversed;
      s.upper.sum_backward = p.has_inodes;
      if constexpr (!host) s.values = decltype(s.values)("sptrsv::petsc::values", num_entries_);
    }
    s.forward.emplace(make(s.lower, lower_shape()));
    s.backward.emplace(make(s.upper, upper_shape()));
  }
  ~FactorSolver() override = default;

  void release() override { state_.reset(); }

  /// Takes the factor's values (host memory, num_entries); LU on a host reads them in place.
  void update(Scalar const* values)
  {
    State& s = state();
    Kokkos::View<Scalar const*, Kokkos::HostSpace> const given(values, num_entries_);
    typename T::values all(values, num_entries_);
    if constexpr (!host) {
      Kokkos::deep_copy(s.exec, s.values, given);
      all = s.values;
    }
    if (cholesky_) {
      detail::split_cholesky(s.exec, static_cast<std::size_t>(n_), s.upper.row_ptr, all, s.values, s.diagonal);
      all = s.values;
    }
    s.all = all;
    s.roots_ready = false;
    s.forward->update(s.exec, all);
    s.backward->update(s.exec, all);
    if (s.forward_transposed) {
      s.forward_transposed->update(s.exec, all);
      s.backward_transposed->update(s.exec, all);
    }
  }

  /// x = A^-1 b, or x += A^-1 b. b and x may be the same array only without permutations.
  void solve(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) const
  {
    State const& s = state();
    run(*s.forward, *s.backward, s.row_perm, s.col_perm, cholesky_ ? typename T::values(s.diagonal) : typename T::values(), b, x, accumulate);
  }
  /// x = A^-T b, or x += A^-T b. The first call for LU analyzes and allocates.
  void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false)
  {
    if (cholesky_) return solve(b, x, accumulate);
    State& s = state();
    if (!s.forward_transposed) {
      s.forward_transposed.emplace(make(s.upper, {sptrsv::Triangle::upper, sptrsv::Diagonal::inverted, sptrsv::Op::transpose}));
      s.backward_transposed.emplace(make(s.lower, {sptrsv::Triangle::lower, sptrsv::Diagonal::unit, sptrsv::Op::transpose}));
      s.forward_transposed->update(s.exec, s.all);
      s.backward_transposed->update(s.exec, s.all);
    }
    run(*s.forward_transposed, *s.backward_transposed, s.col_perm, s.row_perm, {}, b, x, accumulate);
  }
  /// Cholesky: x = D^(-1/2) U^-T P b, in factor order. False if a diagonal entry has no real root.
  bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x)
  {
    State& s = state();
    if (!roots()) return false;
    Fold fold;
    fold.b_rows = s.row_perm;
    s.forward->solve(s.exec, view(b), view(x), fold);
    detail::scale_rows(s.exec, s.roots, view(x));
    return true;
  }
  /// Cholesky: x = P^T U^-1 D^(-1/2) b. False if a diagonal entry has no real root.
  bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x)
  {
    State& s = state();
    if (!roots()) return false;
    Fold fold;
    fold.b_scale = s.roots;
    if (!s.col_perm.data()) {
      s.backward->solve(s.exec, view(b), view(x), fold);
    } else {
      reserve(b.columns);
      fold.out_rows = s.col_perm;
      fold.out = view(x);
      s.backward->solve(s.exec, view(b), work(b.columns), fold);
    }
    return true;
  }
  /// Makes room for solves of so many columns at once, so that they allocate nothing.
  void reserve(std::size_t columns)
  {
    State& s = state();
    if (s.work.extent(1) < columns) s.work = decltype(s.work)("sptrsv::petsc::work", n_, columns);
  }
  bool has_permutation() const { return state().row_perm.data() || state().col_perm.data(); }

  Solver const& forward() const { return *state().forward; }
  Solver const& backward() const { return *state().backward; }
  sptrsv::Structure forward_structure() const { return forward().structure(state().exec); }
  sptrsv::Structure backward_structure() const { return backward().structure(state().exec); }
  std::size_t memory_bytes() const
  {
    State const& s = state();
    std::size_t bytes = s.forward->memory_bytes() + s.backward->memory_bytes() + (s.values.span() + s.diagonal.span() + s.roots.span() + s.work.span()) * sizeof(Scalar);
    if (s.forward_transposed) bytes += s.forward_transposed->memory_bytes() + s.backward_transposed->memory_bytes();
    return bytes;
  }

 private:
  static constexpr bool host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  struct State {
    Exec exec;
    typename T::pattern lower, upper;
    typename T::indices row_perm, col_perm;
    typename T::values all;                               // what the solvers were updated with
    Kokkos::View<Scalar*, typename T::device> values;     // our copy, where one is needed
    Kokkos::View<Scalar*, typename T::device> diagonal;   // Cholesky: 1/D
    Kokkos::View<Scalar*, typename T::device> roots;      // Cholesky: D^(-1/2), when asked for
    bool roots_ready = false;
    Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::device> work;  // between L and U, in factor order
    std::optional<Solver> forward, backward, forward_transposed, backward_transposed;
  };

  State& state() const
  {
    if (!state_) throw sptrsv::NotReady("Kokkos has ended, and this factor with it; destroy solvers before Kokkos::finalize()");
    return *state_;
  }
  sptrsv::Shape lower_shape() const
  {
    if (cholesky_) return {sptrsv::Triangle::upper, sptrsv::Diagonal::unit, sptrsv::Op::transpose};
    return {sptrsv::Triangle::lower, sptrsv::Diagonal::unit, sptrsv::Op::none};
  }
  sptrsv::Shape upper_shape() const
  {
    return {sptrsv::Triangle::upper, cholesky_ ? sptrsv::Diagonal::unit : sptrsv::Diagonal::inverted, sptrsv::Op::none};
  }
  Solver make(typename T::pattern const& pattern, sptrsv::Shape shape) const { return Solver(algorithm_, state_->exec, pattern, shape, options_); }

  /// The caller's array itself on a host, a copy elsewhere.
  template <class V>
  static Kokkos::View<V const*, typename T::device> on_device(V const* data, std::size_t size)
  {
    Kokkos::View<V const*, Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>> const given(data, size);
    return Kokkos::create_mirror_view_and_copy(typename T::memory_space(), given);
  }
  static typename T::rhs view(Columns<Scalar const> c) { return {c.data, Kokkos::LayoutStride(c.rows, 1, c.columns, c.stride)}; }
  static typename T::solution view(Columns<Scalar> c) { return {c.data, Kokkos::LayoutStride(c.rows, 1, c.columns, c.stride)}; }
  typename T::solution work(std::size_t columns) const
  {
    return {state().work.data(), Kokkos::LayoutStride(static_cast<std::size_t>(n_), 1, columns, static_cast<std::size_t>(n_))};
  }

  /// first then second, permuted on the way in and out; without permutation both work in x.
  void run(Solver const& first, Solver const& second, typename T::indices const& in, typename T::indices const& out,
           typename T::values const& between, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) const
  {
    State const& s = state();
    Fold into, from;
    from.b_scale = between;
    bool const direct = !in.data() && !out.data() && !accumulate;
    typename T::solution const t = direct ? view(x) : work(b.columns);
    into.b_rows = in;
    if (!direct) {
      from.out_rows = out;
      from.out = view(x);
      from.accumulate = accumulate;
    }
    first.solve(s.exec, view(b), t, into);
    second.solve(s.exec, t, t, from);
  }
  bool roots()
  {
    State& s = state();
    if (s.roots_ready) return true;
    if (s.roots.extent(0) == 0) s.roots = decltype(s.roots)("sptrsv::petsc::roots", static_cast<std::size_t>(n_));
    s.roots_ready = detail::take_roots(s.exec, s.diagonal, s.roots) == 0;
    return s.roots_ready;
  }

  bool cholesky_;
  Index n_;
  std::size_t num_entries_;
  std::string algorithm_;
  sptrsv::OptionValues options_;
  mutable std::optional<State> state_;
};

}  // namespace sptrsv_petsc
