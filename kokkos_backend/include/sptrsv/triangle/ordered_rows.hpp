// SPDX-License-Identifier: Apache-2.0
// Copy of op(T)'s rows in another order.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Copy of op(T)'s rows: position p holds row `row(p)`. Columns are rows, and positions after renumber_columns().
template <class T>
struct OrderedRows {
  /// GPU: number of entries above which a team copies a row, and the threads of the team.
  static constexpr int long_row = 512, long_row_threads = 128;

  Kokkos::View<typename T::offset*, typename T::device> row_ptr;   // n+1, by position
  Kokkos::View<const typename T::index*, typename T::device> row;  // n
  Kokkos::View<typename T::index*, typename T::device> col_idx;
  StoredValues<T> values;
  Kokkos::View<typename T::scalar*, typename T::device> diagonal;  // n, as pivot() returns; empty for a unit diagonal
  Kokkos::View<typename T::index*, typename T::device> long_rows;  // GPU: positions of rows that a team copies
  JointMemory<T> memory;                                           // of all except `row` and `long_rows`

  /// Returns the bytes without `row`, which may belong to the analysis.
  std::size_t memory_bytes() const { return memory.bytes() + long_rows.span() * sizeof(typename T::index); }
};

/// Calls of_row(p, i) for row i at each position p, and of_entry(to, from) for each entry, where `to` is its offset in
/// the copy, and `from` its offset in op(T).
template <class T, class OfRow, class OfEntry>
void for_all_entries(char const* label, typename T::exec_space const& exec, OffDiagonals<T> const& rows,
                     OrderedRows<T> const& order, OfRow const& of_row, OfEntry const& of_entry) {
  using index = typename T::index;
  using offset = typename T::offset;
  using teams = Kokkos::TeamPolicy<typename T::exec_space>;
  bool const any_long = order.long_rows.extent(0) > 0;
  Kokkos::parallel_for(
      label, with_arguments_in_launch(row_range<T>(exec, rows.num_rows)), KOKKOS_LAMBDA(index p) {
        index const i = order.row(p);
        of_row(p, i);
        offset const end = order.row_ptr(p + 1);
        offset to = order.row_ptr(p);
        if (any_long && end - to > OrderedRows<T>::long_row) return;
        for (offset k = rows.first(i); to < end; ++to, k += rows.step()) of_entry(to, k);
      });
  if (!any_long) return;
  Kokkos::parallel_for(
      label, team_policy(exec, static_cast<int>(order.long_rows.extent(0)), OrderedRows<T>::long_row_threads, 1),
      KOKKOS_LAMBDA(typename teams::member_type const& team) {
        index const p = order.long_rows(team.league_rank()), i = order.row(p);
        offset const to = order.row_ptr(p), from = rows.first(i), step = rows.step();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, order.row_ptr(p + 1) - to),
                             [&](offset e) { of_entry(to + e, from + e * step); });
      });
}

/// Copies the pattern of op(T).
/// @param row  the row of each position
template <class T>
OrderedRows<T> order_rows(typename T::exec_space const& exec, Analysis<T> const& analysis,
                          Kokkos::View<const typename T::index*, typename T::device> const& row) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  auto const rows = analysis.rows(exec);
  auto& work = analysis.workspace();
  index const n = rows.num_rows;
  auto const positions = static_cast<std::size_t>(n), entries = static_cast<std::size_t>(analysis.num_off_diagonals()),
             pivots = analysis.shape().diagonal == Diagonal::unit ? 0 : positions;
  OrderedRows<T> out;
  StoredLayout<T> const values(out.memory, analysis.storage(), entries);
  std::size_t const diagonal_at = out.memory.template append<scalar>(pivots),
                    row_ptr_at = out.memory.template append<offset>(positions + 1),
                    col_idx_at = out.memory.template append<index>(entries);
  out.memory.allocate("sptrsv::ordered_rows");
  out.values = values.view(out.memory);
  out.diagonal = out.memory.template view<scalar>(diagonal_at, pivots);
  auto const row_ptr = out.row_ptr = out.memory.template view<offset>(row_ptr_at, positions + 1);
  auto const col_idx = out.col_idx = out.memory.template view<index>(col_idx_at, entries);
  out.row = row;
  scan_before<T, offset>(
      "sptrsv::ordered_rows::count", exec, work, n, row_ptr, KOKKOS_LAMBDA(index p) { return rows.count(row(p)); });
  if (!runs_inline<typename T::exec_space> && analysis.longest_row(exec) > OrderedRows<T>::long_row)
    out.long_rows = list_where<T>(
        "sptrsv::ordered_rows::long_rows", exec, work, n,
        KOKKOS_LAMBDA(index p) { return row_ptr(p + 1) - row_ptr(p) > OrderedRows<T>::long_row; },
        [&](std::size_t count) { return raw_view<index, T>(exec, "sptrsv::ordered_rows::long_rows", count); });
  for_all_entries<T>(
      "sptrsv::ordered_rows::copy", exec, rows, out, KOKKOS_LAMBDA(index, index){},
      KOKKOS_LAMBDA(offset to, offset from) { col_idx(to) = rows.col_idx(from); });
  return out;
}

/// Renumbers the columns from rows to positions.
template <class T>
void renumber_columns(typename T::exec_space const& exec, Workspace<T>& work, OrderedRows<T> const& order) {
  using index = typename T::index;
  using offset = typename T::offset;
  typename Workspace<T>::Scope const scope(work);
  auto const n = order.row.extent(0);
  auto const position = work.template take<index>(n);
  auto const row = order.row;
  auto const col_idx = order.col_idx;
  Kokkos::parallel_for(
      "sptrsv::ordered_rows::position", row_range<T>(exec, n), KOKKOS_LAMBDA(index p) { position(row(p)) = p; });
  Kokkos::parallel_for(
      "sptrsv::ordered_rows::columns", range_of<offset>(exec, col_idx.extent(0)),
      KOKKOS_LAMBDA(offset k) { col_idx(k) = position(col_idx(k)); });
}

/// Copies the values. @throws SingleRange
template <class T>
void fill_values(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& all,
                 OrderedRows<T> const& to) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const rows = analysis.rows(exec);
  auto const numbers = analysis.numbers(all, all);
  auto const values = to.values;
  auto const diagonal = to.diagonal;
  values.begin(exec);
  for_all_entries<T>(
      "sptrsv::ordered_rows::update", exec, rows, to,
      KOKKOS_LAMBDA(index p, index i) {
        if (diagonal.extent(0) > 0) diagonal(p) = numbers.pivot(i);
      },
      KOKKOS_LAMBDA(offset at, offset k) {
        values.set(at, conjugate_if(numbers.all(rows.source_of(k)), numbers.conj));
      });
  require_stored<T>(exec, values, rows, numbers, analysis.shape());
}

}  // namespace sptrsv::detail
