// SPDX-License-Identifier: Apache-2.0
// Copies of off-diagonal values, as given or rounded to single precision.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/storage.hpp"
#include "sptrsv/triangle/analysis.hpp"
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
/// Type that Storage::single stores; the scalar itself if that is no more precise.
template <class Scalar>
using single_of = typename SinglePrecision<Scalar>::type;
template <class Scalar>
inline constexpr bool is_single = std::is_same_v<Scalar, single_of<Scalar>>;

template <class Scalar>
std::size_t stored_bytes(Storage storage) {
  return storage == Storage::single ? sizeof(single_of<Scalar>) : sizeof(Scalar);
}

/// Off-diagonal values in one of two arrays: full or rounded. Device-copyable.
template <class T>
struct StoredValues {
  using scalar = typename T::scalar;
  using single = single_of<scalar>;
  Kokkos::View<scalar*, typename T::device> full;
  Kokkos::View<single*, typename T::device> rounded;
  Kokkos::View<int*, typename T::device> lost;  ///< one flag, with `rounded`: set if a value did not fit

  /// Tells whether single precision holds the value as a normal number, zero, infinity or NaN.
  KOKKOS_FORCEINLINE_FUNCTION static bool fits(scalar const& value) {
    bool all = true;
    for (int w = 0; w < Parts<scalar>::count; ++w) {
      auto const size = static_cast<double>(Kokkos::abs(Parts<scalar>::get(value, w)));
      bool const in_range = size >= least_normal && size < first_infinite;
      all = all && (in_range || size == 0 || !Kokkos::isfinite(size));
    }
    return all;
  }
  static constexpr double least_normal = 0x1p-126;
  static constexpr double first_infinite = 0x1.ffffffp+127;  ///< smallest magnitude that rounds to infinity

  KOKKOS_FORCEINLINE_FUNCTION bool rounds() const {
    if constexpr (is_single<scalar>) return false;
    else return rounded.data() != nullptr;
  }
  /// Returns value k.
  /// @tparam Stored  element type of the array that exists; with a branch in the kernel instead, a solve takes up to
  /// 1.4 times as long
  template <class Stored, class K>
  KOKKOS_FORCEINLINE_FUNCTION scalar as(K k) const {
    if constexpr (std::is_same_v<Stored, scalar>) return full(k);
    else return static_cast<scalar>(rounded(k));
  }
  template <class K>
  KOKKOS_FORCEINLINE_FUNCTION void set(K k, scalar const& value) const {
    if constexpr (!is_single<scalar>)
      if (rounds()) {
        rounded(k) = single(value);
        if (!fits(value)) Kokkos::atomic_store(&lost(0), 1);
        return;
      }
    full(k) = value;
  }
  /// Clears the flag `lost`; call before values are set.
  void begin(typename T::exec_space const& exec) const {
    if (rounds()) Kokkos::deep_copy(exec, lost, 0);
  }
  /// Calls f with the existing array.
  template <class F>
  void with_array(F const& f) const {
    if constexpr (!is_single<scalar>)
      if (rounds()) return f(rounded);
    f(full);
  }
};

/// Layout of the stored values in a JointMemory: construct before allocate(), call view() after it.
template <class T>
class StoredLayout {
 public:
  StoredLayout(JointMemory<T>& memory, Storage storage, std::size_t count)
      : rounds_(storage == Storage::single && !is_single<typename T::scalar>),
        count_(count),
        values_(rounds_ ? memory.template append<single_of<typename T::scalar>>(count)
                        : memory.template append<typename T::scalar>(count)),
        lost_(memory.template append<int>(rounds_ ? 1 : 0)) {}
  StoredValues<T> view(JointMemory<T> const& memory) const {
    StoredValues<T> out;
    if (rounds_) {
      out.rounded = memory.template view<single_of<typename T::scalar>>(values_, count_);
      out.lost = memory.template view<int>(lost_, 1);
    } else {
      out.full = memory.template view<typename T::scalar>(values_, count_);
    }
    return out;
  }

 private:
  bool rounds_;
  std::size_t count_, values_, lost_;
};

/// Checks the stored values of `rows`.
/// @throws SingleRange for the first row with a value that does not fit.
/// Cost: a fence if values are rounded; a pass over all values if one was lost.
template <class T>
void require_stored(typename T::exec_space const& exec, StoredValues<T> const& stored, OffDiagonals<T> const& rows,
                    TriangleValues<T> const& numbers, Shape const& shape) {
  if (!stored.rounds()) return;
  int lost = 0;
  Kokkos::deep_copy(exec, lost, Kokkos::subview(stored.lost, 0));
  exec.fence("sptrsv::update: whether all values fit is needed on the host");
  if (lost == 0) return;
  auto const loses = KOKKOS_LAMBDA(typename T::index i) {
    for (auto k = rows.begin(i); k < rows.end(i); ++k)
      if (!StoredValues<T>::fits(numbers.all(rows.source_of(k)))) return true;
    return false;
  };
  throw SingleRange(first_row_with<T>("sptrsv::update::lost", exec, rows.num_rows, loses), shape.transposed(),
                    name_of(shape.triangle));
}

}  // namespace sptrsv::detail
