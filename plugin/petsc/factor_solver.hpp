// SPDX-License-Identifier: Apache-2.0
// The triangular solves of one LU or Cholesky factor on one execution space.
#pragma once

#include <optional>
#include <string>

#include "any_solver.hpp"

namespace sptrsv_petsc {

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
KOKKOS_INLINE_FUNCTION R real_part(R v)
{
  return v;
}
template <class R>
KOKKOS_INLINE_FUNCTION R real_part(Kokkos::complex<R> v)
{
  return v.real();
}
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(R)
{
  return R(0);
}
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(Kokkos::complex<R> v)
{
  return v.imag();
}

/// Square roots of the diagonal; counts what has none.
template <class Exec, class In, class Out>
std::size_t take_roots(Exec const& exec, In diagonal, Out roots)
{
  std::size_t bad = 0;
  Kokkos::parallel_reduce(
      "sptrsv::petsc::take_roots", Kokkos::RangePolicy<Exec>(exec, 0, diagonal.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t& count) {
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

/// to = D^-1 from, or D^-T from: D^-1 has dense blocks of bs by bs, each by columns.
template <class Exec, class Blocks, class In, class Out>
void scale_blocks(Exec const& exec, std::size_t bs, Blocks blocks, bool transposed, In from, Out to)
{
  std::size_t const along = transposed ? 1 : bs,
                    across = transposed ? bs : 1;  // from entry to entry of a row, and row to row
  Kokkos::parallel_for(
      "sptrsv::petsc::scale_blocks", Kokkos::RangePolicy<Exec>(exec, 0, to.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        std::size_t const first = i / bs * bs;
        auto const* const row = blocks.data() + first * bs + (i - first) * across;
        for (std::size_t c = 0; c < to.extent(1); ++c) {
          typename Out::non_const_value_type sum = row[0] * from(first, c);
          for (std::size_t k = 1; k < bs; ++k) sum += row[k * along] * from(first + k, c);
          to(i, c) = sum;
        }
      });
}

}  // namespace detail

/// Analyze: constructor. Transposed solves of LU get their analysis at their first call.
template <class Exec>
class FactorSolver final : public Placed<AnyFactorSolver, Scalar, Exec> {
 public:
  using Index = PetscInt;
  using Base = Placed<AnyFactorSolver, Scalar, Exec>;
  using Base::host;
  using Solver = sptrsv::TriangularSolver<Scalar, Index, Index, Exec>;
  using T = typename Solver::types;
  using Fold = sptrsv::Fold<T>;

  FactorSolver(Stream stream, std::string const& algorithm, FactorPattern<Index> const& p,
               sptrsv::OptionValues const& options)
      : Base(stream),
        cholesky_(p.cholesky),
        n_(p.n),
        block_size_(p.block_size),
        num_entries_(p.num_entries),
        algorithm_(algorithm),
        options_(options)
  {
    auto const n1 = static_cast<std::size_t>(n_) + 1;
    state_.emplace();
    State& s = *state_;
    s.upper.row_ptr = this->at_hand(p.row_ptr_upper, n1);
    s.upper.col_idx = this->at_hand(p.col_idx, num_entries_);
    if (p.row_perm) s.row_perm = this->at_hand(p.row_perm, n1 - 1);
    if (p.col_perm) s.col_perm = this->at_hand(p.col_perm, n1 - 1);
    make_work(1, false);
    if (block_size_) {
      s.lower = s.upper;
      if (!cholesky_) s.lower.row_ptr = this->at_hand(p.row_ptr_lower, n1);
    } else if (cholesky_) {
      s.upper.sum_backward = true;  // as PETSc, to the bit
      s.lower = s.upper;
      s.diagonal = this->template fresh<Values>("sptrsv::petsc::diagonal", n1 - 1);
    } else {
      s.lower.row_ptr = this->at_hand(p.row_ptr_lower, n1);
      s.lower.col_idx = s.upper.col_idx;
      s.upper.row_order = sptrsv::RowOrder::reversed;
      s.upper.sum_backward = p.has_inodes;
    }
    s.sent.emplace(exec(), p.num_values());
    if (splits())
      s.values = host ? this->template fresh<Values>("sptrsv::petsc::values", num_entries_) : s.sent->on_device();
    s.forward.emplace(make(s.lower, lower_shape()));
    s.backward.emplace(make(s.upper, upper_shape()));
  }
  ~FactorSolver() override = default;

  void release() override
  {
    state_.reset();
    Base::release();
  }

  void update(Scalar const* values) override
  {
    State& s = state();
    typename T::values all = s.sent->send(exec(), values);
    if (block_size_) {
      s.between = typename T::values(all.data() + num_entries_,
                                     static_cast<std::size_t>(n_) * static_cast<std::size_t>(block_size_));
      all = typename T::values(all.data(), num_entries_);
    } else if (cholesky_) {
      detail::split_cholesky(exec(), static_cast<std::size_t>(n_), s.upper.row_ptr, all, s.values, s.diagonal);
      all = s.values;
      s.between = s.diagonal;
    }
    s.all = all;
    s.roots_ready = false;
    s.forward->update(exec(), all);
    s.backward->update(exec(), all);
    if (s.forward_transposed) {
      s.forward_transposed->update(exec(), all);
      s.backward_transposed->update(exec(), all);
    }
  }

  void solve(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) override
  {
    State const& s = state();
    run(*s.forward, *s.backward, s.row_perm, s.col_perm, false, b, x, accumulate);
  }
  void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) override
  {
    if (cholesky_) return solve(b, x, accumulate);
    State& s = state();
    if (!s.forward_transposed) {
      sptrsv::Shape upper = upper_shape();
      upper.op = sptrsv::Op::transpose;
      Solver forward = make(s.upper, upper);
      Solver backward = make(s.lower, {sptrsv::Triangle::lower, sptrsv::Diagonal::unit, sptrsv::Op::transpose});
      forward.update(exec(), s.all);
      backward.update(exec(), s.all);
      s.backward_transposed.emplace(std::move(backward));  // both, or none if something throws
      s.forward_transposed.emplace(std::move(forward));
    }
    run(*s.forward_transposed, *s.backward_transposed, s.col_perm, s.row_perm, true, b, x, accumulate);
  }
  bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    State& s = state();
    if (has_roots() && !roots()) return false;
    Fold fold;
    fold.b_rows = s.row_perm;
    bool const blocks = cholesky_ && block_size_ > 1;
    if (blocks) make_work(b.columns, false);
    typename T::solution const to = blocks ? work(0, b.columns) : solution(x);
    s.forward->solve(exec(), rhs(b), to, fold);
    if (blocks) detail::scale_blocks(exec(), block_size(), s.between, false, to, solution(x));
    else if (has_roots()) detail::scale_rows(exec(), s.roots, solution(x));
    return true;
  }
  bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    State& s = state();
    if (has_roots() && !roots()) return false;
    make_work(b.columns, false);
    Fold fold;
    typename T::rhs from = rhs(b);
    if (has_roots()) {
      fold.b_scale = s.roots;
    } else if (!cholesky_ && block_size_) {
      detail::scale_blocks(exec(), block_size(), s.between, false, from, work(0, b.columns));
      from = work(0, b.columns);
    }
    if (!s.col_perm.data()) {
      s.backward->solve(exec(), from, solution(x), fold);
    } else {
      fold.out_rows = s.col_perm;
      fold.out = solution(x);
      s.backward->solve(exec(), from, work(0, b.columns), fold);
    }
    return true;
  }
  void reserve(std::size_t columns, bool accumulate) override
  {
    State& s = state();
    make_work(columns, accumulate);
    for (auto* solver : {&s.forward, &s.backward, &s.forward_transposed, &s.backward_transposed})
      if (*solver) (*solver)->reserve(exec(), static_cast<int>(columns));
  }

