// SPDX-License-Identifier: Apache-2.0
// A copy of op(T)'s rows in level order, and the loop over it on a host.
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

namespace sptrsv::detail {

/// A copy of op(T)'s rows in level order. Position p is row `row(p)`; columns keep their numbers on a host, and are
/// positions on a GPU.
template <class T>
struct LevelOrder {
  Kokkos::View<typename T::offset*, typename T::device> row_ptr;   // n+1, by position
  Kokkos::View<const typename T::index*, typename T::device> row;  // n
  Kokkos::View<typename T::index*, typename T::device> col_idx;
  Kokkos::View<typename T::scalar*, typename T::device> values;
  Kokkos::View<typename T::scalar*, typename T::device>
      diagonal;           // n, as Numbers::pivot(), or none for a unit diagonal
  JointMemory<T> memory;  // of all but `row`

  /// Without `row`, which may be the analysis' own.
  std::size_t memory_bytes() const { return memory.bytes(); }
};

/// Arrays for n rows with so many off-diagonals.
template <class T>
LevelOrder<T> allocate_level_order(std::size_t n, std::size_t entries, bool unit) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  LevelOrder<T> out;
  std::size_t const pivots = unit ? 0 : n, values = out.memory.template append<scalar>(entries),
                    diagonal = out.memory.template append<scalar>(pivots),
                    row_ptr = out.memory.template append<offset>(n + 1),
                    col_idx = out.memory.template append<index>(entries);
  out.memory.allocate("sptrsv::level_set::order");
  out.values = out.memory.template view<scalar>(values, entries);
  out.diagonal = out.memory.template view<scalar>(diagonal, pivots);
  out.row_ptr = out.memory.template view<offset>(row_ptr, n + 1);
  out.col_idx = out.memory.template view<index>(col_idx, entries);
  return out;
}

/// @param level_rows  the rows level by level
/// @param entries     off-diagonals of all rows
template <class T>
LevelOrder<T> order_rows(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows,
                         Kokkos::View<const typename T::index*, typename T::device> const& level_rows,
                         long long entries, bool unit) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  auto out = allocate_level_order<T>(static_cast<std::size_t>(rows.num_rows), static_cast<std::size_t>(entries), unit);
  out.row = level_rows;
  auto const row_ptr = out.row_ptr;
  auto const row = out.row;
  index const n = rows.num_rows;
  scan_before<T, offset>(
      "sptrsv::level_set::count", exec, work, n, row_ptr, KOKKOS_LAMBDA(index p) { return rows.count(row(p)); });
  auto const col_idx = out.col_idx;
  Kokkos::parallel_for(
      "sptrsv::level_set::order", with_arguments_in_launch(policy(exec, 0, rows.num_rows)), KOKKOS_LAMBDA(index p) {
        offset k = rows.first(row(p));
        for (offset to = row_ptr(p); to < row_ptr(p + 1); ++to, k += rows.step()) col_idx(to) = rows.col_idx(k);
      });
  return out;
}

template <class T>
void fill_values(typename T::exec_space const& exec, OffDiagonals<T> const& rows, Numbers<T> const& numbers,
                 LevelOrder<T> const& to) {
  using index = typename T::index;
  Kokkos::parallel_for(
      "sptrsv::level_set::update",
      with_arguments_in_launch(Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows)),
      KOKKOS_LAMBDA(index p) {
        index const i = to.row(p);
        typename T::offset k = rows.first(i);
        for (typename T::offset at = to.row_ptr(p); at < to.row_ptr(p + 1); ++at, k += rows.step())
          to.values(at) = conjugate_if(numbers.all(rows.source_of(k)), numbers.conj);
        if (to.diagonal.extent(0) > 0) to.diagonal(p) = numbers.pivot(i);
      });
}

/// Host: the rows level by level, those of a level by their number of entries, so that a core seldom mispredicts where
/// a row ends (copter2: 1.7 times faster). In levels of a few rows there is nothing to win, and they stay as they are.
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

/// Positions of a LevelOrder one after the other.
template <class T>
struct LevelCursor {
  typename T::index const* rows;
  typename T::offset const* ends;
  typename T::scalar const* diagonals;

  KOKKOS_FORCEINLINE_FUNCTION typename T::index row() const { return *rows; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset begin() const { return ends[0]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset end() const { return ends[1]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(typename T::scalar const*) const { return *diagonals; }
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

/// Host: positions first..last by one thread.
template <class T, int K, Access A>
void solve_positions(LevelOrder<T> const& order, RowIO<T> const& io, Diagonal diagonal, typename T::index first,
                     typename T::index last) {
  auto const run = [&](auto kind) {
    RowLoop<T, K, A, decltype(kind)::value, LevelCursor<T>>{
        {order.row.data() + first, order.row_ptr.data() + first, order.diagonal.data() + first},
        order.col_idx.data(),
        order.values.data(),
        io,
        false}
        .template gather<1>(last - first);
  };
  if (diagonal == Diagonal::unit) run(std::integral_constant<Diagonal, Diagonal::unit>{});
  else if (diagonal == Diagonal::inverted) run(std::integral_constant<Diagonal, Diagonal::inverted>{});
  else run(std::integral_constant<Diagonal, Diagonal::stored>{});
}

}  // namespace sptrsv::detail
