// SPDX-License-Identifier: Apache-2.0
// Definitions of Sweeps, for the files that instantiate it.
#pragma once

#include <algorithm>

#include "sptrsv/relaxation/split_product.hpp"
#include "sptrsv/sweeps.hpp"
#include "sptrsv/triangle/check_views.hpp"

namespace sptrsv {

template <class S, class I, class O, class E>
Sweeps<S, I, O, E>::Sweeps(std::string const& algorithm, E const& exec, typename types::pattern const& matrix,
                           typename types::indices const& order, OptionValues const& options)
    : order_(order) {
  if (matrix.row_order != RowOrder::natural)
    throw Unsupported(algorithm, "sweeps over a matrix whose rows are stored last first", "store its first row first");
  if (order.extent(0) != 0 && order.extent(0) != static_cast<std::size_t>(matrix.num_rows()))
    throw DimensionMismatch("an order of " + std::to_string(order.extent(0)) + " rows for sweeps over a matrix of " +
                            std::to_string(matrix.num_rows()));
  split_ = detail::split_matrix<types>(exec, matrix, order);
  lower_.emplace(algorithm, exec, split_.lower.pattern(), Shape{Triangle::lower, Diagonal::inverted}, options);
  upper_.emplace(algorithm, exec, split_.upper.pattern(), Shape{Triangle::upper, Diagonal::inverted}, options);
  make_work(exec, 1);
}

template <class S, class I, class O, class E>
long long Sweeps<S, I, O, E>::update(E const& exec, typename types::values const& values,
                                     Relaxation const& relaxation) {
  ready_ = false;
  if (values.extent(0) < split_.num_entries) throw PatternChanged(values.extent(0), split_.num_entries);
  relaxation_ = relaxation;
  long long const n = num_rows();
  long long zero = detail::take_values<types>(exec, split_, values, relaxation.omega, relaxation.shift);
  lower_->update(exec, split_.lower.values);
  upper_->update(exec, split_.upper.values);
  ready_ = true;
  if (zero == n) return -1;
  if (order_.extent(0) == 0) return zero;
  I row = 0;
  Kokkos::deep_copy(exec, row, Kokkos::subview(order_, static_cast<std::size_t>(zero)));
  exec.fence("sptrsv::sweeps: the row of a zero diagonal entry is reported");
  return static_cast<long long>(row);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::require_ready(typename types::rhs const& b, typename types::solution const& x) const {
  detail::check_extents("A", static_cast<std::size_t>(num_rows()), b, x);
  if (!ready_) throw NotReady("a sweep before update(), or after one that failed; call update() with A's values first");
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::make_work(E const& exec, std::size_t columns) {
  std::size_t const size = 2 * static_cast<std::size_t>(num_rows()) * columns;
  if (work_.extent(0) < size) work_ = detail::raw_view<Values>(exec, "sptrsv::sweeps::work", size);
}

/// Returns one of the vectors of make_work(), number 0 or 1.
template <class S, class I, class O, class E>
typename Sweeps<S, I, O, E>::types::solution Sweeps<S, I, O, E>::work(std::size_t number, std::size_t columns) const {
  auto const n = static_cast<std::size_t>(num_rows());
  return typename types::solution(work_.data() + number * n * columns, Kokkos::LayoutStride(n, 1, columns, n));
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::reserve(E const& exec, int columns) {
  if (columns < 0) throw DimensionMismatch("reserve() for " + std::to_string(columns) + " columns; give 0 or more");
  make_work(exec, static_cast<std::size_t>(columns));
  lower_->reserve(exec, columns);
  upper_->reserve(exec, columns);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::solve(E const& exec, Sweep kind, typename types::rhs const& b,
                               typename types::solution const& x, bool accumulate) {
  bool const direct = order_.extent(0) == 0 && !accumulate;
  typename types::solution const t = direct ? x : work(0, b.extent(1));
  Fold<types> load, store;
  if (!direct) {
    store.out_rows = order_;
    store.out = x;
    store.accumulate = accumulate;
  }
  if (kind != Sweep::symmetric) {
    store.b_rows = order_;
    (kind == Sweep::forward ? *lower_ : *upper_).solve(exec, b, t, store);
    return;
  }
  load.b_rows = order_;
  lower_->solve(exec, b, t, load);
  store.b_scale = split_.between;
  upper_->solve(exec, t, t, store);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::sweep(E const& exec, Sweep kind, typename types::rhs const& b,
                               typename types::solution const& x, bool zero_guess, int times) {
  require_ready(b, x);
  if (times < 0) throw Error("a number of sweeps of " + std::to_string(times) + "; give 0 or more");
  if ((!zero_guess || times > 1) && detail::Placement<S>(x).meets(detail::Placement<S>(b)))
    throw Overlap("b and x of sweeps with a guess overlap; give arrays apart");
  make_work(exec, b.extent(1));
  if (times == 0 && zero_guess) Kokkos::deep_copy(exec, x, S(0));
  for (int k = 0; k < times; ++k) {
    if (zero_guess && k == 0) {
      solve(exec, kind, b, x, false);
      continue;
    }
    auto const r = work(1, b.extent(1));
    detail::residual<types>(exec, split_, order_, relaxation_.shift, b, x, r);
    solve(exec, kind, r, x, true);
  }
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::eisenstat(E const& exec, typename types::rhs const& b, typename types::solution const& x) {
  require_ready(b, x);
  make_work(exec, b.extent(1));
  if (detail::Placement<S>(x).meets(detail::Placement<S>(b)))
    throw Overlap("b and x of eisenstat() overlap; give arrays apart");
  solve(exec, Sweep::backward, b, x, false);
  auto const t = work(1, b.extent(1));
  detail::subtract_diagonal<types>(exec, split_, order_, 2 / relaxation_.omega - 1, b, x, t);
  solve(exec, Sweep::forward, t, x, true);
}

template <class S, class I, class O, class E>
void Sweeps<S, I, O, E>::apply_upper(E const& exec, typename types::rhs const& b, typename types::solution const& y) {
  require_ready(b, y);
  if (detail::Placement<S>(y).meets(detail::Placement<S>(b)))
    throw Overlap("b and y of apply_upper() overlap; give arrays apart");
  detail::multiply_upper<types>(exec, split_, order_, relaxation_.shift, 1 / relaxation_.omega, b, y);
}

template <class S, class I, class O, class E>
std::size_t Sweeps<S, I, O, E>::memory_bytes() const {
  return split_.memory_bytes() + work_.span() * sizeof(S) + lower_->memory_bytes() + upper_->memory_bytes();
}

}  // namespace sptrsv
