// SPDX-License-Identifier: Apache-2.0
// Rows of the factors in the numeric phase, and the positions of their entries in A.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/proper_rows.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Returns an uninitialized array of a factorization.
/// @param size  omitted for a view of one element
template <class View, class E, class... Size>
View factor_view(E const& exec, char const* name, Size... size) {
  return raw_view<View>(exec, "sptrsv::factorization::" + std::string(name), size...);
}

/// Rows of the factors, each as one list: its entries in L, those in U, then the pivot. Columns ascend within L's and
/// within U's part. A symmetric factor has no L. Device-copyable.
template <class T>
struct FactorRows {
  using index = typename T::index;
  using offset = typename T::offset;

  OffDiagonals<T> lower, upper;
  bool symmetric = false;
  bool pivot_first = false;  ///< LU: U's rows begin with their pivot; otherwise they end with it

  /// Tells whether L and U share one array of columns, and thus one array of values.
  bool in_one_array() const {
    return !symmetric && lower.col_idx.data() == upper.col_idx.data() &&
           lower.col_idx.extent(0) == upper.col_idx.extent(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION offset pivot_at(index i) const { return pivot_first ? upper.begin(i) - 1 : upper.end(i); }
  KOKKOS_FORCEINLINE_FUNCTION index count_lower(index i) const {
    return symmetric ? index(0) : static_cast<index>(lower.end(i) - lower.begin(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION index count_upper(index i) const {
    return static_cast<index>(upper.end(i) - upper.begin(i));
  }
  /// Returns the position of column j in the list of row i, or -1.
  KOKKOS_INLINE_FUNCTION index find(index i, index j) const {
    index const below = count_lower(i);
    if (j == i) return below + count_upper(i);
    if (j < i && symmetric) return -1;
    offset const begin = j < i ? lower.begin(i) : upper.begin(i), end = j < i ? begin + below : upper.end(i);
    auto const& columns = j < i ? lower.col_idx : upper.col_idx;
    offset const at = first_at_least(columns, begin, end, j);
    if (at == end || columns(at) != j) return -1;
    return static_cast<index>(at - begin) + (j < i ? index(0) : below);
  }
};

/// Positions of the factors' entries in A's values; -1: fill. Aligned with L's and U's col_idx.
template <class T>
struct SourceMap {
  Kokkos::View<typename T::offset*, typename T::device> lower, upper;
  Kokkos::View<typename T::offset*, typename T::device> pivots;  ///< n

  std::size_t memory_bytes() const {
    std::size_t const apart = lower.data() == upper.data() ? 0 : lower.span();
    return (apart + upper.span() + pivots.span()) * sizeof(typename T::offset);
  }
};

/// Range of positions in A's col_idx: begin to end - 1.
template <class T>
struct EntryRange {
  typename T::offset begin, end;
};

/// Calls f(i, range, k) for each entry k of the range rows.entries(i) of each row; on a GPU with a lane per entry.
template <class T, class Rows, class F>
void for_each_entry(char const* label, typename T::exec_space const& exec, typename T::index n, Rows const& rows,
                    F const& f) {
  using index = typename T::index;
  if (n == 0) return;
  if constexpr (is_host_space<typename T::exec_space>) {
    Kokkos::parallel_for(
        label, row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
          EntryRange<T> const range = rows.entries(i);
          for (auto k = range.begin; k < range.end; ++k) f(i, range, k);
        });
  } else {
    using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
    constexpr int lanes = 8, threads = 16;
    auto const teams = static_cast<int>((static_cast<long long>(n) + threads - 1) / threads);
    Kokkos::parallel_for(
        label, team_policy(exec, teams, threads, lanes), KOKKOS_LAMBDA(member const& team) {
          long long const position = static_cast<long long>(team.league_rank()) * threads + team.team_rank();
          if (position >= n) return;
          auto const i = static_cast<index>(position);
          EntryRange<T> const range = rows.entries(i);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, range.begin, range.end),
                               [&](typename T::offset k) { f(i, range, k); });
        });
  }
}

/// Returns the row that has an off-diagonal entry at position k, or -1 if there is none.
template <class T>
KOKKOS_INLINE_FUNCTION typename T::index row_of_entry(OffDiagonals<T> const& rows, typename T::offset k) {
  using index = typename T::index;
  index const n = rows.num_rows;
  index const behind = first_at_least(rows.row_ptr, index(0), static_cast<index>(n + 1), k + 1);
  if (behind == 0 || behind > n) return -1;
  index const i = rows.reversed ? n - behind : behind - 1;
  return k >= rows.begin(i) && k < rows.end(i) ? i : index(-1);
}

/// Calls f(i, k) for each entry k of each row i; on a GPU with a thread per entry, whatever the length of the row.
template <class T, class F>
void for_each_off_diagonal(char const* label, typename T::exec_space const& exec, OffDiagonals<T> const& rows,
                           F const& f) {
  using index = typename T::index;
  using offset = typename T::offset;
  if constexpr (is_host_space<typename T::exec_space>) {
    Kokkos::parallel_for(
        label, row_range<T>(exec, rows.num_rows), KOKKOS_LAMBDA(index i) {
          for (offset k = rows.begin(i); k < rows.end(i); ++k) f(i, k);
        });
  } else {
    Kokkos::parallel_for(
        label, range_of<offset>(exec, rows.num_rows == 0 ? 0 : rows.col_idx.extent(0)), KOKKOS_LAMBDA(offset k) {
          index const i = row_of_entry(rows, k);
          if (i >= 0) f(i, k);
        });
  }
}

/// Returns the position of column c of row r in A's col_idx, or -1.
/// @param ascending  the row's columns ascend, so that a binary search is possible
template <class T>
KOKKOS_INLINE_FUNCTION typename T::offset find_in_row(typename T::pattern const& matrix, typename T::index r,
                                                      typename T::index c, bool ascending) {
  using offset = typename T::offset;
  offset first = matrix.row_ptr(r);
  offset const end = matrix.row_ptr(r + 1);
  if (!ascending) {
    while (first < end && matrix.col_idx(first) != c) ++first;
    return first < end ? first : offset(-1);
  }
  first = first_at_least(matrix.col_idx, first, end, c);
  return first < end && matrix.col_idx(first) == c ? first : offset(-1);
}

/// Returns the first row of A whose columns do not strictly ascend, or n. Fences.
template <class T>
long long first_unsorted_row(typename T::exec_space const& exec, typename T::pattern const& matrix) {
  OffDiagonals<T> rows;
  rows.num_rows = matrix.num_rows();
  rows.row_ptr = matrix.row_ptr;
  rows.col_idx = matrix.col_idx;
  return first_unsorted_row<T>(exec, rows, false);
}

/// Checks the rows of a matrix, on the host if the columns of some row do not ascend. Fences.
/// @return whether the columns of all rows ascend
/// @throws ImproperRow for the first row that breaks a rule, like check_rows()
template <class T>
bool require_proper_rows(typename T::exec_space const& exec, typename T::pattern const& matrix,
                         RowRules const& rules = {}) {
  if (matrix.num_rows() == 0 || first_unsorted_row<T>(exec, matrix) == matrix.num_rows()) return true;
  auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.row_ptr);
  auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.col_idx);
  return check_rows(matrix.num_rows(), row_ptr.data(), col_idx.data(), rules);
}

