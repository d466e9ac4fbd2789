// SPDX-License-Identifier: Apache-2.0
// Definitions of Factorization, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/factorization/eliminate.hpp"
#include "sptrsv/factorization/eliminate_blocks.hpp"
#include "sptrsv/factorization/eliminate_products.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/factorization/factorization_tuning.hpp"
#include "sptrsv/factorization/level_fill.hpp"
#include "sptrsv/factorization/matrix_rows.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv {

template <class S, class I, class O, class E>
struct Factorization<S, I, O, E>::Impl {
  using T = types;
  using index = I;
  using real = typename detail::Parts<S>::real;
  using Values = Kokkos::View<S*, typename T::device>;
  static constexpr bool host = is_host_space<E>;
  /// Type of positions in rows of up to 256 entries.
  using Narrow = std::uint8_t;
  using Wide = std::uint32_t;

  detail::FactorBlocks<T> blocks;
  pattern_type factor;  ///< by entries or by dense blocks, like the members below
  detail::MatrixRows<T> matrix_rows;
  detail::FactorRows<T> rows;
  std::optional<Analysis<T>> lower, upper;  // symmetric: only upper, transposed
  detail::SourceMap<T> map;
  detail::PivotRows<T> pivots;
  detail::UpdateLists<T, Narrow> narrow;
  detail::UpdateLists<T, Wide> wide;
  detail::ProductSlots<T> slots;
  bool is_narrow = false, shares_array = false;
  bool made = false;        ///< FactorizationOptions::accept has not declined
  bool unfinished = false;  ///< an exception ended the last numeric phase
  Kokkos::View<const index*, typename T::device> order;
  detail::LevelSlices<T> slices;
  FactorizationReport report;
  int lanes = 1, scratch_entries = 1, asked_teams = 0;
  long long most_updates = 0;  ///< maximum number of updates of a row; only for products
  Kokkos::View<O*, typename T::device> long_row_begin;
  Values long_rows;
  Values lower_values, upper_values, inverse, unscaled;
  detail::Tickets<T> tickets;
  Kokkos::View<detail::PassPivots, typename T::device> status;
  Kokkos::View<int, Kokkos::SharedHostPinnedSpace> any_small;
  Kokkos::View<real*, typename T::device> small_pivots;

  /// Analyzes the patterns.
  /// @param solver  Factor of the same pattern, whose rows and levels are shared; or null
  /// @param only_decide  make only the report: the facts that need no levels
  Impl(E const& exec, typename T::pattern const& matrix, pattern_type const& pattern,
       FactorizationOptions const& options, Factor<S, I, O, E> const* solver, bool only_decide = false)
      : blocks(detail::blocks_of<T>(exec, pattern)), factor(blocks.pattern) {
    check(matrix);
    if (by_blocks()) solver = nullptr;  // its levels are those of scalar rows
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
    if (by_blocks() && (rows.upper.front + rows.upper.back > 0 || (lower && rows.lower.front + rows.lower.back > 0)))
      throw Error("a factorization by blocks needs triangles without their diagonal blocks; leave these out");
    index const n = rows.upper.num_rows;
    long long const longest = upper->longest_stored_row() + (lower ? lower->longest_stored_row() : 0) + 1;
    if (lower) detail::require_ascending_factor<T>(exec, rows.lower);
    detail::require_ascending_factor<T>(exec, rows.upper);
    bool const ascending = detail::require_proper_rows<T>(exec, matrix, {ColumnOrder::any, false, blocks.size});
    is_narrow = longest <= 256;
    report.rows = static_cast<long long>(n) * blocks.size;
    report.entries = ((lower ? lower->num_off_diagonals() : 0) + upper->num_off_diagonals() + n) * area();
    report.longest_row = longest * blocks.size;
    auto const make_parts = [&](auto& lists) {
      auto const counts = count_updates(exec, options, lists, only_decide);
      if (only_decide) return;
      if constexpr (!host)
        if (report.listed) report.levels = (lower ? *lower : *upper).levels(exec).num_levels();
      made = !options.accept || options.accept(report);
      if (!made) return;
      map = detail::make_source_map<T>(exec, matrix, rows, factor.row_perm, factor.col_perm, ascending);
      matrix_rows = detail::keep_rows<T>(exec, matrix, ascending);
      pivots = factor.symmetric
                   ? detail::pivots_in_list_order<T>(exec, rows.upper, upper->rows(exec), can_sort_pivots(exec))
                   : detail::PivotRows<T>{rows.lower, rows.lower.col_idx, {}};
      if (report.listed) lists = detail::make_update_lists<T>(exec, rows, pivots, counts);
      report.list_bytes = lists.memory_bytes();
      plan(exec, options, longest);
      plan_products(exec, options, lists);
      allocate(exec, pattern);
    };
    if (is_narrow) make_parts(narrow);
    else make_parts(wide);
    exec.fence("sptrsv::factorization: made");
  }

