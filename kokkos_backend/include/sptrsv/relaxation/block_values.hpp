// SPDX-License-Identifier: Apache-2.0
// Values of a matrix split by blocks of rows: the dense blocks of D, their inverses, D^-1 L and D^-1 U.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/small_range.hpp"
#include "sptrsv/relaxation/split_matrix.hpp"

namespace sptrsv::detail {

/// Inverts a dense block, stored by columns, by Gauss-Jordan elimination with interchanges of rows.
/// @param a        size * size; overwritten
/// @param inverse  size * size; out
/// @return the first column whose pivot has a magnitude of at most `least`, or -1
template <class S, class R>
KOKKOS_INLINE_FUNCTION int invert_dense(int size, S* a, S* inverse, R least) {
  int zero = -1;
  for (int c = 0; c < size; ++c)
    for (int r = 0; r < size; ++r) inverse[c * size + r] = S(R(r == c));
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int r = k + 1; r < size; ++r)
      if (Kokkos::abs(a[k * size + r]) > Kokkos::abs(a[k * size + pivot])) pivot = r;
    if (Kokkos::abs(a[k * size + pivot]) <= least && zero < 0) zero = k;  // a NaN does not count, as in PETSc
    S const reciprocal = quotient(S(1), a[k * size + pivot]);
    auto const move_pivot = [&](S* m, int c) {
      S const v = m[c * size + pivot];
      m[c * size + pivot] = m[c * size + k];
      m[c * size + k] = v * reciprocal;
    };
    for (int c = 0; c < size; ++c) {
      move_pivot(a, c);
      move_pivot(inverse, c);
    }
    for (int r = 0; r < size; ++r) {
      S const factor = a[k * size + r];
      if (r == k || factor == S(0)) continue;
      for (int c = 0; c < size; ++c) {
        a[c * size + r] -= factor * a[c * size + k];
        inverse[c * size + r] -= factor * inverse[c * size + k];
      }
    }
  }
  return zero;
}

/// Calls body(f, rows, r) for row r of each block of `rows` rows that begins at row f.
/// @param entries  number of entries that the calls read
template <class T, class Body>
void for_block_rows(char const* label, typename T::exec_space const& exec, SplitMatrix<T> const& split,
                    std::size_t entries, Body const& body) {
  using index = typename T::index;
  if constexpr (runs_inline<typename T::exec_space>)
    if (is_small(entries)) {
      for (index f = 0; f < split.num_rows;) {
        int const rows = split.block_rows(f);
        for (int r = 0; r < rows; ++r) body(f, rows, r);
        f += rows;
      }
      return;
    }
  Kokkos::parallel_for(
      label, row_range<T>(exec, split.num_rows), KOKKOS_LAMBDA(index p) {
        index const f = split.first(p);
        body(f, split.block_rows(f), static_cast<int>(p - f));
      });
}

/// Copies the dense blocks of D from A's values.
template <class T>
void take_dense(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::values const& values) {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  auto const take = KOKKOS_LAMBDA(index f, int rows, int r) {
    for (int c = 0; c < rows; ++c) {
      std::size_t const at = split.slot(f, rows, r, c);
      offset const k = split.dense_source(at);
      split.dense(at) = k < 0 ? scalar(0) : values(k);
    }
  };
  for_block_rows<T>("sptrsv::sweeps::take_dense", exec, split, split.dense.extent(0), take);
}

/// Sets the R rows of the block that begins at row f, in a triangle, to D^-1 times the rows of A. Reads each value
/// once.
template <int R, class T>
KOKKOS_INLINE_FUNCTION void scale_block(SplitMatrix<T> const& split, SplitTriangle<T> const& part,
                                        typename T::values const& values, typename T::index f) {
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  scalar factor[R][R];
  offset begin[R];
  for (int r = 0; r < R; ++r) {
    begin[r] = part.row_ptr(f + r);
    for (int c = 0; c < R; ++c) factor[c][r] = split.inverse(split.slot(f, R, r, c));
  }
  offset const count = part.row_ptr(f + 1) - begin[0];
  for (offset k = 0; k < count; ++k) {
    scalar sum[R] = {};
    for (int c = 0; c < R; ++c) {
      scalar const value = values(part.source(begin[c] + k));
      for (int r = 0; r < R; ++r) sum[r] += factor[c][r] * value;
    }
    for (int r = 0; r < R; ++r) part.values(begin[r] + k) = sum[r];
  }
}

