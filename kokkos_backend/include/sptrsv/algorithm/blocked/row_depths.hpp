// SPDX-License-Identifier: Apache-2.0
// Depths of rows: for each direction, the maximum number of its entries on a path to a row. In a grid numbered line by
// line they follow from row numbers alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/device/depth_sweep.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/directions.hpp"
#include "sptrsv/triangle/grid_lines.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Depths of a row, 21 bits per direction: the maximum number of entries of that direction on a path to the row. Depths
/// do not decrease along a dependency, even when clamped.
struct Depths {
  static constexpr int bits = 21;
  static constexpr std::uint64_t greatest = (std::uint64_t(1) << bits) - 1;
  static constexpr std::uint64_t unknown = ~std::uint64_t(0);

  KOKKOS_INLINE_FUNCTION static std::uint64_t of(std::uint64_t depths, int direction) {
    return (depths >> (direction * bits)) & greatest;
  }
  /// Returns the maximum of both depths in each direction, after adding 1 to `needed` in the entry's direction.
  KOKKOS_INLINE_FUNCTION static std::uint64_t join(std::uint64_t mine, std::uint64_t needed, int direction) {
    std::uint64_t out = 0;
    for (int d = 0; d < Directions::most; ++d) {
      std::uint64_t const a = of(mine, d);
      std::uint64_t b = of(needed, d) + (d == direction);
      if (b > greatest) b = greatest;
      out |= (a > b ? a : b) << (d * bits);
    }
    return out;
  }
};

/// Kernel that computes depths in one sweep over op(T)'s rows, with threads that poll like those of LevelSweep.
template <class T>
struct DepthSweep {
  using index = typename T::index;
  OffDiagonals<T> rows;
  Directions directions;
  Kokkos::View<std::uint64_t*, typename T::device> depths;  // by row; Depths::unknown until published
  bool ascending;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) {
      index const i = ascending ? s : rows.num_rows - 1 - s;
      auto k = rows.begin(i);
      auto const end = rows.end(i);
      std::uint64_t mine = 0;
      await_depths(
          i, NeededRows<index>(), depths, Depths::unknown,
          [&](NeededRows<index>& batch) {
            if (batch.missed != 0) return true;
            for (int u = 0; u < batch.batch && k < end; ++u, ++k) batch.add(u, rows.col_idx(k));
            return batch.missed != 0;
          },
          [&](index needed, std::uint64_t depth) {
            mine = Depths::join(mine, depth, directions.of(ascending ? i - needed : needed - i));
          },
          [&] { store_relaxed(&depths(i), mine); });
    });
  }
};

/// Computes the depths of all rows from the lines of a grid.
/// @return false if a depth decreases along some entry; `depths` is then meaningless. Cost: one pass over the pattern;
/// fences.
template <class T>
bool depths_by_grid(typename T::exec_space const& exec, Analysis<T> const& analysis, Directions const& directions,
                    GridLines const& lines, Kokkos::View<std::uint64_t*, typename T::device> const& depths) {
  using index = typename T::index;
  GridEntries<T> const entries(analysis.rows(exec), analysis.shape().ascending());
  int const count = directions.count();
  long long wrong = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::grid_depths", row_range<T>(exec, entries.rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum) {
        auto const here = lines.point(entries.position_of(i));
        std::uint64_t mine = 0;
        for (int d = 0; d < count; ++d) {
          auto const depth = static_cast<std::uint64_t>(lines.depth(here, d));
          mine |= (depth < Depths::greatest ? depth : Depths::greatest) << (d * Depths::bits);
        }
        depths(i) = mine;
        entries.for_row(i, [&](std::int64_t, std::int64_t needed) {
          auto const there = lines.point(needed);
          for (int d = 0; d < count; ++d) sum += lines.depth(there, d) > lines.depth(here, d);
        });
      },
      wrong);
  return wrong == 0;
}

}  // namespace sptrsv::detail
