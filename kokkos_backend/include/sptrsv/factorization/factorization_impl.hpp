// SPDX-License-Identifier: Apache-2.0
// Definitions of Factorization, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/factorization/eliminate.hpp"
#include "sptrsv/factorization/eliminate_products.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/factorization/level_fill.hpp"
#include "sptrsv/factorization/matrix_rows.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

namespace detail {

/// Measured on an NVIDIA H200 (docs/factorization.md).
struct FactorizationTuning {
  /// Entries of a mean row of the factors per lane: where levels are narrow each row should be quick, where they fill
  /// the GPU all rows together.
  static constexpr double entries_per_lane = 1, entries_per_lane_of_wide = 8;
  /// As GpuTuning::levels_in_flight: a row takes longer than in a solve, and most of it before it has to wait.
  static constexpr double levels_in_flight = 30;
  /// The same where rows are short, in mean fewer entries than short_row: waiting teams poll, and delay the others.
  static constexpr double levels_in_flight_of_short = 12, short_row = 8;
  /// LU: teams take a ticket while they work on the one before where each has many (else some would have two, and
  /// others none) and where not too many levels are in flight (rows that are held wait for their team).
  static constexpr double least_tickets_of_team = 8, most_levels_ahead = 16;
  /// Bytes of scratch memory for the rows of a warp; where a row does not fit its share, it waits in global memory.
  static constexpr int scratch_bytes = 16384;
  /// The same where products of symmetric factors wait there, too. A PETSc that does not contract needs half of it.
  static constexpr int product_scratch_bytes = 65536;
  /// Entries, on a host.
  static constexpr int host_scratch_entries = 4096;
  /// Rows of a ticket on a host.
  static constexpr int host_rows_per_ticket = 64;
};

/// Gives the rows of more than `most` entries places one after the other; -1 for others.
/// @return  entries of all of them
template <class T>
typename T::offset place_long_rows(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                   typename T::index most,
                                   Kokkos::View<typename T::offset*, typename T::device> const& begin) {
  using index = typename T::index;
  using offset = typename T::offset;
  offset entries = 0;
  Kokkos::parallel_scan(
      "sptrsv::factorization::long_rows",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.upper.num_rows),
      KOKKOS_LAMBDA(index i, offset & sum, bool final) {
        index const length = rows.count_lower(i) + rows.count_upper(i) + 1;
        if (final) begin(i) = length > most ? sum : offset(-1);
        if (length > most) sum += length;
      },
      entries);
  exec.fence("sptrsv::factorization: the entries of long rows are needed to allocate");
  return entries;
}

/// Fills both arrays with sentinels, and the status with that of n rows without a small pivot.
template <class T, class Reals, class Status>
void clear_published(typename T::exec_space const& exec, Reals const& first, Reals const& second, Status const& status,
                     long long n) {
  using real = typename Reals::value_type;
  std::size_t const size = first.extent(0), more = second.extent(0);
  Kokkos::parallel_for(
      "sptrsv::factorization::clear",
      Kokkos::RangePolicy<typename T::exec_space, std::size_t>(exec, 0, std::max(size, more) + 1),
      KOKKOS_LAMBDA(std::size_t k) {
        if (k == 0) status() = {n, -1, 0};
        if (k < size) first(k) = Sentinel<real>::value();
        if (k < more) second(k) = Sentinel<real>::value();
      });
}

}  // namespace detail

template <class S, class I, class O, class E>
struct Factorization<S, I, O, E>::Impl {
  using T = types;
  using index = I;
  using real = typename detail::Parts<S>::real;
  using Values = Kokkos::View<S*, typename T::device>;
  static constexpr bool host = is_host_space<E>;
  /// Narrow positions for rows of up to 256 entries.
  using Narrow = std::uint8_t;
  using Wide = std::uint32_t;

