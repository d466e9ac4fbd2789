// SPDX-License-Identifier: Apache-2.0
// Access of kernels to b and x: strides, permutations and scaling in one small struct.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <type_traits>

#include "sptrsv/device/gpu_code.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

template <class S>
KOKKOS_INLINE_FUNCTION S conjugate_if(S value, bool) {
  return value;
}
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<R> conjugate_if(Kokkos::complex<R> value, bool conj) {
  return conj ? Kokkos::conj(value) : value;
}

template <class R>
KOKKOS_INLINE_FUNCTION R real_part(R v) {
  return v;
}
template <class R>
KOKKOS_INLINE_FUNCTION R real_part(Kokkos::complex<R> v) {
  return v.real();
}
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(R) {
  return R(0);
}
template <class R>
KOKKOS_INLINE_FUNCTION R imaginary_part(Kokkos::complex<R> v) {
  return v.imag();
}

/// Returns a / b. Kokkos scales complex numbers by the sum of b's parts, which may overflow for a finite b.
template <class S>
KOKKOS_FORCEINLINE_FUNCTION S quotient(S a, S b) {
  return a / b;
}
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> quotient(Kokkos::complex<R> a, Kokkos::complex<R> b) {
  constexpr R safe = Kokkos::Experimental::finite_max_v<R> / 2;
  bool const small = Kokkos::abs(b.real()) <= safe && Kokkos::abs(b.imag()) <= safe;
  return small ? a / b : (a * R(0.25)) / (b * R(0.25));
}

/// Sums of one row, one for each of K columns.
template <class S, int K>
struct ColumnSums {
  S value[K];

  KOKKOS_INLINE_FUNCTION ColumnSums() {
    for (int c = 0; c < K; ++c) value[c] = S(0);
  }
  KOKKOS_INLINE_FUNCTION ColumnSums& operator+=(ColumnSums const& other) {
    for (int c = 0; c < K; ++c) value[c] += other.value[c];
    return *this;
  }
};

/// Returns the address of a view's data, or nullptr if the view is empty, even if an empty view has an allocation.
template <class View>
typename View::pointer_type data_or_null(View const& v) {
  return v.extent(0) > 0 ? v.data() : nullptr;
}

/// Access to K columns of b and x with the caller's PermuteScale. Column c counts from `first_column`.
template <class T>
struct RowIO {
  using scalar = typename T::scalar;
  using index = typename T::index;

  scalar const* b;
  scalar* x;
  scalar* out;
  scalar const* b_scale;
  index const* b_rows;
  index const* out_rows;
  std::size_t b_row, b_col, x_row, x_col, out_row, out_col;  // strides, in scalars
  bool accumulate;

  RowIO(typename T::rhs const& b_view, typename T::solution const& x_view, PermuteScale<T> const& permute_scale,
        int first_column)
      : b(b_view.data() + first_column * b_view.stride(1)),
        x(x_view.data() + first_column * x_view.stride(1)),
        out(permute_scale.has_out() ? permute_scale.out.data() + first_column * permute_scale.out.stride(1) : nullptr),
        b_scale(data_or_null(permute_scale.b_scale)),
        b_rows(data_or_null(permute_scale.b_rows)),
        out_rows(data_or_null(permute_scale.out_rows)),
        b_row(b_view.stride(0)),
        b_col(b_view.stride(1)),
        x_row(x_view.stride(0)),
        x_col(x_view.stride(1)),
        out_row(permute_scale.out.stride(0)),
        out_col(permute_scale.out.stride(1)),
        accumulate(permute_scale.accumulate) {}

  KOKKOS_FORCEINLINE_FUNCTION scalar load(index i, int c) const {
    scalar const value = b[(b_rows ? b_rows[i] : i) * b_row + c * b_col];
    return b_scale ? value * b_scale[i] : value;
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar& solved(index j, int c) const { return x[j * x_row + c * x_col]; }
  KOKKOS_FORCEINLINE_FUNCTION void store(index i, int c, scalar value) const {
    solved(i, c) = value;
    if (out) emit(i, c, value);
  }
  /// Stores to `out` but not to x, for algorithms that have already stored x.
  KOKKOS_FORCEINLINE_FUNCTION void emit(index i, int c, scalar value) const {
    scalar& target = out[(out_rows ? out_rows[i] : i) * out_row + c * out_col];
    target = accumulate ? target + value : value;
  }
};

/// Right-hand sides (columns) of one pass over T. Each of lanes() lanes of a thread, a power of two, has K columns;
/// lanes from `count` on have none. A thread with more lanes splits a row into several parts, each with all columns.
struct ColumnBlock {
  int first = 0, count = 1, bits = 0;

  KOKKOS_FORCEINLINE_FUNCTION int lanes() const { return 1 << bits; }
  KOKKOS_FORCEINLINE_FUNCTION int column(int lane) const { return lane & (lanes() - 1); }
  KOKKOS_FORCEINLINE_FUNCTION int part(int lane) const { return lane >> bits; }
};

/// Tells whether each lane of a thread may take a column; otherwise a thread has all columns of a pass.
template <class E>
inline constexpr bool columns_on_lanes = is_gpu<E>;

/// Maximum number of columns of a pass: with columns on lanes, and with all columns in one thread.
inline constexpr int max_column_lanes = 32, max_column_block = 4;

/// Calls f(integral_constant<int, K>, columns) for passes that cover k columns: K = 4 while four are left, then K = 1.
/// Each pass reads T once.
template <class F>
void for_thread_columns(int k, F const& f) {
  int first = 0;
  for (; first + 4 <= k; first += 4) f(std::integral_constant<int, 4>{}, ColumnBlock{first, 4, 0});
  for (; first < k; ++first) f(std::integral_constant<int, 1>{}, ColumnBlock{first, 1, 0});
}

/// Calls f(integral_constant<int, K>, columns) for passes that cover k columns: on a GPU K = 1 with up to 32 columns on
/// lanes, on a host for_thread_columns(), elsewhere one column at a time.
template <class E, class F>
void for_column_blocks(int k, F const& f) {
  constexpr std::integral_constant<int, 1> one{};
  if constexpr (columns_on_lanes<E>) {
    for (int first = 0; first < k; first += max_column_lanes) {
      ColumnBlock block{first, std::min(k - first, max_column_lanes), 0};
      while (block.lanes() < block.count) ++block.bits;
      f(one, block);
    }
  } else if constexpr (std::is_same_v<typename E::memory_space, Kokkos::HostSpace>) {
    for_thread_columns(k, f);
  } else {
    for (int first = 0; first < k; ++first) f(one, ColumnBlock{first, 1, 0});
  }
}

}  // namespace sptrsv::detail

/// Neutral element with which Kokkos reduces ColumnSums over vector lanes in a fixed order.
template <class S, int K>
struct Kokkos::reduction_identity<sptrsv::detail::ColumnSums<S, K>> {
  KOKKOS_FORCEINLINE_FUNCTION static sptrsv::detail::ColumnSums<S, K> sum() { return {}; }
};
