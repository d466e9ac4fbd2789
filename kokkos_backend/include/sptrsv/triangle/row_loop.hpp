// SPDX-License-Identifier: Apache-2.0
// Substitution by one thread, row after row: the loop of `sequential`, and of each thread of `levelset` on a host.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sptrsv/device/compiler.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Access to one column. plain: b and x are contiguous, and the PermuteScale is empty. scaled: like plain, but b is
/// scaled. unit: x is contiguous. any: arbitrary strides and PermuteScale.
enum class Access { plain, scaled, unit, any };

/// Calls f(integral_constant<Access, A>) with the most special A that applies; on a device always `any`.
template <bool Host, int K, class T, class F>
void with_access(RowIO<T> const& io, F const& f) {
  if constexpr (Host && K == 1) {
    bool const direct = io.b_row == 1 && io.x_row == 1 && !io.b_rows && !io.out;
    if (direct && !io.b_scale) return f(std::integral_constant<Access, Access::plain>{});
    if (direct) return f(std::integral_constant<Access, Access::scaled>{});
    if (io.x_row == 1) return f(std::integral_constant<Access, Access::unit>{});
  }
  f(std::integral_constant<Access, Access::any>{});
}

/// Calls f(integral_constant<Diagonal, D>) with the given kind of diagonal.
template <class F>
void with_diagonal(Diagonal diagonal, F const& f) {
  if (diagonal == Diagonal::unit) f(std::integral_constant<Diagonal, Diagonal::unit>{});
  else if (diagonal == Diagonal::inverted) f(std::integral_constant<Diagonal, Diagonal::inverted>{});
  else f(std::integral_constant<Diagonal, Diagonal::stored>{});
}

/// Loop over rows in the order of a cursor. A cursor has row(), begin() and end() of the row's off-diagonal entries in
/// `values` and `col_idx`, diagonal(values), next(), after(rows) and differs(). Every row starts from its own offset,
/// so that a mispredicted end of the row before does not delay it.
/// @tparam V  type of the values, converted to the scalar
template <class T, int K, Access A, Diagonal D, class Cursor, class V = typename T::scalar>
struct RowLoop {
  using scalar = typename T::scalar;
  using index = typename T::index;

  Cursor cursor;
  index const* col_idx;
  V const* values;
  RowIO<T> io;
  bool conj;

  KOKKOS_FORCEINLINE_FUNCTION scalar load(scalar const* b, index i, int c) const {
    return A == Access::plain ? b[i] : A == Access::scaled ? b[i] * io.b_scale[i] : io.load(i, c);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar& at(scalar* x, index i, int c) const {
    return A == Access::any ? io.solved(i, c) : x[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(scalar* x, index i, int c, scalar value) const {
    at(x, i, c) = value;
    if ((A == Access::unit || A == Access::any) && io.out) io.emit(i, c, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar finish(scalar sum, Cursor const& row, V const* a) const {
    if constexpr (D == Diagonal::unit) {
      return sum;
    } else {
      scalar const d = conjugate_if(row.diagonal(a), conj);
      return D == Diagonal::inverted ? sum * d : quotient(sum, d);
    }
  }

  /// Gathers the terms of x(i), first to last (Step 1) or last to first (-1).
  template <int Step>
  SPTRSV_APART KOKKOS_FUNCTION void gather(index rows) const {
    scalar* const x = io.x;
    scalar const* const b = io.b;
    V const* const a = values;
    index const* const j = col_idx;
    Cursor row = cursor;
    Cursor const stop = cursor.after(rows);
    for (; row.differs(stop); row.next()) {
      index const i = row.row();
      std::ptrdiff_t const begin = row.begin(), count = row.end() - begin;
      std::ptrdiff_t const first = Step > 0 ? begin : begin + count - 1;
      scalar sum[K];
      for (int c = 0; c < K; ++c) sum[c] = load(b, i, c);
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        scalar const value = conjugate_if(static_cast<scalar>(a[first + Step * k]), conj);
        for (int c = 0; c < K; ++c) sum[c] -= value * at(x, j[first + Step * k], c);
      }
      for (int c = 0; c < K; ++c) store(x, i, c, finish(sum[c], row, a));
    }
  }
  /// Scatters x(i) to the rows that need it; the n stored rows are op(T)'s columns. Reads a row forward (Step 1) or
  /// backward (-1), in solve order, so that duplicate columns are added in the order of gather().
  template <int Step>
  SPTRSV_APART KOKKOS_FUNCTION void scatter(index n) const {
    scalar* const x = io.x;
    scalar const* const b = io.b;
    V const* const a = values;
    index const* const j = col_idx;
    bool const in_place = A == Access::plain && x == b;
    for (index i = 0; i < n && !in_place; ++i)
      for (int c = 0; c < K; ++c) at(x, i, c) = load(b, i, c);
    Cursor row = cursor;
    Cursor const stop = cursor.after(n);
    for (; row.differs(stop); row.next()) {
      index const i = row.row();
      std::ptrdiff_t const begin = row.begin(), count = row.end() - begin;
      std::ptrdiff_t const first = Step > 0 ? begin : begin + count - 1;
      scalar xi[K];
      for (int c = 0; c < K; ++c) store(x, i, c, xi[c] = finish(at(x, i, c), row, a));
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        scalar const value = conjugate_if(static_cast<scalar>(a[first + Step * k]), conj);
        for (int c = 0; c < K; ++c) at(x, j[first + Step * k], c) -= value * xi[c];
      }
    }
  }
};

}  // namespace sptrsv::detail