  detail::MatrixRows<T> matrix_rows;
  pattern_type factor;
  detail::FactorRows<T> rows;
  std::optional<Analysis<T>> lower, upper;  // symmetric: upper alone, transposed
  detail::SourceMap<T> map;
  detail::PivotRows<T> pivots;
  detail::UpdateLists<T, Narrow> narrow;
  detail::UpdateLists<T, Wide> wide;
  detail::ProductSlots<T> slots;
  bool is_narrow = false, shares_array = false;
  bool unfinished = false;  ///< an exception ended the last numeric phase
  Kokkos::View<const index*, typename T::device> order;
  detail::LevelSlices<T> slices;
  FactorizationReport report;
  int lanes = 1, scratch_entries = 1, asked_teams = 0;
  long long most_updates = 0;  ///< of a row; with slots
  Kokkos::View<O*, typename T::device> long_row_begin;
  Values long_rows;
  Values lower_values, upper_values, inverse, unscaled;
  detail::Tickets<T> tickets;
  Kokkos::View<detail::PivotStatus, typename T::device> status;
  Kokkos::View<int, Kokkos::SharedHostPinnedSpace> any_small;
  Kokkos::View<real*, typename T::device> small_pivots;
  std::size_t matrix_entries = 0;

  /// @param solver  of the same pattern, or null
  Impl(E const& exec, typename T::pattern const& matrix, pattern_type const& pattern,
       FactorizationOptions const& options, Factor<S, I, O, E> const* solver)
      : factor(pattern) {
    check(matrix);
    auto const analyze = [&](std::optional<Analysis<T>>& to, Triangle triangle, auto const& part, Op op) {
      auto const* const made = solver ? solver->solver(triangle) : nullptr;
      if (made) to.emplace(made->analysis());
      else to.emplace(exec, part.rows, Shape{op == Op::none ? triangle : Triangle::upper, part.diagonal, op});
    };
    if (factor.symmetric) {
      analyze(upper, Triangle::lower, *factor.upper, Op::transpose);  // L is U transposed
    } else {
      analyze(lower, Triangle::lower, *factor.lower, Op::none);
      analyze(upper, Triangle::upper, *factor.upper, Op::none);
    }
    rows.symmetric = factor.symmetric;
    rows.upper = upper->stored();
    if (lower) rows.lower = lower->stored();
    rows.pivot_first = rows.upper.front > 0;
    index const n = rows.upper.num_rows;
    long long const longest = upper->longest_row() + (lower ? lower->longest_row() : 0) + 1;
    any_small = decltype(any_small)("sptrsv::factorization::any_small");
    detail::require_sorted_rows<T>(exec, matrix);
    map = detail::make_source_map<T>(exec, matrix, rows, factor.row_perm, factor.col_perm);
    matrix_rows = detail::keep_rows<T>(exec, matrix);
    pivots = factor.symmetric ? detail::pivots_in_list_order<T>(exec, rows.upper, upper->rows(exec))
                              : detail::PivotRows<T>{rows.lower, rows.lower.col_idx, {}};
    is_narrow = longest <= 256;
    report.rows = n;
    report.entries = (lower ? lower->num_off_diagonals() : 0) + upper->num_off_diagonals() + n;
    report.longest_row = longest;
    double const most =
        options.list_bytes >= 0 ? options.list_bytes : 8.0 * sizeof(S) * static_cast<double>(report.entries);
    std::size_t updates = 0;
    if (is_narrow) narrow = detail::make_update_lists<T, Narrow>(exec, rows, pivots, most, updates);
    else wide = detail::make_update_lists<T, Wide>(exec, rows, pivots, most, updates);
    report.updates = static_cast<long long>(updates);
    report.listed = is_narrow ? !narrow.empty() : !wide.empty();
    report.list_bytes = is_narrow ? narrow.memory_bytes() : wide.memory_bytes();
    plan(exec, options, longest);
    if (is_narrow) plan_products(exec, options, narrow);
    else plan_products(exec, options, wide);
    allocate(exec);
    exec.fence("sptrsv::factorization: made");
  }