  TriangleReport lower() const override { return report_of(*state().forward, exec()); }
  TriangleReport upper() const override { return report_of(*state().backward, exec()); }
  std::size_t memory_bytes() const override
  {
    State const& s = state();
    std::size_t bytes = s.forward->memory_bytes() + s.backward->memory_bytes() + this->copy_bytes();
    bytes += s.sent->memory_bytes() +
             ((host ? s.values.span() : 0) + s.diagonal.span() + s.roots.span() + s.work.span()) * sizeof(Scalar);
    if (s.forward_transposed) bytes += s.forward_transposed->memory_bytes() + s.backward_transposed->memory_bytes();
    return bytes;
  }

 private:
  /// For the vectors between L and U.
  void make_work(std::size_t columns, bool accumulate)
  {
    State& s = state();
    bool const direct = !s.row_perm.data() && !s.col_perm.data() && !accumulate;
    std::size_t const size = static_cast<std::size_t>(n_) * columns * ((direct ? 0 : 1) + (block_size_ > 1 ? 1 : 0));
    if (s.work.extent(0) < size) s.work = this->template fresh<Values>("sptrsv::petsc::work", size);
  }
  using Base::exec;
  using Values = Kokkos::View<Scalar*, typename T::device>;

  struct State {
    typename T::pattern lower, upper;
    typename T::indices row_perm, col_perm;
    typename T::values all;  // what the solvers were updated with
    std::optional<SentValues<Scalar, Exec>> sent;
    Values values;               // Cholesky: with the signs that the solvers want, on a device where they arrived
    Values diagonal;             // Cholesky: 1/D
    typename T::values between;  // what scales the vector between L and U: 1/D, or D's inverted blocks; else empty
    Values roots;                // Cholesky: D^(-1/2), when asked for
    bool roots_ready = false;
    Values work;  // vectors between L and U, in factor order, column by column
    std::optional<Solver> forward, backward, forward_transposed, backward_transposed;
  };

