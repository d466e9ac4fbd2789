// SPDX-License-Identifier: Apache-2.0
// Blocks of consecutive rows with the same columns (PETSc's inodes), solved together by one thread: each
// column index and x is read once for the block, and the rows' sums do not wait for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "sptrsv/analysis/rows.hpp"

namespace sptrsv::detail {

inline constexpr int max_block_rows = 4;

/// Host only. length[s] is the number of rows of the block that starts at position s of the solve
/// order, 0 inside a block. Empty if blocks are too rare to pay.
template <class T>
struct RowBlocks {
  std::vector<std::uint8_t> length;

  bool worth_it() const { return !length.empty(); }
};

/// Whether row i, solved right after row prev, has prev's columns and prev itself, in the sorted order:
/// prev comes last in a lower triangle and first in an upper one.
template <class T>
bool continues_block(OffDiagonals<T> const& rows, typename T::index prev, typename T::index i, bool ascending) {
  auto const common = rows.count(prev);
  if (rows.count(i) != common + 1) return false;
  auto const* mine = rows.col_idx.data() + rows.begin(i);
  auto const* theirs = rows.col_idx.data() + rows.begin(prev);
  if (mine[ascending ? common : 0] != prev) return false;
  mine += ascending ? 0 : 1;
  for (typename T::offset k = 0; k < common; ++k)
    if (mine[k] != theirs[k]) return false;
  return true;
}

template <class T>
RowBlocks<T> find_row_blocks(OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  index const n = rows.num_rows;
  auto const row = [&](index s) { return ascending ? s : n - 1 - s; };
  RowBlocks<T> out;
  out.length.assign(static_cast<std::size_t>(n), 0);
  index blocks = 0;
  for (index s = 0; s < n; ++blocks) {
    int size = 1;
    while (size < max_block_rows && s + size < n && continues_block(rows, row(s + size - 1), row(s + size), ascending)) ++size;
    out.length[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(size);
    s += size;
  }
  if (n < blocks + blocks / 2) out.length.clear();  // fewer than one and a half rows a block
  return out;
}

/// Solves the M rows from position s on; x in consecutive words, the last step of each row by
/// finish(i, sum). A row's terms outside the block come first, those inside last: the order of its sum
/// in a lower triangle, and in an upper one that is summed backward; for others use no blocks.
template <int M, class T, class Load, class Finish>
inline void solve_block(OffDiagonals<T> const& rows, typename T::scalar const* values, typename T::scalar* x,
                        typename T::index s, bool ascending, Load const& load, Finish const& finish) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  index i[M];
  scalar const* a[M];       // values of the common columns
  scalar const* inside[M];  // values of the columns inside the block
  scalar sum[M];
  for (int r = 0; r < M; ++r) {
    i[r] = ascending ? s + r : rows.num_rows - 1 - s - r;
    a[r] = values + rows.begin(i[r]) + (ascending ? 0 : r);
    sum[r] = load(i[r]);
  }
  offset const common = rows.count(i[0]);
  for (int r = 0; r < M; ++r) inside[r] = ascending ? a[r] + common : a[r] - 1;
  index const* const columns = rows.col_idx.data() + rows.begin(i[0]);
  offset k = rows.backward ? common - 1 : 0;
  offset const step = rows.step();
  for (offset left = common; left > 0; --left, k += step) {
    scalar const xj = x[columns[k]];
    for (int r = 0; r < M; ++r) sum[r] -= a[r][k] * xj;
  }
  for (int r = 0; r < M; ++r) {
    for (int q = 0; q < r; ++q) sum[r] -= inside[r][ascending ? q : -q] * x[i[q]];
    finish(i[r], sum[r]);
  }
}

}  // namespace sptrsv::detail
