// SPDX-License-Identifier: Apache-2.0
// Checks of matrix rows in host memory: whether their columns are in the order that a factorization needs.
#pragma once

#include <cstddef>
#include <vector>

#include "sptrsv/error.hpp"

namespace sptrsv {

/// Order in which a row must store its columns, each column once.
enum class ColumnOrder {
  any,
  ascending,
  lower_ascending,  ///< columns up to the diagonal ascend, greater columns follow in any order
  upper_ascending   ///< smaller columns come first, in any order; columns from the diagonal on ascend
};

/// Rules for the rows of a matrix.
struct RowRules {
  ColumnOrder order = ColumnOrder::any;
  bool upper_alone = false;  ///< entries below the diagonal are not read, and may be repeated
  int block_size = 1;        ///< rows and columns are counted in dense blocks of this size; for the message
};

namespace detail {

/// Tells whether column `next` may be stored directly after column `before`, which is not smaller.
template <class Index>
bool may_follow(Index row, Index before, Index next, RowRules const& rules) {
  if (before == next) return rules.upper_alone && next < row;
  switch (rules.order) {
    case ColumnOrder::any: return true;
    case ColumnOrder::ascending: return false;
    case ColumnOrder::lower_ascending: return next > row;
    default: return before < row;
  }
}

/// Tells whether the columns of rows first to last - 1 ascend. Compares each column with the one before it across rows,
/// then subtracts the descents at row starts: loops without branches.
template <class Index, class Offset>
bool all_ascend(Index first, Index last, Offset const* row_ptr, Index const* col_idx) {
  Offset descents = 0;
  for (Offset k = row_ptr[first] + 1; k < row_ptr[last]; ++k) descents += col_idx[k - 1] >= col_idx[k];
  for (Index row = first + 1; row < last; ++row) {
    Offset const k = row_ptr[row];
    if (k > row_ptr[first] && k < row_ptr[row + 1]) descents -= col_idx[k - 1] >= col_idx[k];
  }
  return descents == 0;
}

/// Checks one row.
/// @param last_row  by column: 1 + the last row out of order that stores it; empty until a row is out of order
/// @return whether its columns ascend
template <class Index, class Offset>
bool check_row(Index row, Index n, Offset const* row_ptr, Index const* col_idx, RowRules const& rules,
               std::vector<Index>& last_row) {
  bool ascends = true;
  for (Offset k = row_ptr[row] + 1; k < row_ptr[row + 1]; ++k) {
    if (col_idx[k - 1] < col_idx[k]) continue;
    ascends = false;
    if (!may_follow(row, col_idx[k - 1], col_idx[k], rules))
      throw ImproperRow(row, col_idx[k - 1], col_idx[k], rules.block_size);
  }
  if (ascends) return true;
  last_row.resize(static_cast<std::size_t>(n), Index(0));
  for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
    Index const col = col_idx[k];
    if (col < 0 || col >= n || (rules.upper_alone && col < row)) continue;
    Index& last = last_row[static_cast<std::size_t>(col)];
    if (last == row + 1) throw ImproperRow(row, col, col, rules.block_size);
    last = row + 1;
  }
  return false;
}

}  // namespace detail

/// Checks the rows of a matrix. Columns out of range are not checked here.
/// @param row_ptr  n + 1 offsets into col_idx
/// @return whether the columns of all rows ascend
/// @throws ImproperRow for the first row that breaks a rule
/// Cost: one pass over the pattern; for rows out of order a second one, and n numbers of memory.
template <class Index, class Offset>
bool check_rows(Index n, Offset const* row_ptr, Index const* col_idx, RowRules const& rules = {}) {
  constexpr Index chunk = 256;  // rows whose columns stay in a cache
  bool ascend = true;
  std::vector<Index> last_row;
  for (Index first = 0; first < n;) {
    Index const last = n - first < chunk ? n : first + chunk;
    if (!detail::all_ascend(first, last, row_ptr, col_idx))
      for (Index row = first; row < last; ++row) ascend &= detail::check_row(row, n, row_ptr, col_idx, rules, last_row);
    first = last;
  }
  return ascend;
}

}  // namespace sptrsv
