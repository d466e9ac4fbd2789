// SPDX-License-Identifier: Apache-2.0
// Copies the diagonal block of a rank's rows.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/relaxation/split_matrix.hpp"

namespace sptrsv::ifpack2::detail {

/// Returns the pattern of columns 0..n-1 of n rows that have further columns; `source` has the positions of its values
/// in the rows' arrays. Fences.
template <class T>
::sptrsv::detail::SplitTriangle<T> diagonal_block(typename T::exec_space const& exec, typename T::pattern const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  using ::sptrsv::detail::raw_view;
  index const n = rows.num_rows();
  ::sptrsv::detail::SplitTriangle<T> block;
  block.row_ptr = decltype(block.row_ptr)("sptrsv::ifpack2::block_row_ptr", static_cast<std::size_t>(n) + 1);
  auto const row_ptr = block.row_ptr;
  Kokkos::RangePolicy<typename T::exec_space, index> const range(exec, 0, n);
  offset total = 0;
  Kokkos::parallel_scan(
      "sptrsv::ifpack2::count_block", range,
      KOKKOS_LAMBDA(index i, offset & sum, bool final) {
        for (offset k = rows.row_ptr(i); k < rows.row_ptr(i + 1); ++k) sum += rows.col_idx(k) < n;
        if (final) row_ptr(i + 1) = sum;
      },
      total);
  auto const size = static_cast<std::size_t>(total);
  auto const col_idx = block.col_idx = raw_view<decltype(block.col_idx)>(exec, "sptrsv::ifpack2::block_col_idx", size);
  auto const source = block.source = raw_view<decltype(block.source)>(exec, "sptrsv::ifpack2::block_source", size);
  block.values = raw_view<decltype(block.values)>(exec, "sptrsv::ifpack2::block_values", size);
  Kokkos::parallel_for(
      "sptrsv::ifpack2::fill_block", range, KOKKOS_LAMBDA(index i) {
        offset at = row_ptr(i);
        for (offset k = rows.row_ptr(i); k < rows.row_ptr(i + 1); ++k) {
          if (rows.col_idx(k) >= n) continue;
          col_idx(at) = rows.col_idx(k);
          source(at++) = k;
        }
      });
  return block;
}

}  // namespace sptrsv::ifpack2::detail