  /// A = L D U, and not L (D U).
  bool diagonal_apart() const { return factor.block_size > 0; }

  void check(typename T::pattern const& matrix) const {
    auto const wrong = [](char const* what) { throw Error(std::string("a factorization needs ") + what); };
    if (!factor.upper || (!factor.symmetric && !factor.lower)) wrong("the patterns of both triangles");
    Diagonal const of_upper = diagonal_apart() ? Diagonal::unit : Diagonal::inverted;
    if (factor.upper->diagonal != of_upper || factor.block_size > 1 || (factor.symmetric && !diagonal_apart()) ||
        (factor.lower && factor.lower->diagonal != Diagonal::unit))
      wrong("a unit L and a U with inverted pivots, or a diagonal D and a unit U, symmetric or not");
    if (matrix.row_order != RowOrder::natural) wrong("A's rows in natural order");
    if (factor.symmetric && (factor.row_perm.extent(0) == 0) != (factor.col_perm.extent(0) == 0))
      wrong("one and the same permutation of rows and of columns for a symmetric factor");
    if (matrix.num_rows() != factor.upper->rows.num_rows())
      throw DimensionMismatch("A has " + std::to_string(matrix.num_rows()) + " rows and its factors " +
                              std::to_string(factor.upper->rows.num_rows()) + "; give patterns of one size");
    auto const n = factor.upper->rows.num_rows();
    if (!factor.symmetric && factor.lower->rows.num_rows() != n)
      throw DimensionMismatch("L has " + std::to_string(factor.lower->rows.num_rows()) + " rows and U " +
                              std::to_string(n) + "; give patterns of one size");
    for (auto const* perm : {&factor.row_perm, &factor.col_perm})
      if (perm->extent(0) > 0 && perm->extent(0) != static_cast<std::size_t>(n))
        throw DimensionMismatch("a permutation has " + std::to_string(perm->extent(0)) + " entries, and A has " +
                                std::to_string(n) + " rows; give one entry per row");
  }

  void plan(E const& exec, FactorizationOptions const& options, long long longest) {
    using Tuning = detail::FactorizationTuning;
    index const n = rows.upper.num_rows;
    if constexpr (!host) {
      int const warp = Kokkos::TeamPolicy<E>::vector_length_max();
      auto const& levels = (lower ? *lower : *upper).levels(exec);
      order = levels.level_rows;
      lanes = detail::lanes_share_rows<E> ? std::min(options.lanes_per_row, warp) : 1;
      if (lanes == 0) {
        double const mean = n == 0 ? 0 : static_cast<double>(report.entries) / static_cast<double>(n);
        double const per_lane = levels.mean_rows() > detail::GpuTuning::filling_rows ? Tuning::entries_per_lane_of_wide
                                                                                     : Tuning::entries_per_lane;
        for (lanes = 1; lanes * per_lane < mean && lanes < warp;) lanes *= 2;
      }
      slices = detail::cut_levels<T>(exec, levels.level_ptr, warp / lanes);
      report.levels = levels.num_levels();
    }
    report.lanes = lanes;
    asked_teams = options.teams;
    int const most = most_scratch(Tuning::scratch_bytes);
    scratch_entries = static_cast<int>(std::min<long long>(longest, most));
    if (longest > most) find_long_rows(exec, static_cast<index>(most));
  }

  /// Scratch entries for a row at most. @param bytes  for a warp
  int most_scratch(int bytes) const {
    if constexpr (host) return detail::FactorizationTuning::host_scratch_entries;
    return std::max<int>(1, bytes / static_cast<int>(sizeof(S)) / (Kokkos::TeamPolicy<E>::vector_length_max() / lanes));
  }

