// SPDX-License-Identifier: Apache-2.0
// Definitions of Factor, for the files that instantiate it.
#pragma once

#include <utility>

#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/factor.hpp"
#include "sptrsv/triangle/check_views.hpp"

namespace sptrsv {
namespace detail {

/// Computes the square roots of a diagonal, and counts the entries without a real one. Fences.
template <class Exec, class In, class Out>
std::size_t take_roots(Exec const& exec, In diagonal, Out roots) {
  std::size_t bad = 0;
  Kokkos::parallel_reduce(
      "sptrsv::factor::take_roots", Kokkos::RangePolicy<Exec>(exec, 0, diagonal.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t& count) {
        bool const ok = !(real_part(diagonal(i)) < 0) && imaginary_part(diagonal(i)) == 0;
        count += !ok;
        roots(i) = Kokkos::sqrt(real_part(diagonal(i)));
      },
      bad);
  return bad;
}

template <class Exec, class In, class Out>
void conjugate_into(Exec const& exec, In from, Out to) {
  Kokkos::parallel_for(
      "sptrsv::factor::conjugate", Kokkos::RangePolicy<Exec>(exec, 0, from.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { to(i) = conjugate_if(from(i), true); });
}

template <class Exec, class Scale, class X>
void scale_rows(Exec const& exec, Scale scale, X x) {
  Kokkos::parallel_for(
      "sptrsv::factor::scale_rows", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        for (std::size_t c = 0; c < x.extent(1); ++c) x(i, c) *= scale(i);
      });
}

/// Computes to = op(D^-1) from, where D^-1 has dense blocks of bs by bs, each by columns.
template <class Exec, class Blocks, class In, class Out>
void multiply_blocks(Exec const& exec, std::size_t bs, Blocks blocks, Op op, In from, Out to) {
  bool const transposed = op != Op::none, conj = op == Op::conj_transpose;
  std::size_t const along = transposed ? 1 : bs, across = transposed ? bs : 1;  // strides within a row, between rows
  Kokkos::parallel_for(
      "sptrsv::factor::multiply_blocks", Kokkos::RangePolicy<Exec>(exec, 0, to.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        std::size_t const first = i / bs * bs;
        auto const* const row = blocks.data() + first * bs + (i - first) * across;
        for (std::size_t c = 0; c < to.extent(1); ++c) {
          typename Out::non_const_value_type sum = conjugate_if(row[0], conj) * from(first, c);
          for (std::size_t k = 1; k < bs; ++k) sum += conjugate_if(row[k * along], conj) * from(first + k, c);
          to(i, c) = sum;
        }
      });
}

}  // namespace detail

template <class S, class I, class O, class E>
Factor<S, I, O, E>::Factor(std::string const& algorithm, E const& exec, pattern_type const& pattern,
                           Options const& options)
    : algorithm_(algorithm), options_(std::make_unique<Options>(options)), pattern_(pattern) {
  for (auto* perm : {&pattern_.row_perm, &pattern_.col_perm})
    if (perm->extent(0) == 0) *perm = {};  // an allocated empty view has an address, too
  check(pattern_);
  for (auto const& step : steps(Op::none)) {
    if (!step) continue;
    slot(*step) = make(exec, *step);
    ++num_analyses_;
  }
  make_work(exec, 1, false);
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::check(pattern_type const& pattern) {
  auto const text = [](auto number) { return std::to_string(number); };
  if (!pattern.lower && !pattern.upper) throw Error("a factor without triangles; give L, U or both");
  if (pattern.symmetric && (pattern.lower || !pattern.upper))
    throw Error("a symmetric factor is given by its upper triangle alone; leave `lower` out, or clear `symmetric`");
  bool const both = pattern.symmetric || (pattern.lower && pattern.upper);
  if (pattern.block_size < 0 || (pattern.block_size > 0 && !both))
    throw Error("a factor with blocks of " + text(pattern.block_size) +
                " between L and U; blocks have 1 and more rows, and need both triangles");
  num_rows_ = static_cast<std::size_t>((pattern.lower ? pattern.lower : pattern.upper)->rows.num_rows());
  auto const of_upper = static_cast<std::size_t>((pattern.upper ? pattern.upper : pattern.lower)->rows.num_rows());
  if (num_rows_ != of_upper)
    throw DimensionMismatch("L has " + text(num_rows_) + " rows and U " + text(of_upper) +
                            "; give triangles of one size");
  if (pattern.block_size > 0 && num_rows_ % static_cast<std::size_t>(pattern.block_size) != 0)
    throw DimensionMismatch("the factor has " + text(num_rows_) + " rows, which blocks of " + text(pattern.block_size) +
                            " do not divide");
  if (pattern.symmetric && (pattern.row_perm.data() == nullptr) != (pattern.col_perm.data() == nullptr))
    throw Error("a symmetric factor with one permutation; give the same one as row_perm and as col_perm");
  for (auto const* perm : {&pattern.row_perm, &pattern.col_perm})
    if (perm->data() && perm->extent(0) != num_rows_)
      throw DimensionMismatch("a permutation has " + text(perm->extent(0)) + " entries, the factor " + text(num_rows_) +
                              " rows");
}

template <class S, class I, class O, class E>
typename Factor<S, I, O, E>::Taken Factor<S, I, O, E>::staged(E const& exec,
                                                              FactorValues<S, Kokkos::HostSpace> const& values) {
  auto const stage = [&](std::size_t which, auto const& v) {
    return v.extent(0) == 0 ? typename types::values()
                            : typename types::values(staging_[which].stage(exec, v.data(), v.extent(0)));
  };
  Taken taken;
  taken.lower = stage(0, values.lower);
  bool const shared = values.upper.data() == values.lower.data() && values.upper.extent(0) == values.lower.extent(0);
  taken.upper = shared ? taken.lower : stage(1, values.upper);
  taken.inverse = stage(2, values.inverse);
  return taken;
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::take(E const& exec, Taken const& values) {
  roots_known_ = conjugates_found_ = false;
  std::size_t const needed = num_rows_ * static_cast<std::size_t>(pattern_.block_size);
  if (values.inverse.extent(0) < needed)
    throw DimensionMismatch("got " + std::to_string(values.inverse.extent(0)) + " values of D^-1 for a factor of " +
                            std::to_string(num_rows_) + " rows with blocks of " + std::to_string(pattern_.block_size) +
                            ", which has " + std::to_string(needed));
  values_ = values;
  values_.inverse = typename types::values(values.inverse.data(), needed);
  for (Triangle const triangle : {Triangle::lower, Triangle::upper})
    for (auto& solver : solvers_[static_cast<std::size_t>(triangle)])
      if (solver) solver->update(exec, triangle == Triangle::lower ? values_.lower : values_.upper);
  ready_ = true;
}

/// Returns an equivalent op: without conjugation for real factors, without transposition for symmetric ones.
template <class S, class I, class O, class E>
Op Factor<S, I, O, E>::effective(Op op) const {
  if (std::is_arithmetic_v<S> && op == Op::conj_transpose) op = Op::transpose;
  if (!pattern_.symmetric) return op;
  if (op == Op::conj_transpose)
    throw Unsupported(algorithm_, "conjugate transposes of a symmetric factor",
                      "conjugate b and x, and solve with Op::none");
  return Op::none;
}

/// Returns the triangles in the order of the solve.
template <class S, class I, class O, class E>
std::array<std::optional<typename Factor<S, I, O, E>::Step>, 2> Factor<S, I, O, E>::steps(Op op) const {
  if (pattern_.symmetric) return {Step{Triangle::upper, Op::transpose}, Step{Triangle::upper, Op::none}};
  std::array<std::optional<Step>, 2> order;
  if (pattern_.lower) order[0] = Step{Triangle::lower, op};
  if (pattern_.upper) order[1] = Step{Triangle::upper, op};
  if (op != Op::none) std::swap(order[0], order[1]);
  return order;
}

template <class S, class I, class O, class E>
typename Factor<S, I, O, E>::Solver const* Factor<S, I, O, E>::solver(Triangle triangle, Op op) const {
  if (pattern_.symmetric && triangle == Triangle::lower) triangle = Triangle::upper, op = Op::transpose;
  auto const& solver = solvers_[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(op)];
  return solver ? &*solver : nullptr;
}

template <class S, class I, class O, class E>
std::optional<typename Factor<S, I, O, E>::Solver> Factor<S, I, O, E>::make(E const& exec, Step step) const {
  auto const& part = step.triangle == Triangle::lower ? *pattern_.lower : *pattern_.upper;
  Solver made(algorithm_, exec, part.rows, {step.triangle, part.diagonal, step.op}, *options_);
  if (reserved_ > 1) made.reserve(exec, reserved_);
  if (ready_) made.update(exec, step.triangle == Triangle::lower ? values_.lower : values_.upper);
  return made;
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::require_ready() const {
  require_present();
  if (!ready_)
    throw NotReady(
        "solve with a factor before its update(), or after one that failed; call update() with its values first");
}

/// Checks b and x before kernels of Factor itself use them; the solvers check their own arguments.
template <class S, class I, class O, class E>
void Factor<S, I, O, E>::require_fit(typename types::rhs const& b, typename types::solution const& x) const {
  require_present();
  detail::check_extents("the factor", num_rows_, b, x);
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::prepare(E const& exec, Op op, std::size_t columns, bool accumulate) {
  require_ready();
  std::array<std::optional<Solver>, 2> made;  // stored only after both are made
  auto const order = steps(op);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] && !slot(*order[k])) made[k] = make(exec, *order[k]);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!made[k]) continue;
    slot(*order[k]) = std::move(made[k]);
    ++num_analyses_;
  }
  make_work(exec, columns, accumulate);
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::make_work(E const& exec, std::size_t columns, bool accumulate) {
  bool const direct = !pattern_.row_perm.data() && !pattern_.col_perm.data() && !accumulate;
  std::size_t const size = num_rows_ * columns * ((direct ? 0 : 1) + (pattern_.block_size > 1 ? 1 : 0));
  if (work_.extent(0) < size) work_ = detail::raw_view<Values>(exec, "sptrsv::factor::work", size);
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::reserve(E const& exec, int columns, bool accumulate) {
  require_present();
  if (columns < 0) throw DimensionMismatch("reserve() for " + std::to_string(columns) + " columns; give 0 or more");
  make_work(exec, static_cast<std::size_t>(columns), accumulate);
  for (auto& of_triangle : solvers_)
    for (auto& solver : of_triangle)
      if (solver) solver->reserve(exec, columns);
  reserved_ = std::max(reserved_, columns);
}

/// Returns D^-1, conjugated if op needs that.
template <class S, class I, class O, class E>
typename Factor<S, I, O, E>::types::values Factor<S, I, O, E>::inverse_for(E const& exec, Op op) {
  if (op != Op::conj_transpose) return values_.inverse;
  if (conjugated_.extent(0) != values_.inverse.extent(0))
    conjugated_ = detail::raw_view<Values>(exec, "sptrsv::factor::conjugated", values_.inverse.extent(0));
  if (!conjugates_found_) detail::conjugate_into(exec, values_.inverse, conjugated_);
  conjugates_found_ = true;
  return conjugated_;
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::scale_blocks(E const& exec, Op op, typename types::rhs const& from,
                                      typename types::solution const& to) const {
  detail::multiply_blocks(exec, static_cast<std::size_t>(pattern_.block_size), values_.inverse, op, from, to);
}

template <class S, class I, class O, class E>
void Factor<S, I, O, E>::solve(E const& exec, Op op, typename types::rhs const& b, typename types::solution const& x,
                               bool accumulate) {
  require_fit(b, x);
  op = effective(op);
  std::size_t const columns = b.extent(1);
  prepare(exec, op, columns, accumulate);
  auto order = steps(op);
  if (!order[1]) std::swap(order[0], order[1]);
  bool const transposed = op != Op::none;
  auto const& in = transposed ? pattern_.col_perm : pattern_.row_perm;
  auto const& out = transposed ? pattern_.row_perm : pattern_.col_perm;
  bool const direct = !in.data() && !out.data() && !accumulate;
  typename types::solution const t = direct ? x : work(0, columns);
  PermuteScale<types> load, store;
  if (!direct) {
    store.out_rows = out;
    store.out = x;
    store.accumulate = accumulate;
  }
  typename types::rhs from = b;
  if (order[0]) {
    load.b_rows = in;
    slot(*order[0])->solve(exec, b, t, load);
    from = t;
  } else {
    store.b_rows = in;
  }
  if (pattern_.block_size > 1) {
    typename types::solution const scaled = work(direct ? 0 : 1, columns);
    scale_blocks(exec, op, from, scaled);
    from = scaled;
  } else if (pattern_.block_size == 1) {
    store.b_scale = inverse_for(exec, op);
  }
  slot(*order[1])->solve(exec, from, t, store);
}

template <class S, class I, class O, class E>
bool Factor<S, I, O, E>::find_roots(E const& exec) {
  require_ready();
  if (roots_known_) return roots_found_;
  if (roots_.extent(0) != num_rows_) roots_ = detail::raw_view<Values>(exec, "sptrsv::factor::roots", num_rows_);
  roots_found_ = detail::take_roots(exec, values_.inverse, roots_) == 0;
  roots_known_ = true;
  return roots_found_;
}

template <class S, class I, class O, class E>
bool Factor<S, I, O, E>::solve_first_half(E const& exec, typename types::rhs const& b,
                                          typename types::solution const& x) {
  require_fit(b, x);
  if (has_roots() && !find_roots(exec)) return false;
  std::size_t const columns = b.extent(1);
  prepare(exec, Op::none, columns, false);
  auto const step = steps(Op::none)[0];
  if (!step) throw Error("half a solve with a factor of one triangle; use solve()");
  bool const blocks = pattern_.symmetric && pattern_.block_size > 1;
  typename types::solution const to = blocks ? work(0, columns) : x;
  PermuteScale<types> load;
  load.b_rows = pattern_.row_perm;
  slot(*step)->solve(exec, b, to, load);
  if (blocks) scale_blocks(exec, Op::none, to, x);
  else if (has_roots()) detail::scale_rows(exec, roots_, x);
  return true;
}

template <class S, class I, class O, class E>
bool Factor<S, I, O, E>::solve_second_half(E const& exec, typename types::rhs const& b,
                                           typename types::solution const& x) {
  require_fit(b, x);
  if (has_roots() && !find_roots(exec)) return false;
  std::size_t const columns = b.extent(1);
  prepare(exec, Op::none, columns, false);
  auto const step = steps(Op::none)[1];
  if (!step) throw Error("half a solve with a factor of one triangle; use solve()");
  PermuteScale<types> permute_scale;
  typename types::rhs from = b;
  if (has_roots()) {
    permute_scale.b_scale = roots_;
  } else if (!pattern_.symmetric && pattern_.block_size > 1) {
    scale_blocks(exec, Op::none, b, work(0, columns));
    from = work(0, columns);
  } else if (!pattern_.symmetric && pattern_.block_size == 1) {
    permute_scale.b_scale = values_.inverse;
  }
  typename types::solution to = x;
  if (pattern_.col_perm.data()) {
    to = work(0, columns);
    permute_scale.out_rows = pattern_.col_perm;
    permute_scale.out = x;
  }
  slot(*step)->solve(exec, from, to, permute_scale);
  return true;
}

template <class S, class I, class O, class E>
std::size_t Factor<S, I, O, E>::memory_bytes() const {
  std::size_t bytes = (roots_.span() + conjugated_.span() + work_.span()) * sizeof(S);
  for (auto const& staging : staging_) bytes += staging.memory_bytes();
  for (auto const& of_triangle : solvers_)
    for (auto const& solver : of_triangle)
      if (solver) bytes += solver->memory_bytes();
  return bytes;
}

}  // namespace sptrsv
