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

#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"

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
  KOKKOS_FORCEINLINE_FUNCTION static real get(Kokkos::complex<R> const& value, int part) {
    return part == 0 ? value.real() : value.imag();
  }
  KOKKOS_FORCEINLINE_FUNCTION static void set(Kokkos::complex<R>& value, int which, real part) {
    (which == 0 ? value.real() : value.imag()) = part;
  }
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
  KOKKOS_FORCEINLINE_FUNCTION static R other(R value) {
    return is(value) ? Kokkos::bit_cast<R>(pattern() >> 1) : value;
  }
};

/// K values for each of n slots, or one lane's K of several, on the side of this solve, and the side of the next.
/// Device-copyable.
template <class S, int K>
struct SolvedSlots {
  using parts = Parts<S>;
  using real = typename parts::real;
  static constexpr int width = K * parts::count;

  real* now;
  real* next;
  int stride;  ///< from slot to slot, in reals

  /// The slots of one lane that has columns.
  KOKKOS_FORCEINLINE_FUNCTION SolvedSlots column(int lane) const {
    return {now + lane * width, next + lane * width, stride};
  }
  /// The slots from one on, found here and now.
  KOKKOS_FORCEINLINE_FUNCTION SolvedSlots from(std::size_t slot) const {
    return {computed_here(now + slot * stride), computed_here(next + slot * stride), stride};
  }
  KOKKOS_FORCEINLINE_FUNCTION real const* at(std::size_t slot) const { return now + slot * stride; }

  /// Takes the values of a slot; false if some are not there yet.
  KOKKOS_FORCEINLINE_FUNCTION bool take(std::size_t slot, S (&values)[K]) const {
    look(at(slot), values);
    return there(values);
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool there(S const (&values)[K]) {
    bool all = true;
    for (int w = 0; w < width; ++w) all &= !Marker<real>::is(parts::get(values[w / parts::count], w % parts::count));
    return all;
  }
  /// What a slot holds, markers or values.
  KOKKOS_FORCEINLINE_FUNCTION static void look(real const* at, S (&values)[K]) {
    for (int w = 0; w < width; ++w) parts::set(values[w / parts::count], w % parts::count, peek(at + w));
  }
  /// The values of a slot that an earlier kernel has filled.
  KOKKOS_FORCEINLINE_FUNCTION static void read(real const* at, S (&values)[K]) {
    for (int w = 0; w < width; ++w) parts::set(values[w / parts::count], w % parts::count, at[w]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::size_t slot, S const* values) const {
    real* const at = now + slot * stride;
    for (int w = 0; w < width; ++w)
      post(at + w, Marker<real>::other(parts::get(values[w / parts::count], w % parts::count)));
  }
  /// Makes the slot ready for the next solve.
  KOKKOS_FORCEINLINE_FUNCTION void clear_next(std::size_t slot) const {
    real* const at = next + slot * stride;
    for (int w = 0; w < width; ++w) at[w] = Marker<real>::value();
  }
};

template <class At>
constexpr At nothing() {
  if constexpr (std::is_pointer_v<At>) return nullptr;
  else return At(-1);
}

/// A few terms of a row, whose x are awaited together: their loads are in flight at the same time.
/// @tparam At  says where an x will be; `nowhere` where there is no term, or its x is there already
template <class S, int K, class At = typename Parts<S>::real const*>
struct Terms {
  static constexpr int at_once = K == 1 ? 4 : 1;
  static constexpr At nowhere = nothing<At>();

  At at[at_once];
  S value[at_once] = {};
  S x[at_once][K] = {};

  KOKKOS_FORCEINLINE_FUNCTION Terms() {
    for (int u = 0; u < at_once; ++u) at[u] = nowhere;
  }
  /// Subtracts the terms from `sum`, in their order, once look(at, x) has found every x. All are looked at before any
  /// is judged, so that the looks overlap. A lane must not wait so for another of its own warp.
  template <class Look, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void await_and_subtract(S (&sum)[K], Look const& look, Row row) {
    bool there = false;
    for (Backoff wait; !there; wait(row)) {
      look_at_all(look);
      there = true;
      for (int u = 0; u < at_once; ++u) there &= SolvedSlots<S, K>::there(x[u]);
    }
    subtract(sum);
  }
  template <class Look>
  KOKKOS_FORCEINLINE_FUNCTION void look_at_all(Look const& look) {
    for (int u = 0; u < at_once; ++u)
      if (at[u] != nowhere) look(at[u], x[u]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(S (&sum)[K]) const {
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
  SolvedValues(typename T::exec_space const& exec, typename T::index slots) : slots_(static_cast<std::size_t>(slots)) {
    reserve(exec, 1);
  }

  /// Makes room for solves of so many columns, as many as a pass has at most (allocates).
  void reserve(typename T::exec_space const& exec, int columns) {
    constexpr int most = columns_on_lanes<typename T::exec_space> ? max_column_lanes : max_column_block;
    int room = 1;  // a power of two, as lanes are
    while (room < columns && room < most) room *= 2;
    reserve_exactly(exec, room);
  }
  /// The slots of a solve; call once per pass. Allocates if it is the first of so many columns.
  template <int K>
  SolvedSlots<scalar, K> begin(typename T::exec_space const& exec, ColumnBlock const& columns) {
    reserve_exactly(exec, K * columns.lanes());
    std::size_t const side = sides_.extent(0) / 2;
    int const stride = columns.lanes() * SolvedSlots<scalar, K>::width;
    turn_ = 1 - turn_;
    real* const now = sides_.data() + (turn_ ? side : 0);
    if (stride_ != stride || columns_ != columns.count)
      mark(exec, turn_ ? side : 0, slots_ * static_cast<std::size_t>(stride));
    stride_ = stride;
    columns_ = columns.count;
    return {now, sides_.data() + (turn_ ? 0 : side), stride};
  }
  /// After a solve that failed: the next one marks its side first, whatever is in it.
  void restart() { stride_ = 0; }
  std::size_t memory_bytes() const { return sides_.span() * sizeof(real); }

  // public for the sake of nvcc, which wants no lambda in a private member
  void mark(typename T::exec_space const& exec, std::size_t first, std::size_t count) {
    real* const at = sides_.data() + first;
    Kokkos::parallel_for(
        "sptrsv::solved_values::mark", Kokkos::RangePolicy<typename T::exec_space, std::size_t>(exec, 0, count),
        KOKKOS_LAMBDA(std::size_t k) { at[k] = Marker<real>::value(); });
  }

 private:
  void reserve_exactly(typename T::exec_space const& exec, int columns) {
    if (columns <= capacity_) return;
    sides_ =
        decltype(sides_)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::solved_values")),
                         2 * slots_ * static_cast<std::size_t>(columns * Parts<scalar>::count));
    capacity_ = columns;
    stride_ = 0;
  }

  std::size_t slots_ = 0;
  int capacity_ = 0, stride_ = 0, columns_ = 0, turn_ = 0;
  Kokkos::View<real*, typename T::device> sides_;
};

}  // namespace sptrsv::detail