  State& state() const
  {
    if (!state_)
      throw sptrsv::NotReady("Kokkos has ended, and this factor with it; destroy solvers before Kokkos::finalize()");
    return *state_;
  }
  sptrsv::Shape lower_shape() const
  {
    if (cholesky_) return {sptrsv::Triangle::upper, sptrsv::Diagonal::unit, sptrsv::Op::transpose};
    return {sptrsv::Triangle::lower, sptrsv::Diagonal::unit, sptrsv::Op::none};
  }
  sptrsv::Shape upper_shape() const
  {
    return {sptrsv::Triangle::upper, cholesky_ || block_size_ ? sptrsv::Diagonal::unit : sptrsv::Diagonal::inverted,
            sptrsv::Op::none};
  }
  Solver make(typename T::pattern const& pattern, sptrsv::Shape shape) const
  {
    return Solver(algorithm_, exec(), pattern, shape, options_);
  }

  static typename T::rhs rhs(Columns<Scalar const> c) { return Base::template as_view<typename T::rhs>(c); }
  static typename T::solution solution(Columns<Scalar> c) { return Base::template as_view<typename T::solution>(c); }
  /// The vector of that number, 0 or 1, of make_work()'s.
  typename T::solution work(std::size_t number, std::size_t columns) const
  {
    auto const n = static_cast<std::size_t>(n_);
    return solution({state().work.data() + number * n * columns, n, columns, n});
  }
  std::size_t block_size() const { return static_cast<std::size_t>(block_size_); }
  bool splits() const { return cholesky_ && !block_size_; }         ///< values are taken apart by split_cholesky()
  bool has_roots() const { return cholesky_ && block_size_ <= 1; }  ///< halves of a solve have D^(-1/2) each

  /// first then second, permuted on the way in and out; without permutation both work in x.
  void run(Solver const& first, Solver const& second, typename T::indices const& in, typename T::indices const& out,
           bool transposed, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate) const
  {
    State const& s = state();
    Fold into, from;
    bool const direct = !in.data() && !out.data() && !accumulate;
    typename T::solution t = direct ? solution(x) : work(0, b.columns);
    into.b_rows = in;
    if (!direct) {
      from.out_rows = out;
      from.out = solution(x);
      from.accumulate = accumulate;
    }
    first.solve(exec(), rhs(b), t, into);
    if (block_size_ <= 1) {
      from.b_scale = s.between;
      second.solve(exec(), t, t, from);
    } else {
      typename T::solution const scaled = work(direct ? 0 : 1, b.columns);
      detail::scale_blocks(exec(), block_size(), s.between, transposed, t, scaled);
      second.solve(exec(), scaled, t, from);
    }
  }
  bool roots()
  {
    State& s = state();
    if (s.roots_ready) return true;
    if (s.roots.extent(0) == 0)
      s.roots = this->template fresh<Values>("sptrsv::petsc::roots", static_cast<std::size_t>(n_));
    s.roots_ready = detail::take_roots(exec(), s.between, s.roots) == 0;
    return s.roots_ready;
  }

  bool cholesky_;
  Index n_, block_size_;
  std::size_t num_entries_;
  std::string algorithm_;
  sptrsv::OptionValues options_;
  mutable std::optional<State> state_;
};

}  // namespace sptrsv_petsc
