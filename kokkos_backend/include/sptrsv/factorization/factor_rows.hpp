// SPDX-License-Identifier: Apache-2.0
// Rows of the factors as a factorization sees them, and the positions of their entries in A.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "sptrsv/factorization/row_partition.hpp"
#include "sptrsv/proper_rows.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Row of the factors as one list: its entries in L, those in U, then the pivot. Columns ascend within L's and within
/// U's part. A symmetric factor has no L. Device-copyable.
template <class T>
struct FactorRows {
  using index = typename T::index;
  using offset = typename T::offset;

  OffDiagonals<T> lower, upper;
  bool symmetric = false;
  bool pivot_first = false;  ///< LU: U's rows begin with their pivot; otherwise they end in it

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
    offset const begin = j < i ? lower.begin(i) : upper.begin(i);
    offset first = begin, last = j < i ? begin + below : upper.end(i);
    auto const& columns = j < i ? lower.col_idx : upper.col_idx;
    offset const end = last;
    while (first < last) {
      offset const middle = first + (last - first) / 2;
      if (columns(middle) < j) first = middle + 1;
      else last = middle;
    }
    if (first == end || columns(first) != j) return -1;
    return static_cast<index>(first - begin) + (j < i ? index(0) : below);
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

/// Returns the position of the first entry of begin..end-1 with a column >= c, or end; their columns ascend.
template <class T>
KOKKOS_INLINE_FUNCTION typename T::offset first_at_least(typename T::pattern const& matrix, typename T::offset begin,
                                                         typename T::offset end, long long c) {
  while (begin < end) {
    auto const middle = begin + (end - begin) / 2;
    if (matrix.col_idx(middle) < c) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/// Range of positions in A's col_idx: begin to end - 1.
template <class T>
struct EntryRange {
  typename T::offset begin, end;
};

/// Returns the entries of row r of A that the partition keeps.
/// @pre with several parts the row's columns ascend
template <class T>
KOKKOS_INLINE_FUNCTION EntryRange<T> kept_entries(typename T::pattern const& matrix, RowPartition const& partition,
                                                  typename T::index r) {
  EntryRange<T> const row{matrix.row_ptr(r), matrix.row_ptr(r + 1)};
  if (partition.couples_all()) return row;
  auto const n = static_cast<long long>(matrix.row_ptr.extent(0)) - 1;
  long long const part = partition.part_of(r, n);
  auto const begin = first_at_least<T>(matrix, row.begin, row.end, partition.first_row(part, n));
  return {begin, first_at_least<T>(matrix, begin, row.end, partition.first_row(part + 1, n))};
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
  first = first_at_least<T>(matrix, first, end, c);
  return first < end && matrix.col_idx(first) == c ? first : offset(-1);
}

/// Kernel that fills the map; factor entry (i, j) is A(row_perm[i], col_perm[j]). An empty view is the identity.
template <class T>
struct FillSourceMap {
  using index = typename T::index;
  using offset = typename T::offset;

  typename T::pattern matrix;
  FactorRows<T> rows;
  typename T::indices row_perm, col_perm;
  SourceMap<T> map;
  bool ascending;  ///< the columns of all rows of A ascend
  RowPartition partition;

  KOKKOS_INLINE_FUNCTION offset find(index i, index j) const {
    index const r = row_perm.extent(0) > 0 ? row_perm(i) : i, c = col_perm.extent(0) > 0 ? col_perm(j) : j;
    auto const n = static_cast<long long>(matrix.row_ptr.extent(0)) - 1;
    return partition.couples(r, c, n) ? find_in_row<T>(matrix, r, c, ascending) : offset(-1);
  }
  KOKKOS_FUNCTION void operator()(index i) const {
    if (!rows.symmetric)
      for (offset k = rows.lower.begin(i); k < rows.lower.end(i); ++k) map.lower(k) = find(i, rows.lower.col_idx(k));
    for (offset k = rows.upper.begin(i); k < rows.upper.end(i); ++k) map.upper(k) = find(i, rows.upper.col_idx(k));
    map.pivots(i) = find(i, i);
  }
};

/// Returns the first row of A whose columns do not strictly ascend, or n. Fences.
template <class T>
long long first_unsorted_row(typename T::exec_space const& exec, typename T::pattern const& matrix) {
  using index = typename T::index;
  long long row = matrix.num_rows();
  Kokkos::parallel_reduce(
      "sptrsv::factorization::sorted", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, matrix.num_rows()),
      KOKKOS_LAMBDA(index i, long long& first) {
        for (auto k = matrix.row_ptr(i) + 1; k < matrix.row_ptr(i + 1); ++k)
          if (matrix.col_idx(k - 1) >= matrix.col_idx(k) && i < first) first = i;
      },
      Kokkos::Min<long long>(row));  // the maximum of the type if there is none
  return std::min(row, static_cast<long long>(matrix.num_rows()));
}

/// Checks the rows of a matrix, on a host if they are out of order. Fences.
/// @return whether the columns of all rows ascend
/// @throws ImproperRow for the first row that breaks a rule, as check_rows()
template <class T>
bool require_proper_rows(typename T::exec_space const& exec, typename T::pattern const& matrix,
                         RowRules const& rules = {}) {
  if (matrix.num_rows() == 0 || first_unsorted_row<T>(exec, matrix) == matrix.num_rows()) return true;
  auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.row_ptr);
  auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix.col_idx);
  return check_rows(matrix.num_rows(), row_ptr.data(), col_idx.data(), rules);
}