/// Checks that columns ascend in all rows of L or U, excluding their diagonal entries. Fences.
/// @throws ImproperRow
template <class T>
void require_ascending_factor(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  auto const row = static_cast<typename T::index>(first_unsorted_row<T>(exec, rows, false));
  if (row == rows.num_rows) return;
  auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.row_ptr);
  auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.col_idx);
  auto const at = rows.reversed ? rows.num_rows - 1 - row : row;
  for (auto k = row_ptr(at) + rows.front + 1; k < row_ptr(at + 1) - rows.back; ++k)
    if (col_idx(k - 1) >= col_idx(k)) throw ImproperRow(row, col_idx(k - 1), col_idx(k));
}

/// Function that returns the position in A's values of entry (i, j) of A(row_perm, col_perm), or -1. An empty
/// permutation is the identity.
template <class T>
struct SourceOfEntry {
  using index = typename T::index;

  typename T::pattern matrix;
  typename T::indices row_perm, col_perm;
  bool ascending;  ///< the columns of all rows of A ascend

  KOKKOS_INLINE_FUNCTION typename T::offset operator()(index i, index j) const {
    index const r = row_perm.extent(0) > 0 ? row_perm(i) : i, c = col_perm.extent(0) > 0 ? col_perm(j) : j;
    return find_in_row<T>(matrix, r, c, ascending);
  }
};

/// Sets to(k) to the source of each entry k of L or U.
template <class T>
void find_sources(typename T::exec_space const& exec, OffDiagonals<T> const& part, SourceOfEntry<T> const& source,
                  Kokkos::View<typename T::offset*, typename T::device> const& to) {
  for_each_off_diagonal<T>(
      "sptrsv::factorization::source_map", exec, part,
      KOKKOS_LAMBDA(typename T::index i, typename T::offset k) { to(k) = source(i, part.col_idx(k)); });
}

/// Returns the positions of the factors' entries in A's values.
/// @param ascending  the columns of all rows of A ascend
template <class T>
SourceMap<T> make_source_map(typename T::exec_space const& exec, typename T::pattern const& matrix,
                             FactorRows<T> const& rows, typename T::indices row_perm, typename T::indices col_perm,
                             bool ascending) {
  using index = typename T::index;
  using view = decltype(SourceMap<T>::lower);
  auto const n = rows.upper.num_rows;
  SourceOfEntry<T> const source{matrix, row_perm, col_perm, ascending};
  SourceMap<T> map;
  map.upper = factor_view<view>(exec, "source_upper", rows.upper.col_idx.extent(0));
  if (!rows.symmetric)
    map.lower = rows.in_one_array() ? map.upper : factor_view<view>(exec, "source_lower", rows.lower.col_idx.extent(0));
  auto const pivots = map.pivots = factor_view<view>(exec, "source_pivots", static_cast<std::size_t>(n));
  if (!rows.symmetric) find_sources<T>(exec, rows.lower, source, map.lower);
  find_sources<T>(exec, rows.upper, source, map.upper);
  Kokkos::parallel_for(
      "sptrsv::factorization::source_pivots", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i) { pivots(i) = source(i, i); });
  return map;
}

}  // namespace sptrsv::detail