/// Sets row r of the block of `rows` rows that begins at row f to its row of D^-1 A. On a host, if the block has at
/// most 5 rows (PETSc's usual limit), the call for its first row sets all of its rows.
template <class T>
KOKKOS_INLINE_FUNCTION void scale_row(SplitMatrix<T> const& split, SplitTriangle<T> const& part,
                                      typename T::values const& values, typename T::index f, int rows, int r) {
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  if constexpr (is_host_space<typename T::exec_space>) {
    if (rows <= 5 && r > 0) return;
    switch (rows) {
      case 1: return scale_block<1>(split, part, values, f);
      case 2: return scale_block<2>(split, part, values, f);
      case 3: return scale_block<3>(split, part, values, f);
      case 4: return scale_block<4>(split, part, values, f);
      case 5: return scale_block<5>(split, part, values, f);
      default: break;
    }
  }
  offset const begin = part.row_ptr(f + r), count = part.row_ptr(f + r + 1) - begin;
  for (offset k = 0; k < count; ++k) {
    scalar sum(0);
    for (int c = 0; c < rows; ++c)
      sum += split.inverse(split.slot(f, rows, r, c)) * values(part.source(part.row_ptr(f + c) + k));
    part.values(begin + k) = sum;
  }
}

/// Sets the rows of a triangle to those of D^-1 A.
template <class T>
void scale_by_blocks(typename T::exec_space const& exec, SplitMatrix<T> const& split, SplitTriangle<T> const& part,
                     typename T::values const& values) {
  auto const scale = KOKKOS_LAMBDA(typename T::index f, int rows, int r) {
    scale_row(split, part, values, f, rows, r);
  };
  for_block_rows<T>("sptrsv::sweeps::scale_by_blocks", exec, split, part.values.extent(0), scale);
}

/// Computes D, D^-1, D^-1 L and D^-1 U of a matrix that is split by blocks of rows.
/// @param least  a pivot of at most this magnitude counts as zero in a block of one row; in larger blocks only 0 does
/// @return the first row with a pivot that counts as zero, or n. Fences.
template <class T>
long long take_block_values(typename T::exec_space const& exec, SplitMatrix<T> const& split,
                            typename T::values const& values, double least) {
  using index = typename T::index;
  using real = typename Parts<typename T::scalar>::real;
  take_dense<T>(exec, split, values);
  auto const least_alone = static_cast<real>(least);
  auto const invert = KOKKOS_LAMBDA(index p) {
    if (split.first(p) != p) return false;
    int const rows = split.block_rows(p);
    std::size_t const at = split.slot(p, rows, 0, 0);
    return invert_dense(rows, &split.dense(at), &split.inverse(at), rows == 1 ? least_alone : real(0)) >= 0;
  };
  long long const zero =
      first_row_with<T>("sptrsv::sweeps::invert_blocks", exec, split.num_rows, split.dense.extent(0), invert);
  take_dense<T>(exec, split, values);  // the inversion has overwritten D
  scale_by_blocks<T>(exec, split, split.lower, values);
  scale_by_blocks<T>(exec, split, split.upper, values);
  return zero;
}

/// Computes y = D^-1 x or y = D x, where `blocks` is `inverse` or `dense`. The vectors must not overlap.
template <class T>
void multiply_by_blocks(typename T::exec_space const& exec, SplitMatrix<T> const& split,
                        typename SplitMatrix<T>::Scalars const& blocks, typename T::rhs const& x,
                        typename T::solution const& y) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  auto const multiply = KOKKOS_LAMBDA(index f, int rows, int r) {
    for (std::size_t column = 0; column < y.extent(1); ++column) {
      scalar sum(0);
      for (int c = 0; c < rows; ++c) sum += blocks(split.slot(f, rows, r, c)) * x(f + c, column);
      y(f + r, column) = sum;
    }
  };
  for_block_rows<T>("sptrsv::sweeps::multiply_by_blocks", exec, split, blocks.extent(0) * y.extent(1), multiply);
}

}  // namespace sptrsv::detail