  /// Gives products slots where scratch memory holds those of every row.
  template <class Position>
  void plan_products(E const& exec, FactorizationOptions const& options, detail::UpdateLists<T, Position>& lists) {
    using Rows = detail::EliminateByProducts<T, Position>;
    if (!factor.symmetric || lists.empty() || options.products == 0 || (host && options.products < 0)) return;
    most_updates = detail::most_updates_of_a_row<T>(exec, lists, rows.upper.num_rows);
    long long const needed = Rows::scratch_entries(report.longest_row, most_updates, true);
    if (needed > most_scratch(detail::FactorizationTuning::product_scratch_bytes) ||
        most_updates > std::numeric_limits<typename detail::ProductSlots<T>::Slot>::max())
      return;
    slots = detail::arrange_products<T>(exec, rows, upper->rows(exec), pivots, lists, static_cast<int>(needed));
    report.products = true;
    report.list_bytes = lists.memory_bytes() + slots.memory_bytes();
  }

  void find_long_rows(E const& exec, index most) {
    long_row_begin = decltype(long_row_begin)(raw(exec, "long_row_begin"), static_cast<std::size_t>(report.rows));
    O const entries = detail::place_long_rows<T>(exec, rows, most, long_row_begin);
    long_rows = Values(raw(exec, "long_rows"), static_cast<std::size_t>(entries));
  }

