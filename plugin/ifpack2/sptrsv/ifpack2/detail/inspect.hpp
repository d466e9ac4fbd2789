// SPDX-License-Identifier: Apache-2.0
// Finds which triangle a local matrix is and whether it stores its diagonal; the error for any other matrix names a row
// and a remedy.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::ifpack2::detail {

/// First rows with an entry left of the diagonal, right of it, outside the square, and without a diagonal entry; n if
/// there is none.
struct SideFacts {
  long long left, right, outside, bare;
  long long with_diagonal;
};

/// Inspects the sides of the diagonal. Cost: one pass over the pattern; fences.
template <class T>
SideFacts inspect_sides(typename T::exec_space const& exec, typename T::pattern const& pattern) {
  using index = typename T::index;
  using offset = typename T::offset;
  index const n = pattern.num_rows();
  SideFacts facts{n, n, n, n, 0};
  auto const row_ptr = pattern.row_ptr;
  auto const col_idx = pattern.col_idx;
  Kokkos::parallel_reduce(
      "sptrsv::ifpack2::inspect_sides", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index i, long long& left, long long& right, long long& outside, long long& bare, long long& with) {
        bool has = false;
        for (offset k = row_ptr(i); k < row_ptr(i + 1); ++k) {
          index const j = col_idx(k);
          has = has || j == i;
          if (j < i && i < left) left = i;
          if (j > i && j < n && i < right) right = i;
          if (j >= n && i < outside) outside = i;
        }
        if (has) ++with;
        else if (i < bare) bare = i;
      },
      Kokkos::Min<long long>(facts.left), Kokkos::Min<long long>(facts.right), Kokkos::Min<long long>(facts.outside),
      Kokkos::Min<long long>(facts.bare), Kokkos::Sum<long long>(facts.with_diagonal));
  if (n == 0) facts = {0, 0, 0, 0, 0};  // a reduction over an empty range leaves the largest number
  return facts;
}

/// Returns the shape of a local matrix, with op none. A matrix without any diagonal entry has a unit diagonal, as in
/// Ifpack2.
/// @param row_name  returns the name of local row i for messages.
/// @throws Error naming the row.
template <class T, class RowName>
Shape shape_of(typename T::exec_space const& exec, typename T::pattern const& pattern, RowName const& row_name) {
  long long const n = pattern.num_rows();
  SideFacts const facts = inspect_sides<T>(exec, pattern);
  if (facts.outside < n)
    throw Error(
        row_name(facts.outside) +
        " has an entry in a column that belongs to no row of this rank. Triangles are solved rank by rank: leave "
        "such entries out, or let Ifpack2::AdditiveSchwarz with sptrsv::ifpack2::Riluk take the local part");
  if (facts.left < n && facts.right < n)
    throw Error(row_name(facts.left) + " has an entry left of its diagonal and " + row_name(facts.right) +
                " one right of its own, so the matrix is "
                "not triangular. Give one triangle, such as getL() or getU() of a factorization; local indices count");
  bool const unit = facts.with_diagonal == 0;
  if (!unit && facts.bare < n)
    throw Error(row_name(facts.bare) + " has no diagonal entry, but " + std::to_string(facts.with_diagonal) + " of " +
                std::to_string(n) +
                " rows have one. Store the diagonal in all rows, or in none of them for a unit diagonal");
  return {facts.right < n ? Triangle::upper : Triangle::lower, unit ? Diagonal::unit : Diagonal::stored, Op::none};
}

/// Returns the first row whose inverted pivot is infinite, NaN, or 0 (from an infinite pivot), or n. Cost: one pass;
/// fences.
template <class T>
long long first_unusable_pivot(typename T::exec_space const& exec, typename T::values const& values) {
  using index = typename T::index;
  auto const is_unusable = KOKKOS_LAMBDA(index i) {
    typename T::scalar const zero(0);
    return !(values(i) - values(i) == zero) || values(i) == zero;
  };
  return ::sptrsv::detail::first_row_with<T>("sptrsv::ifpack2::first_unusable_pivot", exec,
                                             static_cast<index>(values.extent(0)), is_unusable);
}

}  // namespace sptrsv::ifpack2::detail
