// SPDX-License-Identifier: Apache-2.0
// Pattern of factors without fill: A's own, permuted and split at the diagonal.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "sptrsv/device/tickets.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv::detail {

/// Split of a row of A(row_perm, col_perm) at its diagonal: counts, and then lists, the entries of both sides.
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
  RowPartition partition;

  /// Tells whether entries can be taken in the stored order of A's rows.
  KOKKOS_FORCEINLINE_FUNCTION bool copies() const { return ascending && new_column.extent(0) == 0; }
  KOKKOS_FORCEINLINE_FUNCTION index row(index i) const { return row_perm.extent(0) > 0 ? row_perm(i) : i; }
  KOKKOS_FORCEINLINE_FUNCTION index column(offset k) const {
    return new_column.extent(0) > 0 ? new_column(matrix.col_idx(k)) : matrix.col_idx(k);
  }
  /// Returns the entries of A's row r that the partition keeps.
  KOKKOS_FORCEINLINE_FUNCTION EntryRange<T> entries(index r) const { return kept_entries<T>(matrix, partition, r); }
  /// Sets lower_ptr(i) and upper_ptr(i) to the counts of row i, and returns whether it has a diagonal entry.
  KOKKOS_INLINE_FUNCTION bool count(index i) const {
    offset below = 0, above = 0;
    bool diagonal = false;
    auto const kept = entries(row(i));
    for (offset k = kept.begin; k < kept.end; ++k) {
      index const j = column(k);
      below += j < i;
      above += j > i;
      diagonal = diagonal || j == i;
    }
    if (!symmetric) lower_ptr(i) = below;
    upper_ptr(i) = above + (symmetric ? 0 : 1);
    return diagonal;
  }
  /// Stores entry k of `kept`, A's entries of row i, after those of smaller columns on its side.
  KOKKOS_INLINE_FUNCTION void place(index i, EntryRange<T> const& kept, offset k) const {
    index const j = column(k);
    if (j == i || (symmetric && j < i)) return;
    offset before = 0;
    for (offset other = kept.begin; other < kept.end; ++other) {
      index const c = column(other);
      before += c < j && (j < i || c > i);
    }
    (j < i ? lower_col(lower_ptr(i) + before) : upper_col(upper_ptr(i) + before)) = j;
  }
  /// Stores all entries of row i, whose columns already ascend.
  KOKKOS_INLINE_FUNCTION void copy(index i, EntryRange<T> const& kept) const {
    offset at_lower = symmetric ? 0 : lower_ptr(i), at_upper = upper_ptr(i);
    for (offset k = kept.begin; k < kept.end; ++k) {
      index const j = matrix.col_idx(k);
      if (j < i && !symmetric) lower_col(at_lower++) = j;
      if (j > i) upper_col(at_upper++) = j;
    }
  }
};

/// Turns counts into offsets; `ptr` has one more element than counts. Returns the total. Fences.
template <class T>
typename T::offset scan_offsets(typename T::exec_space const& exec,
                                Kokkos::View<typename T::offset*, typename T::device> const& ptr) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const size = static_cast<index>(ptr.extent(0) - 1);
  offset total = 0;
  Kokkos::parallel_scan(
      "sptrsv::factorization::scan", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, size + 1),
      KOKKOS_LAMBDA(index i, offset & sum, bool final) {
        offset const count = i < size ? ptr(i) : offset(0);
        if (final) ptr(i) = sum;
        sum += count;
      },
      total);
  exec.fence("sptrsv::factorization: the number of entries is needed to allocate");
  return total;
}

