// SPDX-License-Identifier: Apache-2.0
// Groups of rows that do not depend on each other in a cycle: group numbers never decrease along a dependency.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "sptrsv/algorithm/blocked/blocked_options.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/algorithm/blocked/row_depths.hpp"
#include "sptrsv/device/stable_sort.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/directions.hpp"
#include "sptrsv/triangle/grid_lines.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv::detail {

/// Rows in an order in which each row follows all rows that it needs. Each position has a group number, which does not
/// decrease from position to position. Cutting that order into ranges gives blocks of rows that never wait for later
/// blocks. Uses the analysis' workspace.
template <class T>
struct RowGroups {
  Kokkos::View<typename T::index*, typename T::device> row;  // n, by position
  Kokkos::View<std::uint64_t*, typename T::device> key;      // n, by position: number of the row's group
  std::string shape;                                         // description of the groups, for reports
};

template <class T>
RowGroups<T> take_groups(Analysis<T> const& analysis) {
  auto& work = analysis.workspace();
  auto const n = static_cast<std::size_t>(analysis.num_rows());
  return {work.template take<typename T::index>(n), work.template take<std::uint64_t>(n), {}};
}

/// Sorts rows by group. Rows of a group keep their solve order.
/// @param bits  number of significant bits of a group number
/// @param of    returns the group of a row
template <class T, class Of>
void sort_by_group(typename T::exec_space const& exec, Analysis<T> const& analysis, int bits, Of const& of,
                   RowGroups<T> const& out) {
  using index = typename T::index;
  index const n = analysis.num_rows();
  bool const ascending = analysis.shape().ascending();
  auto& work = analysis.workspace();
  typename Workspace<T>::Scope const scope(work);
  auto const key = work.template take<std::uint64_t>(static_cast<std::size_t>(n));
  Kokkos::parallel_for(
      "sptrsv::blocked::group_of_rows", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index s) { key(s) = of(ascending ? s : n - 1 - s); });
  sort_positions<T, std::uint64_t>(exec, work, key, out.key, out.row, bits);
  if (ascending) return;
  auto const row = out.row;
  Kokkos::parallel_for(
      "sptrsv::blocked::rows", row_range<T>(exec, n), KOKKOS_LAMBDA(index p) { row(p) = n - 1 - row(p); });
}

template <class T>
long long count_groups(typename T::exec_space const& exec, RowGroups<T> const& groups) {
  using index = typename T::index;
  auto const key = groups.key;
  return sum_over_rows<T, long long>(
      "sptrsv::blocked::count_groups", exec, static_cast<index>(key.extent(0)),
      KOKKOS_LAMBDA(index p) { return p == 0 || key(p) != key(p - 1); });
}

/// Groups rows into strips of `levels` successive levels; rows of a strip keep their order.
template <class T>
void group_by_strips(typename T::exec_space const& exec, Analysis<T> const& analysis, LevelSets<T> const& sets,
                     int levels, RowGroups<T> const& out) {
  auto const level_of = sets.level_of;
  auto const greatest = static_cast<std::uint64_t>(sets.num_levels() / levels);
  sort_by_group<T>(
      exec, analysis, bits_for(greatest) + 1,
      KOKKOS_LAMBDA(typename T::index i) {
        return static_cast<std::uint64_t>(level_of(i)) / static_cast<std::uint64_t>(levels);
      },
      out);
}

/// Depths by row, and the number of depths in each direction, at least 1.
template <class T>
struct RowDepths {
  Kokkos::View<std::uint64_t*, typename T::device> of_row;
  std::array<int, Directions::most> extent;
};

/// Computes depths from row numbers if the rows form a grid, otherwise by a sweep. Uses the analysis' workspace.
template <class T>
RowDepths<T> find_depths(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  using index = typename T::index;
  index const n = analysis.num_rows();
  RowDepths<T> out{analysis.workspace().template take<std::uint64_t>(static_cast<std::size_t>(n)), {}};
  auto const depths = out.of_row;
  auto const directions = analysis.directions(exec);
  auto const grid = analysis.grid(exec);
  if (grid.found() && depths_by_grid<T>(exec, analysis, directions, grid, depths)) {
    GridLines::Point const last{grid.line - 1, (grid.plane - 1) / grid.line,
                                (static_cast<std::int64_t>(n) - 1) / grid.plane};
    for (int d = 0; d < Directions::most; ++d)
      out.extent[d] = static_cast<int>(
          d < directions.count() ? std::min(grid.depth(last, d), static_cast<std::int64_t>(Depths::greatest)) + 1 : 1);
    return out;
  }
  Kokkos::deep_copy(exec, depths, Depths::unknown);
  Tickets<T> tickets(exec);
  for_each_ticket<T>("sptrsv::blocked::depths", exec, tickets, thread_per_row_shape<T>(exec, n, 0), n,
                     DepthSweep<T>{analysis.rows(exec), directions, depths, analysis.shape().ascending()});
  std::uint64_t most[Directions::most] = {};
  Kokkos::parallel_reduce(
      "sptrsv::blocked::extents", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i, std::uint64_t& a, std::uint64_t& b, std::uint64_t& c) {
        std::uint64_t const mine = depths(i);
        a = Kokkos::max(a, Depths::of(mine, 0));
        b = Kokkos::max(b, Depths::of(mine, 1));
        c = Kokkos::max(c, Depths::of(mine, 2));
      },
      Kokkos::Max<std::uint64_t>(most[0]), Kokkos::Max<std::uint64_t>(most[1]), Kokkos::Max<std::uint64_t>(most[2]));
  for (int d = 0; d < Directions::most; ++d) out.extent[d] = static_cast<int>(most[d]) + 1;
  return out;
}