  /// Tells whether a thread per row should sort the pivot rows: on a GPU, if updates are listed and rows are short.
  bool can_sort_pivots(E const& exec) const {
    return !host && report.listed && upper->longest_row(exec) <= detail::FactorizationTuning::most_sorted;
  }
  /// Counts the updates for the report, at most up to the number that can be listed.
  template <class Position>
  detail::UpdateCounts<T, Position> count_updates(E const& exec, FactorizationOptions const& options,
                                                  detail::UpdateLists<T, Position> const&, bool only_decide) {
    double const most =
        options.list_bytes >= 0 ? options.list_bytes : 8.0 * sizeof(S) * static_cast<double>(report.entries);
    auto const counts = detail::count_updates<T, Position>(exec, rows, most, options.complete, only_decide);
    report.listed = counts.listable;
    report.updates = static_cast<long long>(counts.all);
    if (by_blocks())  // each dense block of L = A D^-1, of D^-1 and of D^-1 U takes the flops of one update
      report.updates = (report.updates + (lower ? *lower : *upper).num_off_diagonals() + upper->num_off_diagonals() +
                        rows.upper.num_rows) *
                       area() * blocks.size;
    return counts;
  }

  /// Tells whether the factorization is A = L D U rather than L (D U).
  bool diagonal_apart() const { return factor.block_size > 0; }
  bool by_blocks() const { return blocks.size > 1; }
  long long area() const { return static_cast<long long>(blocks.size) * blocks.size; }

  void check(typename T::pattern const& matrix) const {
    auto const wrong = [](char const* what) { throw Error(std::string("a factorization needs ") + what); };
    if (!factor.upper || (!factor.symmetric && !factor.lower)) wrong("the patterns of both triangles");
    Diagonal const of_upper = diagonal_apart() ? Diagonal::unit : Diagonal::inverted;
    if (factor.upper->diagonal != of_upper || (factor.symmetric && !diagonal_apart()) ||
        (factor.lower && factor.lower->diagonal != Diagonal::unit))
      wrong("a unit L and a U with inverted pivots, or a diagonal or block diagonal D and a unit U, symmetric or not");
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
    if constexpr (!host) {
      index const n = rows.upper.num_rows;
      int const warp = Kokkos::TeamPolicy<E>::vector_length_max();
      auto const& levels = (lower ? *lower : *upper).levels(exec);
      order = levels.level_rows;
      lanes = detail::lanes_share_rows<E> ? std::min(options.lanes_per_row, warp) : 1;
      if (by_blocks()) {
        lanes = detail::lanes_share_rows<E> ? warp : 1;
      } else if (lanes == 0) {
        double const mean = n == 0 ? 0 : static_cast<double>(report.entries) / static_cast<double>(n);
        double const per_lane =
            levels.mean_rows() > Tuning::wide_level_rows ? Tuning::entries_per_lane_of_wide : Tuning::entries_per_lane;
        lanes = detail::lanes_per_row(mean, warp, per_lane);
      }
      slices = detail::cut_levels<T>(exec, levels.level_ptr, warp / lanes);
      report.levels = levels.num_levels();
      for (auto* analysis : {&lower, &upper})
        if (*analysis) (*analysis)->drop_kept(exec);
    }
    report.lanes = lanes;
    asked_teams = options.teams;
    auto const most = static_cast<std::size_t>(most_scratch(Tuning::scratch_bytes));
    std::size_t const size = by_blocks() ? static_cast<std::size_t>(area()) : 1;
    std::size_t const more = by_blocks() ? detail::BlockWork::entries_of_row(0, blocks.size) : 0;
    std::size_t const fitting = most < more ? 0 : (most - more) / size;
    std::size_t const held = std::min(static_cast<std::size_t>(longest), fitting);
    scratch_entries = std::max(1, static_cast<int>(held > 0 ? held * size + more : 0));
    if (static_cast<std::size_t>(longest) > fitting)
      find_long_rows(exec, static_cast<index>(fitting), static_cast<O>(size), static_cast<O>(more));
  }

