// SPDX-License-Identifier: Apache-2.0
// Updates of the entries of each row by entries of U: found once per pattern, so that a numeric phase need not search.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sptrsv/device/publish.hpp"
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

/// Pairs (position in the row's list, position in U's part of the pivot row) of entries in the same column, for each
/// pivot row of each row. Position is as wide as the longest row needs.
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

/// Calls found(target, source) for the entries of U's row k that update row i.
/// @param at  position of the entry (i, k) in L; symmetric: of (k, i) in U
template <class T, class Found>
KOKKOS_INLINE_FUNCTION void for_each_update(FactorRows<T> const& rows, typename T::index i, typename T::index k,
                                            typename T::offset at, Found const& found) {
  using index = typename T::index;
  using offset = typename T::offset;
  offset const first = rows.upper.begin(k), last = rows.upper.end(k);
  offset const begin = rows.upper.begin(i), end = rows.upper.end(i);
  index const below = rows.count_lower(i), pivot = below + static_cast<index>(end - begin);
  offset s = first;
  if (rows.symmetric) {
    s = at;
    found(pivot, static_cast<index>(s - first));  // U(k, i)^2 / D(k), subtracted from the pivot
    ++s;
  } else {
    offset const of_lower = rows.lower.begin(i);
    for_each_common(
        rows.lower.col_idx, static_cast<offset>(at + 1), rows.lower.end(i), rows.upper.col_idx, s, last,
        [&](offset t, offset from) { found(static_cast<index>(t - of_lower), static_cast<index>(from - first)); });
    s = first_at_least(rows.upper.col_idx, s, last, i);
    if (s < last && rows.upper.col_idx(s) == i) {
      found(pivot, static_cast<index>(s - first));
      ++s;
    }
  }
  for_each_common(rows.upper.col_idx, begin, end, rows.upper.col_idx, s, last, [&](offset t, offset from) {
    found(below + static_cast<index>(t - begin), static_cast<index>(from - first));
  });
}

/// Returns the entries that multiply pivot rows; with each of them, a row subtracts a multiple of one pivot row. They
/// are L's off-diagonal entries by rows or, for a symmetric factor, U's by rows, which are L's by columns.
template <class T>
OffDiagonals<T> const& multipliers(FactorRows<T> const& rows) {
  return rows.symmetric ? rows.upper : rows.lower;
}

/// Returns an upper bound of the number of updates, exact for a factor that drops no fill: the sum over L's entries of
/// the number of entries in the rest of the pivot row. Fences.
template <class T>
std::size_t bound_updates(typename T::exec_space const& exec, FactorRows<T> const& rows) {
  auto const of_row = KOKKOS_LAMBDA(typename T::index i) {
    auto const above = static_cast<std::size_t>(rows.count_upper(i));
    if (rows.symmetric) return above * (above + 1) / 2;
    std::size_t sum = 0;
    for (auto q = rows.lower.begin(i); q < rows.lower.end(i); ++q)
      sum += static_cast<std::size_t>(rows.count_upper(rows.lower.col_idx(q)));
    return sum;
  };
  return sum_over_rows<T, std::size_t>("sptrsv::factorization::bound_updates", exec, rows.upper.num_rows, of_row);
}

/// Kernel that counts updates until they are too many to list. A thread takes the entries of a row of multipliers(), on
/// a GPU every num_threads-th of all entries.
template <class T, class Position>
struct CountUpdates {
  using index = typename T::index;
  using offset = typename T::offset;
  using Total = unsigned long long;
  static constexpr std::size_t entries_of_thread = 8;  ///< on a GPU

  FactorRows<T> rows;
  OffDiagonals<T> entries;  ///< multipliers(rows)
  std::size_t num_threads;
  Total most;  ///< maximum number of updates
  Kokkos::View<Position*, typename T::device> count;
  Kokkos::View<Total, typename T::device> total;

  KOKKOS_FUNCTION void operator()(std::size_t thread) const {
    Total mine = 0;
    if constexpr (is_host_space<typename T::exec_space>) {
      auto const r = static_cast<index>(thread);
      for (offset e = entries.begin(r); e < entries.end(r) && !too_many(mine); ++e) mine += count_entry(r, e);
    } else {
      for (std::size_t e = thread; e < entries.col_idx.extent(0) && !too_many(mine); e += num_threads) {
        index const r = row_of_entry(entries, static_cast<offset>(e));
        if (r >= 0) mine += count_entry(r, static_cast<offset>(e));
      }
    }
    if (mine > 0) fetch_add(&total(), mine);
  }
  // not Kokkos::atomic_load(), by which a GPU took 0.7 us for each entry
  KOKKOS_INLINE_FUNCTION bool too_many(Total mine) const { return load_relaxed(&total()) + mine > most; }
  KOKKOS_INLINE_FUNCTION Total count_entry(index r, offset e) const {
    index const c = entries.col_idx(e);
    index found = 0;
    for_each_update<T>(rows, rows.symmetric ? c : r, rows.symmetric ? r : c, e, [&](index, index) { ++found; });
    count(e) = static_cast<Position>(found);
    return static_cast<Total>(found);
  }
};

