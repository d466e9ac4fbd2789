// SPDX-License-Identifier: Apache-2.0
// Splits a matrix into its lower and its upper triangle for SOR sweeps over rows or over blocks of rows.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/row_values.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// Triangle of a matrix with its own arrays: pattern, values, and the position of each value in the matrix.
template <class T>
struct SplitTriangle {
  Kokkos::View<typename T::offset*, typename T::device> row_ptr;  ///< n+1
  Kokkos::View<typename T::index*, typename T::device> col_idx;
  Kokkos::View<typename T::offset*, typename T::device> source;
  Kokkos::View<typename T::scalar*, typename T::device> values;
  bool sum_backward = false;  ///< CsrPattern::sum_backward

  typename T::pattern pattern() const {
    typename T::pattern out{row_ptr, col_idx};
    out.sum_backward = sum_backward;
    return out;
  }
  std::size_t memory_bytes() const {
    return row_ptr.span() * sizeof(typename T::offset) + col_idx.span() * sizeof(typename T::index) +
           source.span() * sizeof(typename T::offset) + values.span() * sizeof(typename T::scalar);
  }
};

/// Matrix A = L + D + U, split by rows or by blocks of rows into two triangles with rows in the order of a sweep.
///   by rows    `lower` stores L, and 1 / E as the last entry of each row; `upper` stores 1 / E as the first entry of
///   each row, then U; `width` is 0
///   by blocks  D has dense blocks; `lower` stores D^-1 L, `upper` D^-1 U, neither a diagonal
template <class T>
struct SplitMatrix {
  using Scalars = Kokkos::View<typename T::scalar*, typename T::device>;
  typename T::index num_rows = 0;
  std::size_t num_entries = 0;         ///< offset past A's last entry
  typename T::offset longest_row = 0;  ///< number of A's entries in its longest row
  SplitTriangle<T> lower, upper;
  Scalars diagonal;  ///< by rows: n, D
  Scalars between;   ///< by rows: n, (2 - omega) E

  typename T::indices first;  ///< by blocks: n, the first row of each row's block
  int width = 0;              ///< by blocks: the number of rows of the largest block; by rows: 0
  Scalars dense;              ///< by blocks: n width, see slot()
  Scalars inverse;            ///< by rows: n, 1 / E, for approximate sweeps only; by blocks like `dense`
  Kokkos::View<typename T::offset*, typename T::device> dense_source;  ///< like `dense`; -1: no entry

  KOKKOS_FORCEINLINE_FUNCTION bool by_blocks() const { return width > 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool same_block(typename T::index p, typename T::index q) const {
    return by_blocks() ? first(p) == first(q) : p == q;
  }
  /// Returns the number of rows of the block that begins at row f.
  KOKKOS_FORCEINLINE_FUNCTION int block_rows(typename T::index f) const {
    int rows = 1;
    while (f + rows < num_rows && first(f + rows) == f) ++rows;
    return rows;
  }
  /// Returns the position in `dense` and `inverse` of entry (r, c) of the block of `rows` rows that begins at row f.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t slot(typename T::index f, int rows, int r, int c) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(width) + static_cast<std::size_t>(c * rows + r);
  }
  /// Returns `value` divided by the diagonal entry of E in the row at position p. If A is split by blocks, returns
  /// `value` itself, since the diagonal blocks of D^-1 A are I.
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar divide_by_e(typename T::index p, typename T::scalar value) const {
    return by_blocks() ? value : inverse(p) * value;
  }
  /// Returns the number of diagonal entries that each row of `lower` and `upper` stores.
  KOKKOS_FORCEINLINE_FUNCTION int stored_diagonals() const { return by_blocks() ? 0 : 1; }

  std::size_t memory_bytes() const {
    return lower.memory_bytes() + upper.memory_bytes() + first.span() * sizeof(typename T::index) +
           dense_source.span() * sizeof(typename T::offset) +
           (diagonal.span() + between.span() + dense.span() + inverse.span()) * sizeof(typename T::scalar);
  }
};

/// Checks that row offsets ascend, that columns are in range, and that each row has one diagonal entry.
/// @throws InvalidPattern, MissingDiagonal, TooLarge
template <class T>
void check_square(typename T::exec_space const& exec, typename T::pattern const& matrix) {
  using index = typename T::index;
  using offset = typename T::offset;
  require_counted_rows<T>(matrix);
  index const n = matrix.num_rows();
  auto const room = static_cast<offset>(matrix.col_idx.extent(0));
  auto const wrong_offsets = KOKKOS_LAMBDA(index i) {
    return matrix.row_ptr(i) < 0 || matrix.row_ptr(i) > matrix.row_ptr(i + 1) || matrix.row_ptr(i + 1) > room;
  };
  long long row = first_row_with<T>("sptrsv::sweeps::offsets", exec, n, wrong_offsets);
  if (row < n) throw InvalidPattern(row, "has row offsets that decrease or leave col_idx; check row_ptr");
  auto const wrong_columns = KOKKOS_LAMBDA(index i) {
    for (offset k = matrix.row_ptr(i); k < matrix.row_ptr(i + 1); ++k)
      if (matrix.col_idx(k) < 0 || matrix.col_idx(k) >= n) return true;
    return false;
  };
  row = first_row_with<T>("sptrsv::sweeps::columns", exec, n, wrong_columns);
  if (row < n) throw InvalidPattern(row, "has a column index outside 0.." + std::to_string(n - 1) + "; check col_idx");
  auto const diagonals = KOKKOS_LAMBDA(index i) {
    int count = 0;
    for (offset k = matrix.row_ptr(i); k < matrix.row_ptr(i + 1); ++k) count += matrix.col_idx(k) == i;
    return count != 1;
  };
  row = first_row_with<T>("sptrsv::sweeps::diagonals", exec, n, diagonals);
  if (row < n) throw InvalidPattern(row, "has no diagonal entry, or several; store it once, even if it is zero");
}

