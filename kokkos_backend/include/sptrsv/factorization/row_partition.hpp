// SPDX-License-Identifier: Apache-2.0
// RowPartition: parts of a matrix's rows that a factor does not couple.
#pragma once

#include <Kokkos_Core.hpp>

namespace sptrsv {

/// Splits the rows of a matrix into parts of consecutive rows. A factor with several parts leaves out every entry of
/// the matrix whose row and column are in different parts, so that it is the factor of a block diagonal matrix.
///
/// With n rows, u = n / unit units and q, r = u / parts, u % parts: part p has unit * (q + (p < r)) rows, as the blocks
/// of PETSc's PCBJACOBI have with `parts` blocks on a process and a matrix of block size `unit`. Device-copyable.
struct RowPartition {
  long long parts = 1;  ///< 1 to n / unit; 1 couples all rows
  long long unit = 1;   ///< consecutive rows that stay in one part; divides n

  KOKKOS_FORCEINLINE_FUNCTION bool couples_all() const { return parts <= 1; }

  /// Returns the part that has row `row` of n rows.
  KOKKOS_INLINE_FUNCTION long long part_of(long long row, long long n) const {
    long long const units = n / unit, q = units / parts, r = units % parts, at = row / unit;
    long long const in_longer_parts = r * (q + 1);
    return at < in_longer_parts ? at / (q + 1) : r + (at - in_longer_parts) / q;
  }
  /// Returns the first of n rows that part `part` has; n for the part behind the last one.
  KOKKOS_INLINE_FUNCTION long long first_row(long long part, long long n) const {
    long long const units = n / unit, q = units / parts, r = units % parts;
    return unit * (part * q + (part < r ? part : r));
  }
  /// Returns whether an entry in row i and column j of n is kept.
  KOKKOS_INLINE_FUNCTION bool couples(long long i, long long j, long long n) const {
    return couples_all() || part_of(i, n) == part_of(j, n);
  }
};

}  // namespace sptrsv