  /// Returns the maximum number of entries of a row in scratch memory.
  /// @param bytes  bytes of scratch memory for the rows of a warp
  int most_scratch(int bytes) const {
    if constexpr (host) return detail::FactorizationTuning::host_scratch_entries;
    return std::max<int>(1, bytes / static_cast<int>(sizeof(S)) / (Kokkos::TeamPolicy<E>::vector_length_max() / lanes));
  }

  /// Assigns slots to products if scratch memory holds those of every row.
  template <class Position>
  void plan_products(E const& exec, FactorizationOptions const& options, detail::UpdateLists<T, Position>& lists) {
    using Rows = detail::EliminateByProducts<T, Position>;
    if (!factor.symmetric || by_blocks() || lists.empty() || options.products == 0 || (host && options.products < 0))
      return;
    most_updates = detail::most_updates_of_a_row<T>(exec, lists, rows.upper.num_rows);
    long long const needed = Rows::scratch_entries(report.longest_row, most_updates, true);
    if (needed > most_scratch(detail::FactorizationTuning::product_scratch_bytes) ||
        most_updates > std::numeric_limits<typename detail::ProductSlots<T>::Slot>::max())
      return;
    slots = detail::arrange_products<T>(exec, rows, upper->rows(exec), pivots, lists, static_cast<int>(needed));
    report.products = true;
    report.list_bytes = lists.memory_bytes() + slots.memory_bytes();
  }

  void find_long_rows(E const& exec, index most, O size, O more) {
    auto const n = static_cast<std::size_t>(rows.upper.num_rows);
    detail::require_counted<O>("entries of rows that wait in memory, with work space",
                               static_cast<unsigned long long>(report.entries) + n * static_cast<std::size_t>(more),
                               "offsets");
    make(long_row_begin, exec, "long_row_begin", n);
    O const entries = detail::place_long_rows<T>(exec, rows, most, size, more, long_row_begin);
    make(long_rows, exec, "long_rows", static_cast<std::size_t>(entries));
  }

  template <class View>
  static void make(View& view, E const& exec, char const* name, std::size_t size) {
    view = detail::factor_view<View>(exec, name, size);
  }

  void allocate(E const& exec, pattern_type const& stored) {
    any_small = decltype(any_small)("sptrsv::factorization::any_small");
    auto const n = static_cast<std::size_t>(rows.upper.num_rows);
    // with dense blocks, rows.upper has columns of blocks; the caller's col_idx has one entry per scalar
    std::size_t const entries_of_block = static_cast<std::size_t>(area());
    std::size_t const in_upper = stored.upper->rows.col_idx.extent(0);
    make(upper_values, exec, "upper", in_upper);
    if (lower) {
      auto const& of_lower = stored.lower->rows.col_idx;
      shares_array = of_lower.data() == stored.upper->rows.col_idx.data() && of_lower.extent(0) == in_upper;
      if (shares_array) lower_values = upper_values;
      else make(lower_values, exec, "lower", of_lower.extent(0));
    }
    if (diagonal_apart()) {
      make(inverse, exec, "inverse", n * entries_of_block);
      make(unscaled, exec, "unscaled", rows.upper.col_idx.extent(0) * entries_of_block);
    }
    make(small_pivots, exec, "small_pivots", n);
    status = decltype(status)(Kokkos::view_alloc(exec, std::string("sptrsv::factorization::status")));
    tickets = detail::Tickets<T>(exec);
  }

