// SPDX-License-Identifier: Apache-2.0
// Solutions that other rows poll for: a slot holds a sentinel until its value is published, so that one load both tells
// whether the value is there and returns it.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"

namespace sptrsv::detail {

/// Access to a scalar as real numbers, each of which one load or store moves atomically.
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

/// The NaN whose bits are all ones marks an unpublished value. A result of that pattern is published as another NaN.
template <class R>
struct Sentinel {
  using bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(R) == sizeof(bits));

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bits pattern() { return ~bits(0); }
  KOKKOS_FORCEINLINE_FUNCTION static bool is(R value) { return Kokkos::bit_cast<bits>(value) == pattern(); }
  KOKKOS_FORCEINLINE_FUNCTION static R value() { return Kokkos::bit_cast<R>(pattern()); }
  /// Returns the value, without its sign bit if it is the sentinel.
  KOKKOS_FORCEINLINE_FUNCTION static R publishable(R value) {
    return is(value) ? Kokkos::bit_cast<R>(pattern() >> 1) : value;
  }
};

/// Access to a Flagged value in global memory, where the whole GPU sees it.
struct GlobalMemory {
  template <class R>
  using sentinel = Sentinel<R>;
  template <class R, class At>
  KOKKOS_FORCEINLINE_FUNCTION static R load(At at, int part) {
    return load_relaxed(reinterpret_cast<R const*>(at) + part);
  }
  template <class R, class At>
  KOKKOS_FORCEINLINE_FUNCTION static void store(At at, int part, R value) {
    store_relaxed(reinterpret_cast<R*>(at) + part, value);
  }
};

/// Access to a value in memory that is its own flag: until the value is published, each of its parts is the sentinel.
/// @tparam Memory  loads and stores the parts; its `sentinel` compares and changes them
template <class S, class Memory = GlobalMemory>
struct Flagged {
  using parts = Parts<S>;
  using real = typename parts::real;
  using sentinel = typename Memory::template sentinel<real>;

