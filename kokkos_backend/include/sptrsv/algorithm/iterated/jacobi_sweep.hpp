// SPDX-License-Identifier: Apache-2.0
// Kernel of `iterated`: one Jacobi sweep with a triangle.
#pragma once

#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/triangle/row_part.hpp"

namespace sptrsv::detail {

/// Computes D^-1 b for the columns of a pass, where D is the diagonal of op(T).
/// @param to  n-by-columns.count, row by row; or null: results go to the caller's x and `out`
template <class T>
void divide_by_diagonal(typename T::exec_space const& exec, TriangleValues<T> const& numbers, RowIO<T> const& io,
                        ColumnBlock const& columns, typename T::scalar* to) {
  long long const count = columns.count, size = static_cast<long long>(numbers.num_rows) * count;
  auto const divide = KOKKOS_LAMBDA(long long e) {
    auto const i = static_cast<typename T::index>(e / count);
    auto const c = static_cast<int>(e % count);
    typename T::scalar const value = numbers.finish(io.load(i, c), numbers.pivot(i));
    if (to) to[e] = value;
    else io.store(i, c, value);
  };
  for_range("sptrsv::iterated::divide", exec, size, size, divide);
}

/// Kernel of x_new = D^-1 (b - N x_old), where D is the diagonal of op(T) and N = op(T) - D, for the columns of a pass.
/// Reads b in each row and x_old where N has entries. On a GPU the lanes of a thread share a row's entries and columns.
template <class T, int K>
struct JacobiSweep {
  using scalar = typename T::scalar;
  using index = typename T::index;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  scalar const* x_old;  ///< n-by-columns.count, row by row
  scalar* x_new;        ///< like x_old; or null: results go to the caller's x and `out`
  ColumnBlock columns;
  long long entries;  ///< T's entries
  int lanes = 1, rows_per_team = 1;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t position(index i, int c) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns.count) + static_cast<std::size_t>(c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_part(index i, int column, int part, int parts, scalar (&sum)[K]) const {
    if (part == 0)
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    subtract_row_part(
        rows, numbers, i, part, parts, [&](index j, int c) { return x_old[position(j, column + c)]; }, sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(index i, int column, scalar pivot, scalar const (&sum)[K]) const {
    for (int c = 0; c < K; ++c) {
      scalar const value = numbers.finish(sum[c], pivot);
      if (x_new) x_new[position(i, column + c)] = value;
      else io.store(i, column + c, value);
    }
  }
  KOKKOS_FUNCTION void operator()(index i) const {
    scalar sum[K];
    add_part(i, 0, 0, 1, sum);
    store(i, 0, numbers.pivot(i), sum);
  }
  template <class Team, class = typename Team::scratch_memory_space>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    index const i = static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    bool const active = i < rows.num_rows;
    scalar const pivot = active ? numbers.pivot(i) : scalar(1);
    ColumnSums<scalar, K> sums;
    sum_over_parts(team, lanes, columns, sums, [&](int lane, ColumnSums<scalar, K>& mine) {
      int const column = columns.column(lane);
      if (active && column < columns.count) add_part(i, column, columns.part(lane), lanes >> columns.bits, mine.value);
    });
    on_first_part(team, columns, [&](int column) {
      if (active) store(i, column, pivot, sums.value);
    });
  }

  void launch(typename T::exec_space const& exec) {
    using space = typename T::exec_space;
    char const* const label = "sptrsv::iterated::sweep";
    if constexpr (columns_on_lanes<space>) {
      Kokkos::parallel_for(label, wide_set_policy(exec, rows.num_rows, rows_per_team, rows_per_team, lanes), *this);
    } else {
      for_range(label, exec, rows.num_rows, entries * columns.count, *this);
    }
  }
};

}  // namespace sptrsv::detail