/// Largest number of rows of a block.
inline constexpr int most_block_rows = 1 << 5;

/// Checks that `first` describes blocks of at most most_block_rows successive rows, and that the rows of a block have
/// equal columns in the same order.
/// @return the number of rows of the largest block
/// @throws InvalidPattern
template <class T>
int check_blocks(typename T::exec_space const& exec, typename T::pattern const& matrix,
                 typename T::indices const& first) {
  using index = typename T::index;
  using offset = typename T::offset;
  constexpr index most = most_block_rows;
  index const n = matrix.num_rows();
  auto const wrong_first = KOKKOS_LAMBDA(index i) {
    index const f = first(i);
    return f < 0 || f > i || i - f >= most || (f < i && first(i - 1) != f);
  };
  long long row = first_row_with<T>("sptrsv::sweeps::blocks", exec, n, wrong_first);
  if (row < n) throw InvalidPattern(row, "is in no block of at most 32 successive rows; check the blocks' first rows");
  auto const other_columns = KOKKOS_LAMBDA(index i) {
    index const f = first(i);
    offset const begin = matrix.row_ptr(f), count = matrix.row_ptr(f + 1) - begin, own = matrix.row_ptr(i);
    if (matrix.row_ptr(i + 1) - own != count) return true;
    for (offset k = 0; k < count; ++k)
      if (matrix.col_idx(own + k) != matrix.col_idx(begin + k)) return true;
    return false;
  };
  row = first_row_with<T>("sptrsv::sweeps::block_columns", exec, n, other_columns);
  if (row < n) throw InvalidPattern(row, "has other columns than the first row of its block; sweep over single rows");
  auto const number = KOKKOS_LAMBDA(index i) { return i - first(i) + 1; };
  return static_cast<int>(max_over_rows<T>("sptrsv::sweeps::block_rows", exec, n, index(1), number));
}

