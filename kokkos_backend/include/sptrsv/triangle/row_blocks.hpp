// SPDX-License-Identifier: Apache-2.0
// Blocks of consecutive rows with the same columns outside of the block (PETSc's inodes).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

struct RowBlocks {
  /// Maximum rows of a block, limited by the registers for their sums.
  static constexpr int block_rows = 6;
  /// Mean rows per block from which blocks pay on a host.
  static constexpr double rows_per_block = 1.5;
};

/// Compares the columns of row i with those of row prev, which is solved right before it. Returns 0 if they are equal,
/// in the same order; 1 if row i also has column prev, last in a lower triangle, first in an upper one; else -1.
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

/// Returns the lengths of the blocks of rows on a host. Element s is the number of rows of the block that starts at
/// position s of the solve order, or 0 if no block starts there. Empty if blocks are too rare to pay.
template <class T>
std::vector<std::uint8_t> find_row_blocks(OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  index const n = rows.num_rows;
  auto const row = [&](index s) { return ascending ? s : n - 1 - s; };
  std::vector<std::uint8_t> length(static_cast<std::size_t>(n), 0);
  long long blocks = 0;
  for (index s = 0; s < n; ++blocks) {
    int size = 1, of_block = 0;  // columns that each row adds
    for (; size < RowBlocks::block_rows && s + size < n; ++size) {
      int const added = added_columns(rows, row(s + size - 1), row(s + size), ascending);
      if (added < 0 || (size > 1 && added != of_block)) break;
      of_block = added;
    }
    length[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(size);
    s += size;
  }
  if (static_cast<double>(n) < std::floor(RowBlocks::rows_per_block * static_cast<double>(blocks))) length.clear();
  return length;
}

}  // namespace sptrsv::detail
