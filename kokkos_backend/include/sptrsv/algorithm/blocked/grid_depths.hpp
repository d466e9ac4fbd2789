// SPDX-License-Identifier: Apache-2.0
// Depths of the rows of a grid that is numbered line by line, from their numbers alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <limits>

#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/algorithm/blocked/row_depths.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/directions.hpp"

namespace sptrsv::detail {

/// Place s in the order of the solve is x + line y + plane z. The depths are z, y + y_per_z z and
/// x + x_per_y y + x_per_z z, with so much of each that none falls along an entry.
struct GridLines {
  std::int64_t line = 0, plane = 0;  ///< rows; those of a plane are all rows where there are two directions
  std::int64_t y_per_z = 0, x_per_y = 0, x_per_z = 0;

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
};

/// Places in the order of the solve of all rows or a sample, and of the rows that they need.
template <class T>
struct GridEntries {
  using index = typename T::index;
  OffDiagonals<T> rows;
  bool ascending;
  std::uint64_t n, looked_at;

  GridEntries(OffDiagonals<T> const& all, bool is_ascending)
      : rows(all),
        ascending(is_ascending),
        n(static_cast<std::uint64_t>(all.num_rows)),
        looked_at(n < BlockedTuning::sampled_rows ? n : BlockedTuning::sampled_rows) {}

  KOKKOS_INLINE_FUNCTION std::int64_t place_of(index i) const {
    return ascending ? static_cast<std::int64_t>(i) : static_cast<std::int64_t>(n) - 1 - static_cast<std::int64_t>(i);
  }
  /// f(place, needed place) for each entry of a row.
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_row(index i, F const& f) const {
    for (auto k = rows.begin(i); k < rows.end(i); ++k) f(place_of(i), place_of(rows.col_idx(k)));
  }
  /// The same for the k-th row of the sample; as in find_directions().
  template <class F>
  KOKKOS_INLINE_FUNCTION void for_sampled(std::uint64_t k, F const& f) const {
    for_row(static_cast<index>(looked_at == n ? k : k * 2654435761u % n), f);
  }
};

/// The greatest of(place, needed place) over the sample's entries, at least 0.
template <class T, class Of>
std::int64_t greatest_of_sample(typename T::exec_space const& exec, GridEntries<T> const& entries, Of const& of) {
  std::int64_t greatest = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::grid_sample",
      Kokkos::RangePolicy<typename T::exec_space, std::uint64_t>(exec, 0, entries.looked_at),
      KOKKOS_LAMBDA(std::uint64_t k, std::int64_t& most) {
        entries.for_sampled(k, [&](std::int64_t s, std::int64_t needed) {
          std::int64_t const mine = of(s, needed);
          if (mine > most) most = mine;
        });
      },
      Kokkos::Max<std::int64_t>(greatest));
  exec.fence("sptrsv::blocked: the lines of a grid are found on the host");
  return greatest > 0 ? greatest : 0;
}

/// How far the entries of a direction reach in the middle between the shortest and the longest of the sample: in a
/// stencil all that differ by as much in the directions before.
template <class T>
std::int64_t middle_distance(typename T::exec_space const& exec, GridEntries<T> const& entries,
                             Directions const& directions, int direction) {
  auto const n = static_cast<std::int64_t>(entries.n);
  std::int64_t const longest = greatest_of_sample<T>(
      exec, entries, KOKKOS_LAMBDA(std::int64_t s, std::int64_t needed) {
        return directions.of(s - needed) == direction ? s - needed : 0;
      });
  std::int64_t const shortest = n - greatest_of_sample<T>(
                                        exec, entries, KOKKOS_LAMBDA(std::int64_t s, std::int64_t needed) {
                                          return directions.of(s - needed) == direction ? n - (s - needed) : 0;
                                        });
  return (longest + shortest) / 2;
}

/// Depths by GridLines that fit a sample of the rows.
/// @return  false where they do not fit all rows; `depths` has then no meaning
/// Cost: passes over the sample, and one over the pattern; fences.
template <class T>
bool find_grid_depths(typename T::exec_space const& exec, Analysis<T> const& analysis, Directions const& directions,
                      Kokkos::View<std::uint64_t*, typename T::device> const& depths) {
  using index = typename T::index;
  constexpr std::int64_t most_skew = 64;  // a box would be long and thin
  GridEntries<T> const entries(analysis.rows(exec), analysis.shape().ascending());
  auto const n = static_cast<std::int64_t>(entries.n);
  GridLines lines;
  lines.line = middle_distance<T>(exec, entries, directions, 1);
  lines.plane = directions.count() > 2 ? middle_distance<T>(exec, entries, directions, 2) : n;
  if (lines.line < 2 || lines.plane < 2 * lines.line || lines.plane > n || lines.plane % lines.line != 0) return false;
  auto const found = lines;
  lines.y_per_z = greatest_of_sample<T>(
      exec, entries, KOKKOS_LAMBDA(std::int64_t s, std::int64_t needed) {
        auto const a = found.place(s), b = found.place(needed);
        return a.z > b.z ? (b.y - a.y + a.z - b.z - 1) / (a.z - b.z) : 0;
      });
  lines.x_per_y = greatest_of_sample<T>(
      exec, entries, KOKKOS_LAMBDA(std::int64_t s, std::int64_t needed) {
        auto const a = found.place(s), b = found.place(needed);
        return a.z == b.z && a.y > b.y ? (b.x - a.x + a.y - b.y - 1) / (a.y - b.y) : 0;
      });
  auto const x_per_y = lines.x_per_y;
  lines.x_per_z = greatest_of_sample<T>(
      exec, entries, KOKKOS_LAMBDA(std::int64_t s, std::int64_t needed) {
        auto const a = found.place(s), b = found.place(needed);
        return a.z > b.z ? (b.x - a.x + x_per_y * (b.y - a.y) + a.z - b.z - 1) / (a.z - b.z) : 0;
      });
  if (lines.y_per_z > most_skew || lines.x_per_y > most_skew || lines.x_per_z > most_skew) return false;
  int const count = directions.count();
  long long wrong = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::grid_depths",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, entries.rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& sum) {
        auto const here = lines.place(entries.place_of(i));
        std::uint64_t mine = 0;
        for (int d = 0; d < count; ++d) {
          auto const depth = static_cast<std::uint64_t>(lines.depth(here, d));
          mine |= (depth < Depths::greatest ? depth : Depths::greatest) << (d * Depths::bits);
        }
        depths(i) = mine;
        entries.for_row(i, [&](std::int64_t, std::int64_t needed) {
          auto const there = lines.place(needed);
          for (int d = 0; d < count; ++d) sum += lines.depth(there, d) > lines.depth(here, d);
        });
      },
      wrong);
  exec.fence("sptrsv::blocked: whether the depths fit is needed on the host");
  return wrong == 0;
}

}  // namespace sptrsv::detail
