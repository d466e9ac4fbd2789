// SPDX-License-Identifier: Apache-2.0
// Definitions of Sweeps, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <utility>

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
  Values work;  // two vectors, column by column

  Impl(std::string const& algorithm, E const& exec, typename types::pattern const& matrix,
       typename types::indices const& given_order, OptionValues const& options)
      : split(detail::split_matrix<types>(exec, matrix, given_order)),
        order(given_order),
        lower(algorithm, exec, split.lower.pattern(), Shape{Triangle::lower, Diagonal::inverted}, options),
        upper(algorithm, exec, split.upper.pattern(), Shape{Triangle::upper, Diagonal::inverted}, options) {
    make_work(exec, 1);
  }

  std::size_t num_rows() const { return static_cast<std::size_t>(split.num_rows); }
  bool natural() const { return order.extent(0) == 0; }

  void require_ready(typename types::rhs const& b, typename types::solution const& x) const {
    detail::check_extents("A", num_rows(), b, x);
    if (!ready) throw NotReady("a sweep before update(), or after one that failed; call update() with A's values first");
  }
  void make_work(E const& exec, std::size_t columns) {
    std::size_t const size = 2 * num_rows() * columns;
    if (work.extent(0) < size) work = detail::raw_view<Values>(exec, "sptrsv::sweeps::work", size);
  }
  /// Returns one of the vectors of make_work(), number 0 or 1.
  typename types::solution vector(std::size_t number, std::size_t columns) const {
    return typename types::solution(work.data() + number * num_rows() * columns,
                                    Kokkos::LayoutStride(num_rows(), 1, columns, num_rows()));
  }

  /// Performs one sweep with a zero guess, and stores it to x or adds it.
  void solve(E const& exec, Sweep kind, typename types::rhs const& b, typename types::solution const& x,
             bool accumulate) {
    bool const direct = natural() && !accumulate;
    typename types::solution const t = direct ? x : vector(0, b.extent(1));
    Fold<types> load, store;
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
    store.b_scale = split.between;
    upper.solve(exec, t, t, store);
  }
};

template <class S, class I, class O, class E>
Sweeps<S, I, O, E>::Sweeps(std::string const& algorithm, E const& exec, typename types::pattern const& matrix,
                           typename types::indices const& order, OptionValues const& options) {
  if (matrix.row_order != RowOrder::natural)
    throw Unsupported(algorithm, "sweeps over a matrix whose rows are stored last first", "store its first row first");
  if (order.extent(0) != 0 && order.extent(0) != static_cast<std::size_t>(matrix.num_rows()))
    throw DimensionMismatch("an order of " + std::to_string(order.extent(0)) + " rows for sweeps over a matrix of " +
                            std::to_string(matrix.num_rows()) + "; give each row once, or an empty view");
  impl_ = std::make_unique<Impl>(algorithm, exec, matrix, order, options);
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
  m.relaxation = relaxation;
  long long const zero = detail::take_values<types>(exec, m.split, values, relaxation.omega, relaxation.shift);
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
  if ((!zero_guess || times > 1) && detail::Placement<S>(x).meets(detail::Placement<S>(b)))
    throw Overlap("b and x of sweeps with a guess overlap; give arrays apart");
  m.make_work(exec, b.extent(1));
  if (times == 0 && zero_guess) Kokkos::deep_copy(exec, x, S(0));
  for (int k = 0; k < times; ++k) {
    if (zero_guess && k == 0) {
      m.solve(exec, kind, b, x, false);
      continue;
    }
    auto const r = m.vector(1, b.extent(1));
    detail::residual<types>(exec, m.split, m.order, m.relaxation.shift, b, x, r);
    m.solve(exec, kind, r, x, true);
  }
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::eisenstat(E const& exec, typename types::rhs const& b, typename types::solution const& x) {
  Impl& m = impl();
  m.require_ready(b, x);
  if (detail::Placement<S>(x).meets(detail::Placement<S>(b)))
    throw Overlap("b and x of eisenstat() overlap; give arrays apart");
  m.make_work(exec, b.extent(1));
  m.solve(exec, Sweep::backward, b, x, false);
  auto const t = m.vector(1, b.extent(1));
  detail::subtract_diagonal<types>(exec, m.split, m.order, 2 / m.relaxation.omega - 1, b, x, t);
  m.solve(exec, Sweep::forward, t, x, true);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::apply_upper(E const& exec, typename types::rhs const& b, typename types::solution const& y) {
  Impl& m = impl();
  m.require_ready(b, y);
  if (detail::Placement<S>(y).meets(detail::Placement<S>(b)))
    throw Overlap("b and y of apply_upper() overlap; give arrays apart");
  detail::multiply_upper<types>(exec, m.split, m.order, m.relaxation.shift, 1 / m.relaxation.omega, b, y);
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
