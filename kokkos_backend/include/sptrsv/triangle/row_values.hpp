// SPDX-License-Identifier: Apache-2.0
// Values of op(T)'s off-diagonal entries: the caller's array, or a copy gathered by a map.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/small_range.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

template <class T>
void gather(typename T::exec_space const& exec, Kokkos::View<const typename T::offset*, typename T::device> source,
            typename T::values all, Kokkos::View<typename T::scalar*, typename T::device> out) {
  using offset = typename T::offset;
  auto const count = static_cast<offset>(out.extent(0));
  for_range("sptrsv::update::gather", exec, count, count, KOKKOS_LAMBDA(offset k) { out(k) = all(source(k)); });
}

template <class T>
class RowValues {
 public:
  RowValues(typename T::exec_space const& exec, OffDiagonals<T> const& rows) : rows_(rows) {
    if (rows.source.data()) gathered_ = raw_view<decltype(gathered_)>(exec, "sptrsv::values", rows.source.extent(0));
  }
  /// Takes new values: gathers them now if there is a map; otherwise solves read the caller's array.
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& all) {
    if (gathered_.data()) gather<T>(exec, rows_.source, all, gathered_);
    numbers_ = analysis.numbers(all, gathered_.data() ? typename T::values(gathered_) : all);
  }
  OffDiagonals<T> const& rows() const { return rows_; }
  TriangleValues<T> const& numbers() const { return numbers_; }
  std::size_t memory_bytes() const { return gathered_.span() * sizeof(typename T::scalar); }

 private:
  OffDiagonals<T> rows_;
  Kokkos::View<typename T::scalar*, typename T::device> gathered_;
  TriangleValues<T> numbers_;
};

}  // namespace sptrsv::detail
