// SPDX-License-Identifier: Apache-2.0
// Depths of the rows of a grid numbered line by line, from row numbers alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/algorithm/blocked/row_depths.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/directions.hpp"
#include "sptrsv/triangle/grid_lines.hpp"

namespace sptrsv::detail {

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
