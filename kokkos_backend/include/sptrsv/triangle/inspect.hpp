// SPDX-License-Identifier: Apache-2.0
// One pass over a pattern: whether it is a triangle, where its diagonal is, its longest row.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "sptrsv/device/small_range.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// Result of inspect(): counts and, for each kind of error, the first bad row, or n.
struct PatternFacts {
  long long with_diagonal = 0, diagonal_first = 0, diagonal_last = 0, longest = 0;
  long long bad_offsets = 0, bad_columns = 0, without_diagonal = 0, wrong_side = 0;
  long long first_entry = 0, behind_last_entry = 0;
};

/// Limits on a GPU: each team searches `rows_of_team` rows for those of more than `row_for_team` entries, and reads
/// these. One thread would take 5 ms for the longest row of kkt_BOYD1 (93,276 entries) on an NVIDIA H200.
struct InspectTuning {
  static constexpr long long row_for_team = 256;
  static constexpr int rows_of_team = 8, team_threads = 128;
};

/// Facts about the columns of a row or a part of it.
template <class Index>
struct ColumnFacts {
  int diagonals = 0;
  bool valid = true, right_side = true;

  KOKKOS_FORCEINLINE_FUNCTION void add(Index i, Index j, Index n, bool lower) {
    valid = valid && j >= 0 && j < n;
    diagonals += j == i;
    right_side = right_side && (lower ? j <= i : j >= i);
  }
};

/// Kernel that inspects rows too long for a thread, and combines the results by atomics.
template <class T>
struct InspectLongRows {
  using index = typename T::index;
  typename T::pattern pattern;
  Kokkos::View<long long*, typename T::device> facts;  // out: num_facts numbers, see the enumerators
  bool lower;

  /// Positions in `facts`: number of rows with a diagonal; first row with a bad column, without a diagonal, and with an
  /// entry on the wrong side.
  enum { with, bad_columns, without, wrong_side, num_facts };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    index const n = static_cast<index>(pattern.row_ptr.extent(0)) - 1, width = InspectTuning::rows_of_team;
    auto const first = static_cast<index>(static_cast<index>(team.league_rank()) * width);
    index const last = n - first < width ? n : first + width;
    long long have = 0;
    for (index r = first; r < last; ++r) {
      auto const begin = pattern.row_ptr(r), end = pattern.row_ptr(r + 1);
      if (static_cast<long long>(end) - static_cast<long long>(begin) > InspectTuning::row_for_team)
        have += row(team, pattern.row_order == RowOrder::reversed ? n - 1 - r : r, n, begin, end);
    }
    if (have > 0) Kokkos::single(Kokkos::PerTeam(team), [&]() { fetch_add(&facts(with), have); });
  }
  /// Returns the number of rows with a diagonal: 0 or 1.
  template <class Team>
  KOKKOS_FUNCTION int row(Team const& team, index i, index n, typename T::offset begin, typename T::offset end) const {
    using offset = typename T::offset;
    offset const parts = static_cast<offset>(team.team_size());
    ColumnFacts<index> mine;
    for (offset k = begin + static_cast<offset>(team.team_rank()); k < end; k += parts)
      mine.add(i, pattern.col_idx(k), n, lower);
    // three counts in one sum; threads, and diagonal entries of a thread that matter, are fewer than `base`
    constexpr int base = 1 << 10;
    int const some = mine.diagonals < 2 ? mine.diagonals : 2,
              value = (!mine.valid * base + !mine.right_side) * base + some;
    int all = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, team.team_size()), [&](int, int& sum) { sum += value; }, all);
    int const invalid = all / base / base, wrong = all / base % base, diagonals = all % base;
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      auto const here = static_cast<long long>(i);
      if (invalid > 0) Kokkos::atomic_min(&facts(bad_columns), here);
      if (diagonals == 0) Kokkos::atomic_min(&facts(without), here);
      if (wrong > 0 || diagonals > 1) Kokkos::atomic_min(&facts(wrong_side), here);
    });
    return diagonals > 0;
  }
};

