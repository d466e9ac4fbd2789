// SPDX-License-Identifier: Apache-2.0
// Kernels over rows: their range, uninitialized arrays, the first row with a property, maxima and sums. Reductions and
// scans into a host value fence.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

namespace sptrsv::detail {

/// Returns the range of numbers 0 to n - 1 of type I.
template <class I, class E, class N>
auto range_of(E const& exec, N n) {
  return Kokkos::RangePolicy<E, I>(exec, 0, static_cast<I>(n));
}
/// Returns the range of rows 0 to n - 1.
template <class T, class N>
auto row_range(typename T::exec_space const& exec, N n) {
  return range_of<typename T::index>(exec, n);
}

/// Returns an uninitialized array.
/// @param size  number of elements; omitted for a view of one element
template <class View, class E, class... Size>
View raw_view(E const& exec, std::string const& label, Size... size) {
  return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size...);
}

/// Returns an uninitialized array of `size` elements of type V.
template <class V, class T>
Kokkos::View<V*, typename T::device> raw_view(typename T::exec_space const& exec, std::string const& label,
                                              std::size_t size) {
  return raw_view<Kokkos::View<V*, typename T::device>>(exec, label, size);
}

/// Returns the first row for which has(row) holds, or n if there is none. Calls has() once for each row. Fences.
template <class T, class Has>
long long first_row_with(char const* label, typename T::exec_space const& exec, typename T::index n, Has const& has) {
  using index = typename T::index;
  long long row = n;
  if (n == 0) return row;
  Kokkos::parallel_reduce(
      label, row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i, long long& first) {
        if (has(i) && i < first) first = i;
      },
      Kokkos::Min<long long>(row));
  return row < n ? row : n;  // without such a row the minimum is the greatest long long
}

/// Returns the maximum of `least` and of(row) over the rows 0 to n - 1. Fences.
template <class T, class V, class Of>
V max_over_rows(char const* label, typename T::exec_space const& exec, typename T::index n, V least, Of const& of) {
  using index = typename T::index;
  V greatest = least;
  if (n == 0) return least;
  Kokkos::parallel_reduce(
      label, row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i, V & most) {
        V const value = of(i);
        if (value > most) most = value;
      },
      Kokkos::Max<V>(greatest));
  return greatest > least ? greatest : least;
}

/// Returns the sum of of(row) over the rows 0 to n - 1. Fences.
template <class T, class V, class Of>
V sum_over_rows(char const* label, typename T::exec_space const& exec, typename T::index n, Of const& of) {
  V all = 0;
  Kokkos::parallel_reduce(
      label, row_range<T>(exec, n), KOKKOS_LAMBDA(typename T::index i, V & sum) { sum += of(i); }, all);
  return all;
}

/// Calls put(row, sum of of(k) over k < row) for the rows 0 to n - 1; put() may change the data that of(row) reads.
/// @return the sum over all rows. Fences.
template <class T, class Sum, class Of, class Put>
Sum scan_rows(char const* label, typename T::exec_space const& exec, typename T::index n, Of const& of,
              Put const& put) {
  Sum all = 0;
  Kokkos::parallel_scan(
      label, row_range<T>(exec, n),
      KOKKOS_LAMBDA(typename T::index i, Sum & sum, bool final) {
        Sum const mine = of(i);
        if (final) put(i, sum);
        sum += mine;
      },
      all);
  return all;
}

}  // namespace sptrsv::detail
