// SPDX-License-Identifier: Apache-2.0
// Definitions of Sweeps, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <utility>

#include "sptrsv/relaxation/block_values.hpp"
#include "sptrsv/relaxation/split_matrix.hpp"
#include "sptrsv/relaxation/split_product.hpp"
#include "sptrsv/sweeps.hpp"
#include "sptrsv/triangle/check_views.hpp"

namespace sptrsv {

template <class S, class I, class O, class E>
struct Sweeps<S, I, O, E>::Impl {
  using Values = Kokkos::View<S*, typename types::device>;

  detail::SplitMatrix<types> split;
  typename types::indices order;
  Solver lower, upper;
  Relaxation relaxation;
  bool ready = false;
  bool const exact;  ///< whether the solvers solve exactly
  Values work;       // three vectors, column by column

  Impl(std::string const& algorithm, E const& exec, typename types::pattern const& matrix, SweptRows<types> const& rows,
       Options const& options)
      : split(detail::split_matrix<types>(exec, matrix, rows.order, rows.block_first, !solves_exactly(algorithm))),
        order(rows.order),
        lower(algorithm, exec, split.lower.pattern(), Shape{Triangle::lower, diagonal()}, options),
        upper(algorithm, exec, split.upper.pattern(), Shape{Triangle::upper, diagonal()}, options),
        exact(solves_exactly(algorithm)) {
    make_work(exec, 1);
  }
  Diagonal diagonal() const { return split.by_blocks() ? Diagonal::unit : Diagonal::inverted; }

  std::size_t num_rows() const { return static_cast<std::size_t>(split.num_rows); }
  bool natural() const { return order.extent(0) == 0; }

  void require_ready(typename types::rhs const& b, typename types::solution const& x) const {
    detail::check_extents("A", num_rows(), b, x);
    if (!ready)
      throw NotReady("a sweep before update(), or after one that failed; call update() with A's values first");
  }
  /// Tells whether b and x share memory; arrays without entries, whose pointers may be equal, do not.
  bool overlap(typename types::rhs const& b, typename types::solution const& x) const {
    return num_rows() > 0 && b.extent(1) > 0 && detail::Placement<S>(x).meets(detail::Placement<S>(b));
  }
  void make_work(E const& exec, std::size_t columns) {
    std::size_t const size = 3 * num_rows() * columns;
    if (work.extent(0) < size) work = detail::raw_view<Values>(exec, "sptrsv::sweeps::work", size);
  }
  /// Returns one of the vectors of make_work(), number 0, 1 or 2.
  typename types::solution vector(std::size_t number, std::size_t columns) const {
    return typename types::solution(work.data() + number * num_rows() * columns,
                                    Kokkos::LayoutStride(num_rows(), 1, columns, num_rows()));
  }

