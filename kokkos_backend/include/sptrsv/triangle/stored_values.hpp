// SPDX-License-Identifier: Apache-2.0
// Copies of off-diagonal values, as given or rounded to single precision.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/storage.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

template <class Scalar>
struct SinglePrecision {
  using type = float;
};
template <class R>
struct SinglePrecision<Kokkos::complex<R>> {
  using type = Kokkos::complex<float>;
};
/// What Storage::single keeps; the scalar itself if it is no more precise.
template <class Scalar>
using single_of = typename SinglePrecision<Scalar>::type;
template <class Scalar>
inline constexpr bool is_single = std::is_same_v<Scalar, single_of<Scalar>>;

/// Bytes of a value that is kept.
template <class Scalar>
std::size_t stored_bytes(Storage storage) {
  return storage == Storage::single ? sizeof(single_of<Scalar>) : sizeof(Scalar);
}

/// One of two arrays. Device-copyable.
template <class T>
struct StoredValues {
  using scalar = typename T::scalar;
  using single = single_of<scalar>;
  Kokkos::View<scalar*, typename T::device> full;
  Kokkos::View<single*, typename T::device> rounded;

  KOKKOS_FORCEINLINE_FUNCTION bool rounds() const {
    if constexpr (is_single<scalar>) return false;
    else return rounded.data() != nullptr;
  }
  template <class K>
  KOKKOS_FORCEINLINE_FUNCTION scalar operator()(K k) const {
    if constexpr (!is_single<scalar>)
      if (rounds()) return scalar(rounded(k));
    return full(k);
  }
  template <class K>
  KOKKOS_FORCEINLINE_FUNCTION void set(K k, scalar const& value) const {
    if constexpr (!is_single<scalar>)
      if (rounds()) {
        rounded(k) = single(value);
        return;
      }
    full(k) = value;
  }
  /// Calls f(array), the one that there is.
  template <class F>
  void with_array(F const& f) const {
    if constexpr (!is_single<scalar>)
      if (rounds()) return f(rounded);
    f(full);
  }
};

/// Two steps, before and after JointMemory::allocate(). @return  what the second one takes
template <class T>
std::size_t append_stored(JointMemory<T>& memory, Storage storage, std::size_t count) {
  using scalar = typename T::scalar;
  return storage == Storage::single ? memory.template append<single_of<scalar>>(count)
                                    : memory.template append<scalar>(count);
}
template <class T>
StoredValues<T> view_stored(JointMemory<T> const& memory, Storage storage, std::size_t at, std::size_t count) {
  using scalar = typename T::scalar;
  StoredValues<T> out;
  if (storage == Storage::single && !is_single<scalar>)
    out.rounded = memory.template view<single_of<scalar>>(at, count);
  else out.full = memory.template view<scalar>(at, count);
  return out;
}

/// Whether rounding makes a part of it infinite that is not.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool overflows_single(Scalar const& value) {
  bool any = false;
  for (int w = 0; w < Parts<Scalar>::count; ++w) {
    auto const part = Parts<Scalar>::get(value, w);
    any = any || (Kokkos::isinf(static_cast<float>(part)) && !Kokkos::isinf(part));
  }
  return any;
}

/// After values were stored, those of `rows`.
/// @throws SingleOverflow for the first row that has a finite value beyond the range of single precision.
/// Cost: where values are rounded, a pass over what is stored and a fence.
template <class T>
void require_stored(typename T::exec_space const& exec, StoredValues<T> const& stored, OffDiagonals<T> const& rows,
                    Numbers<T> const& numbers) {
  using index = typename T::index;
  if (!stored.rounds()) return;
  auto const rounded = stored.rounded;
  int infinite = 0;
  Kokkos::parallel_reduce(
      "sptrsv::update::infinite",
      Kokkos::RangePolicy<typename T::exec_space, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(rounded.extent(0))),
      KOKKOS_LAMBDA(std::int64_t k, int& any) {
        using parts = Parts<single_of<typename T::scalar>>;
        for (int w = 0; w < parts::count; ++w)
          if (Kokkos::isinf(parts::get(rounded(k), w))) any = 1;
      },
      Kokkos::Max<int>(infinite));  // fences, since the result is a host value
  if (infinite <= 0) return;
  long long row = rows.num_rows;  // infinite values that were given stay so
  Kokkos::parallel_reduce(
      "sptrsv::update::overflow", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& first) {
        auto k = rows.first(i);
        for (typename T::offset e = 0; e < rows.count(i); ++e, k += rows.step())
          if (i < first && overflows_single(numbers.all(rows.source_of(k)))) first = i;
      },
      Kokkos::Min<long long>(row));
  if (row < rows.num_rows) throw SingleOverflow(row);
}

}  // namespace sptrsv::detail
