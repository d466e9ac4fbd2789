// SPDX-License-Identifier: Apache-2.0
// Kernels of `colorset`, which read T in place, and its loop on a host.
#pragma once

#include <algorithm>
#include <vector>

#include "sptrsv/algorithm/colorset/color_sets.hpp"
#include "sptrsv/algorithm/colorset/colorset_tuning.hpp"
#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/triangle/row_loop.hpp"
#include "sptrsv/triangle/row_part.hpp"

namespace sptrsv::detail {

/// Solver of the rows of a set. The lanes of a thread share a row's entries and right-hand sides. The x of other blocks
/// of rows have been stored by earlier kernels, or by this kernel before a barrier. Each lane has stored the x of its
/// own block itself.
template <class T, int K>
struct ColorRows {
  using scalar = typename T::scalar;
  using index = typename T::index;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  Kokkos::View<const index*, typename T::device> block_ptr;  ///< empty: each block is one row
  Kokkos::View<const index*, typename T::device> list;       ///< the row of a position; empty: solve order
  ColumnBlock columns;
  int lanes;
  bool ascending;

  KOKKOS_FORCEINLINE_FUNCTION index row(index p) const {
    return list.data() ? list(p) : row_at<T>(p, rows.num_rows, ascending);
  }

  /// Sums a lane's part of row i: every `parts`th entry; part 0 starts from b.
  KOKKOS_FORCEINLINE_FUNCTION void sum_part(index i, int lane, scalar (&sum)[K]) const {
    int const column = columns.column(lane), part = columns.part(lane), parts = lanes >> columns.bits;
    if (column >= columns.count) return;
    if (part == 0)
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    subtract_row_part(rows, numbers, i, part, parts, [&](index j, int c) { return io.solved(j, column + c); }, sum);
  }
  /// Solves the rows of one block of rows.
  /// @param active  false: the thread has no block; it calls because the sums shuffle among all lanes of its warp
  /// @param longest  number of rows of the launch's longest block of rows
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve(Team const& team, index block, bool active, index longest) const {
    index p = 0, end = 0;
    if (active) {
      p = block_ptr.data() ? block_ptr(block) : block;
      end = block_ptr.data() ? block_ptr(block + 1) : block + 1;
    }
    int const column = columns.column(lane_of(team));
    for (index step = 0; step < longest; ++step, ++p) {
      bool const have = p < end;
      index const i = have ? row(p) : index(0);
      scalar const pivot = have ? numbers.pivot(i) : scalar(1);
      ColumnSums<scalar, K> sums;
      sum_over_parts(team, lanes, columns, sums, [&](int lane, ColumnSums<scalar, K>& part) {
        if (have) sum_part(i, lane, part.value);
      });
      if (!have || column >= columns.count) continue;
      for (int c = 0; c < K; ++c)
        io.solved(i, column + c) = sums.value[c] = numbers.finish(sums.value[c], pivot);  // each lane for itself
      if (!io.out) continue;
      on_first_part(team, columns, [&](int first) {
        for (int c = 0; c < K; ++c) io.emit(i, first + c, sums.value[c]);
      });
    }
  }
};

/// Kernel for one set: its blocks of rows first..last.
template <class T, int K>
struct ColorKernel {
  using index = typename T::index;
  ColorRows<T, K> rows;
  index first, last, longest;
  int blocks_per_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    index const block = first + static_cast<index>(team.league_rank()) * blocks_per_team + team.team_rank();
    rows.solve(team, block, block < last, longest);
  }
};

/// Kernel for small sets first..last, solved one after another by one team.
template <class T, int K>
struct ColorOneTeamKernel {
  using index = typename T::index;
  ColorRows<T, K> rows;
  Kokkos::View<const index*, typename T::device> set_ptr;
  index first, last, longest;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    for (index set = first; set < last; ++set) {
      index const end = set_ptr(set + 1);
      for (index base = set_ptr(set); base < end; base += team.team_size()) {
        index const block = base + team.team_rank();
        rows.solve(team, block, block < end, longest);
      }
      team.team_barrier();
    }
  }
};

/// Launch of one set, or of successive small sets.
template <class Index>
struct ColorLaunch {
  bool one_team;  ///< true: ColorOneTeamKernel; false: ColorKernel
  Index first_set, last_set;
  Index first, last;  ///< blocks of rows
  Index longest;      ///< maximum number of rows of a block
  int lanes;          ///< per block
};

