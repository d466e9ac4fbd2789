// SPDX-License-Identifier: Apache-2.0
// Non-owning compressed sparse row pattern, also in the reversed row order of PETSc's U factors.
#pragma once

#include <Kokkos_Core.hpp>

namespace sptrsv {

/// Order in which rows are stored.
enum class RowOrder {
  natural,  ///< row i is row_ptr(i) .. row_ptr(i+1)
  reversed  ///< row i is row_ptr(n-1-i) .. row_ptr(n-i): the last row comes first
};

/// Pattern of T by rows: n+1 offsets into col_idx. row_ptr(0) need not be 0, so that L and U may share one array.
/// Columns of a row come in any order, except that the diagonal entry, if present, is the first or the last one in all
/// rows. Several off-diagonal entries of a row in one column count as their sum.
template <class Index, class Offset, class Device>
struct CsrPattern {
  using index = Index;
  using offset = Offset;

  Kokkos::View<const Offset*, Device> row_ptr;  ///< n+1
  Kokkos::View<const Index*, Device> col_idx;   ///< at least row_ptr(n)
  RowOrder row_order = RowOrder::natural;
  /// Whether the terms of a row are summed from its last entry to its first, as PETSc does for U of Cholesky. In an
  /// upper triangle, the last terms are then those next to the diagonal, whose x are solved last.
  bool sum_backward = false;

  Index num_rows() const { return row_ptr.extent(0) == 0 ? Index(0) : static_cast<Index>(row_ptr.extent(0) - 1); }
};

}  // namespace sptrsv