/// Checks that a partition fits A's rows and, with several parts, that the columns of all rows ascend: the kept entries
/// of a row are then consecutive.
/// @param ascending  the columns of all rows of A ascend: see require_proper_rows()
/// @throws Error for units that do not divide the rows and for more parts than units; Unsupported for unsorted columns
template <class T>
void require_partition(typename T::pattern const& matrix, RowPartition const& partition, bool ascending) {
  long long const n = matrix.num_rows();
  if (partition.couples_all()) return;
  if (partition.unit < 1 || n % partition.unit != 0 || partition.parts > n / partition.unit)
    throw Error("a partition has " + std::to_string(partition.parts) + " parts of rows in units of " +
                std::to_string(partition.unit) + ", and A has " + std::to_string(n) +
                " rows; give units that divide the rows, and no more parts than units");
  if (!ascending)
    throw Unsupported("factorization", "several parts of rows of a matrix whose columns are out of order",
                      "sort the rows by column");
}

/// Checks that columns ascend in all rows of L or U, excluding their diagonal entries. Fences.
/// @throws ImproperRow
template <class T>
void require_ascending_factor(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  index row = rows.num_rows;
  if (row == 0) return;
  Kokkos::parallel_reduce(
      "sptrsv::factorization::factor_sorted", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, row),
      KOKKOS_LAMBDA(index i, index & first) {
        for (auto k = rows.begin(i) + 1; k < rows.end(i); ++k)
          if (rows.col_idx(k - 1) >= rows.col_idx(k) && i < first) first = i;
      },
      Kokkos::Min<index>(row));
  if (row >= rows.num_rows) return;
  auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.row_ptr);
  auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.col_idx);
  auto const at = rows.reversed ? rows.num_rows - 1 - row : row;
  for (auto k = row_ptr(at) + rows.front + 1; k < row_ptr(at + 1) - rows.back; ++k)
    if (col_idx(k - 1) >= col_idx(k)) throw ImproperRow(row, col_idx(k - 1), col_idx(k));
}

/// @param ascending  the columns of all rows of A ascend
template <class T>
SourceMap<T> make_source_map(typename T::exec_space const& exec, typename T::pattern const& matrix,
                             FactorRows<T> const& rows, typename T::indices row_perm, typename T::indices col_perm,
                             bool ascending, RowPartition const& partition = {}) {
  using index = typename T::index;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  using view = decltype(SourceMap<T>::lower);
  index const n = rows.upper.num_rows;
  SourceMap<T> map;
  auto const raw = [&](char const* name) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "sptrsv::factorization::" + std::string(name));
  };
  map.upper = view(raw("source_upper"), rows.upper.col_idx.extent(0));
  if (!rows.symmetric)
    map.lower = rows.in_one_array() ? map.upper : view(raw("source_lower"), rows.lower.col_idx.extent(0));
  map.pivots = view(raw("source_pivots"), static_cast<std::size_t>(n));
  Kokkos::parallel_for("sptrsv::factorization::source_map", policy(exec, 0, n),
                       FillSourceMap<T>{matrix, rows, row_perm, col_perm, map, ascending, partition});
  return map;
}

}  // namespace sptrsv::detail