  /// Loads the value or sentinels.
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static void poll(At at, S& value) {
    for (int w = 0; w < parts::count; ++w) parts::set(value, w, Memory::template load<real>(at, w));
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static S load(At at) {
    S value{};
    poll(at, value);
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_there(S const& value) {
    bool there = true;
    for (int w = 0; w < parts::count; ++w) there &= !sentinel::is(parts::get(value, w));
    return there;
  }
  /// Polls again only if a part of the value is still a sentinel: each poll takes room in the queues of the L1 cache.
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static void poll_again(At at, S& value) {
    if (!is_there(value)) poll(at, value);
  }
  /// Waits for the value. Must not wait for a lane of the same warp.
  template <class At, class Row>
  KOKKOS_FORCEINLINE_FUNCTION static S await(At at, Row row) {
    S value = load(at);
    for (Backoff wait; !is_there(value); value = load(at)) wait(row);
    return value;
  }
  /// Returns the value in the form in which it is stored: no part of it can be mistaken for the sentinel.
  KOKKOS_FORCEINLINE_FUNCTION static S publishable(S value) {
    for (int w = 0; w < parts::count; ++w) parts::set(value, w, sentinel::publishable(parts::get(value, w)));
    return value;
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static void store(At at, S const& value) {
    for (int w = 0; w < parts::count; ++w) Memory::template store<real>(at, w, parts::get(value, w));
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static void publish(At at, S const& value) {
    store(at, publishable(value));
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION static void reset(At at) {
    for (int w = 0; w < parts::count; ++w) Memory::template store<real>(at, w, Sentinel<real>::value());
  }
};

/// Slots of one pass, in two buffers: one for this solve, and one for the next. A slot has K values for each lane that
/// has columns. Device-copyable.
template <class S, int K>
struct SolvedSlots {
  using parts = Parts<S>;
  using real = typename parts::real;
  static constexpr int width = K * parts::count;

  real* now;
  real* next;
  int stride;  ///< from slot to slot, in reals

  /// Returns the slots of one lane that has columns.
  KOKKOS_FORCEINLINE_FUNCTION SolvedSlots column(int lane) const {
    return {now + lane * width, next + lane * width, stride};
  }
  /// Returns the slots from `slot` on, with addresses that are computed here, before a wait.
  KOKKOS_FORCEINLINE_FUNCTION SolvedSlots from(std::size_t slot) const {
    return {computed_here(now + slot * stride), computed_here(next + slot * stride), stride};
  }
  KOKKOS_FORCEINLINE_FUNCTION real const* at(std::size_t slot) const { return now + slot * stride; }

  /// Polls a slot once; returns false if some of its values are not published yet.
  KOKKOS_FORCEINLINE_FUNCTION bool try_load(std::size_t slot, S (&values)[K]) const {
    poll(at(slot), values);
    return all_solved(values);
  }
  /// Waits for the values of a slot. Must not wait for a lane of the same warp.
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void await(std::size_t slot, S (&values)[K], Row row) const {
    for (Backoff wait; !try_load(slot, values);) wait(row);
  }
  /// Tells whether none of the values is the sentinel.
  KOKKOS_FORCEINLINE_FUNCTION static bool all_solved(S const (&values)[K]) {
    bool all = true;
    for (int c = 0; c < K; ++c) all &= Flagged<S>::is_there(values[c]);
    return all;
  }
  /// Loads the contents of a slot, sentinels or values.
  KOKKOS_FORCEINLINE_FUNCTION static void poll(real const* at, S (&values)[K]) {
    for (int c = 0; c < K; ++c) Flagged<S>::poll(at + c * parts::count, values[c]);
  }
  /// Loads the values of a slot that an earlier kernel has filled.
  KOKKOS_FORCEINLINE_FUNCTION static void load(real const* at, S (&values)[K]) {
    for (int w = 0; w < width; ++w) parts::set(values[w / parts::count], w % parts::count, at[w]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void publish(std::size_t slot, S const* values) const {
    publish_at(now + slot * stride, values);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void publish_at(real* at, S const* values) {
    for (int c = 0; c < K; ++c) Flagged<S>::publish(at + c * parts::count, values[c]);
  }
  /// Fills the slot in the buffer of the next solve with sentinels.
  KOKKOS_FORCEINLINE_FUNCTION void reset_next(std::size_t slot) const {
    real* const at = next + slot * stride;
    for (int w = 0; w < width; ++w) at[w] = Sentinel<real>::value();
  }
};

template <class At>
constexpr At nothing() {
  if constexpr (std::is_pointer_v<At>) return nullptr;
  else return At(-1);
}

/// Batch of terms of a row whose x are polled for together, so that their loads are in flight at the same time.
/// @tparam At  type of the address of an x; `nowhere` where there is no term or its x has been loaded
template <class S, int K, class At = typename Parts<S>::real const*>
struct Terms {
  static constexpr int batch = K == 1 ? 4 : 1;
  static constexpr At nowhere = nothing<At>();

  At at[batch];
  S value[batch] = {};
  S x[batch][K] = {};

  KOKKOS_FORCEINLINE_FUNCTION Terms() {
    for (int u = 0; u < batch; ++u) at[u] = nowhere;
  }
  /// Waits until poll(at, x) has loaded every x, then subtracts the terms from `sum` in their order. Loads all x before
  /// it compares any with the sentinel, so that the loads overlap. Must not wait for a lane of the same warp.
  template <class Poll, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void await_and_subtract(S (&sum)[K], Poll const& poll, Row row) {
    bool solved = false;
    for (Backoff wait; !solved; wait(row)) {
      poll_all(poll);
      solved = true;
      for (int u = 0; u < batch; ++u) solved &= SolvedSlots<S, K>::all_solved(x[u]);
    }
    subtract(sum);
  }
  template <class Poll>
  KOKKOS_FORCEINLINE_FUNCTION void poll_all(Poll const& poll) {
    for (int u = 0; u < batch; ++u)
      if (at[u] != nowhere) poll(at[u], x[u]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(S (&sum)[K]) const {
    for (int u = 0; u < batch; ++u)
      for (int c = 0; c < K; ++c) sum[c] -= value[u] * x[u][c];
  }
};

/// Owner of the slots, in two buffers: a solve publishes in one and fills the other with sentinels for the next solve,
/// which saves a launch. A separate kernel fills a buffer only before a solve with another number of columns than the
/// solve before.
template <class T>
class SolvedValues {
 public:
  using scalar = typename T::scalar;
  using real = typename Parts<scalar>::real;

  SolvedValues() = default;
  SolvedValues(typename T::exec_space const& exec, typename T::index slots) : slots_(static_cast<std::size_t>(slots)) {
    reserve(exec, 1);
  }

  /// Allocates the slots of a pass over `columns` columns, or of the widest pass if that has fewer.
  void reserve(typename T::exec_space const& exec, int columns) {
    constexpr int most = columns_on_lanes<typename T::exec_space> ? max_column_lanes : max_column_block;
    int capacity = 1;  // a power of two, like the lanes
    while (capacity < columns && capacity < most) capacity *= 2;
    reserve_exactly(exec, capacity);
  }
  /// Returns the slots of a pass; call once per pass. Allocates if all earlier passes had fewer columns.
  template <int K>
  SolvedSlots<scalar, K> begin(typename T::exec_space const& exec, ColumnBlock const& columns) {
    reserve_exactly(exec, K * columns.lanes());
    std::size_t const size = buffers_.extent(0) / 2;
    int const stride = columns.lanes() * SolvedSlots<scalar, K>::width;
    current_ = 1 - current_;
    std::size_t const now = current_ ? size : 0;
    if (stride_ != stride || columns_ != columns.count)
      fill_with_sentinels(exec, now, slots_ * static_cast<std::size_t>(stride));
    stride_ = stride;
    columns_ = columns.count;
    return {buffers_.data() + now, buffers_.data() + (size - now), stride};
  }
  /// Recovers from a failed solve: the next solve fills its buffer with sentinels first.
  void restart() { stride_ = 0; }
  std::size_t memory_bytes() const { return buffers_.span() * sizeof(real); }

  // public because nvcc allows no lambda in a private member
  void fill_with_sentinels(typename T::exec_space const& exec, std::size_t first, std::size_t count) {
    real* const at = buffers_.data() + first;
    Kokkos::parallel_for(
        "sptrsv::solved_values::fill_with_sentinels", range_of<std::size_t>(exec, count),
        KOKKOS_LAMBDA(std::size_t k) { at[k] = Sentinel<real>::value(); });
  }

 private:
  void reserve_exactly(typename T::exec_space const& exec, int columns) {
    if (columns <= capacity_) return;
    buffers_ = raw_view<decltype(buffers_)>(exec, "sptrsv::solved_values",
                                            2 * slots_ * static_cast<std::size_t>(columns * Parts<scalar>::count));
    capacity_ = columns;
    stride_ = 0;
  }

  std::size_t slots_ = 0;
  int capacity_ = 0, stride_ = 0, columns_ = 0;
  int current_ = 0;  // index of the buffer of the last solve
  Kokkos::View<real*, typename T::device> buffers_;
};

}  // namespace sptrsv::detail
