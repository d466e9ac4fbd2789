// SPDX-License-Identifier: Apache-2.0
// Factors with a block diagonal D, described by their dense blocks instead of their scalar rows, for the analysis.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "sptrsv/error.hpp"
#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/factor_rows.hpp"

namespace sptrsv::detail {

/// Pattern of the dense blocks of a factor, and the offset of each triangle's first value.
template <class T>
struct FactorBlocks {
  using pattern_type = FactorPattern<typename T::index, typename T::offset, typename T::device>;
  pattern_type pattern;  ///< pattern of dense blocks, or of entries if the factor has none
  int size = 1;          ///< rows of a dense block
  typename T::offset lower_begin = 0, upper_begin = 0;
};

/// Predicate that tells whether scalar rows consist of whole dense blocks.
template <class T>
struct RowsOfBlocks {
  using index = typename T::index;
  using offset = typename T::offset;
  typename T::pattern rows;
  int size;

  /// Tells whether row r has the columns of the first row of its dense block, in whole blocks.
  KOKKOS_INLINE_FUNCTION bool fits(index r) const {
    index const first = r - r % size;
    offset const begin = rows.row_ptr(r), length = rows.row_ptr(r + 1) - begin, first_begin = rows.row_ptr(first);
    if (length < 0 || length % size != 0 || rows.row_ptr(first + 1) - first_begin != length) return false;
    for (offset k = 0; k < length; ++k) {
      index const j = rows.col_idx(begin + k);
      if (j != rows.col_idx(first_begin + k) || j % size != static_cast<index>(k % size)) return false;
      if (k % size != 0 && rows.col_idx(begin + k - 1) != j - 1) return false;
    }
    return true;
  }
};

/// Returns the pattern of dense blocks of a triangle without diagonal entries. Fences.
/// @param begin  out: offset of the triangle's first entry
template <class T>
typename T::pattern blocks_of_rows(typename T::exec_space const& exec, typename T::pattern const& rows, int size,
                                   typename T::offset& begin) {
  using index = typename T::index;
  using offset = typename T::offset;
  if (rows.row_order != RowOrder::natural) throw Error("a factorization by blocks needs triangles in natural order");
  RowsOfBlocks<T> const whole{rows, size};
  long long const wrong = first_row_with<T>(
      "sptrsv::factorization::rows_of_blocks", exec, rows.num_rows(),
      KOKKOS_LAMBDA(index r) { return !whole.fits(r); });
  if (wrong < rows.num_rows())
    throw InvalidPattern(wrong, "does not consist of whole blocks of " + std::to_string(size) +
                                    ", the same in all rows of the block; give the factor a block_size that it has");
  index const n = rows.num_rows() / size;
  offset end = 0;
  begin = 0;
  if (n > 0) {
    Kokkos::deep_copy(exec, begin, Kokkos::subview(rows.row_ptr, 0));
    Kokkos::deep_copy(exec, end, Kokkos::subview(rows.row_ptr, static_cast<std::size_t>(rows.num_rows())));
    exec.fence("sptrsv::factorization: the number of blocks is needed to allocate");
  }
  offset const area = static_cast<offset>(size) * size, first = begin;
  auto const row_ptr =
      factor_view<Kokkos::View<offset*, typename T::device>>(exec, "block_ptr", static_cast<std::size_t>(n) + 1);
  auto const col_idx = factor_view<Kokkos::View<index*, typename T::device>>(
      exec, "block_col", static_cast<std::size_t>((end - begin) / area));
  Kokkos::parallel_for(
      "sptrsv::factorization::blocks", row_range<T>(exec, n + 1), KOKKOS_LAMBDA(index i) {
        if (n == 0) {
          row_ptr(0) = 0;
          return;
        }
        offset const from = rows.row_ptr(i * size), at = (from - first) / area;
        row_ptr(i) = at;
        if (i == n) return;
        offset const length = (rows.row_ptr(i * size + 1) - from) / size;
        for (offset k = 0; k < length; ++k) col_idx(at + k) = rows.col_idx(from + k * size) / size;
      });
  typename T::pattern out;
  out.row_ptr = row_ptr;
  out.col_idx = col_idx;
  return out;
}

/// Returns the permutation of dense blocks that corresponds to a permutation of rows which keeps these blocks together.
template <class T>
typename T::indices permutation_of_blocks(typename T::exec_space const& exec, typename T::indices const& perm,
                                          int size) {
  using index = typename T::index;
  if (perm.extent(0) == 0) return {};
  auto const n = static_cast<index>(perm.extent(0)) / size;
  auto const out =
      factor_view<Kokkos::View<index*, typename T::device>>(exec, "block_perm", static_cast<std::size_t>(n));
  Kokkos::parallel_for(
      "sptrsv::factorization::block_perm", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i) { out(i) = perm(i * size) / size; });
  return out;
}

/// Returns the factor in terms of dense blocks.
/// @throws InvalidPattern for the first row that does not consist of whole blocks; DimensionMismatch if the number of
/// rows is no multiple of the block size.
template <class T>
FactorBlocks<T> blocks_of(typename T::exec_space const& exec, typename FactorBlocks<T>::pattern_type const& factor) {
  FactorBlocks<T> out;
  out.pattern = factor;
  if (factor.block_size <= 1 || !factor.upper) return out;
  out.size = factor.block_size;
  auto const rows_fit = [&](auto const& part) { return part->rows.num_rows() % out.size == 0; };
  if (!rows_fit(factor.upper) || (factor.lower && !rows_fit(factor.lower)))
    throw DimensionMismatch("a factorization needs whole blocks, of " + std::to_string(out.size) +
                            " rows each, and the factor has " + std::to_string(factor.upper->rows.num_rows()) +
                            " rows; give it the block size of the matrix");
  out.pattern.upper->rows = blocks_of_rows<T>(exec, factor.upper->rows, out.size, out.upper_begin);
  if (factor.lower) out.pattern.lower->rows = blocks_of_rows<T>(exec, factor.lower->rows, out.size, out.lower_begin);
  out.pattern.row_perm = permutation_of_blocks<T>(exec, factor.row_perm, out.size);
  out.pattern.col_perm = permutation_of_blocks<T>(exec, factor.col_perm, out.size);
  return out;
}

}  // namespace sptrsv::detail