/// Returns the sides of boxes of at most `rows` rows that minimize the number of boxes along the grid diagonal.
/// @param asked  sides from the options; 0: chosen here
inline std::array<int, Directions::most> sides_of_boxes(std::array<int, Directions::most> const& extent, double rows,
                                                        std::array<int, Directions::most> const& asked) {
  std::array<int, Directions::most> best{};
  double least = std::numeric_limits<double>::infinity();
  auto const first = [&](int d) { return asked[d] > 0 ? asked[d] : 1; };
  auto const last = [&](int d, double room) {
    return asked[d] > 0 ? asked[d] : std::clamp(static_cast<int>(room), 1, extent[d]);
  };
  // tries fewer of the long sides, which bounds the number of trials
  auto const next = [](int side, int end) { return std::min(end, side + std::max(1, side / 512)); };
  for (int a = first(0), end_a = last(0, rows);; a = next(a, end_a)) {
    double const room = rows / static_cast<double>(a);
    for (int b = first(1), end_b = last(1, room);; b = next(b, end_b)) {
      int const c = last(2, room / static_cast<double>(b));
      double const boxes =
          extent[0] / static_cast<double>(a) + extent[1] / static_cast<double>(b) + extent[2] / static_cast<double>(c);
      if (boxes < least) {
        least = boxes;
        best = {a, b, c};
      }
      if (b >= end_b) break;
    }
    if (a >= end_a) break;
  }
  return best;
}

/// Groups rows into boxes, each a range of depths in every direction. Ranges of a direction are numbered, and boxes are
/// sorted by the sum of the numbers of their ranges.
/// @return false if the numbers of boxes have too many bits
template <class T>
bool group_by_boxes(typename T::exec_space const& exec, Analysis<T> const& analysis, RowDepths<T> const& depths,
                    std::array<int, Directions::most> const& sides, RowGroups<T> const& out) {
  Kokkos::Array<std::uint64_t, Directions::most> side{};
  std::uint64_t greatest = 0;  // largest sum of a box's numbers, which also bounds each of them
  for (int d = 0; d < Directions::most; ++d) {
    side[d] = static_cast<std::uint64_t>(sides[d]);
    greatest += static_cast<std::uint64_t>(depths.extent[d] - 1) / side[d];
  }
  int const bits = std::max(1, bits_for(greatest));
  if (3 * bits > 64) return false;
  auto const of_row = depths.of_row;
  sort_by_group<T>(
      exec, analysis, 3 * bits,
      KOKKOS_LAMBDA(typename T::index i) {
        std::uint64_t const mine = of_row(i), a = Depths::of(mine, 0) / side[0], b = Depths::of(mine, 1) / side[1],
                            c = Depths::of(mine, 2) / side[2];
        return (((a + b + c) << bits) | a) << bits | b;
      },
      out);
  return true;
}

/// Returns the number of levels of a strip.
/// @param mean_level  mean rows per level
/// @param least       minimum number of levels, for wide levels
inline int levels_of_strip(double rows, double mean_level, int least) {
  return static_cast<int>(std::max<double>(least, rows / std::max(1.0, mean_level)));
}

/// Groups rows into boxes of a grid, or into strips of levels.
/// @param rows  desired number of rows of a group
template <class T>
RowGroups<T> group_rows(typename T::exec_space const& exec, Analysis<T> const& analysis,
                        BlockedDescription::Options const& options, double rows) {
  using Cut = BlockedDescription::Cut;
  auto groups = take_groups<T>(analysis);
  if (options.shape != Cut::strips) {
    auto const& directions = analysis.directions(exec);
    typename Workspace<T>::Scope const of_depths(analysis.workspace());
    if (directions.count() >= 2 || options.shape == Cut::boxes) {
      auto const depths = find_depths<T>(exec, analysis);
      auto const sides = sides_of_boxes(depths.extent, rows, {options.side0, options.side1, options.side2});
      bool const any = group_by_boxes<T>(exec, analysis, depths, sides, groups);
      double filled = static_cast<double>(analysis.num_rows());
      for (int d = 0; d < directions.count(); ++d) filled /= sides[d];
      if (any && (options.shape == Cut::boxes ||
                  static_cast<double>(count_groups<T>(exec, groups)) <= BlockedTuning::most_boxes * filled + 1)) {
        groups.shape = "boxes of " + std::to_string(sides[0]);
        for (int d = 1; d < directions.count(); ++d) groups.shape += " x " + std::to_string(sides[d]);
        return groups;
      }
    }
  }
  auto const& sets = analysis.levels(exec);
  constexpr int least =
      is_host_space<typename T::exec_space> ? BlockedTuning::host_strip_levels : BlockedTuning::strip_levels;
  int const levels = options.levels > 0 ? options.levels : levels_of_strip(rows, sets.mean_rows(), least);
  groups.shape = "strips of " + plural(levels, "level");
  group_by_strips<T>(exec, analysis, sets, levels, groups);
  return groups;
}

}  // namespace sptrsv::detail
