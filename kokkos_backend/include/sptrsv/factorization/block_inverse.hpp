// SPDX-License-Identifier: Apache-2.0
// Inverse of a dense block by the lanes of a thread, and a check whether D^-1 U may be stored instead of D^-1 and U.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/rounding.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

/// Inverter of a dense block, stored by columns, in place: Gaussian elimination with row interchanges, then inv(U)
/// inv(L). The order of operations is that of LINPACK's dgefa and dgedi, as in PETSc's kernels for dense blocks. In
/// some steps each lane works on a column, in others on a row.
/// @pre On a GPU all lanes of the warp call its members.
template <class S>
struct InvertBlock {
  using real = typename Parts<S>::real;
  S* a;
  S* work;  ///< 2 * size
  int size, lane, lanes;
  real shift;        ///< replaces pivots of exactly 0, except the last; 0: replaces none
  bool interchange;  ///< false: pivots are the diagonal entries, and none counts as zero
  bool contract;

  KOKKOS_FORCEINLINE_FUNCTION S& at(int row, int column) const { return a[column * size + row]; }
  KOKKOS_FORCEINLINE_FUNCTION S plus_product(S x, S l, S u) const { return subtract_product(x, -l, u, contract); }

  /// Returns the row of the largest entry of column k from row k on.
  KOKKOS_INLINE_FUNCTION int pivot_row(int k) const {
    int row = k;
    if (!interchange) return row;
    real most = Kokkos::abs(at(k, k));
    for (int r = k + 1; r < size; ++r)
      if (real const v = Kokkos::abs(at(r, k)); v > most) {
        most = v;
        row = r;
      }
    return row;
  }
  /// Computes column k of L, stored negated, and updates the later columns.
  /// @return whether the pivot is zero
  KOKKOS_INLINE_FUNCTION bool eliminate(int k) const {
    int const row = pivot_row(k);
    S pivot = at(row, k);
    bool zero = interchange && pivot == S(0);
    if (k == size - 1) return zero;
    if (zero && shift != real(0)) {
      pivot = S(shift);
      zero = false;
    }
    sync_warp();
    if (lane == 0) {
      work[size + k] = S(real(row));
      at(row, k) = at(k, k);
      at(k, k) = pivot;
    }
    sync_warp();
    S const factor = -reciprocal(pivot);
    for (int r = k + 1 + lane; r < size; r += lanes) at(r, k) = at(r, k) * factor;
    sync_warp();
    for (int j = k + 1 + lane; j < size; j += lanes) {
      S const t = at(row, j);
      at(row, j) = at(k, j);
      at(k, j) = t;
      for (int r = k + 1; r < size; ++r) at(r, j) = plus_product(at(r, j), t, at(r, k));
    }
    sync_warp();
    return zero;
  }
  KOKKOS_INLINE_FUNCTION void invert_upper() const {
    for (int k = 0; k < size; ++k) {
      S const inverted = reciprocal(at(k, k));
      sync_warp();
      if (lane == 0) at(k, k) = inverted;
      for (int r = lane; r < k; r += lanes) at(r, k) = at(r, k) * -inverted;
      sync_warp();
      for (int j = k + 1 + lane; j < size; j += lanes) {
        S const t = at(k, j);
        at(k, j) = S(0);
        for (int r = 0; r <= k; ++r) at(r, j) = plus_product(at(r, j), t, at(r, k));
      }
      sync_warp();
    }
  }
  KOKKOS_INLINE_FUNCTION void multiply_by_lower() const {
    for (int k = size - 2; k >= 0; --k) {
      for (int r = k + 1 + lane; r < size; r += lanes) {
        work[r] = at(r, k);
        at(r, k) = S(0);
      }
      sync_warp();
      int const row = static_cast<int>(real_part(work[size + k]));
      for (int r = lane; r < size; r += lanes) {
        S sum = at(r, k);
        for (int j = k + 1; j < size; ++j) sum = plus_product(sum, work[j], at(r, j));
        at(r, k) = at(r, row);
        at(r, row) = sum;
      }
      sync_warp();
    }
  }
  /// Inverts the dense block.
  /// @return the first column with a zero pivot that was not shifted, or -1
  KOKKOS_INLINE_FUNCTION int run() const {
    int first = -1;
    for (int k = 0; k < size; ++k)
      if (eliminate(k) && first < 0) first = k;
    sync_warp();
    invert_upper();
    multiply_by_lower();
    return first;
  }
};

