// SPDX-License-Identifier: Apache-2.0
// A warp per row: the row-owned kernel of `syncfree`, and of long rows in `fused`.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Kernel in which the lanes of a thread, a warp on a GPU, share one row and its columns. Each lane waits only for its
/// own entries, which are rows of other warps.
template <class T, int K>
struct WarpPerRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using real = typename SolvedSlots<scalar, K>::real;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  SolvedSlots<scalar, K> slots;
  ColumnBlock columns;
  int lanes;
  bool ascending;

  /// Sums a lane's part of row i: every `parts`th entry for the lane's columns; part 0 starts from b.
  KOKKOS_FORCEINLINE_FUNCTION void sum_part(index i, int lane, scalar (&sum)[K]) const {
    int const column = columns.column(lane), part = columns.part(lane), parts = lanes >> columns.bits;
    if (column >= columns.count) return;
    if (part == 0)
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    using terms_type = Terms<scalar, K>;
    auto const mine = slots.column(column);
    offset const step = parts * rows.step();
    offset k = rows.first(i) + part * rows.step();
    for (offset left = rows.count(i) - part; left > 0;
         left -= terms_type::batch * parts, k += terms_type::batch * step) {
      terms_type terms;
      for (int u = 0; u < terms_type::batch; ++u)
        if (u * parts < left) {
          terms.at[u] = mine.at(rows.col_idx(k + u * step));
          terms.value[u] = numbers.entry(k + u * step);
        }
      terms.await_and_subtract(sum, [](real const* at, scalar(&x)[K]) { SolvedSlots<scalar, K>::poll(at, x); }, i);
    }
  }
  /// Solves row s of the solve order by all lanes of the thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_row(Team const& team, index s) const {
    index const i = ascending ? s : rows.num_rows - 1 - s;
    scalar const pivot = numbers.pivot(i);
    auto const own = slots.column(columns.column(lane_of(team))).from(i);
    ColumnSums<scalar, K> sums;
    sum_over_parts(team, lanes, columns, sums,
                   [&](int lane, ColumnSums<scalar, K>& part) { sum_part(i, lane, part.value); });
    on_first_part(team, columns, [&](int column) {
      for (int c = 0; c < K; ++c) sums.value[c] = numbers.finish(sums.value[c], pivot);
      own.publish(0, sums.value);
      for (int c = 0; c < K; ++c) io.store(i, column + c, sums.value[c]);
      own.reset_next(0);
    });
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) { solve_row(team, s); });
  }
};

}  // namespace sptrsv::detail
