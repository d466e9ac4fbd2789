// SPDX-License-Identifier: Apache-2.0
// Off-diagonal entries of a triangle by rows or by columns, as kernels read them, and the position of the diagonal.
// Refers to the caller's pattern, or to its transpose with a map of the values.
#pragma once

#include <KokkosSparse_SortCrs.hpp>
#include <KokkosSparse_Utils.hpp>  // first: crs2ccs does not include what it uses
#include <KokkosSparse_crs2ccs.hpp>
#include <Kokkos_Core.hpp>

#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/row_end.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv {

/// Position of the diagonal entry in each row of the stored T.
enum class DiagonalPosition { none, first, last };

/// Row ranges of off-diagonal entries. The value of entry k is at source(k), or at k without `source`. Device-copyable.
template <class T>
struct OffDiagonals {
  typename T::index num_rows = 0;
  Kokkos::View<const typename T::offset*, typename T::device> row_ptr;
  Kokkos::View<const typename T::index*, typename T::device> col_idx;
  Kokkos::View<const typename T::offset*, typename T::device> source;
  bool reversed = false;         ///< rows are stored last first
  typename T::offset front = 0;  ///< diagonal entries to skip at the start of a row
  typename T::offset back = 0;   ///< diagonal entries to skip at the end of a row
  bool backward = false;         ///< terms are summed last first

  KOKKOS_INLINE_FUNCTION typename T::offset begin(typename T::index i) const {
    return row_ptr(reversed ? num_rows - 1 - i : i) + front;
  }
  KOKKOS_INLINE_FUNCTION typename T::offset end(typename T::index i) const {
    return row_ptr((reversed ? num_rows - 1 - i : i) + 1) - back;
  }
  /// Returns the number of entries of row i.
  KOKKOS_INLINE_FUNCTION typename T::offset count(typename T::index i) const { return end(i) - begin(i); }
  /// Returns the first entry of row i's sum, which takes count(i) entries in steps of step().
  KOKKOS_INLINE_FUNCTION typename T::offset first(typename T::index i) const {
    return backward ? end(i) - 1 : begin(i);
  }
  /// Returns the step from an entry of a row's sum to the next one.
  KOKKOS_INLINE_FUNCTION typename T::offset step() const { return backward ? -1 : 1; }
  /// Returns the position of entry k's value in the caller's array.
  KOKKOS_INLINE_FUNCTION typename T::offset source_of(typename T::offset k) const {
    return source.data() ? source(k) : k;
  }
};

/// Values as a solve needs them: the off-diagonals, aligned with OffDiagonals, and the diagonal entries.
/// Device-copyable.
template <class T>
struct TriangleValues {
  typename T::values off_diagonal;
  typename T::values all;                                               ///< the caller's array, for the diagonal
  Kokkos::View<const typename T::offset*, typename T::device> row_ptr;  ///< row offsets of the stored T
  typename T::index num_rows = 0;
  bool reversed = false;
  DiagonalPosition diagonal_position = DiagonalPosition::none;
  Diagonal diagonal = Diagonal::unit;
  bool conj = false;