/// Returns |Re| + |Im|, which is within a factor of two of the magnitude, without a square root.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION typename Parts<S>::real size_of(S const& v) {
  typename Parts<S>::real sum = 0;
  for (int w = 0; w < Parts<S>::count; ++w) sum += Kokkos::abs(Parts<S>::get(v, w));
  return sum;
}

/// Product D_i^-1 U_ij, and a check whether it may be stored instead of its two factors: not if it leaves the range of
/// numbers so far that x_i would be wrong.
template <class S>
struct BlockProduct {
  using real = typename Parts<S>::real;
  int size;
  S const* inverse;           ///< D_i^-1
  S const* u;                 ///< U_ij
  S const* next;              ///< D_j^-1
  S const* stored = nullptr;  ///< the product, entry (r, c) at r stride + c; null: it is not in memory
  std::size_t stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION static bool is_finite(real v) { return v <= Kokkos::Experimental::finite_max_v<real>; }
  KOKKOS_INLINE_FUNCTION S entry(int r, int c) const {
    S sum(0);
    for (int m = 0; m < size; ++m) sum += inverse[m * size + r] * u[c * size + m];
    return sum;
  }
  /// Tells whether entry (r, c) has lost so much precision by underflow that x_i is wrong. Let t = L^-1 b, with t_i and
  /// t_j of similar size |t|. Then x_j is at most d |t|, where d is the largest entry of row c of D_j^-1. The loss is
  /// of the order of eps norm_min d |t|. A loss up to eps |D_i^-1|_r |t|, the rounding error of the solve, does not
  /// matter. An entry that contributes less than `negligible` of that bound has no effect on any solve.
  KOKKOS_INLINE_FUNCTION bool underflows(int r, int c) const {
    real const negligible = real(1e-40), least = Kokkos::Experimental::norm_min_v<real>;
    real of_row = 0, d = 0, product = 0, share = 0;
    for (int m = 0; m < size; ++m) {
      of_row = Kokkos::fmax(of_row, size_of(inverse[m * size + r]));
      d = Kokkos::fmax(d, size_of(next[m * size + c]));
    }
    for (int m = 0; m < size; ++m) {
      real const i = size_of(inverse[m * size + r]), v = size_of(u[c * size + m]);
      product = Kokkos::fmax(product, i * v);
      share = Kokkos::fmax(share, of_row > 0 ? i / of_row * v : real(0));
    }
    return product < least && d * least > of_row && share * d > negligible;
  }
  /// Returns entry (r, c) of the product, from memory if it has been stored.
  KOKKOS_INLINE_FUNCTION S value(int r, int c) const {
    return stored ? stored[static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c)] : entry(r, c);
  }
  /// Tells whether the product may be stored instead of its factors. True also if a factor is not finite, since the
  /// checks of the pivots report that.
  KOKKOS_INLINE_FUNCTION bool holds() const {
    real const least = Kokkos::Experimental::norm_min_v<real>;
    bool finite = true, normal = true;
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) {
        real const v = size_of(value(r, c));
        finite &= is_finite(v);
        normal &= v >= least;
      }
    if (finite && normal) return true;
    for (int k = 0; k < size * size; ++k)
      if (!is_finite(size_of(inverse[k])) || !is_finite(size_of(u[k]))) return true;
    if (!finite) return false;
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c)
        if (size_of(value(r, c)) < least && underflows(r, c)) return false;
    return true;
  }
};

}  // namespace sptrsv::detail
