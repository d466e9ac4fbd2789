// SPDX-License-Identifier: Apache-2.0
// Copy of op(T)'s rows in level order, and the loop over it on a host.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/row_loop.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Copy of op(T)'s rows in level order: position p holds row `row(p)`. Columns are rows on a host, positions on a GPU.
template <class T>
struct LevelOrder {
  Kokkos::View<typename T::offset*, typename T::device> row_ptr;   // n+1, by position
  Kokkos::View<const typename T::index*, typename T::device> row;  // n
  Kokkos::View<typename T::index*, typename T::device> col_idx;
  StoredValues<T> values;
  Kokkos::View<typename T::scalar*, typename T::device> diagonal;  // n, as pivot() returns; empty for a unit diagonal
  Kokkos::View<typename T::index*, typename T::device> long_rows;  // GPU: positions of rows that a team copies
  JointMemory<T> memory;                                           // of all except `row` and `long_rows`

  /// Returns the bytes without `row`, which may belong to the analysis.
  std::size_t memory_bytes() const { return memory.bytes() + long_rows.span() * sizeof(typename T::index); }
};

template <class T>
LevelOrder<T> allocate_level_order(std::size_t n, std::size_t entries, bool unit, Storage storage) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  LevelOrder<T> out;
  StoredLayout<T> const values(out.memory, storage, entries);
  std::size_t const pivots = unit ? 0 : n, diagonal = out.memory.template append<scalar>(pivots),
                    row_ptr = out.memory.template append<offset>(n + 1),
                    col_idx = out.memory.template append<index>(entries);
  out.memory.allocate("sptrsv::level_set::order");
  out.values = values.view(out.memory);
  out.diagonal = out.memory.template view<scalar>(diagonal, pivots);
  out.row_ptr = out.memory.template view<offset>(row_ptr, n + 1);
  out.col_idx = out.memory.template view<index>(col_idx, entries);
  return out;
}

/// Calls of_row(p, i) for row i at each position p, and of_entry(to, from) for each entry, with its offset in the order
/// and in op(T).
template <class T, class OfRow, class OfEntry>
void for_all_entries(char const* label, typename T::exec_space const& exec, OffDiagonals<T> const& rows,
                     LevelOrder<T> const& order, OfRow const& of_row, OfEntry const& of_entry) {
  using index = typename T::index;
  using offset = typename T::offset;
  using teams = Kokkos::TeamPolicy<typename T::exec_space>;
  bool const any_long = order.long_rows.extent(0) > 0;
  Kokkos::parallel_for(
      label, with_arguments_in_launch(Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows)),
      KOKKOS_LAMBDA(index p) {
        index const i = order.row(p);
        of_row(p, i);
        offset const end = order.row_ptr(p + 1);
        offset to = order.row_ptr(p);
        if (any_long && end - to > LevelSetTuning::long_row) return;
        for (offset k = rows.first(i); to < end; ++to, k += rows.step()) of_entry(to, k);
      });
  if (!any_long) return;
  Kokkos::parallel_for(
      label, team_policy(exec, static_cast<int>(order.long_rows.extent(0)), LevelSetTuning::long_row_threads, 1),
      KOKKOS_LAMBDA(typename teams::member_type const& team) {
        index const p = order.long_rows(team.league_rank()), i = order.row(p);
        offset const to = order.row_ptr(p), from = rows.first(i), step = rows.step();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, order.row_ptr(p + 1) - to),
                             [&](offset e) { of_entry(to + e, from + e * step); });
      });
}

/// Lists the rows with too many entries for one thread to copy.
template <class T>
void list_long_rows(typename T::exec_space const& exec, Workspace<T>& work, LevelOrder<T>& order) {
  using index = typename T::index;
  auto const n = static_cast<index>(order.row.extent(0));
  auto const row_ptr = order.row_ptr;
  typename Workspace<T>::Scope const scope(work);
  auto const before = work.template take<index>(static_cast<std::size_t>(n) + 1);
  auto const is_long = KOKKOS_LAMBDA(index p) { return row_ptr(p + 1) - row_ptr(p) > LevelSetTuning::long_row; };
  auto const count = sum_before<T, index>("sptrsv::level_set::long_rows", exec, work, n, before, is_long);
  auto const list = decltype(order.long_rows)(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::level_set::long_rows")),
      static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "sptrsv::level_set::long_rows", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index p) {
        if (is_long(p)) list(before(p)) = p;
      });
  order.long_rows = list;
}

/// Copies the pattern of op(T).
/// @param level_rows  the rows level by level
template <class T>
LevelOrder<T> order_rows(typename T::exec_space const& exec, Analysis<T> const& analysis,
                         Kokkos::View<const typename T::index*, typename T::device> const& level_rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const rows = analysis.rows(exec);
  auto& work = analysis.workspace();
  auto out = allocate_level_order<T>(static_cast<std::size_t>(rows.num_rows),
                                     static_cast<std::size_t>(analysis.num_off_diagonals()),
                                     analysis.shape().diagonal == Diagonal::unit, analysis.storage());
  out.row = level_rows;
  auto const row_ptr = out.row_ptr;
  auto const row = out.row;
  index const n = rows.num_rows;
  scan_before<T, offset>(
      "sptrsv::level_set::count", exec, work, n, row_ptr, KOKKOS_LAMBDA(index p) { return rows.count(row(p)); });
  if (!runs_inline<typename T::exec_space> && analysis.longest_row_of_op(exec) > LevelSetTuning::long_row)
    list_long_rows<T>(exec, work, out);
  auto const col_idx = out.col_idx;
  for_all_entries<T>(
      "sptrsv::level_set::order", exec, rows, out, KOKKOS_LAMBDA(index, index){},
      KOKKOS_LAMBDA(offset to, offset from) { col_idx(to) = rows.col_idx(from); });
  return out;
}