  static auto raw(E const& exec, char const* name) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "sptrsv::factorization::" + std::string(name));
  }

  void allocate(E const& exec) {
    auto const n = static_cast<std::size_t>(rows.upper.num_rows);
    std::size_t const in_upper = rows.upper.col_idx.extent(0);
    upper_values = Values(raw(exec, "upper"), in_upper);
    shares_array =
        lower && rows.lower.col_idx.data() == rows.upper.col_idx.data() && rows.lower.col_idx.extent(0) == in_upper;
    if (lower) lower_values = shares_array ? upper_values : Values(raw(exec, "lower"), rows.lower.col_idx.extent(0));
    if (diagonal_apart()) {
      inverse = Values(raw(exec, "inverse"), n);
      unscaled = Values(raw(exec, "unscaled"), in_upper);
    }
    small_pivots = decltype(small_pivots)(raw(exec, "small_pivots"), n);
    status = decltype(status)(Kokkos::view_alloc(exec, std::string("sptrsv::factorization::status")));
    tickets = detail::Tickets<T>(exec);
    O last = 0;
    if (n > 0) Kokkos::deep_copy(exec, last, Kokkos::subview(matrix_rows.begin, n));
    exec.fence("sptrsv::factorization: the number of A's entries is kept");
    matrix_entries = static_cast<std::size_t>(last);
  }

  /// Before a pass: what rows poll for is not there yet.
  void clear(E const& exec) {
    auto const parts = [](Values const& v) {
      return Kokkos::View<real*, typename T::device>(reinterpret_cast<real*>(v.data()),
                                                     v.extent(0) * detail::Parts<S>::count);
    };
    detail::clear_published<T>(exec, parts(diagonal_apart() ? unscaled : upper_values), parts(inverse), status,
                               rows.upper.num_rows);
    any_small() = 0;
  }

  template <bool Symmetric, class Position>
  void eliminate(E const& exec, detail::UpdateLists<T, Position> const& lists, S const* a, PivotRules const& rules,
                 real amount) {
    using Rows = detail::EliminateRows<T, Position, Symmetric>;
    Rows const one{rows,
                   pivots,
                   lists,
                   map,
                   a,
                   lower_values.data(),
                   upper_values.data(),
                   inverse.data(),
                   diagonal_apart() ? unscaled.data() : upper_values.data(),
                   order.data(),
                   long_row_begin.data(),
                   long_rows.data(),
                   status.data(),
                   any_small.data(),
                   small_pivots.data(),
                   static_cast<real>(rules.zero_pivot),
                   amount,
                   static_cast<real>(rules.amount),
                   static_cast<real>(rules.diagonal_scale),
                   static_cast<real>(rules.diagonal_offset),
                   rules.shift,
                   rules.contract,
                   lanes};
    if constexpr (Symmetric)
      if (report.products) {
        using ByProducts = detail::EliminateByProducts<T, Position>;
        launch(exec, ByProducts{one, slots},
               static_cast<int>(ByProducts::scratch_entries(report.longest_row, most_updates, rules.contract)));
        return;
      }
    launch(exec, one, scratch_entries);
  }

  /// @param entries  of scratch memory for each row
  template <class Rows>
  void launch(E const& exec, Rows const& one, int entries) {
    using Kernel = detail::Elimination<T, Rows>;
    using Tuning = detail::FactorizationTuning;
    int teams = 1, threads = 1, rows_per_ticket = 1;
    bool ahead = false;
    index count = slices.count;
    if constexpr (host) {
      count = rows.upper.num_rows;
      rows_per_ticket =
          exec.concurrency() == 1 ? static_cast<int>(std::max<index>(1, count)) : Tuning::host_rows_per_ticket;
      teams = std::max(1, std::min<int>(exec.concurrency(), static_cast<int>(count / rows_per_ticket) + 1));
    } else {
      int const warp = Kokkos::TeamPolicy<E>::vector_length_max();
      threads = warp / lanes;
      double const levels = std::max(1.0, static_cast<double>(report.levels));
      double const most = exec.concurrency() / double(warp) * detail::GpuTuning::most_of_resident;
      bool const are_short = static_cast<double>(report.entries) < Tuning::short_row * static_cast<double>(report.rows);
      double const in_flight = are_short ? Tuning::levels_in_flight_of_short : Tuning::levels_in_flight;
      double const chosen =
          std::clamp(in_flight * count / levels, std::min(detail::GpuTuning::least_teams, most), most);
      teams = static_cast<int>(std::min<double>(count, asked_teams > 0 ? asked_teams : chosen));
      ahead = Rows::takes_ahead && count >= Tuning::least_tickets_of_team * teams &&
              levels * teams <= Tuning::most_levels_ahead * count;
    }
    Kernel const kernel{one,     tickets, tickets.next_counter(), rows_per_ticket, count, slices.begin.data(),
                        entries, ahead};
    Kokkos::parallel_for("sptrsv::factorization::eliminate",
                         detail::team_policy(exec, teams, threads, lanes, Kernel::scratch_bytes(entries, threads)),
                         kernel);
  }

  void pass(E const& exec, S const* a, PivotRules const& rules, real amount) {
    clear(exec);
    if (rows.upper.num_rows == 0) return;
    if (factor.symmetric) {
      if (is_narrow) eliminate<true>(exec, narrow, a, rules, amount);
      else eliminate<true>(exec, wide, a, rules, amount);
    } else {
      if (is_narrow) eliminate<false>(exec, narrow, a, rules, amount);
      else eliminate<false>(exec, wide, a, rules, amount);
    }
  }

  double small_pivot(E const& exec, long long row) const {
    real size = 0;
    Kokkos::deep_copy(exec, size, Kokkos::subview(small_pivots, static_cast<std::size_t>(row)));
    exec.fence("sptrsv::factorization: a small pivot is reported");
    return static_cast<double>(size);
  }

  PivotVerdict compute(E const& exec, typename T::values const& values, PivotRules const& rules) {
    if (values.extent(0) < matrix_entries) throw PatternChanged(values.extent(0), matrix_entries);
    PivotVerdict verdict;
    auto const top = [&] {
      return detail::greatest_shift<T, real>(exec, matrix_rows, values.data(), static_cast<real>(rules.zero_pivot));
    };
    detail::ShiftLoop<real> loop(rules, !factor.symmetric);
    detail::PivotStatus found{};
    bool failed = false;
    if (unfinished) tickets.restart(exec);
    unfinished = true;
    do {
      found = {rows.upper.num_rows, -1, 0};
      pass(exec, values.data(), rules, loop.amount());
      exec.fence("sptrsv::factorization: the verdict on pivots");
      ++verdict.passes;
      verdict.shift_amount = static_cast<double>(loop.amount());
      if (any_small()) {
        Kokkos::deep_copy(exec, found, status);
        exec.fence("sptrsv::factorization: pivots that are too small");
      }
      failed = found.last >= 0;
    } while (loop.next(failed, top));
    unfinished = false;
    verdict.num_shifts = rules.shift == Shift::in_blocks ? static_cast<long long>(found.shifted) : loop.num_shifts();
    verdict.endless = loop.endless();
    if (failed) {
      verdict.zero_row = found.last;
      verdict.first_row = found.first;
      verdict.zero_value = small_pivot(exec, found.last);
      verdict.first_value = small_pivot(exec, found.first);
    }
    return verdict;
  }
};