/// Stores all entries; permuted rows on a GPU by several lanes each.
template <class T>
void place_entries(typename T::exec_space const& exec, SplitRows<T> const& split, typename T::index n) {
  using index = typename T::index;
  using offset = typename T::offset;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  if (split.copies() || is_host_space<typename T::exec_space>) {
    Kokkos::parallel_for(
        "sptrsv::factorization::split", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
        KOKKOS_LAMBDA(index i) {
          auto const kept = split.entries(split.row(i));
          if (split.copies()) split.copy(i, kept);
          else
            for (offset k = kept.begin; k < kept.end; ++k) split.place(i, kept, k);
          if (!split.symmetric) split.upper_col(split.upper_ptr(i + 1) - 1) = i;
        });
    return;
  }
  constexpr int lanes = 8, threads = 16;
  auto const teams = static_cast<int>((static_cast<long long>(n) + threads - 1) / threads);
  Kokkos::parallel_for(
      "sptrsv::factorization::split", team_policy(exec, teams, threads, lanes), KOKKOS_LAMBDA(member const& team) {
        long long const position = static_cast<long long>(team.league_rank()) * threads + team.team_rank();
        if (position >= n) return;
        auto const i = static_cast<index>(position);
        auto const kept = split.entries(split.row(i));
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, kept.begin, kept.end),
                             [&](offset k) { split.place(i, kept, k); });
        Kokkos::single(Kokkos::PerThread(team), [&]() {
          if (!split.symmetric) split.upper_col(split.upper_ptr(i + 1) - 1) = i;
        });
      });
}

/// Counts the entries of all rows, and returns the first row without a diagonal entry, or n.
template <class T>
typename T::index count_entries(typename T::exec_space const& exec, SplitRows<T> const& split, typename T::index n) {
  using index = typename T::index;
  index missing = n;
  if (n == 0) return missing;
  Kokkos::parallel_reduce(
      "sptrsv::factorization::count_entries", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index i, index & first) {
        if (!split.count(i) && i < first) first = i;
      },
      Kokkos::Min<index>(missing));
  return missing;
}

/// Returns the inverse permutation, from A's columns to new ones; empty without a permutation.
template <class T>
Kokkos::View<typename T::index*, typename T::device> inverse_permutation(typename T::exec_space const& exec,
                                                                         typename T::indices const& perm) {
  using index = typename T::index;
  Kokkos::View<index*, typename T::device> out;
  if (perm.extent(0) == 0) return out;
  out = decltype(out)(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::factorization::new_column")),
      perm.extent(0));
  Kokkos::parallel_for(
      "sptrsv::factorization::new_columns",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(perm.extent(0))),
      KOKKOS_LAMBDA(index j) { out(perm(j)) = j; });
  return out;
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
FactorPatternOf<T> make_level_zero_pattern(typename T::exec_space const& exec, typename T::pattern const& matrix,
                                           typename T::indices const& row_perm, typename T::indices const& col_perm,
                                           bool symmetric, RowPartition const& partition = {}) {
  using offsets = typename SplitRows<T>::offsets;
  using indices = typename SplitRows<T>::indices;
  auto const n = matrix.num_rows();
  auto const rows = static_cast<std::size_t>(n) + 1;
  auto const raw = [&](char const* name) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "sptrsv::factorization::" + std::string(name));
  };
  bool const ascending = require_proper_rows<T>(exec, matrix);
  require_partition<T>(matrix, partition, ascending);
  auto const new_column = inverse_permutation<T>(exec, col_perm);
  SplitRows<T> split{matrix, row_perm, new_column, {}, {}, {}, {}, symmetric, ascending, partition};
  if (!symmetric) split.lower_ptr = offsets(raw("lower_ptr"), rows);
  split.upper_ptr = offsets(raw("upper_ptr"), rows);
  auto const missing = count_entries<T>(exec, split, n);
  if (missing < n) throw MissingDiagonal(missing, "factored");
  auto const columns = [&](char const* name, offsets const& ptr) {
    return indices(raw(name), static_cast<std::size_t>(scan_offsets<T>(exec, ptr)));
  };
  if (!symmetric) split.lower_col = columns("lower_col", split.lower_ptr);
  split.upper_col = columns("upper_col", split.upper_ptr);
  if (n > 0) place_entries<T>(exec, split, n);
  exec.fence("sptrsv::factorization: the pattern is made");
  return as_factor_pattern<T>(split, col_perm);
}

}  // namespace sptrsv::detail