/// Copies the values. @throws SingleRange
template <class T>
void fill_values(typename T::exec_space const& exec, OffDiagonals<T> const& rows, TriangleValues<T> const& numbers,
                 Shape const& shape, LevelOrder<T> const& to) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const values = to.values;
  auto const diagonal = to.diagonal;
  values.begin(exec);
  for_all_entries<T>(
      "sptrsv::level_set::update", exec, rows, to,
      KOKKOS_LAMBDA(index p, index i) {
        if (diagonal.extent(0) > 0) diagonal(p) = numbers.pivot(i);
      },
      KOKKOS_LAMBDA(offset at, offset k) {
        values.set(at, conjugate_if(numbers.all(rows.source_of(k)), numbers.conj));
      });
  require_stored<T>(exec, values, rows, numbers, shape);
}

/// Returns the rows level by level on a host, sorted by length in a level, so that a core seldom mispredicts the end of
/// a row (copter2: 1.7 times faster). Levels of a few rows gain nothing and stay unsorted.
template <class T>
Kokkos::View<typename T::index*, typename T::device> rows_by_level_and_length(typename T::exec_space const& exec,
                                                                              OffDiagonals<T> const& rows,
                                                                              LevelSets<T> const& sets) {
  using index = typename T::index;
  constexpr int lengths = LevelSetTuning::sorted_lengths;
  constexpr auto least = static_cast<index>(LevelSetTuning::sorted_from);
  index const* const level_ptr = sets.level_ptr.data();
  Kokkos::View<index*, typename T::device> const sorted(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::level_set::rows")),
      static_cast<std::size_t>(rows.num_rows));
  auto const level_rows = sets.level_rows;
  Kokkos::parallel_for(
      "sptrsv::level_set::sort",
      Kokkos::RangePolicy<typename T::exec_space, Kokkos::Schedule<Kokkos::Dynamic>, index>(exec, 0, sets.num_levels()),
      [=](index l) {
        index const* const begin = level_rows.data() + level_ptr[l];
        index const* const end = level_rows.data() + level_ptr[l + 1];
        index* const out = sorted.data() + level_ptr[l];
        if (end - begin < least) {
          std::copy(begin, end, out);
          return;
        }
        auto const length = [&](index i) {
          return static_cast<int>(std::min<typename T::offset>(rows.count(i), lengths - 1));
        };
        index next[lengths + 1] = {};
        for (index const* p = begin; p < end; ++p) ++next[length(*p) + 1];
        for (int c = 0; c < lengths; ++c) next[c + 1] += next[c];
        for (index const* p = begin; p < end; ++p) out[next[length(*p)]++] = *p;
      });
  exec.fence("sptrsv::level_set: level_ptr on the host has been read");
  return sorted;
}

template <class T>
struct LevelCursor {
  typename T::index const* rows;
  typename T::offset const* ends;
  typename T::scalar const* diagonals;

  KOKKOS_FORCEINLINE_FUNCTION typename T::index row() const { return *rows; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset begin() const { return ends[0]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset end() const { return ends[1]; }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(V const*) const {
    return *diagonals;
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    ++rows;
    ++ends;
    ++diagonals;
  }
  KOKKOS_FORCEINLINE_FUNCTION LevelCursor after(typename T::index count) const {
    return {rows, ends + count, diagonals};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool differs(LevelCursor const& other) const { return ends != other.ends; }
};

/// Solves positions first..last by one thread of a host.
template <class T, int K, Access A>
void solve_positions(LevelOrder<T> const& order, RowIO<T> const& io, Diagonal diagonal, typename T::index first,
                     typename T::index last) {
  auto const run = [&](auto kind) {
    order.values.with_array([&](auto const& values) {
      using value = typename std::decay_t<decltype(values)>::value_type;
      // rounded values share one loop, to compile fewer
      constexpr Access access = std::is_same_v<value, typename T::scalar> ? A : Access::any;
      RowLoop<T, K, access, decltype(kind)::value, LevelCursor<T>, value>{
          {order.row.data() + first, order.row_ptr.data() + first, order.diagonal.data() + first},
          order.col_idx.data(),
          values.data(),
          io,
          false}
          .template gather<1>(last - first);
    });
  };
  if (diagonal == Diagonal::unit) run(std::integral_constant<Diagonal, Diagonal::unit>{});
  else if (diagonal == Diagonal::inverted) run(std::integral_constant<Diagonal, Diagonal::inverted>{});
  else run(std::integral_constant<Diagonal, Diagonal::stored>{});
}

}  // namespace sptrsv::detail
