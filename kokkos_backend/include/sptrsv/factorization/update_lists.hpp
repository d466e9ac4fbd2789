// SPDX-License-Identifier: Apache-2.0
// Updates of the entries of each row by entries of U: found once per pattern, so that a numeric phase need not search.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv::detail {

/// Pivot rows of each row in the order in which they are subtracted.
///   LU         L's own entries, columns ascending
///   symmetric  the rows that have an entry in the row's column, in the order of PETSc's lists
template <class T>
struct PivotRows {
  OffDiagonals<T> ranges;                                          ///< offsets; col_idx is not read
  Kokkos::View<const typename T::index*, typename T::device> row;  ///< the pivot row
  /// symmetric: position of the entry in U's arrays
  Kokkos::View<const typename T::offset*, typename T::device> entry;

  KOKKOS_FORCEINLINE_FUNCTION typename T::offset begin(typename T::index i) const { return ranges.begin(i); }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset end(typename T::index i) const { return ranges.end(i); }
  KOKKOS_FORCEINLINE_FUNCTION EntryRange<T> entries(typename T::index i) const { return {begin(i), end(i)}; }
};

/// Pairs (position in the row's list, position in the pivot's row of U) of entries in the same column, for each pivot
/// row of each row. Position is as wide as the longest row needs.
template <class T, class Position>
struct UpdateLists {
  Kokkos::View<std::size_t*, typename T::device> begin;  ///< n+1: first pair of each row
  Kokkos::View<Position*, typename T::device> count;     ///< number of pairs of each pivot row, aligned with PivotRows
  Kokkos::View<Position*, typename T::device> target, source;

  KOKKOS_FORCEINLINE_FUNCTION bool empty() const { return begin.extent(0) == 0; }
  std::size_t memory_bytes() const {
    return begin.span() * sizeof(std::size_t) + (count.span() + target.span() + source.span()) * sizeof(Position);
  }
};

/// Calls found(a, b) for the positions of equal columns in two ascending lists. Cost: s log l for lengths s < l.
template <class Columns, class Offset, class Found>
KOKKOS_INLINE_FUNCTION void for_each_common(Columns const& columns_a, Offset a, Offset end_a, Columns const& columns_b,
                                            Offset b, Offset end_b, Found const& found) {
  auto const advance = [](Columns const& columns, Offset at, Offset end, auto column) {
    Offset step = 1;
    for (; step < end - at && columns(at + step) < column; step *= 2) at += step;
    // columns(at) < column, and columns(at + step) is not
    return first_at_least(columns, static_cast<Offset>(at + 1), step < end - at ? static_cast<Offset>(at + step) : end,
                          column);
  };
  while (a < end_a && b < end_b) {
    auto const of_a = columns_a(a), of_b = columns_b(b);
    if (of_a < of_b) {
      a = advance(columns_a, a, end_a, of_b);
    } else if (of_b < of_a) {
      b = advance(columns_b, b, end_b, of_a);
    } else {
      found(a, b);
      ++a;
      ++b;
    }
  }
}

/// Calls found(target, source) for the entries of pivot row q that update row i.
template <class T, class Found>
KOKKOS_INLINE_FUNCTION void for_each_update(FactorRows<T> const& rows, PivotRows<T> const& pivots, typename T::index i,
                                            typename T::offset q, Found const& found) {
  using index = typename T::index;
  using offset = typename T::offset;
  index const k = pivots.row(q);
  offset const first = rows.upper.begin(k), last = rows.upper.end(k);
  offset const begin = rows.upper.begin(i), end = rows.upper.end(i);
  index const below = rows.count_lower(i), pivot = below + static_cast<index>(end - begin);
  offset s = first;
  if (rows.symmetric) {
    s = pivots.entry(q);
    found(pivot, static_cast<index>(s - first));  // U(k, i)^2 / D(k), subtracted from the pivot
    ++s;
  } else {
    offset const of_lower = rows.lower.begin(i);
    for_each_common(
        rows.lower.col_idx, static_cast<offset>(q + 1), rows.lower.end(i), rows.upper.col_idx, s, last,
        [&](offset t, offset at) { found(static_cast<index>(t - of_lower), static_cast<index>(at - first)); });
    s = first_at_least(rows.upper.col_idx, s, last, i);
    if (s < last && rows.upper.col_idx(s) == i) {
      found(pivot, static_cast<index>(s - first));
      ++s;
    }
  }
  for_each_common(rows.upper.col_idx, begin, end, rows.upper.col_idx, s, last, [&](offset t, offset at) {
    found(below + static_cast<index>(t - begin), static_cast<index>(at - first));
  });
}