  /// Resets everything that rows poll for, before a pass.
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
  auto factors_in_work(detail::UpdateLists<T, Position> const& lists, S const* a, PivotRules const& rules) const {
    S* const published = diagonal_apart() ? unscaled.data() : upper_values.data();
    using Factors = detail::FactorsInWork<T, Position, Symmetric>;
    return Factors{rows,
                   pivots,
                   lists,
                   map,
                   a,
                   lower_values.data(),
                   upper_values.data(),
                   inverse.data(),
                   published,
                   order.data(),
                   long_row_begin.data(),
                   long_rows.data(),
                   status.data(),
                   any_small.data(),
                   small_pivots.data(),
                   rules.contract,
                   lanes};
  }
  template <bool Symmetric, class Position>
  auto rows_of_entries(detail::UpdateLists<T, Position> const& lists, S const* a, PivotRules const& rules,
                       real amount) const {
    using Rows = detail::EliminateRows<T, Position, Symmetric>;
    return Rows{factors_in_work<Symmetric>(lists, a, rules),
                static_cast<real>(rules.zero_pivot),
                amount,
                static_cast<real>(rules.amount),
                static_cast<real>(rules.diagonal_scale),
                static_cast<real>(rules.diagonal_offset),
                rules.shift};
  }
  template <bool Symmetric, class Position>
  auto rows_of_blocks(detail::UpdateLists<T, Position> const& lists, S const* a, PivotRules const& rules) const {
    using Rows = detail::EliminateBlocks<T, Position, Symmetric>;
    return Rows{factors_in_work<Symmetric>(lists, a, rules),
                blocks.lower_begin,
                blocks.upper_begin,
                static_cast<real>(rules.block_shift),
                rules.block_shift_is_relative,
                rules.interchange_in_blocks,
                blocks.size};
  }