/// Inspects the columns of long rows, and adds the results to `facts`. Fences.
/// @pre row_ptr has no bad row.
template <class T>
void inspect_long_rows(typename T::exec_space const& exec, Workspace<T>& work, typename T::pattern const& p, bool lower,
                       PatternFacts& facts) {
  using Inspect = InspectLongRows<T>;
  auto const n = static_cast<long long>(p.num_rows());
  typename Workspace<T>::Scope const scope(work);
  Inspect const inspect{p, work.template take<long long>(Inspect::num_facts), lower};
  Kokkos::View<long long[Inspect::num_facts], Kokkos::HostSpace> found("sptrsv::analysis::facts");
  found(Inspect::with) = 0;
  for (int k : {Inspect::bad_columns, Inspect::without, Inspect::wrong_side}) found(k) = n;
  Kokkos::deep_copy(exec, inspect.facts, found);
  auto const teams = static_cast<int>((n - 1) / InspectTuning::rows_of_team + 1);
  Kokkos::parallel_for("sptrsv::analysis::inspect_long_rows", team_policy(exec, teams, InspectTuning::team_threads, 1),
                       inspect);
  Kokkos::deep_copy(exec, found, inspect.facts);
  exec.fence("sptrsv::analysis: what the pattern shows is judged on the host");
  facts.with_diagonal += found(Inspect::with);
  facts.bad_columns = std::min(facts.bad_columns, found(Inspect::bad_columns));
  facts.without_diagonal = std::min(facts.without_diagonal, found(Inspect::without));
  facts.wrong_side = std::min(facts.wrong_side, found(Inspect::wrong_side));
}

/// Inspects a pattern in one pass with a thread per row; on a GPU a second pass reads long rows. Columns of a row are
/// read only if its offsets are valid.
template <class T>
PatternFacts inspect(typename T::exec_space const& exec, [[maybe_unused]] Workspace<T>& work,
                     typename T::pattern const& p, bool lower) {
  using index = typename T::index;
  using minimum = Kokkos::Min<long long>;
  using sum = Kokkos::Sum<long long>;
  constexpr bool host = is_host_space<typename T::exec_space>;
  index const n = p.num_rows();
  auto const row_ptr = p.row_ptr;
  auto const col_idx = p.col_idx;
  auto const capacity = static_cast<long long>(col_idx.extent(0));
  bool const reversed = p.row_order == RowOrder::reversed;
  PatternFacts facts;
  if (n == 0) return facts;
  auto const look = KOKKOS_LAMBDA(index r, long long& with, long long& first, long long& last, long long& longest,
                                  long long& bad_offsets, long long& bad_columns, long long& without,
                                  long long& wrong_side, long long& first_entry, long long& behind_last) {
    index const i = reversed ? n - 1 - r : r;
    auto const begin = row_ptr(r), end = row_ptr(r + 1);
    if (begin < 0 || begin > end || static_cast<long long>(end) > capacity) {
      if (i < bad_offsets) bad_offsets = i;
      return;
    }
    if (r == 0) first_entry = begin;
    if (r == n - 1) behind_last = end;
    auto const length = static_cast<long long>(end - begin);
    if (length > longest) longest = length;
    first += begin < end && col_idx(begin) == i;
    last += begin < end && col_idx(end - 1) == i;
    if (!host && length > InspectTuning::row_for_team) return;
    ColumnFacts<index> columns;
    for (auto k = begin; k < end; ++k) columns.add(i, col_idx(k), n, lower);
    if (!columns.valid && i < bad_columns) bad_columns = i;
    if (columns.diagonals == 0 && i < without) without = i;
    if ((!columns.right_side || columns.diagonals > 1) && i < wrong_side) wrong_side = i;
    with += columns.diagonals > 0;
  };
  with_range(exec, n, capacity, [&](auto const& rows) {
    Kokkos::parallel_reduce("sptrsv::analysis::inspect", rows, look, sum(facts.with_diagonal),
                            sum(facts.diagonal_first), sum(facts.diagonal_last), Kokkos::Max<long long>(facts.longest),
                            minimum(facts.bad_offsets), minimum(facts.bad_columns), minimum(facts.without_diagonal),
                            minimum(facts.wrong_side), sum(facts.first_entry), sum(facts.behind_last_entry));
  });
  // a reduction to host values fences
  if constexpr (!host)
    if (facts.bad_offsets >= n && facts.longest > InspectTuning::row_for_team)
      inspect_long_rows<T>(exec, work, p, lower, facts);
  return facts;
}

}  // namespace sptrsv::detail
