// SPDX-License-Identifier: Apache-2.0
// Pattern of factors without fill: A's own, permuted and split at the diagonal.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/error.hpp"
#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv::detail {

/// Split of each row of A(row_perm, col_perm) at its diagonal. A first pass counts the entries on both sides, a second
/// lists them.
template <class T>
struct SplitRows {
  using index = typename T::index;
  using offset = typename T::offset;
  using offsets = Kokkos::View<offset*, typename T::device>;
  using indices = Kokkos::View<index*, typename T::device>;

  typename T::pattern matrix;
  typename T::indices row_perm;
  indices new_column;  ///< by A's column; empty: the identity
  offsets lower_ptr, upper_ptr;
  indices lower_col, upper_col;
  bool symmetric;
  bool ascending;  ///< the columns of all rows of A ascend

  /// Tells whether entries can be taken in the stored order of A's rows.
  KOKKOS_FORCEINLINE_FUNCTION bool copies() const { return ascending && new_column.extent(0) == 0; }
  KOKKOS_FORCEINLINE_FUNCTION index column(offset k) const {
    return new_column.extent(0) > 0 ? new_column(matrix.col_idx(k)) : matrix.col_idx(k);
  }
  /// Returns the range of A's entries that are row i of A(row_perm, col_perm).
  KOKKOS_FORCEINLINE_FUNCTION EntryRange<T> entries(index i) const {
    index const r = row_perm.extent(0) > 0 ? row_perm(i) : i;
    return {matrix.row_ptr(r), matrix.row_ptr(r + 1)};
  }
  /// Sets lower_ptr(i) and upper_ptr(i) to the counts of row i, and returns whether it has a diagonal entry.
  KOKKOS_INLINE_FUNCTION bool count(index i) const {
    offset below = 0, above = 0;
    bool diagonal = false;
    auto const row = entries(i);
    for (offset k = row.begin; k < row.end; ++k) {
      index const j = column(k);
      below += j < i;
      above += j > i;
      diagonal = diagonal || j == i;
    }
    if (!symmetric) lower_ptr(i) = below;
    upper_ptr(i) = above + (symmetric ? 0 : 1);
    return diagonal;
  }
  /// Stores entry k of row i at the rank of its column on its side of the diagonal; the diagonal entry last.
  /// @param row  A's entries of row i: entries(i)
  KOKKOS_INLINE_FUNCTION void operator()(index i, EntryRange<T> const& row, offset k) const {
    index const j = column(k);
    if (j == i && !symmetric) upper_col(upper_ptr(i + 1) - 1) = i;
    if (j == i || (symmetric && j < i)) return;
    offset before = 0;
    for (offset other = row.begin; other < row.end; ++other) {
      index const c = column(other);
      before += c < j && (j < i || c > i);
    }
    (j < i ? lower_col(lower_ptr(i) + before) : upper_col(upper_ptr(i) + before)) = j;
  }
  /// Stores all entries of row i, whose columns already ascend.
  KOKKOS_INLINE_FUNCTION void copy(index i) const {
    auto const row = entries(i);
    offset at_lower = symmetric ? 0 : lower_ptr(i), at_upper = upper_ptr(i);
    for (offset k = row.begin; k < row.end; ++k) {
      index const j = matrix.col_idx(k);
      if (j < i && !symmetric) lower_col(at_lower++) = j;
      if (j > i) upper_col(at_upper++) = j;
    }
    if (!symmetric) upper_col(at_upper) = i;
  }
};

/// Turns counts into offsets; `ptr` has one more element than counts. Returns the total. Fences.
template <class T>
typename T::offset scan_offsets(typename T::exec_space const& exec,
                                Kokkos::View<typename T::offset*, typename T::device> const& ptr) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const size = static_cast<index>(ptr.extent(0) - 1);
  return scan_rows<T, offset>(
      "sptrsv::factorization::scan", exec, size + 1, KOKKOS_LAMBDA(index i) { return i < size ? ptr(i) : offset(0); },
      KOKKOS_LAMBDA(index i, offset before) { ptr(i) = before; });
}