/// Makes the lists of updates, or empty lists if they would be too large.
/// @param most_bytes  maximum size of the lists
/// @param pairs       out: number of updates
template <class T, class Position>
UpdateLists<T, Position> make_update_lists(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                           PivotRows<T> const& pivots, double most_bytes, std::size_t& pairs) {
  using index = typename T::index;
  using offset = typename T::offset;
  using range = EntryRange<T>;
  index const n = rows.upper.num_rows;
  using positions = decltype(UpdateLists<T, Position>::count);
  UpdateLists<T, Position> lists;
  lists.begin = factor_view<decltype(lists.begin)>(exec, "update_begin", static_cast<std::size_t>(n) + 1);
  lists.count = factor_view<positions>(exec, "update_count", pivots.row.extent(0));
  auto const count = lists.count;
  for_each_entry<T>(
      "sptrsv::factorization::count_updates", exec, n, pivots, KOKKOS_LAMBDA(index i, range const&, offset q) {
        index found = 0;
        for_each_update<T>(rows, pivots, i, q, [&](index, index) { ++found; });
        count(q) = static_cast<Position>(found);
      });
  auto const begin = lists.begin;
  pairs = scan_rows<T, std::size_t>(
      "sptrsv::factorization::scan_updates", exec, n + 1,
      KOKKOS_LAMBDA(index i) {
        std::size_t sum = 0;
        if (i == n) return sum;
        for (offset q = pivots.begin(i); q < pivots.end(i); ++q) sum += count(q);
        return sum;
      },
      KOKKOS_LAMBDA(index i, std::size_t before) { begin(i) = before; });
  if (2.0 * sizeof(Position) * static_cast<double>(pairs) > most_bytes) return {};
  lists.target = factor_view<positions>(exec, "update_target", pairs);
  lists.source = factor_view<positions>(exec, "update_source", pairs);
  auto const target = lists.target, source = lists.source;
  auto const first = factor_view<decltype(lists.begin)>(exec, "first_update", pivots.row.extent(0));
  Kokkos::parallel_for(
      "sptrsv::factorization::first_updates", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        std::size_t at = begin(i);
        for (offset q = pivots.begin(i); q < pivots.end(i); ++q) {
          first(q) = at;
          at += count(q);
        }
      });
  for_each_entry<T>(
      "sptrsv::factorization::list_updates", exec, n, pivots, KOKKOS_LAMBDA(index i, range const&, offset q) {
        std::size_t at = first(q);
        for_each_update<T>(rows, pivots, i, q, [&](index t, index s) {
          target(at) = static_cast<Position>(t);
          source(at) = static_cast<Position>(s);
          ++at;
        });
      });
  return lists;
}

/// Order in which PETSc's Cholesky subtracts the rows with an entry in a column from that column's row. PETSc puts a
/// row at the head of the list of its next column when it has been subtracted from the row before or, for its first
/// column, when it has been computed. The row put there last comes first; of two rows put there during one traversal of
/// a list, the one later in that list comes first.
template <class T>
struct ListOrder {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> upper;

  /// Tells whether row r, with its entry of some column at a, comes before row s, with its entry at b.
  KOKKOS_INLINE_FUNCTION bool before(index r, offset a, index s, offset b) const {
    for (bool flipped = false;; flipped = !flipped) {
      bool const r_begins = a == upper.begin(r), s_begins = b == upper.begin(s);
      index const r_put = r_begins ? r : upper.col_idx(a - 1), s_put = s_begins ? s : upper.col_idx(b - 1);
      if (r_put != s_put) return (r_put > s_put) != flipped;
      if (r_begins) return !flipped;
      if (s_begins) return flipped;
      --a;
      --b;
    }
  }
};

/// Kernel that sorts each row's part of the arrays by ListOrder: by insertion, long rows first at greater distances
/// (Shell sort).
template <class T>
struct SortPivots {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> ranges;
  ListOrder<T> order;
  Kokkos::View<index*, typename T::device> row;
  Kokkos::View<offset*, typename T::device> entry;

  KOKKOS_INLINE_FUNCTION bool before(offset a, offset b) const {
    return order.before(row(a), entry(a), row(b), entry(b));
  }
  KOKKOS_FUNCTION void operator()(index i) const {
    offset const first = ranges.begin(i), size = ranges.end(i) - first;
    for (offset gap = size > 16 ? size / 2 : 1; gap > 0; gap = gap > 1 ? gap / 11 * 5 + 1 : 0)
      for (offset k = gap; k < size; ++k)
        for (offset at = first + k; at - gap >= first && before(at, at - gap); at -= gap) {
          Kokkos::kokkos_swap(row(at), row(at - gap));
          Kokkos::kokkos_swap(entry(at), entry(at - gap));
        }
  }
};

/// Returns the pivot rows of a symmetric factor.
/// @param by_columns  op(U) by rows for op = transpose, with the positions in U as their source
template <class T>
PivotRows<T> pivots_in_list_order(typename T::exec_space const& exec, OffDiagonals<T> const& upper,
                                  OffDiagonals<T> const& by_columns) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const size = by_columns.col_idx.extent(0);
  auto const row = factor_view<Kokkos::View<index*, typename T::device>>(exec, "pivot_row", size);
  auto const entry = factor_view<Kokkos::View<offset*, typename T::device>>(exec, "pivot_entry", size);
  Kokkos::deep_copy(exec, row, by_columns.col_idx);
  Kokkos::deep_copy(exec, entry, by_columns.source);
  Kokkos::parallel_for("sptrsv::factorization::list_order", row_range<T>(exec, upper.num_rows),
                       SortPivots<T>{by_columns, {upper}, row, entry});
  return {by_columns, row, entry};
}

}  // namespace sptrsv::detail