/// Returns A's triangles without values.
/// @param order        the row at each position, or empty
/// @param first        the first row of each row's block, or empty
/// @param approximate  whether sweeps are approximate
/// @throws InvalidPattern
template <class T>
SplitMatrix<T> split_matrix(typename T::exec_space const& exec, typename T::pattern const& matrix,
                            typename T::indices const& order, typename T::indices const& first, bool approximate) {
  using index = typename T::index;
  using offset = typename T::offset;
  using Indices = Kokkos::View<index*, typename T::device>;
  SplitMatrix<T> out;
  index const n = out.num_rows = matrix.num_rows();
  auto const size = static_cast<std::size_t>(n);
  check_square<T>(exec, matrix);
  if (n > 0 && first.extent(0) > 0) {
    out.width = check_blocks<T>(exec, matrix, first);
    Indices const own = raw_view<Indices>(exec, "sptrsv::sweeps::first", size);
    Kokkos::deep_copy(exec, own, first);
    out.first = own;
    // with this order `sequential` solves the rows of a block together
    out.upper.sum_backward = is_host_space<typename T::exec_space>;
  }
  auto const scalars = [&](char const* name, bool wanted, std::size_t count) {
    return raw_view<typename SplitMatrix<T>::Scalars>(exec, name, wanted ? count : 0);
  };
  bool const by_blocks = out.by_blocks();
  auto const in_blocks = size * static_cast<std::size_t>(out.width);
  out.diagonal = scalars("sptrsv::sweeps::diagonal", !by_blocks, size);
  out.between = scalars("sptrsv::sweeps::between", !by_blocks, size);
  out.dense = scalars("sptrsv::sweeps::dense", by_blocks, in_blocks);
  out.inverse = scalars("sptrsv::sweeps::inverse", by_blocks || approximate, by_blocks ? in_blocks : size);
  out.dense_source =
      raw_view<decltype(out.dense_source)>(exec, "sptrsv::sweeps::dense_source", by_blocks ? in_blocks : 0);
  for (auto* part : {&out.lower, &out.upper})
    part->row_ptr = decltype(part->row_ptr)("sptrsv::sweeps::row_ptr", size + 1);
  if (n == 0) return out;
  auto const row_entries = KOKKOS_LAMBDA(index i) { return matrix.row_ptr(i + 1) - matrix.row_ptr(i); };
  out.longest_row = max_over_rows<T>("sptrsv::sweeps::longest_row", exec, n, offset(1), row_entries);
  Indices position;  // of each row, the inverse of `order`
  if (order.extent(0) > 0) {
    position = raw_view<Indices>(exec, "sptrsv::sweeps::position", size);
    Kokkos::parallel_for(
        "sptrsv::sweeps::invert_order", row_range<T>(exec, n), KOKKOS_LAMBDA(index p) { position(order(p)) = p; });
  }
  auto const row_at = KOKKOS_LAMBDA(index p) { return order.extent(0) > 0 ? order(p) : p; };
  auto const position_of = KOKKOS_LAMBDA(index i) { return position.extent(0) > 0 ? position(i) : i; };
  SplitMatrix<T> const split = out;
  offset counts[2] = {0, 0};
  for (bool const of_upper : {false, true}) {
    auto const row_ptr = (of_upper ? out.upper : out.lower).row_ptr;
    Kokkos::parallel_scan(
        "sptrsv::sweeps::count", row_range<T>(exec, n),
        KOKKOS_LAMBDA(index p, offset & sum, bool final) {
          index const i = row_at(p);
          sum += split.stored_diagonals();
          for (offset k = matrix.row_ptr(i); k < matrix.row_ptr(i + 1); ++k) {
            index const q = position_of(matrix.col_idx(k));
            sum += (of_upper ? q > p : q < p) && !split.same_block(p, q);
          }
          if (final) row_ptr(p + 1) = sum;
        },
        counts[of_upper]);
  }
  offset last = 0;
  Kokkos::deep_copy(exec, last, Kokkos::subview(matrix.row_ptr, size));
  exec.fence("sptrsv::sweeps: the numbers of entries are needed to allocate");
  out.num_entries = static_cast<std::size_t>(last);
  for (bool const of_upper : {false, true}) {
    auto& part = of_upper ? out.upper : out.lower;
    auto const count = static_cast<std::size_t>(counts[of_upper]);
    part.col_idx = raw_view<decltype(part.col_idx)>(exec, "sptrsv::sweeps::col_idx", count);
    part.source = raw_view<decltype(part.source)>(exec, "sptrsv::sweeps::source", count);
    part.values = raw_view<decltype(part.values)>(exec, "sptrsv::sweeps::values", count);
  }
  auto const lower = out.lower, upper = out.upper;
  Kokkos::parallel_for(
      "sptrsv::sweeps::split", row_range<T>(exec, n), KOKKOS_LAMBDA(index p) {
        index const i = row_at(p);
        offset below = lower.row_ptr(p), above = upper.row_ptr(p) + split.stored_diagonals();
        index const f = split.by_blocks() ? split.first(p) : p;
        int const rows = split.by_blocks() ? split.block_rows(f) : 0, r = static_cast<int>(p - f);
        for (int c = 0; c < rows; ++c) split.dense_source(split.slot(f, rows, r, c)) = -1;
        for (offset k = matrix.row_ptr(i); k < matrix.row_ptr(i + 1); ++k) {
          index const q = position_of(matrix.col_idx(k));
          if (split.same_block(p, q)) {
            if (split.by_blocks()) {
              split.dense_source(split.slot(f, rows, r, static_cast<int>(q - f))) = k;
              continue;
            }
            offset const end = lower.row_ptr(p + 1) - 1, begin = upper.row_ptr(p);
            lower.col_idx(end) = upper.col_idx(begin) = q;
            lower.source(end) = upper.source(begin) = k;
          } else if (q < p) {
            lower.col_idx(below) = q;
            lower.source(below++) = k;
          } else {
            upper.col_idx(above) = q;
            upper.source(above++) = k;
          }
        }
      });
  return out;
}

/// Gathers the values of both triangles, and inverts the diagonal: both store 1 / E for E = (D + shift I) / omega.
/// @return the first row in the order of the sweep with a zero in D, or n. Fences.
template <class T>
long long take_values(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::values const& values,
                      double omega, double shift) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  using real = typename Parts<scalar>::real;
  for (auto const* part : {&split.lower, &split.upper}) gather<T>(exec, part->source, values, part->values);
  auto const lower = split.lower, upper = split.upper;
  auto const diagonal = split.diagonal, between = split.between, inverses = split.inverse;
  auto const factor = static_cast<real>(omega), added = static_cast<real>(shift), rest = static_cast<real>(2 - omega);
  auto const take = KOKKOS_LAMBDA(index p) {
    scalar const d = upper.values(upper.row_ptr(p));
    scalar const shifted = d + scalar(added);
    scalar const inverse = quotient(scalar(factor), shifted);
    diagonal(p) = d;
    between(p) = factor == real(1) ? shifted : shifted * scalar(rest) / scalar(factor);
    lower.values(lower.row_ptr(p + 1) - 1) = upper.values(upper.row_ptr(p)) = inverse;
    if (inverses.extent(0) > 0) inverses(p) = inverse;
    return d == scalar(0);
  };
  return first_row_with<T>("sptrsv::sweeps::invert_diagonal", exec, split.num_rows, split.num_rows, take);
}

}  // namespace sptrsv::detail
