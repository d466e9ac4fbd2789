// SPDX-License-Identifier: Apache-2.0
// Values of a matrix split by blocks of rows: the dense blocks of D, their inverses, D^-1 L and D^-1 U.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/relaxation/split_matrix.hpp"

namespace sptrsv::detail {

/// Inverts a dense block, by columns, by Gauss-Jordan elimination with interchanges of rows.
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
    if (Kokkos::abs(a[k * size + pivot]) <= least && zero < 0) zero = k;  // not NaN, as in PETSc
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

/// Copies the dense blocks of D from A's values.
template <class T>
void take_dense(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::values const& values) {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  Kokkos::parallel_for(
      "sptrsv::sweeps::take_dense", row_range<T>(exec, split.num_rows), KOKKOS_LAMBDA(index p) {
        index const f = split.first(p);
        int const rows = split.block_rows(f);
        for (int c = 0; c < rows; ++c) {
          std::size_t const at = split.slot(f, rows, static_cast<int>(p - f), c);
          offset const k = split.dense_source(at);
          split.dense(at) = k < 0 ? scalar(0) : values(k);
        }
      });
}

/// Sets the rows of a triangle to D^-1 times A's.
template <class T>
void scale_by_blocks(typename T::exec_space const& exec, SplitMatrix<T> const& split, SplitTriangle<T> const& part,
                     typename T::values const& values) {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  Kokkos::parallel_for(
      "sptrsv::sweeps::scale_by_blocks", row_range<T>(exec, split.num_rows), KOKKOS_LAMBDA(index p) {
        index const f = split.first(p);
        int const rows = split.block_rows(f);
        offset const begin = part.row_ptr(p), count = part.row_ptr(p + 1) - begin;
        for (offset k = 0; k < count; ++k) {
          scalar sum(0);
          for (int c = 0; c < rows; ++c)
            sum += split.inverse(split.slot(f, rows, static_cast<int>(p - f), c)) *
                   values(part.source(part.row_ptr(f + c) + k));
          part.values(begin + k) = sum;
        }
      });
}

/// Takes the values of a matrix split by blocks: D, D^-1, D^-1 L, D^-1 U.
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
  long long const zero = first_row_with<T>("sptrsv::sweeps::invert_blocks", exec, split.num_rows, invert);
  take_dense<T>(exec, split, values);  // the inversion has overwritten D
  scale_by_blocks<T>(exec, split, split.lower, values);
  scale_by_blocks<T>(exec, split, split.upper, values);
  return zero;
}

/// Computes y = D^-1 x or y = D x, with the blocks of `inverse` or `dense`. No overlap.
template <class T>
void multiply_by_blocks(typename T::exec_space const& exec, SplitMatrix<T> const& split,
                        typename SplitMatrix<T>::Scalars const& blocks, typename T::rhs const& x,
                        typename T::solution const& y) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  Kokkos::parallel_for(
      "sptrsv::sweeps::multiply_by_blocks", row_range<T>(exec, split.num_rows), KOKKOS_LAMBDA(index p) {
        index const f = split.first(p);
        int const rows = split.block_rows(f);
        for (std::size_t column = 0; column < y.extent(1); ++column) {
          scalar sum(0);
          for (int c = 0; c < rows; ++c)
            sum += blocks(split.slot(f, rows, static_cast<int>(p - f), c)) * x(f + c, column);
          y(p, column) = sum;
        }
      });
}

}  // namespace sptrsv::detail