/// Stores all entries. On a GPU several lanes share a permuted row.
template <class T>
void place_entries(typename T::exec_space const& exec, SplitRows<T> const& split, typename T::index n) {
  if (!split.copies()) return for_each_entry<T>("sptrsv::factorization::split", exec, n, split, split);
  Kokkos::parallel_for(
      "sptrsv::factorization::split", row_range<T>(exec, n), KOKKOS_LAMBDA(typename T::index i) { split.copy(i); });
}

/// Returns the inverse permutation, from A's columns to new ones; empty without a permutation.
template <class T>
Kokkos::View<typename T::index*, typename T::device> inverse_permutation(typename T::exec_space const& exec,
                                                                         typename T::indices const& perm) {
  using index = typename T::index;
  Kokkos::View<index*, typename T::device> out;
  if (perm.extent(0) == 0) return out;
  out = factor_view<decltype(out)>(exec, "new_column", perm.extent(0));
  Kokkos::parallel_for(
      "sptrsv::factorization::new_columns", row_range<T>(exec, perm.extent(0)),
      KOKKOS_LAMBDA(index j) { out(perm(j)) = j; });
  return out;
}

/// Checks A's rows. Returns a SplitRows for them whose offsets and columns of L and U are not allocated yet.
template <class T>
SplitRows<T> split_rows(typename T::exec_space const& exec, typename T::pattern const& matrix,
                        typename T::indices const& row_perm, typename T::indices const& col_perm, bool symmetric) {
  bool const ascending = require_proper_rows<T>(exec, matrix);
  auto const new_column = inverse_permutation<T>(exec, col_perm);
  return {matrix, row_perm, new_column, {}, {}, {}, {}, symmetric, ascending};
}

template <class T>
using FactorPatternOf = FactorPattern<typename T::index, typename T::offset, typename T::device>;

template <class T>
FactorPatternOf<T> as_factor_pattern(SplitRows<T> const& split, typename T::indices const& col_perm) {
  using Part = typename FactorPatternOf<T>::Part;
  FactorPatternOf<T> out;
  out.symmetric = split.symmetric;
  out.block_size = split.symmetric ? 1 : 0;
  out.row_perm = split.row_perm;
  out.col_perm = col_perm;
  if (!split.symmetric) out.lower = Part{{split.lower_ptr, split.lower_col}, Diagonal::unit};
  out.upper = Part{{split.upper_ptr, split.upper_col}, split.symmetric ? Diagonal::unit : Diagonal::inverted};
  return out;
}

template <class T>
FactorPatternOf<T> make_ilu_zero_pattern(typename T::exec_space const& exec, typename T::pattern const& matrix,
                                         typename T::indices const& row_perm, typename T::indices const& col_perm,
                                         bool symmetric) {
  using offsets = typename SplitRows<T>::offsets;
  using indices = typename SplitRows<T>::indices;
  auto const n = matrix.num_rows();
  auto split = split_rows<T>(exec, matrix, row_perm, col_perm, symmetric);
  if (!symmetric) split.lower_ptr = factor_view<offsets>(exec, "lower_ptr", static_cast<std::size_t>(n) + 1);
  split.upper_ptr = factor_view<offsets>(exec, "upper_ptr", static_cast<std::size_t>(n) + 1);
  auto const missing = first_row_with<T>(
      "sptrsv::factorization::count_entries", exec, n, KOKKOS_LAMBDA(typename T::index i) { return !split.count(i); });
  if (missing < n) throw MissingDiagonal(missing, "factored");
  auto const columns = [&](char const* name, offsets const& ptr) {
    return factor_view<indices>(exec, name, static_cast<std::size_t>(scan_offsets<T>(exec, ptr)));
  };
  if (!symmetric) split.lower_col = columns("lower_col", split.lower_ptr);
  split.upper_col = columns("upper_col", split.upper_ptr);
  if (n > 0) place_entries<T>(exec, split, n);
  exec.fence("sptrsv::factorization: the pattern is made");
  return as_factor_pattern<T>(split, col_perm);
}

}  // namespace sptrsv::detail