/// Plans one launch per set; successive sets of at most `small` rows share a launch.
template <class T>
std::vector<ColorLaunch<typename T::index>> plan_color_launches(ColorSets<T> const& sets, long long small,
                                                                int most_lanes) {
  using index = typename T::index;
  std::vector<ColorLaunch<index>> launches;
  auto const is_small = [&](index s) { return sets.rows_in_set(s) <= small; };
  for_each_launch(sets.num_sets(), false, is_small, [&](index first, index end) {
    double entries = 0;
    index longest = 1;
    for (index s = first; s < end; ++s) {
      entries += sets.mean_row[static_cast<std::size_t>(s)] * static_cast<double>(sets.rows_in_set(s));
      longest = std::max(longest, sets.longest_block[static_cast<std::size_t>(s)]);
    }
    double const rows = static_cast<double>(sets.position_ptr[end] - sets.position_ptr[first]), mean = entries / rows;
    bool const one_lane = rows > GpuTuning::filling_rows && mean <= ColorSetTuning::one_lane_entries;
    launches.push_back({is_small(first), first, end, sets.set_ptr[first], sets.set_ptr[end], longest,
                        one_lane ? 1 : lanes_per_row(mean, most_lanes)});
  });
  return launches;
}

/// Cursor over positions on a host, for RowLoop. Plain pointers and steps stay in registers while x is written.
template <class T>
struct ColorCursor {
  using index = typename T::index;
  using offset = typename T::offset;

  index p;
  index const* list;  // or null: row `first + step * p`
  index first, step;
  offset const* ends;    // start of row 0
  std::ptrdiff_t along;  // step in `ends` from row to row
  offset front, back;    // diagonal entries to skip
  typename T::scalar const* all;
  offset const* diagonals;         // start of row 0 in the stored T, or its end if the diagonal is last
  std::ptrdiff_t diagonals_along;  // step in `diagonals` from row to row
  offset before;                   // row's offset in `diagonals` minus the position of its diagonal entry

  ColorCursor(OffDiagonals<T> const& rows, TriangleValues<T> const& numbers, index const* row_list, bool ascending,
              index position)
      : p(position),
        list(row_list),
        first(ascending ? 0 : rows.num_rows - 1),
        step(ascending ? 1 : -1),
        ends(rows.row_ptr.data() + (rows.reversed ? rows.num_rows - 1 : 0)),
        along(rows.reversed ? -1 : 1),
        front(rows.front),
        back(rows.back),
        all(numbers.all.data()),
        diagonals(numbers.row_ptr.data() + (numbers.reversed ? rows.num_rows - 1 : 0) +
                  (numbers.diagonal_position == DiagonalPosition::first ? 0 : 1)),
        diagonals_along(numbers.reversed ? -1 : 1),
        before(numbers.diagonal_position == DiagonalPosition::first ? 0 : 1) {}

  KOKKOS_FORCEINLINE_FUNCTION index row() const { return list ? list[p] : first + step * p; }
  KOKKOS_FORCEINLINE_FUNCTION offset begin() const { return ends[along * row()] + front; }
  KOKKOS_FORCEINLINE_FUNCTION offset end() const { return ends[along * row() + 1] - back; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(typename T::scalar const*) const {
    return all[diagonals[diagonals_along * row()] - before];
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() { ++p; }
  KOKKOS_FORCEINLINE_FUNCTION ColorCursor after(index count) const {
    ColorCursor there = *this;
    there.p += count;
    return there;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool differs(ColorCursor const& other) const { return p != other.p; }
};

/// Solves positions first..last by one thread of a host.
template <class T, int K, Access A>
void solve_color_positions(OffDiagonals<T> const& rows, TriangleValues<T> const& numbers, typename T::index const* list,
                           RowIO<T> const& io, bool ascending, typename T::index first, typename T::index last) {
  with_diagonal(numbers.diagonal, [&](auto kind) {
    RowLoop<T, K, A, decltype(kind)::value, ColorCursor<T>> const loop{
        {rows, numbers, list, ascending, first}, rows.col_idx.data(), numbers.off_diagonal.data(), io, numbers.conj};
    if (rows.backward) loop.template gather<-1>(last - first);
    else loop.template gather<1>(last - first);
  });
}

}  // namespace sptrsv::detail