  KOKKOS_INLINE_FUNCTION typename T::scalar entry(typename T::offset k) const {
    return detail::conjugate_if(off_diagonal(k), conj);
  }
  KOKKOS_INLINE_FUNCTION typename T::scalar stored_diagonal(typename T::index i) const {
    typename T::index const at = reversed ? num_rows - 1 - i : i;
    return detail::conjugate_if(all(diagonal_position == DiagonalPosition::first ? row_ptr(at) : row_ptr(at + 1) - 1),
                                conj);
  }
  /// Returns the operand of finish(), to be loaded before the row has to wait.
  KOKKOS_INLINE_FUNCTION typename T::scalar pivot(typename T::index i) const {
    if (diagonal == Diagonal::unit) return typename T::scalar(1);
    return diagonal == Diagonal::inverted ? stored_diagonal(i) : detail::divisor(stored_diagonal(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar finish(typename T::scalar sum, typename T::scalar pivot) const {
    return detail::finish_row(diagonal, sum, pivot);
  }
};

namespace detail {

/// Off-diagonal part as CSR from offset 0, with each entry's position in the original.
template <class T, class Device>
struct CompactRows {
  Kokkos::View<typename T::offset*, Device> row_ptr;
  Kokkos::View<typename T::index*, Device> col_idx;
  Kokkos::View<typename T::offset*, Device> position;
};

template <class T, class Device>
CompactRows<T, Device> compact(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  CompactRows<T, Device> out;
  out.row_ptr = raw_view<decltype(out.row_ptr)>(exec, "sptrsv::off_diagonal::row_ptr",
                                                static_cast<std::size_t>(rows.num_rows) + 1);
  auto const row_ptr = out.row_ptr;
  auto const count = scan_rows<T, offset>(
      "sptrsv::off_diagonal::count", exec, rows.num_rows + 1,
      KOKKOS_LAMBDA(index i) { return i < rows.num_rows ? rows.count(i) : offset(0); },
      KOKKOS_LAMBDA(index i, offset before) { row_ptr(i) = before; });
  out.col_idx = raw_view<decltype(out.col_idx)>(exec, "sptrsv::off_diagonal::col_idx", count);
  out.position = raw_view<decltype(out.position)>(exec, "sptrsv::off_diagonal::position", count);
  auto const col_idx = out.col_idx;
  auto const position = out.position;
  Kokkos::parallel_for(
      "sptrsv::off_diagonal::copy", row_range<T>(exec, rows.num_rows), KOKKOS_LAMBDA(index i) {
        offset at = row_ptr(i);
        for (offset k = rows.begin(i); k < rows.end(i); ++k, ++at) {
          col_idx(at) = rows.col_idx(k);
          position(at) = k;
        }
      });
  exec.fence("sptrsv::transpose: Kokkos Kernels works on another instance");
  return out;
}

/// Returns the first row whose columns do not ascend, or n. Fences.
/// @param repeated  equal columns may follow each other
template <class T>
long long first_unsorted_row(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool repeated) {
  auto const is_unsorted = KOKKOS_LAMBDA(typename T::index i) {
    for (auto k = rows.begin(i) + 1; k < rows.end(i); ++k)
      if (rows.col_idx(k - 1) >= rows.col_idx(k) + (repeated ? 1 : 0)) return true;
    return false;
  };
  return first_row_with<T>("sptrsv::off_diagonal::sorted", exec, rows.num_rows, is_unsorted);
}

/// Returns the first of the positions begin to end whose column is at least `column`, or end.
/// @pre The columns at begin to end - 1 ascend.
template <class Columns, class Offset, class Column>
KOKKOS_INLINE_FUNCTION Offset first_at_least(Columns const& columns, Offset begin, Offset end, Column column) {
  while (begin < end) {
    Offset const middle = begin + (end - begin) / 2;
    if (columns(middle) < column) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/// Returns the transpose of the off-diagonal part, columns ascending, with the map of its values. Kokkos Kernels
/// transposes and sorts. On a host one thread transposes, since it leaves the columns sorted; several threads would
/// not, and sorting afterwards would cost more than they gain.
template <class T>
OffDiagonals<T> transpose_off_diagonals(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using space = typename SingleThread<typename T::exec_space>::type;
  using device = Kokkos::Device<space, typename T::memory_space>;
  auto const n = rows.num_rows;
  OffDiagonals<T> out;
  out.num_rows = n;
  auto const plain = compact<T, device>(exec, rows);
  out.row_ptr = plain.row_ptr;
  if (n == 0) return out;
  auto const count = static_cast<typename T::offset>(plain.col_idx.extent(0));
  auto const columns = KokkosSparse::crs2ccs(n, n, count, plain.position, plain.row_ptr, plain.col_idx);
  out.row_ptr = columns.graph.col_map;
  out.col_idx = columns.graph.entries;
  out.source = columns.values;
  if (first_unsorted_row<T>(exec, out, true) < n)
    KokkosSparse::sort_crs_matrix(space(), columns.graph.col_map, columns.graph.entries, columns.values);
  Kokkos::fence("sptrsv::transpose: done");
  return out;
}

}  // namespace detail
}  // namespace sptrsv
