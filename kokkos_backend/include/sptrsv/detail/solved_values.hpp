// SPDX-License-Identifier: Apache-2.0
// Solutions as they appear while rows wait for each other: a slot holds a marker until its value is there, so that
// one trip through memory brings both the news and the value.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sptrsv/detail/publish.hpp"
#include "sptrsv/detail/row_io.hpp"

namespace sptrsv::detail {

/// A scalar as real numbers, each of which one load or store moves whole.
template <class S>
struct Parts {
  using real = S;
  static constexpr int count = 1;
  KOKKOS_FORCEINLINE_FUNCTION static real get(S const& value, int) { return value; }
  KOKKOS_FORCEINLINE_FUNCTION static void set(S& value, int, real part) { value = part; }
};
template <class R>
struct Parts<Kokkos::complex<R>> {
  using real = R;
  static constexpr int count = 2;
  KOKKOS_FORCEINLINE_FUNCTION static real get(Kokkos::complex<R> const& value, int part) { return part == 0 ? value.real() : value.imag(); }
  KOKKOS_FORCEINLINE_FUNCTION static void set(Kokkos::complex<R>& value, int which, real part) { (which == 0 ? value.real() : value.imag()) = part; }
};

/// The marker: a NaN of all ones. A result of that very pattern is published as another NaN.
template <class R>
struct Marker {
  using bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(R) == sizeof(bits));

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bits pattern() { return ~bits(0); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is(R value) { return Kokkos::bit_cast<bits>(value) == pattern(); }
  KOKKOS_FORCEINLINE_FUNCTION static R value() { return Kokkos::bit_cast<R>(pattern()); }
  /// The value itself, but for the marker, which becomes a NaN without its sign.
  KOKKOS_FORCEINLINE_FUNCTION static R other(R value) { return is(value) ? Kokkos::bit_cast<R>(pattern() >> 1) : value; }
};

/// K values for each of n slots, on the side of this solve, and the side of the next. Device-copyable.
template <class S, int K>
struct SolvedSlots {
  using parts = Parts<S>;
  using real = typename parts::real;
  static constexpr int width = K * parts::count;

  real* now;
  real* next;

  KOKKOS_FORCEINLINE_FUNCTION real const* at(std::size_t slot) const { return now + slot * width; }

  /// Takes the values of a slot; false if some are not there yet.
  KOKKOS_FORCEINLINE_FUNCTION bool take(std::size_t slot, S (&values)[K]) const { return take(at(slot), values); }
  KOKKOS_FORCEINLINE_FUNCTION static bool take(real const* at, S (&values)[K]) {
    bool there = true;
    for (int w = 0; w < width; ++w) {
      real const part = peek(at + w);
      there = there && !Marker<real>::is(part);
      parts::set(values[w / parts::count], w % parts::count, part);
    }
    return there;
  }
  /// The values of a slot that an earlier kernel has filled.
  KOKKOS_FORCEINLINE_FUNCTION static bool read(real const* at, S (&values)[K]) {
    for (int w = 0; w < width; ++w) parts::set(values[w / parts::count], w % parts::count, at[w]);
    return true;
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::size_t slot, S const* values) const {
    real* const at = now + slot * width;
    for (int w = 0; w < width; ++w) post(at + w, Marker<real>::other(parts::get(values[w / parts::count], w % parts::count)));
  }
  /// Makes the slot ready for the next solve.
  KOKKOS_FORCEINLINE_FUNCTION void clear_next(std::size_t slot) const {
    real* const at = next + slot * width;
    for (int w = 0; w < width; ++w) at[w] = Marker<real>::value();
  }
};

/// A few terms of a row, whose x are awaited together: their loads are in flight at the same time.
template <class S, int K>
struct Terms {
  using real = typename Parts<S>::real;
  static constexpr int at_once = K == 1 ? 4 : 1;

  real const* at[at_once] = {};  ///< where each x will be; null: no term
  S value[at_once] = {};

  /// Subtracts the terms from `sum`, in their order, once take() has got every x. A lane must not wait so for another of
  /// its own warp.
  template <class Take, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_from(S (&sum)[K], Take const& take, Row row) const {
    S x[at_once][K] = {};
    bool there = false;
    for (Backoff wait; !there; wait(row)) {
      there = true;
      for (int u = 0; u < at_once; ++u)
        if (at[u]) there = take(at[u], x[u]) && there;
    }
    for (int u = 0; u < at_once; ++u)
      for (int c = 0; c < K; ++c) sum[c] -= value[u] * x[u][c];
  }
};

/// Owns the slots. Two sides are used in turn: a solve fills one and marks the other, so that none needs a launch of
/// its own. Only a solve with another number of columns than the one before marks its side first.
template <class T>
class SolvedValues {
 public:
  using scalar = typename T::scalar;
  using real = typename Parts<scalar>::real;

  SolvedValues() = default;
  SolvedValues(typename T::exec_space const& exec, typename T::index slots) : slots_(static_cast<std::size_t>(slots)) { reserve(exec, 1); }

  /// Makes room for solves of so many columns, which come in blocks of at most max_column_block (allocates).
  void reserve(typename T::exec_space const& exec, int columns) {
    columns = std::min(columns, max_column_block);
    if (columns <= capacity_) return;
    sides_ = decltype(sides_)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::solved_values")),
                              2 * slots_ * static_cast<std::size_t>(columns * Parts<scalar>::count));
    capacity_ = columns;
    width_ = 0;
  }
  /// The slots of a solve of K columns; call once per solve. Allocates if it is the first of so many.
  template <int K>
  SolvedSlots<scalar, K> begin(typename T::exec_space const& exec) {
    reserve(exec, K);
    std::size_t const side = sides_.extent(0) / 2;
    turn_ = 1 - turn_;
    real* const now = sides_.data() + (turn_ ? side : 0);
    if (width_ != K) mark(exec, turn_ ? side : 0, slots_ * SolvedSlots<scalar, K>::width);
    width_ = K;
    return {now, sides_.data() + (turn_ ? 0 : side)};
  }
  std::size_t memory_bytes() const { return sides_.span() * sizeof(real); }

  // public for the sake of nvcc, which wants no lambda in a private member
  void mark(typename T::exec_space const& exec, std::size_t first, std::size_t count) {
    real* const at = sides_.data() + first;
    Kokkos::parallel_for(
        "sptrsv::solved_values::mark", Kokkos::RangePolicy<typename T::exec_space, std::size_t>(exec, 0, count),
        KOKKOS_LAMBDA(std::size_t k) { at[k] = Marker<real>::value(); });
  }

 private:
  std::size_t slots_ = 0;
  int capacity_ = 0, width_ = 0, turn_ = 0;
  Kokkos::View<real*, typename T::device> sides_;
};

}  // namespace sptrsv::detail