/// Number of updates, and of those by each entry of multipliers().
template <class T, class Position>
struct UpdateCounts {
  std::size_t all = 0;   ///< if there are too many to list: bound_updates()
  bool listable = true;  ///< otherwise they have not all been counted
  std::size_t counted = 0;
  Kokkos::View<Position*, typename T::device> of_entry;
};

/// Counts the updates, up to the number that can be listed. Fences.
/// @param most_bytes   maximum size of the lists
/// @param complete     the factor drops no fill, so that bound_updates() is the number
/// @param only_decide  find only whether the updates can be listed
template <class T, class Position>
UpdateCounts<T, Position> count_updates(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                        double most_bytes, bool complete, bool only_decide) {
  using Count = CountUpdates<T, Position>;
  UpdateCounts<T, Position> counts;
  std::size_t const bound = bound_updates<T>(exec, rows);
  auto const most = static_cast<std::size_t>(std::min(std::max(0.0, most_bytes) / (2 * sizeof(Position)), 1e18));
  counts.all = bound;
  counts.listable = !complete || bound <= most;
  if (!counts.listable || (only_decide && bound <= most)) return counts;
  auto const& entries = multipliers(rows);
  std::size_t const size = entries.col_idx.extent(0);
  std::size_t const threads = is_host_space<typename T::exec_space>
                                  ? static_cast<std::size_t>(rows.upper.num_rows)
                                  : (size + Count::entries_of_thread - 1) / Count::entries_of_thread;
  counts.of_entry = factor_view<decltype(counts.of_entry)>(exec, "update_count", size);
  decltype(Count::total) const total(Kokkos::view_alloc(exec, std::string("sptrsv::factorization::num_updates")));
  Kokkos::parallel_for("sptrsv::factorization::count_updates", range_of<std::size_t>(exec, threads),
                       Count{rows, entries, threads, most, counts.of_entry, total});
  typename Count::Total found = 0;
  Kokkos::deep_copy(exec, found, total);
  exec.fence("sptrsv::factorization: the updates are counted");
  counts.counted = static_cast<std::size_t>(found);
  counts.listable = found <= most;
  if (counts.listable) counts.all = counts.counted;
  else counts.of_entry = {};
  return counts;
}

/// Makes the lists of updates.
/// @pre counts.listable
template <class T, class Position>
UpdateLists<T, Position> make_update_lists(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                           PivotRows<T> const& pivots, UpdateCounts<T, Position> const& counts) {
  using index = typename T::index;
  using offset = typename T::offset;
  index const n = rows.upper.num_rows;
  using positions = decltype(UpdateLists<T, Position>::count);
  UpdateLists<T, Position> lists;
  lists.begin = factor_view<decltype(lists.begin)>(exec, "update_begin", static_cast<std::size_t>(n) + 1);
  lists.count = counts.of_entry;
  if (rows.symmetric) {
    lists.count = factor_view<positions>(exec, "update_count", pivots.row.extent(0));
    auto const to = lists.count, from = counts.of_entry;
    Kokkos::parallel_for(
        "sptrsv::factorization::order_counts", range_of<offset>(exec, pivots.row.extent(0)),
        KOKKOS_LAMBDA(offset q) { to(q) = from(pivots.entry(q)); });
  }
  lists.target = factor_view<positions>(exec, "update_target", counts.all);
  lists.source = factor_view<positions>(exec, "update_source", counts.all);
  auto const begin = lists.begin;
  auto const count = lists.count, target = lists.target, source = lists.source;
  scan_rows<T, std::size_t>(
      "sptrsv::factorization::scan_updates", exec, n + 1,
      KOKKOS_LAMBDA(index i) {
        std::size_t sum = 0;
        if (i == n) return sum;
        for (offset q = pivots.begin(i); q < pivots.end(i); ++q) sum += count(q);
        return sum;
      },
      KOKKOS_LAMBDA(index i, std::size_t before) { begin(i) = before; });
  auto const& entries = multipliers(rows);
  auto const first = factor_view<decltype(lists.begin)>(exec, "first_update", entries.col_idx.extent(0));
  Kokkos::parallel_for(
      "sptrsv::factorization::first_updates", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        std::size_t at = begin(i);
        for (offset q = pivots.begin(i); q < pivots.end(i); ++q) {
          first(rows.symmetric ? pivots.entry(q) : q) = at;
          at += count(q);
        }
      });
  for_each_off_diagonal<T>(
      "sptrsv::factorization::list_updates", exec, entries, KOKKOS_LAMBDA(index r, offset e) {
        std::size_t at = first(e);
        index const c = entries.col_idx(e);
        for_each_update<T>(rows, rows.symmetric ? c : r, rows.symmetric ? r : c, e, [&](index t, index s) {
          target(at) = static_cast<Position>(t);
          source(at) = static_cast<Position>(s);
          ++at;
        });
      });
  return lists;
}

