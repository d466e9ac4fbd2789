// SPDX-License-Identifier: Apache-2.0
// `levelset` on a host: one thread solves successive narrow levels, all threads a wide one.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "sptrsv/algorithm/levelset/levelset_options.hpp"
#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/host_cost.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/ordered_rows.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_loop.hpp"

namespace sptrsv::detail {

/// Returns the rows level by level for a host. Within a level they are sorted by length, so that a core seldom
/// mispredicts the end of a row (copter2: 1.7 times faster). Levels of a few rows gain nothing and stay unsorted.
template <class T>
Kokkos::View<typename T::index*, typename T::device> rows_by_level_and_length(typename T::exec_space const& exec,
                                                                              OffDiagonals<T> const& rows,
                                                                              LevelSets<T> const& sets) {
  using index = typename T::index;
  constexpr int lengths = LevelSetTuning::sorted_lengths;
  constexpr auto least = static_cast<index>(LevelSetTuning::sorted_from);
  index const* const level_ptr = sets.level_ptr.data();
  auto const sorted = raw_view<index, T>(exec, "sptrsv::level_set::rows", static_cast<std::size_t>(rows.num_rows));
  auto const level_rows = sets.level_rows;
  Kokkos::parallel_for(
      "sptrsv::level_set::sort",
      Kokkos::RangePolicy<typename T::exec_space, Kokkos::Schedule<Kokkos::Dynamic>, index>(exec, 0, sets.num_levels()),
      [=](index l) {
        index const* const begin = level_rows.data() + level_ptr[l];
        index const* const end = level_rows.data() + level_ptr[l + 1];
        index* const out = sorted.data() + level_ptr[l];
        if (end - begin < least) {
          std::copy(begin, end, out);
          return;
        }
        auto const length = [&](index i) {
          return static_cast<int>(std::min<typename T::offset>(rows.count(i), lengths - 1));
        };
        index next[lengths + 1] = {};
        for (index const* p = begin; p < end; ++p) ++next[length(*p) + 1];
        for (int c = 0; c < lengths; ++c) next[c + 1] += next[c];
        for (index const* p = begin; p < end; ++p) out[next[length(*p)]++] = *p;
      });
  exec.fence("sptrsv::level_set: level_ptr on the host has been read");
  return sorted;
}

template <class T>
struct LevelCursor {
  typename T::index const* rows;
  typename T::offset const* ends;
  typename T::scalar const* diagonals;

  KOKKOS_FORCEINLINE_FUNCTION typename T::index row() const { return *rows; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset begin() const { return ends[0]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset end() const { return ends[1]; }
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(V const*) const {
    return *diagonals;
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    ++rows;
    ++ends;
    ++diagonals;
  }
  KOKKOS_FORCEINLINE_FUNCTION LevelCursor after(typename T::index count) const {
    return {rows, ends + count, diagonals};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool differs(LevelCursor const& other) const { return ends != other.ends; }
};

/// Solves positions first..last by one thread of a host.
template <class T, int K, Access A>
void solve_positions(OrderedRows<T> const& order, RowIO<T> const& io, Diagonal diagonal, typename T::index first,
                     typename T::index last) {
  with_diagonal(diagonal, [&](auto kind) {
    order.values.with_array([&](auto const& values) {
      using value = typename std::decay_t<decltype(values)>::value_type;
      // values in single precision share one loop, so that fewer loops are compiled
      constexpr Access access = std::is_same_v<value, typename T::scalar> ? A : Access::any;
      RowLoop<T, K, access, decltype(kind)::value, LevelCursor<T>, value>{
          {order.row.data() + first, order.row_ptr.data() + first, order.diagonal.data() + first},
          order.col_idx.data(),
          values.data(),
          io,
          false}
          .template gather<1>(last - first);
    });
  });
}

/// `levelset` on a host.
template <class T>
class HostLevelSet : public LevelSetDescription {
 public:
  using types = T;
  using index = typename T::index;

  HostLevelSet(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : diagonal_(analysis.shape().diagonal), narrow_rows_(options.wide_rows) {
    auto const& rows = analysis.rows(exec);  // before the levels, which are then found by a sweep over these rows
    auto const& sets = analysis.levels(exec, options.analysis);
    order_ = order_rows<T>(exec, analysis, rows_by_level_and_length<T>(exec, rows, sets));
    if (narrow_rows_ == 0)
      narrow_rows_ = HostCost(host_speed(exec), double(analysis.num_rows()), analysis.mean_row()).narrow_rows();
    launches_ = {sets.level_ptr, [&](index level) { return sets.rows_in_level(level) <= narrow_rows_; }};
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    fill_values<T>(exec, analysis, values, order_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    for_thread_columns(static_cast<int>(b.extent(1)), [&](auto width, ColumnBlock const& columns) {
      constexpr int K = decltype(width)::value;
      RowIO<T> const io{b, x, permute_scale, columns.first};
      with_access<true, K>(io, [&](auto access) {
        launches_.run("sptrsv::level_set::solve", exec, [&](index first, index last) {
          solve_positions<T, K, decltype(access)::value>(order_, io, diagonal_, first, last);
        });
      });
    });
  }

  std::string parameters() const {
    std::string const share = launches_.size() == 1 && launches_.count_narrow() == 1
                                  ? ""
                                  : std::to_string(launches_.count_narrow()) + " of them ";
    return plural(launches_.size(), "kernel") + ", " + share + "by one thread for successive levels of " +
           (narrow_rows_ == std::numeric_limits<int>::max() ? "any size" : "up to " + plural(narrow_rows_, "row")) +
           (order_.values.rounds() ? ", values in single precision" : "");
  }
  void reserve(typename T::exec_space const&, int) {}
  std::size_t memory_bytes() const { return order_.memory_bytes() + order_.row.span() * sizeof(index); }

 private:
  Diagonal diagonal_;
  OrderedRows<T> order_;
  int narrow_rows_;
  HostSetLaunches<index> launches_;
};

}  // namespace sptrsv::detail