  template <class Rows>
  void launch(E const& exec, Rows const& one, int entries) {
    using Kernel = detail::Elimination<T, Rows>;
    using Tuning = detail::FactorizationTuning;
    int teams = 1, threads = 1, rows_per_ticket = 1;
    bool ahead = false;
    index count = slices.count;
    if constexpr (host) {
      count = rows.upper.num_rows;
      rows_per_ticket = exec.concurrency() == 1 ? static_cast<int>(std::max<index>(1, count))
                                                : std::max(1, Tuning::host_rows_per_ticket / blocks.size);
      teams = std::max(1, std::min<int>(exec.concurrency(), static_cast<int>(count / rows_per_ticket) + 1));
    } else {
      int const warp = Kokkos::TeamPolicy<E>::vector_length_max();
      threads = warp / lanes;
      double const levels = std::max(1.0, static_cast<double>(report.levels));
      bool const are_short = static_cast<double>(report.entries) < Tuning::short_row * static_cast<double>(report.rows);
      double const in_flight = are_short ? Tuning::levels_in_flight_of_short : Tuning::levels_in_flight;
      double const chosen = detail::teams_of_many_levels(count, levels, exec.concurrency() / double(warp),
                                                         detail::GpuTuning::most_of_resident, in_flight);
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

  template <class Position>
  void eliminate(E const& exec, detail::UpdateLists<T, Position> const& lists, S const* a, PivotRules const& rules,
                 real amount) {
    using ByProducts = detail::EliminateByProducts<T, Position>;
    if (by_blocks() && factor.symmetric) launch(exec, rows_of_blocks<true>(lists, a, rules), scratch_entries);
    else if (by_blocks()) launch(exec, rows_of_blocks<false>(lists, a, rules), scratch_entries);
    else if (report.products)
      launch(exec, ByProducts{rows_of_entries<true>(lists, a, rules, amount), slots},
             static_cast<int>(ByProducts::scratch_entries(report.longest_row, most_updates, rules.contract)));
    else if (factor.symmetric) launch(exec, rows_of_entries<true>(lists, a, rules, amount), scratch_entries);
    else launch(exec, rows_of_entries<false>(lists, a, rules, amount), scratch_entries);
  }

  void pass(E const& exec, S const* a, PivotRules const& rules, real amount) {
    clear(exec);
    if (rows.upper.num_rows == 0) return;
    if (is_narrow) eliminate(exec, narrow, a, rules, amount);
    else eliminate(exec, wide, a, rules, amount);
  }

  double small_pivot(E const& exec, long long row) const {
    real size = 0;
    Kokkos::deep_copy(exec, size, Kokkos::subview(small_pivots, static_cast<std::size_t>(row)));
    exec.fence("sptrsv::factorization: a small pivot is reported");
    return static_cast<double>(size);
  }

  /// Adds the findings of a pass over dense blocks to the pivot status.
  void judge_blocks(E const& exec, detail::PassPivots const& found, PivotStatus& pivot_status) const {
    if (found.last >= 0) {
      pivot_status.zero_row = found.last * blocks.size + static_cast<long long>(small_pivot(exec, found.last));
      pivot_status.first_row = found.first * blocks.size + static_cast<long long>(small_pivot(exec, found.first));
    }
    if (found.doubtful)
      pivot_status.out_of_range_row =
          detail::first_row_out_of_range<T>(exec, rows.upper, blocks.size, unscaled.data(), inverse.data());
  }

  PivotStatus compute(E const& exec, typename T::values const& values, PivotRules rules) {
    if (!made) throw NotReady("a factorization that was declined; make another one");
    std::size_t const num_values = matrix_rows.num_entries * static_cast<std::size_t>(area());
    if (values.extent(0) < num_values) throw PatternChanged(values.extent(0), num_values);
    if (by_blocks()) {
      if (rules.diagonal_scale != 1 || rules.diagonal_offset != 0)
        throw Unsupported("factorization", "thresholds of the diagonal for blocks", "leave them out");
      rules.shift = Shift::none;
    }
    PivotStatus pivot_status;
    auto const top = [&] {
      if (rules.greatest_amount >= 0) return static_cast<real>(rules.greatest_amount);
      return detail::greatest_shift<T, real>(exec, matrix_rows, values.data(), static_cast<real>(rules.zero_pivot));
    };
    detail::ShiftLoop<real> loop(rules, !factor.symmetric);
    detail::PassPivots found{};
    bool failed = false;
    if (unfinished) tickets.restart(exec);
    unfinished = true;
    do {
      found = {rows.upper.num_rows, -1, 0, 0};
      pass(exec, values.data(), rules, loop.amount());
      exec.fence("sptrsv::factorization: the pivot_status on pivots");
      ++pivot_status.passes;
      pivot_status.shift_amount = static_cast<double>(loop.amount());
      if (any_small()) {
        Kokkos::deep_copy(exec, found, status);
        exec.fence("sptrsv::factorization: pivots that are too small");
      }
      failed = found.last >= 0;
    } while (loop.next(failed, top));
    unfinished = false;
    pivot_status.num_shifts =
        rules.shift == Shift::in_blocks ? static_cast<long long>(found.shifted) : loop.num_shifts();
    pivot_status.endless = loop.endless();
    if (by_blocks()) {
      judge_blocks(exec, found, pivot_status);
    } else if (failed) {
      pivot_status.zero_row = found.last;
      pivot_status.first_row = found.first;
      pivot_status.zero_value = small_pivot(exec, found.last);
      pivot_status.first_value = small_pivot(exec, found.first);
    }
    return pivot_status;
  }
};

template <class S, class I, class O, class E>
typename Factorization<S, I, O, E>::pattern_type Factorization<S, I, O, E>::level_pattern(
    E const& exec, typename types::pattern const& matrix, typename types::indices const& row_perm,
    typename types::indices const& col_perm, bool symmetric, int levels) {
  return detail::make_level_pattern<types>(exec, matrix, row_perm, col_perm, symmetric, levels);
}

template <class S, class I, class O, class E>
FactorizationReport Factorization<S, I, O, E>::decide(E const& exec, typename types::pattern const& matrix,
                                                      pattern_type const& factor, FactorizationOptions const& options) {
  return Impl(exec, matrix, factor, options, nullptr, true).report;
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
PivotStatus Factorization<S, I, O, E>::factor(E const& exec, typename types::values const& matrix_values,
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
         (m.matrix_rows.row_ptr.span() + m.matrix_rows.diagonal.span()) * sizeof(O);
}

}  // namespace sptrsv