template <class S, class I, class O, class E>
typename Factorization<S, I, O, E>::pattern_type Factorization<S, I, O, E>::level_pattern(
    E const& exec, typename types::pattern const& matrix, typename types::indices const& row_perm,
    typename types::indices const& col_perm, bool symmetric, int levels) {
  return detail::make_level_pattern<types>(exec, matrix, row_perm, col_perm, symmetric, levels);
}

template <class S, class I, class O, class E>
Factorization<S, I, O, E>::Factorization(E const& exec, typename types::pattern const& matrix,
                                         pattern_type const& factor, FactorizationOptions const& options)
    : impl_(std::make_unique<Impl>(exec, matrix, factor, options, nullptr)) {}
template <class S, class I, class O, class E>
Factorization<S, I, O, E>::Factorization(E const& exec, typename types::pattern const& matrix,
                                         Factor<S, I, O, E> const& solver, FactorizationOptions const& options)
    : impl_(std::make_unique<Impl>(exec, matrix, solver.pattern(), options, &solver)) {}
template <class S, class I, class O, class E>
Factorization<S, I, O, E>::~Factorization() = default;
template <class S, class I, class O, class E>
Factorization<S, I, O, E>::Factorization(Factorization&&) noexcept = default;
template <class S, class I, class O, class E>
Factorization<S, I, O, E>& Factorization<S, I, O, E>::operator=(Factorization&&) noexcept = default;

template <class S, class I, class O, class E>
PivotVerdict Factorization<S, I, O, E>::factor(E const& exec, typename types::values const& matrix_values,
                                               PivotRules const& rules) {
  if (!impl_) throw NotReady("a factorization that was moved from; make another one, or assign one to it");
  return impl_->compute(exec, matrix_values, rules);
}

template <class S, class I, class O, class E>
typename Factorization<S, I, O, E>::values_type Factorization<S, I, O, E>::values() const {
  values_type out;
  out.lower = impl_->factor.symmetric ? impl_->upper_values : impl_->lower_values;
  out.upper = impl_->upper_values;
  out.inverse = impl_->inverse;
  return out;
}

template <class S, class I, class O, class E>
FactorizationReport Factorization<S, I, O, E>::report() const {
  return impl_->report;
}

template <class S, class I, class O, class E>
std::size_t Factorization<S, I, O, E>::memory_bytes() const {
  Impl const& m = *impl_;
  std::size_t const values = m.upper_values.span() + (m.shares_array ? 0 : m.lower_values.span()) + m.inverse.span() +
                             m.unscaled.span() + m.long_rows.span();
  return values * sizeof(S) + m.map.memory_bytes() + m.report.list_bytes + (m.lower ? m.lower->memory_bytes() : 0) +
         m.upper->memory_bytes() +
         (m.factor.symmetric && !m.report.products ? m.pivots.row.span() * sizeof(I) + m.pivots.entry.span() * sizeof(O)
                                                   : 0) +
         m.long_row_begin.span() * sizeof(O) + m.small_pivots.span() * sizeof(typename Impl::real) +
         (m.matrix_rows.begin.span() + m.matrix_rows.diagonal.span()) * sizeof(O);
}

}  // namespace sptrsv