/// Order in which PETSc's Cholesky subtracts from row j the rows that have an entry in column j. PETSc keeps a list of
/// rows for each column. A row goes to the head of the list of its first column when it has been computed, and to the
/// head of the list of its next column each time that it has been subtracted. So the row that came to a list last is
/// subtracted first. Of two rows that came during the traversal of another list, the later one in that list came last.
template <class T>
struct ListOrder {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> upper;

  /// Tells whether row r comes before row s; their entries in the column are at a and b.
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

/// Kernel that sorts each row's part of the arrays by ListOrder: by insertion, for long rows as in Shell sort.
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

/// Finds the order of ListOrder on a host by following PETSc's lists, in time proportional to the number of entries. A
/// sort would be slower for complete factors, whose rows have many columns in common that it has to compare.
/// @param ranges      as in PivotRows; by columns of U
/// @param row, entry  out: as in PivotRows
template <class T, class Rows, class Entries>
void follow_lists(typename T::exec_space const& exec, OffDiagonals<T> const& upper, OffDiagonals<T> const& ranges,
                  Rows const& row, Entries const& entry) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const n = static_cast<std::size_t>(upper.num_rows);
  auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), upper.row_ptr);
  auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), upper.col_idx);
  auto const list_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ranges.row_ptr);
  auto const on_host = Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing);
  auto const rows_found = Kokkos::create_mirror_view(on_host, row);
  auto const entries_found = Kokkos::create_mirror_view(on_host, entry);
  std::vector<index> head(n, index(-1)), next(n);
  std::vector<offset> at(n), end(n);
  auto const put = [&](index k) {
    auto const r = static_cast<std::size_t>(k);
    if (at[r] == end[r]) return;
    auto const column = static_cast<std::size_t>(col_idx(at[r]));
    next[r] = head[column];
    head[column] = k;
  };
  for (std::size_t i = 0; i < n; ++i) {
    auto q = static_cast<std::size_t>(list_ptr(i));
    for (index k = head[i]; k >= 0; ++q) {
      auto const r = static_cast<std::size_t>(k);
      rows_found(q) = k;
      entries_found(q) = at[r]++;
      index const behind = next[r];
      put(k);
      k = behind;
    }
    std::size_t const stored = upper.reversed ? n - 1 - i : i;
    at[i] = row_ptr(stored) + upper.front;
    end[i] = row_ptr(stored + 1) - upper.back;
    put(static_cast<index>(i));
  }
  Kokkos::deep_copy(exec, row, rows_found);
  Kokkos::deep_copy(exec, entry, entries_found);
  exec.fence("sptrsv::factorization: the order of pivot rows is copied");
}

/// Returns the pivot rows of a symmetric factor.
/// @param by_columns  op(U) by rows for op = transpose, with the positions in U as their source
/// @param sort        true: a thread per row sorts; false: follow_lists()
template <class T>
PivotRows<T> pivots_in_list_order(typename T::exec_space const& exec, OffDiagonals<T> const& upper,
                                  OffDiagonals<T> const& by_columns, bool sort) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const size = by_columns.col_idx.extent(0);
  auto const row = factor_view<Kokkos::View<index*, typename T::device>>(exec, "pivot_row", size);
  auto const entry = factor_view<Kokkos::View<offset*, typename T::device>>(exec, "pivot_entry", size);
  if (sort) {
    Kokkos::deep_copy(exec, row, by_columns.col_idx);
    Kokkos::deep_copy(exec, entry, by_columns.source);
    Kokkos::parallel_for("sptrsv::factorization::list_order", row_range<T>(exec, upper.num_rows),
                         SortPivots<T>{by_columns, {upper}, row, entry});
  } else {
    exec.fence("sptrsv::factorization: the order of pivot rows is found on a host");
    follow_lists<T>(exec, upper, by_columns, row, entry);
  }
  return {by_columns, row, entry};
}

}  // namespace sptrsv::detail