  /// Performs one sweep from zero, and stores the result to x or adds it. For blocks of rows, D^-1 b stands for b.
  void solve(E const& exec, Sweep kind, typename types::rhs const& b, typename types::solution const& x,
             bool accumulate) {
    bool const direct = natural() && !accumulate;
    typename types::solution const t = direct ? x : vector(0, b.extent(1));
    PermuteScale<types> load, store;
    if (!direct) {
      store.out_rows = order;
      store.out = x;
      store.accumulate = accumulate;
    }
    if (kind != Sweep::symmetric) {
      store.b_rows = order;
      (kind == Sweep::forward ? lower : upper).solve(exec, b, t, store);
      return;
    }
    load.b_rows = order;
    lower.solve(exec, b, t, load);
    if (!split.by_blocks()) store.b_scale = split.between;
    upper.solve(exec, t, t, store);
  }
  /// Returns the right-hand side of a sweep from the guess x, b - U x - (omega - 1) E x or, backward,
  /// b - L x - (omega - 1) E x, in the third of the vectors of make_work(). For blocks of rows, D^-1 b stands for b.
  typename types::solution right_hand_side(E const& exec, Sweep kind, typename types::rhs const& b,
                                           typename types::rhs const& x) const {
    auto const r = vector(2, b.extent(1));
    auto const old = kind == Sweep::backward ? detail::Strict::lower : detail::Strict::upper;
    detail::residual<types>(exec, split, old, order, relaxation.shift, 1 - 1 / relaxation.omega, b, x, r);
    return r;
  }
  /// Performs a symmetric sweep from the guess x, or from zero. Let r = b - U x - (omega - 1) E x. The forward half is
  /// the solution y of (E + L) y = r; the right-hand side of the backward half is s = b - r + (2 - omega) E y. The next
  /// sweep has r = b - s + (2 - omega) E x, which needs no product with U.
  /// @param again  the previous call was a symmetric sweep, and its s is still stored
  void sweep_both_ways(E const& exec, typename types::rhs const& b, typename types::solution const& x, bool zero_guess,
                       bool again) {
    auto const r = vector(2, b.extent(1));
    typename types::solution const y = natural() ? x : vector(0, b.extent(1));
    if (again) detail::subtract_from_sum<types>(exec, split, order, b, false, x, false, r);
    else if (!zero_guess) right_hand_side(exec, Sweep::forward, b, x);
    PermuteScale<types> load;
    load.b_rows = order;
    lower.solve(exec, zero_guess ? b : typename types::rhs(r), y, load);
    detail::subtract_from_sum<types>(exec, split, order, b, zero_guess, y, true, r);
    solve(exec, Sweep::backward, r, x, false);
  }
  /// Performs one sweep with an approximate solve P of E + L or E + U: x = x_old + P (b - (A + shift I) x_old). The
  /// solution of (A + shift I) x = b is its fixed point. If rows are swept by blocks, D^-1 b stands for b, and D^-1 A
  /// for A.
  void correct(E const& exec, Sweep direction, typename types::rhs const& b, typename types::solution const& x,
               bool zero_guess) {
    if (zero_guess) return solve(exec, direction, b, x, false);
    auto const r = vector(2, b.extent(1));
    detail::residual<types>(exec, split, detail::Strict::both, order, relaxation.shift, 1, b, x, r);
    solve(exec, direction, r, x, true);
  }
  /// Performs `count` damped Jacobi sweeps, x = x_old + E^-1 (b - (A + shift I) x_old): the first two from zero share a
  /// kernel. From a guess, each sweep is one kernel, except that the first of an odd number takes two. For blocks of
  /// rows, D^-1 b stands for b, and D^-1 A for A.
  void sweep_jacobi(E const& exec, typename types::rhs const& b, typename types::solution const& x, bool zero_guess,
                    long long count) {
    typename types::solution const other = vector(2, b.extent(1));
    long long left = count;  // sweeps that store to `other` and x in turn, the last one to x
    if (zero_guess && count > 1) {
      left -= 2;
      detail::sweep_jacobi<types, detail::Form::first_correction>(exec, split, order, relaxation.shift, b, {},
                                                                  left % 2 != 0 ? other : x);
    } else if (count % 2 != 0) {
      left -= 1;
      correct(exec, Sweep::forward, b, x, zero_guess);
    }
    for (; left > 0; --left) {
      bool const to_x = left % 2 != 0;
      detail::sweep_jacobi<types, detail::Form::correction>(exec, split, order, relaxation.shift, b, to_x ? other : x,
                                                            to_x ? x : other);
    }
  }
  /// Performs `times` sweeps with approximate solves of E + L and E + U. For blocks of rows, D^-1 b stands for b.
  void sweep_approximately(E const& exec, Sweep kind, typename types::rhs const& b, typename types::solution const& x,
                           bool zero_guess, int times) {
    bool const by_diagonal = lower.num_passes() == 0 && upper.num_passes() == 0;
    if (by_diagonal) return sweep_jacobi(exec, b, x, zero_guess, (kind == Sweep::symmetric ? 2LL : 1LL) * times);
    for (int k = 0; k < times; ++k)
      for (Sweep const direction : {Sweep::forward, Sweep::backward}) {
        if (kind != Sweep::symmetric && kind != direction) continue;
        correct(exec, direction, b, x, zero_guess);
        zero_guess = false;
      }
  }
  /// Returns b or, for blocks of rows, D^-1 b in the second of the vectors of make_work().
  typename types::rhs scaled(E const& exec, typename types::rhs const& b) const {
    if (!split.by_blocks()) return b;
    auto const z = vector(1, b.extent(1));
    detail::multiply_by_blocks<types>(exec, split, split.inverse, b, z);
    return z;
  }
};

template <class S, class I, class O, class E>
Sweeps<S, I, O, E>::Sweeps(std::string const& algorithm, E const& exec, typename types::pattern const& matrix,
                           SweptRows<types> const& rows, Options const& options) {
  if (matrix.row_order != RowOrder::natural)
    throw Unsupported(algorithm, "sweeps over a matrix whose rows are stored last first", "store its first row first");
  auto const n = static_cast<std::size_t>(matrix.num_rows());
  for (auto const* view : {&rows.order, &rows.block_first})
    if (view->extent(0) != 0 && view->extent(0) != n)
      throw DimensionMismatch(std::string(view == &rows.order ? "an order" : "blocks") + " of " +
                              std::to_string(view->extent(0)) + " rows for sweeps over a matrix of " +
                              std::to_string(n) + "; give a number for each row, or an empty view");
  if (rows.order.extent(0) != 0 && rows.block_first.extent(0) != 0)
    throw Unsupported(algorithm, "sweeps by blocks of rows in an order of their own", "leave out one of both");
  impl_ = std::make_unique<Impl>(algorithm, exec, matrix, rows, options);
}
template <class S, class I, class O, class E>
Sweeps<S, I, O, E>::~Sweeps() = default;
template <class S, class I, class O, class E>
Sweeps<S, I, O, E>::Sweeps(Sweeps&&) noexcept = default;
template <class S, class I, class O, class E>
Sweeps<S, I, O, E>& Sweeps<S, I, O, E>::operator=(Sweeps&&) noexcept = default;

template <class S, class I, class O, class E>
typename Sweeps<S, I, O, E>::Impl& Sweeps<S, I, O, E>::impl() const {
  if (!impl_) throw NotReady("sweeps that were moved from; make others, or assign some to them");
  return *impl_;
}

template <class S, class I, class O, class E>
long long Sweeps<S, I, O, E>::update(E const& exec, typename types::values const& values,
                                     Relaxation const& relaxation) {
  Impl& m = impl();
  m.ready = false;
  if (values.extent(0) < m.split.num_entries) throw PatternChanged(values.extent(0), m.split.num_entries);
  bool const by_blocks = m.split.by_blocks();
  if (by_blocks && (relaxation.omega != 1 || relaxation.shift != 0))
    throw Error("sweeps by blocks of rows with omega " + std::to_string(relaxation.omega) + " and shift " +
                std::to_string(relaxation.shift) + "; give 1 and 0, or sweep over single rows");
  m.relaxation = relaxation;
  long long const zero = by_blocks
                             ? detail::take_block_values<types>(exec, m.split, values, relaxation.zero_pivot)
                             : detail::take_values<types>(exec, m.split, values, relaxation.omega, relaxation.shift);
  m.lower.update(exec, m.split.lower.values);
  m.upper.update(exec, m.split.upper.values);
  m.ready = true;
  if (zero == num_rows()) return -1;
  if (m.natural()) return zero;
  I row = 0;
  Kokkos::deep_copy(exec, row, Kokkos::subview(m.order, static_cast<std::size_t>(zero)));
  exec.fence("sptrsv::sweeps: the row of a zero diagonal entry is reported");
  return static_cast<long long>(row);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::reserve(E const& exec, int columns) {
  Impl& m = impl();
  if (columns < 0) throw DimensionMismatch("reserve() for " + std::to_string(columns) + " columns; give 0 or more");
  m.make_work(exec, static_cast<std::size_t>(columns));
  m.lower.reserve(exec, columns);
  m.upper.reserve(exec, columns);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::sweep(E const& exec, Sweep kind, typename types::rhs const& b,
                               typename types::solution const& x, bool zero_guess, int times) {
  Impl& m = impl();
  m.require_ready(b, x);
  if (times < 0) throw Error("a number of sweeps of " + std::to_string(times) + "; give 0 or more");
  if ((!zero_guess || times > 1) && m.overlap(b, x))
    throw Overlap("b and x of sweeps with a guess overlap; give arrays apart");
  m.make_work(exec, b.extent(1));
  if (times == 0 && zero_guess) Kokkos::deep_copy(exec, x, S(0));
  if (times == 0) return;
  auto z = m.scaled(exec, b);
  if (!m.exact) {
    if (m.overlap(z, x)) {
      auto const copy = m.vector(1, b.extent(1));
      Kokkos::deep_copy(exec, copy, b);
      z = copy;
    }
    return m.sweep_approximately(exec, kind, z, x, zero_guess, times);
  }
  bool const direct = zero_guess && (kind != Sweep::symmetric || times == 1);
  if (direct) m.solve(exec, kind, z, x, false);
  for (int k = direct; k < times; ++k) {
    if (kind == Sweep::symmetric) m.sweep_both_ways(exec, z, x, zero_guess && k == 0, k > 0);
    else m.solve(exec, kind, m.right_hand_side(exec, kind, z, x), x, false);
  }
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::eisenstat(E const& exec, typename types::rhs const& b, typename types::solution const& x) {
  Impl& m = impl();
  m.require_ready(b, x);
  if (!m.exact)
    throw Unsupported(m.lower.algorithm(), "Eisenstat's form, which needs exact solves",
                      "choose a type that solves exactly, such as sptrsv");
  if (m.overlap(b, x)) throw Overlap("b and x of eisenstat() overlap; give arrays apart");
  m.make_work(exec, b.extent(1));
  auto const z = m.scaled(exec, b);
  m.solve(exec, Sweep::backward, z, x, false);
  auto const t = m.vector(1, b.extent(1));
  detail::subtract_diagonal<types>(exec, m.split, m.order, 2 / m.relaxation.omega - 1, z, x, t);
  m.solve(exec, Sweep::forward, t, x, true);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::apply_upper(E const& exec, typename types::rhs const& b, typename types::solution const& y) {
  Impl& m = impl();
  m.require_ready(b, y);
  if (m.overlap(b, y)) throw Overlap("b and y of apply_upper() overlap; give arrays apart");
  auto const multiply = [&](typename types::solution const& to) {
    detail::multiply_upper<types>(exec, m.split, m.order, m.relaxation.shift, 1 / m.relaxation.omega, b, to);
  };
  if (!m.split.by_blocks()) return multiply(y);
  m.make_work(exec, b.extent(1));
  auto const t = m.vector(0, b.extent(1));
  multiply(t);
  detail::multiply_by_blocks<types>(exec, m.split, m.split.dense, t, y);
}

template <class S, class I, class O, class E>
long long Sweeps<S, I, O, E>::num_rows() const {
  return static_cast<long long>(impl().num_rows());
}
template <class S, class I, class O, class E>
typename Sweeps<S, I, O, E>::Solver const& Sweeps<S, I, O, E>::solver(Triangle triangle) const {
  return triangle == Triangle::lower ? impl().lower : impl().upper;
}
template <class S, class I, class O, class E>
std::size_t Sweeps<S, I, O, E>::memory_bytes() const {
  Impl const& m = impl();
  return m.split.memory_bytes() + m.work.span() * sizeof(S) + m.lower.memory_bytes() + m.upper.memory_bytes();
}

}  // namespace sptrsv
