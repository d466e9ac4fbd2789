// SPDX-License-Identifier: Apache-2.0
// Grids whose rows are numbered line by line, found in the pattern. Row numbers then give depths and levels.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>

#include "sptrsv/device/tickets.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/directions.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Grid whose point (x, y, z) has position x + line y + plane z in solve order. Its depths are z, y + y_per_z z and
/// x + x_per_y y + x_per_z z, with coefficients such that no depth decreases along a dependency. Its level is
/// x + level_per_y y + level_per_z z, which increases along every dependency.
struct GridLines {
  std::int64_t line = 0, plane = 0;  ///< their numbers of rows; with two directions a plane has all rows
  std::int64_t y_per_z = 0, x_per_y = 0, x_per_z = 0, level_per_y = 0, level_per_z = 0;

  /// Tells whether a sample of the rows fits a grid; results have to be checked for all rows.
  KOKKOS_INLINE_FUNCTION bool found() const { return line > 0; }

  /// Coordinates of a position in the grid.
  struct Point {
    std::int64_t x, y, z;
  };
  /// Returns the coordinates of position s.
  KOKKOS_INLINE_FUNCTION Point point(std::int64_t s) const {
    std::int64_t const z = s / plane, in_plane = s - z * plane, y = in_plane / line;
    return {in_plane - y * line, y, z};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t depth(Point const& p, int direction) const {
    return direction == 2 ? p.z : direction == 1 ? p.y + y_per_z * p.z : p.x + x_per_y * p.y + x_per_z * p.z;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t level(Point const& p) const {
    return p.x + level_per_y * p.y + level_per_z * p.z;
  }
};

/// Sizes of the samples of the pattern: rows and entries per row for its directions, and rows for its lines.
struct GridSample {
  static constexpr std::uint64_t rows_for_directions = 4096, rows = 1024;
  static constexpr int entries_for_directions = 16;
  /// Maximum number of entries of a row. A longer row is not part of a grid, and one thread would read it slowly.
  static constexpr long long longest_row = 1024;
};

/// Positions in solve order of sampled rows and of the rows that they need.
template <class T>
struct GridEntries {
  using index = typename T::index;
  OffDiagonals<T> rows;
  bool ascending;
  std::uint64_t n, looked_at;

  GridEntries(OffDiagonals<T> const& all, bool is_ascending, std::uint64_t most = GridSample::rows)
      : rows(all),
        ascending(is_ascending),
        n(static_cast<std::uint64_t>(all.num_rows)),
        looked_at(n < most ? n : most) {}

  /// Returns the position of row i in solve order.
  KOKKOS_INLINE_FUNCTION std::int64_t position_of(index i) const {
    return ascending ? static_cast<std::int64_t>(i) : static_cast<std::int64_t>(n) - 1 - static_cast<std::int64_t>(i);
  }
  /// Returns the k-th row of the sample: k times an odd number, modulo n, since equal steps could coincide with grid
  /// lines.
  KOKKOS_INLINE_FUNCTION index sampled(std::uint64_t k) const {
    return static_cast<index>(looked_at == n ? k : k * 2654435761u % n);
  }
  /// Calls f(position, needed position) for each entry of a row.
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_row(index i, F const& f) const {
    for (auto k = rows.begin(i); k < rows.end(i); ++k) f(position_of(i), position_of(rows.col_idx(k)));
  }
};

/// Returns the directions of op(T), from a sample of its rows. Fences.
template <class T>
Directions find_directions(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  GridEntries<T> const sample(rows, true, GridSample::rows_for_directions);
  typename Workspace<T>::Scope const scope(work);
  // 32 bits, since on CUDA Kokkos adds 64-bit numbers by compare-and-swap
  auto const edges = work.template take<unsigned>(Directions::bins);
  Kokkos::deep_copy(exec, edges, 0u);
  Kokkos::parallel_for(
      "sptrsv::grid::directions", range_of<std::uint64_t>(exec, sample.looked_at), KOKKOS_LAMBDA(std::uint64_t k) {
        index const i = sample.sampled(k);
        offset const begin = rows.begin(i), count = rows.count(i);
        constexpr offset most = GridSample::entries_for_directions;
        offset const looked_at = count < most ? count : most;
        // a longer row is sampled at equal steps, from an offset that varies from row to row
        offset const from = count > most ? static_cast<offset>(k % static_cast<std::uint64_t>(count)) : offset(0);
        for (offset e = 0; e < looked_at; ++e) {
          offset at = from + e * (count / looked_at);
          if (at >= count) at -= count;
          index const j = rows.col_idx(begin + at);
          Kokkos::atomic_inc(&edges(Directions::bin(i > j ? i - j : j - i)));
        }
      });
  std::array<unsigned, Directions::bins> counts;
  Kokkos::deep_copy(exec, Kokkos::View<unsigned*, Kokkos::HostSpace>(counts.data(), counts.size()), edges);
  exec.fence("sptrsv::grid: directions are chosen on the host");
  Directions::Histogram histogram{};
  std::copy(counts.begin(), counts.end(), histogram.begin());
  return Directions(histogram);
}

/// Kernel of one team that fits a grid to a sample of the rows: first lines and planes, then the other coefficients.
template <class T>
struct FitLines {
  static constexpr int gpu_threads = 512;
  static constexpr std::int64_t most_skew = 64;  ///< a larger skew makes boxes long and thin
  GridEntries<T> entries;
  Directions directions;
  Kokkos::View<GridLines*, typename T::device> lines;  ///< out: one

  /// Maxima over the sample: distances, n minus the shortest distances, and coefficients of GridLines.
  enum { long_y, long_z, short_y, short_z, y_per_z, x_per_y, level_per_y, x_per_z, level_per_z, num_found };

  /// Calls f(position, needed position) for all entries of the sample; f may raise greatest[k], first <= k < last. Then
  /// combines these maxima over the team.
  template <class Team, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_sample(Team const& team, std::int64_t (&greatest)[num_found], int first,
                                              int last, F const& f) const {
    for (auto k = static_cast<std::uint64_t>(team.team_rank()); k < entries.looked_at;
         k += static_cast<std::uint64_t>(team.team_size()))
      entries.for_row(entries.sampled(k), [&](std::int64_t s, std::int64_t needed) { f(s, needed); });
    for (int k = first; k < last; ++k) {
      std::int64_t const mine = greatest[k];
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, team.team_size()), [&](int, std::int64_t& most) { raise(most, mine); },
          Kokkos::Max<std::int64_t>(greatest[k]));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void raise(std::int64_t& most, std::int64_t value) {
    if (value > most) most = value;
  }

  /// Returns the number of rows of a line and a plane: for each of the two directions the midpoint of its shortest and
  /// its longest distance. A stencil's distances are symmetric about that, since its offsets in lower directions are.
  KOKKOS_FUNCTION GridLines lines_of(std::int64_t const (&greatest)[num_found]) const {
    auto const n = static_cast<std::int64_t>(entries.n);
    bool const planes = directions.count() > 2;
    GridLines out;
    if (greatest[long_y] < 1 || (planes && greatest[long_z] < 1)) return out;  // no such entry in the sample
    // a short_* is n minus the shortest distance
    std::int64_t const line = (greatest[long_y] + n - greatest[short_y]) / 2,
                       plane = planes ? (greatest[long_z] + n - greatest[short_z]) / 2 : n;
    if (line < 2 || plane < 2 * line || plane > n || plane % line != 0) return out;
    out.line = line;
    out.plane = plane;
    return out;
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const n = static_cast<std::int64_t>(entries.n);
    std::int64_t found[num_found] = {};
    for_sample(team, found, long_y, y_per_z, [&](std::int64_t s, std::int64_t needed) {
      std::int64_t const distance = s - needed;
      int const direction = directions.of(distance);
      if (direction == 0) return;
      raise(found[direction == 1 ? long_y : long_z], distance);
      raise(found[direction == 1 ? short_y : short_z], n - distance);
    });
    GridLines grid = lines_of(found);
    if (grid.found()) {
      for_sample(team, found, y_per_z, x_per_z, [&](std::int64_t s, std::int64_t needed) {
        auto const a = grid.point(s), b = grid.point(needed);
        std::int64_t const x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        if (z > 0) raise(found[y_per_z], (z - 1 - y) / z);
        if (z != 0 || y <= 0) return;
        raise(found[x_per_y], (y - 1 - x) / y);
        raise(found[level_per_y], (y - x) / y);
      });
      for_sample(team, found, x_per_z, num_found, [&](std::int64_t s, std::int64_t needed) {
        auto const a = grid.point(s), b = grid.point(needed);
        std::int64_t const x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        if (z <= 0) return;
        raise(found[x_per_z], (z - 1 - x - found[x_per_y] * y) / z);
        raise(found[level_per_z], (z - x - found[level_per_y] * y) / z);
      });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      grid.y_per_z = found[y_per_z];
      grid.x_per_y = found[x_per_y];
      grid.x_per_z = found[x_per_z];
      grid.level_per_y = found[level_per_y];
      grid.level_per_z = found[level_per_z];
      lines(0) = grid.y_per_z > most_skew || grid.x_per_y > most_skew || grid.x_per_z > most_skew ? GridLines{} : grid;
    });
  }
};

/// Returns a grid that fits a sample of the rows of op(T); found() is false if there is none. Cost: a kernel of one
/// team; fences.
template <class T>
GridLines find_grid(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows, bool ascending,
                    Directions const& directions) {
  if (rows.num_rows == 0 || directions.count() < 2) return {};
  typename Workspace<T>::Scope const scope(work);
  FitLines<T> const fit{GridEntries<T>(rows, ascending), directions, work.template take<GridLines>(1)};
  int const threads = is_host_space<typename T::exec_space> ? 1 : FitLines<T>::gpu_threads;
  Kokkos::parallel_for("sptrsv::grid::lines", team_policy(exec, 1, threads, 1), fit);
  GridLines lines;
  Kokkos::deep_copy(exec, Kokkos::View<GridLines*, Kokkos::HostSpace>(&lines, 1), fit.lines);
  exec.fence("sptrsv::grid: the lines of a grid are used on the host");
  return lines;
}

/// Computes levels from row numbers, and checks for each row that its level is 1 + the maximum level among the rows
/// that it needs, or 0 if it needs none.
/// @return the deepest level, or -1 if the check fails; level_of is then meaningless. Cost: one pass over the pattern;
/// fences.
template <class T>
typename T::index level_of_by_grid(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending,
                                   GridLines const& lines,
                                   Kokkos::View<typename T::index*, typename T::device> const& level_of) {
  using index = typename T::index;
  GridEntries<T> const entries(rows, ascending);
  long long wrong = 0;
  std::int64_t deepest = 0;
  Kokkos::parallel_reduce(
      "sptrsv::grid::levels", row_range<T>(exec, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum, std::int64_t& most) {
        std::int64_t const level = lines.level(lines.point(entries.position_of(i)));
        std::int64_t least = 0;
        entries.for_row(i, [&](std::int64_t, std::int64_t needed) {
          std::int64_t const after = lines.level(lines.point(needed)) + 1;
          if (after > least) least = after;
        });
        sum += least != level;
        if (level > most) most = level;
        level_of(i) = static_cast<index>(level);
      },
      wrong, Kokkos::Max<std::int64_t>(deepest));
  return wrong == 0 ? static_cast<index>(deepest) : index(-1);
}

}  // namespace sptrsv::detail
