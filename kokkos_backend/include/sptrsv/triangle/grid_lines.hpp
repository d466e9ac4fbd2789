// SPDX-License-Identifier: Apache-2.0
// Grids that are numbered line by line, found in the pattern: depths and levels of rows follow from their numbers.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sptrsv/triangle/directions.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Place s in the order of the solve is x + line y + plane z. The depths are z, y + y_per_z z and
/// x + x_per_y y + x_per_z z, with so much of each that none falls along an entry; the level is
/// x + level_per_y y + level_per_z z, with so much of each that it rises along every entry.
struct GridLines {
  std::int64_t line = 0, plane = 0;  ///< rows; those of a plane are all rows where there are two directions
  std::int64_t y_per_z = 0, x_per_y = 0, x_per_z = 0, level_per_y = 0, level_per_z = 0;

  /// Whether a sample of the rows lies so; what is taken from it has to be checked for all.
  bool found() const { return line > 0; }

  struct Place {
    std::int64_t x, y, z;
  };
  KOKKOS_INLINE_FUNCTION Place place(std::int64_t s) const {
    std::int64_t const z = s / plane, in_plane = s - z * plane, y = in_plane / line;
    return {in_plane - y * line, y, z};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t depth(Place const& p, int direction) const {
    return direction == 2 ? p.z : direction == 1 ? p.y + y_per_z * p.z : p.x + x_per_y * p.y + x_per_z * p.z;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t level(Place const& p) const {
    return p.x + level_per_y * p.y + level_per_z * p.z;
  }
};

/// Rows of the pattern that are looked at: for its directions, some entries of each, and for its lines.
struct GridSample {
  static constexpr std::uint64_t rows_for_directions = 4096, rows = 16384;
  static constexpr int entries_for_directions = 16;
};

/// Places in the order of the solve of all rows or a sample, and of the rows that they need.
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

  KOKKOS_INLINE_FUNCTION std::int64_t place_of(index i) const {
    return ascending ? static_cast<std::int64_t>(i) : static_cast<std::int64_t>(n) - 1 - static_cast<std::int64_t>(i);
  }
  /// The k-th row of the sample: multiples of a fixed odd number, not a stride that a grid's lines may have too.
  KOKKOS_INLINE_FUNCTION index sampled(std::uint64_t k) const {
    return static_cast<index>(looked_at == n ? k : k * 2654435761u % n);
  }
  /// f(place, needed place) for each entry of a row.
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_row(index i, F const& f) const {
    for (auto k = rows.begin(i); k < rows.end(i); ++k) f(place_of(i), place_of(rows.col_idx(k)));
  }
};

/// Directions of op(T), by a sample of its rows. Fences.
template <class T>
Directions find_directions(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  GridEntries<T> const sample(rows, true, GridSample::rows_for_directions);
  // not of 64 bits: those Kokkos adds by compare-and-swap on CUDA
  Kokkos::View<unsigned*, typename T::device> const edges("sptrsv::grid::edges", Directions::bins);
  Kokkos::parallel_for(
      "sptrsv::grid::directions", Kokkos::RangePolicy<typename T::exec_space, std::uint64_t>(exec, 0, sample.looked_at),
      KOKKOS_LAMBDA(std::uint64_t k) {
        index const i = sample.sampled(k);
        offset const begin = rows.begin(i), count = rows.count(i);
        constexpr offset most = GridSample::entries_for_directions;
        offset const looked_at = count < most ? count : most;
        // of a longer row entries at equal steps, from another one on in each
        offset const from = count > most ? static_cast<offset>(k % static_cast<std::uint64_t>(count)) : offset(0);
        for (offset e = 0; e < looked_at; ++e) {
          offset at = from + e * (count / looked_at);
          if (at >= count) at -= count;
          index const j = rows.col_idx(begin + at);
          Kokkos::atomic_inc(&edges(Directions::bin(i > j ? i - j : j - i)));
        }
      });
  auto const counts = Kokkos::create_mirror_view(Kokkos::HostSpace(), edges);
  Kokkos::deep_copy(exec, counts, edges);
  exec.fence("sptrsv::grid: directions are chosen on the host");
  Directions::Histogram histogram{};
  for (int b = 0; b < Directions::bins; ++b) histogram[b] = static_cast<std::size_t>(counts(b));
  return Directions(histogram);
}

/// Lines and planes by how far the entries of a direction reach in the middle between the shortest and the longest of
/// the sample: in a stencil all that differ by as much in the directions before. Fences.
template <class T>
GridLines find_lines(typename T::exec_space const& exec, GridEntries<T> const& entries, Directions const& directions) {
  using most = Kokkos::Max<std::int64_t>;
  using least = Kokkos::Min<std::int64_t>;
  auto const n = static_cast<std::int64_t>(entries.n);
  std::int64_t longest[2] = {}, shortest[2] = {};
  Kokkos::parallel_reduce(
      "sptrsv::grid::lines", Kokkos::RangePolicy<typename T::exec_space, std::uint64_t>(exec, 0, entries.looked_at),
      KOKKOS_LAMBDA(std::uint64_t k, std::int64_t& longest_y, std::int64_t& longest_z, std::int64_t& shortest_y,
                    std::int64_t& shortest_z) {
        entries.for_row(entries.sampled(k), [&](std::int64_t s, std::int64_t needed) {
          std::int64_t const distance = s - needed;
          int const direction = directions.of(distance);
          if (direction == 1) {
            if (distance > longest_y) longest_y = distance;
            if (distance < shortest_y) shortest_y = distance;
          } else if (direction == 2) {
            if (distance > longest_z) longest_z = distance;
            if (distance < shortest_z) shortest_z = distance;
          }
        });
      },
      most(longest[0]), most(longest[1]), least(shortest[0]), least(shortest[1]));
  exec.fence("sptrsv::grid: the lines of a grid are found on the host");
  GridLines lines;
  if (longest[0] < 1 || (directions.count() > 2 && longest[1] < 1)) return lines;  // none of the sample
  std::int64_t const line = (longest[0] + shortest[0]) / 2,
                     plane = directions.count() > 2 ? (longest[1] + shortest[1]) / 2 : n;
  if (line < 2 || plane < 2 * line || plane > n || plane % line != 0) return lines;
  lines.line = line;
  lines.plane = plane;
  return lines;
}

/// GridLines that fit a sample of the rows of op(T), in which entries go back in the order of the solve; if there are
/// none, found() is false. Cost: three passes over the sample; fences.
template <class T>
GridLines find_grid(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending,
                    Directions const& directions) {
  using most = Kokkos::Max<std::int64_t>;
  using policy = Kokkos::RangePolicy<typename T::exec_space, std::uint64_t>;
  constexpr std::int64_t most_skew = 64;  // a box would be long and thin
  if (rows.num_rows == 0 || directions.count() < 2) return {};
  GridEntries<T> const entries(rows, ascending);
  GridLines lines = find_lines<T>(exec, entries, directions);
  if (!lines.found()) return {};
  auto const found = lines;
  std::int64_t y_per_z = 0, x_per_y = 0, x_per_z = 0, level_per_y = 0, level_per_z = 0;
  Kokkos::parallel_reduce(
      "sptrsv::grid::skew_y", policy(exec, 0, entries.looked_at),
      KOKKOS_LAMBDA(std::uint64_t k, std::int64_t& y_z, std::int64_t& x_y, std::int64_t& level_y) {
        entries.for_row(entries.sampled(k), [&](std::int64_t s, std::int64_t needed) {
          auto const a = found.place(s), b = found.place(needed);
          std::int64_t const x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
          if (z > 0) y_z = Kokkos::max(y_z, (z - 1 - y) / z);
          if (z == 0 && y > 0) {
            x_y = Kokkos::max(x_y, (y - 1 - x) / y);
            level_y = Kokkos::max(level_y, (y - x) / y);
          }
        });
      },
      most(y_per_z), most(x_per_y), most(level_per_y));
  exec.fence("sptrsv::grid: lines are skewed on the host");
  Kokkos::parallel_reduce(
      "sptrsv::grid::skew_z", policy(exec, 0, entries.looked_at),
      KOKKOS_LAMBDA(std::uint64_t k, std::int64_t& x_z, std::int64_t& level_z) {
        entries.for_row(entries.sampled(k), [&](std::int64_t s, std::int64_t needed) {
          auto const a = found.place(s), b = found.place(needed);
          std::int64_t const x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
          if (z <= 0) return;
          x_z = Kokkos::max(x_z, (z - 1 - x - x_per_y * y) / z);
          level_z = Kokkos::max(level_z, (z - x - level_per_y * y) / z);
        });
      },
      most(x_per_z), most(level_per_z));
  exec.fence("sptrsv::grid: planes are skewed on the host");
  // a maximum of no entries is the least number there is
  auto const at_least_0 = [](std::int64_t value) { return value > 0 ? value : 0; };
  lines.y_per_z = at_least_0(y_per_z);
  lines.x_per_y = at_least_0(x_per_y);
  lines.x_per_z = at_least_0(x_per_z);
  lines.level_per_y = at_least_0(level_per_y);
  lines.level_per_z = at_least_0(level_per_z);
  if (lines.y_per_z > most_skew || lines.x_per_y > most_skew || lines.x_per_z > most_skew) return {};
  return lines;
}

/// Levels by the numbers of the rows. They are right for all rows if each is one more than the greatest that its row
/// needs, or 0 where it needs none, which is checked.
/// @return  the deepest level; -1 where they are not right, and level_of has no meaning. Cost: a pass over the pattern;
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
      "sptrsv::grid::levels", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum, std::int64_t& most) {
        std::int64_t const level = lines.level(lines.place(entries.place_of(i)));
        std::int64_t least = 0;
        entries.for_row(i, [&](std::int64_t, std::int64_t needed) {
          std::int64_t const after = lines.level(lines.place(needed)) + 1;
          if (after > least) least = after;
        });
        sum += least != level;
        if (level > most) most = level;
        level_of(i) = static_cast<index>(level);
      },
      wrong, Kokkos::Max<std::int64_t>(deepest));
  exec.fence("sptrsv::grid: whether the levels fit is needed on the host");
  return wrong == 0 ? static_cast<index>(deepest) : index(-1);
}

}  // namespace sptrsv::detail
