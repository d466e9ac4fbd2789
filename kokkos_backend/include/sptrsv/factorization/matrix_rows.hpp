// SPDX-License-Identifier: Apache-2.0
// Data of A's rows that a factorization keeps, and memory for rows too long for scratch memory.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/row_io.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv::detail {

/// Offsets of A's rows, and the position of each diagonal entry in A's values; -1: none.
template <class T>
struct MatrixRows {
  using offset = typename T::offset;
  Kokkos::View<offset*, typename T::device> row_ptr, diagonal;  ///< n+1, or empty if n = 0; n
  std::size_t num_entries = 0;                                  ///< entries of A
};

/// Copies the row offsets of A, and finds its diagonal entries. Fences.
/// @param ascending  the columns of all rows of A ascend
template <class T>
MatrixRows<T> keep_rows(typename T::exec_space const& exec, typename T::pattern const& matrix, bool ascending) {
  using index = typename T::index;
  using offset = typename T::offset;
  index const n = matrix.num_rows();
  MatrixRows<T> rows;
  if (n == 0) return rows;
  auto const size = static_cast<std::size_t>(n);
  auto const row_ptr = rows.row_ptr = factor_view<decltype(rows.row_ptr)>(exec, "matrix_row_ptr", size + 1);
  auto const diagonal = rows.diagonal = factor_view<decltype(rows.diagonal)>(exec, "matrix_diagonal", size);
  Kokkos::parallel_for(
      "sptrsv::factorization::matrix_rows", row_range<T>(exec, n + 1), KOKKOS_LAMBDA(index i) {
        row_ptr(i) = matrix.row_ptr(i);
        if (i < n) diagonal(i) = find_in_row<T>(matrix, i, i, ascending);
      });
  offset last = 0;
  Kokkos::deep_copy(exec, last, Kokkos::subview(row_ptr, n));
  exec.fence("sptrsv::factorization: the number of A's entries is kept");
  rows.num_entries = static_cast<std::size_t>(last);
  return rows;
}

/// Returns 1.1 max(least, s), where s is the smallest shift with which A + s I is diagonally dominant.
template <class T, class R>
R greatest_shift(typename T::exec_space const& exec, MatrixRows<T> const& rows, typename T::scalar const* a, R least) {
  using index = typename T::index;
  auto const shift = KOKKOS_LAMBDA(index i) {
    typename T::scalar const diagonal = rows.diagonal(i) < 0 ? typename T::scalar(0) : a[rows.diagonal(i)];
    R sum = -R(Kokkos::abs(diagonal)) - real_part(diagonal);
    for (auto k = rows.row_ptr(i); k < rows.row_ptr(i + 1); ++k) sum += R(Kokkos::abs(a[k]));
    return sum;
  };
  auto const n = static_cast<index>(rows.diagonal.extent(0));
  return static_cast<R>(max_over_rows<T>("sptrsv::factorization::greatest_shift", exec, n, least, shift) *
                        1.1);  // in double, like PETSc
}

/// Assigns consecutive offsets to long rows, those of more than `most` entries, and -1 to others.
/// @param size, more  a long row of k entries takes size * k + more elements
/// @param begin       out: offset of each row
/// @return the total number of elements
template <class T>
typename T::offset place_long_rows(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                   typename T::index most, typename T::offset size, typename T::offset more,
                                   Kokkos::View<typename T::offset*, typename T::device> const& begin) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const length = KOKKOS_LAMBDA(index i) {
    index const entries = rows.count_lower(i) + rows.count_upper(i) + 1;
    return entries > most ? static_cast<offset>(entries) * size + more : offset(0);
  };
  return scan_rows<T, offset>(
      "sptrsv::factorization::long_rows", exec, rows.upper.num_rows, length,
      KOKKOS_LAMBDA(index i, offset before) { begin(i) = length(i) > 0 ? before : offset(-1); });
}

}  // namespace sptrsv::detail
