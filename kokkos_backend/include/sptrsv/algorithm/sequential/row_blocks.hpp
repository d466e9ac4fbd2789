// SPDX-License-Identifier: Apache-2.0
// Blocks of consecutive rows with the same columns outside of the block (PETSc's inodes), solved together by one
// thread: each column index and x is read once per block, and the rows' sums are independent.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sptrsv/algorithm/sequential/sequential_tuning.hpp"
#include "sptrsv/device/compiler.hpp"
#include "sptrsv/triangle/row_loop.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Returns the number of columns that row i, solved right after row prev, adds to prev's columns: 1 if that is prev
/// itself, last in a lower triangle and first in an upper one; 0 if the columns are equal, in the same order; -1 if
/// other columns differ.
template <class T>
int added_columns(OffDiagonals<T> const& rows, typename T::index prev, typename T::index i, bool ascending) {
  auto const common = rows.count(prev), added = rows.count(i) - common;
  if (added != 0 && added != 1) return -1;
  auto const* mine = rows.col_idx.data() + rows.begin(i);
  auto const* theirs = rows.col_idx.data() + rows.begin(prev);
  if (added == 1 && mine[ascending ? common : 0] != prev) return -1;
  mine += ascending ? 0 : added;
  for (typename T::offset k = 0; k < common; ++k)
    if (mine[k] != theirs[k]) return -1;
  return static_cast<int>(added);
}

/// Returns the lengths of the blocks of rows on a host: element s is the number of rows of the block that starts at
/// position s of the solve order, 0 inside a block. Empty if blocks are too rare to pay.
template <class T>
std::vector<std::uint8_t> find_row_blocks(OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  index const n = rows.num_rows;
  auto const row = [&](index s) { return ascending ? s : n - 1 - s; };
  std::vector<std::uint8_t> length(static_cast<std::size_t>(n), 0);
  long long blocks = 0;
  for (index s = 0; s < n; ++blocks) {
    int size = 1, of_block = 0;  // columns that each row adds
    for (; size < SequentialTuning::block_rows && s + size < n; ++size) {
      int const added = added_columns(rows, row(s + size - 1), row(s + size), ascending);
      if (added < 0 || (size > 1 && added != of_block)) break;
      of_block = added;
    }
    length[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(size);
    s += size;
  }
  if (static_cast<double>(n) < std::floor(SequentialTuning::rows_per_block * static_cast<double>(blocks)))
    length.clear();
  return length;
}

/// Solves the M rows of the block at position s. A row's terms outside the block come first, those inside last: the
/// order of its sum in a lower triangle (Step 1), and in an upper one that is summed backward (Step -1). Other
/// triangles must not use blocks. Prefetches the next block's values: a block reads a stream per row, too many for a
/// core's prefetcher.
/// @param x       contiguous
/// @param finish  finish(i, sum) performs the last step of row i
template <int M, int Step, class T, class Load, class Finish>
SPTRSV_APART void solve_block(OffDiagonals<T> const& rows, typename T::scalar const* values, typename T::scalar* x,
                              typename T::index s, Load const& load, Finish const& finish) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  constexpr bool ascending = Step > 0;
  index i[M];
  scalar const* a[M];       // values of the common columns, in the order of the sum
  scalar const* inside[M];  // values of the columns inside the block
  scalar sum[M];
  std::ptrdiff_t const begin = rows.begin(s = ascending ? s : rows.num_rows - 1 - s), common = rows.count(s),
                       last = ascending ? 0 : common - 1;
  bool const nested = M > 1 && rows.count(s + (M > 1 ? Step : 0)) > common;  // each row has those before it
  for (int r = 0; r < M; ++r) {
    i[r] = s + Step * r;
    a[r] = values + rows.begin(i[r]) + (ascending ? 0 : (nested ? r : 0) + last);
    inside[r] = a[r] + Step * common;
    sum[r] = load(i[r]);
  }
  index const* const columns = rows.col_idx.data() + begin + last;
  // position of the next block, if it has the same size
  bool const along = ascending != rows.reversed;
  std::ptrdiff_t const ahead = (along ? M : -M) * common;
  scalar const* const next_a = a[along == ascending ? 0 : M - 1] + ahead;
  index const* const next_columns = columns + ahead;
  for (std::ptrdiff_t k = 0; k < common; ++k) {
    prefetch(next_a + Step * M * k);
    scalar const xj = x[columns[Step * k]];
    for (int r = 0; r < M; ++r) sum[r] -= a[r][Step * k] * xj;
  }
  prefetch(next_columns);
  for (int r = 0; r < M; ++r) {
    for (int q = 0; nested && q < r; ++q) sum[r] -= inside[r][Step * q] * x[i[q]];
    finish(i[r], sum[r]);
  }
}

}  // namespace sptrsv::detail
