// SPDX-License-Identifier: Apache-2.0
// Groups of rows whose graph has no cycle: ranges of numbers that never fall along a dependency.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/algorithm/blocked/grid_depths.hpp"
#include "sptrsv/algorithm/blocked/row_depths.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/directions.hpp"

namespace sptrsv::detail {

template <class View>
View uninitialized(char const* label, std::size_t count) {
  return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), count);
}

/// The rows in an order in which all that a row needs comes before it, and by position a number of its group, which
/// does not fall. Any cut of that order into ranges gives blocks that do not wait for later ones.
template <class T>
struct RowGroups {
  Kokkos::View<typename T::index*, typename T::device> row;  // n
  Kokkos::View<std::uint64_t*, typename T::device> key;      // n, of the group
};

/// Bits that hold numbers up to the greatest.
inline int bits_for(std::uint64_t greatest) {
  int bits = 0;
  for (; greatest > 0; greatest >>= 1) ++bits;
  return bits;
}

/// Groups by the keys of rows in the order of the solve, which have the row's place in that order in their last bits:
/// so all are different, and the order does not depend on whether a sort keeps that of equal ones.
template <class T>
RowGroups<T> sort_by_group(typename T::exec_space const& exec, typename T::index n, bool ascending, int place_bits,
                           Kokkos::View<std::uint64_t*, typename T::device> const& key) {
  using index = typename T::index;
  if constexpr (is_host_space<typename T::exec_space>) {
    exec.fence("sptrsv::blocked: keys are sorted here");
    std::sort(key.data(), key.data() + key.extent(0));
  } else {
    Kokkos::sort(exec, key);
  }
  RowGroups<T> out;
  out.row = uninitialized<decltype(out.row)>("sptrsv::blocked::row", key.extent(0));
  out.key = key;
  auto const row = out.row;
  Kokkos::parallel_for(
      "sptrsv::blocked::rows", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n), KOKKOS_LAMBDA(index p) {
        auto const s = static_cast<index>(key(p) & ((std::uint64_t(1) << place_bits) - 1));
        row(p) = ascending ? s : n - 1 - s;
        key(p) >>= place_bits;
      });
  return out;
}

/// Directions of op(T), by a sample of its rows.
template <class T>
Directions find_directions(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  constexpr std::uint64_t most = BlockedTuning::sampled_rows;
  auto const n = static_cast<std::uint64_t>(rows.num_rows);
  // not of 64 bits: those Kokkos adds by compare-and-swap on CUDA
  Kokkos::View<unsigned*, typename T::device> const edges("sptrsv::blocked::edges", Directions::bins);
  bool const all = n <= most;
  Kokkos::parallel_for(
      "sptrsv::blocked::directions",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(all ? n : most)),
      KOKKOS_LAMBDA(index k) {
        // multiples of a fixed odd number: not a stride that a grid's lines may have too
        auto const i =
            static_cast<index>(all ? static_cast<std::uint64_t>(k) : static_cast<std::uint64_t>(k) * 2654435761u % n);
        for (auto e = rows.begin(i); e < rows.end(i); ++e) {
          index const j = rows.col_idx(e);
          Kokkos::atomic_inc(&edges(Directions::bin(i > j ? i - j : j - i)));
        }
      });
  auto const counts = Kokkos::create_mirror_view(Kokkos::HostSpace(), edges);
  Kokkos::deep_copy(exec, counts, edges);
  exec.fence("sptrsv::blocked: directions are chosen on the host");
  Directions::Histogram histogram{};
  for (int b = 0; b < Directions::bins; ++b) histogram[b] = static_cast<std::size_t>(counts(b));
  return Directions(histogram);
}

/// How many groups there are.
template <class T>
long long count_groups(typename T::exec_space const& exec, RowGroups<T> const& groups) {
  using index = typename T::index;
  auto const key = groups.key;
  long long count = 0;
  Kokkos::parallel_reduce(
      "sptrsv::blocked::count_groups",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(key.extent(0))),
      KOKKOS_LAMBDA(index p, long long& sum) { sum += p == 0 || key(p) != key(p - 1); }, count);
  exec.fence("sptrsv::blocked: the shape of blocks is chosen on the host");
  return count;
}

/// Strips: so many successive levels each, in them rows in their order.
template <class T>
RowGroups<T> group_by_strips(typename T::exec_space const& exec, Analysis<T> const& analysis, LevelSets<T> const& sets,
                             int levels) {
  using index = typename T::index;
  using keys = Kokkos::View<std::uint64_t*, typename T::device>;
  index const n = analysis.num_rows();
  bool const ascending = analysis.shape().ascending();
  int const place_bits = bits_for(static_cast<std::uint64_t>(n));
  auto const key = uninitialized<keys>("sptrsv::blocked::key", static_cast<std::size_t>(n));
  auto const level_of = sets.level_of;
  Kokkos::parallel_for(
      "sptrsv::blocked::strips", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index s) {
        auto const level = static_cast<std::uint64_t>(level_of(ascending ? s : n - 1 - s));
        key(s) = ((level / static_cast<std::uint64_t>(levels)) << place_bits) | static_cast<std::uint64_t>(s);
      });
  return sort_by_group<T>(exec, n, ascending, place_bits, key);
}

/// By row its depths, and how many there are in each direction, at least 1.
template <class T>
struct RowDepths {
  Kokkos::View<std::uint64_t*, typename T::device> of_row;
  std::array<int, Directions::most> extent;
};

/// By the numbers of the rows where these lie as in a grid, else by a sweep over all.
template <class T>
RowDepths<T> find_depths(typename T::exec_space const& exec, Analysis<T> const& analysis,
                         Directions const& directions) {
  using index = typename T::index;
  using keys = Kokkos::View<std::uint64_t*, typename T::device>;
  index const n = analysis.num_rows();
  auto const depths = uninitialized<keys>("sptrsv::blocked::depths", static_cast<std::size_t>(n));
  if (directions.count() < 2 || !find_grid_depths<T>(exec, analysis, directions, depths)) {
    Kokkos::deep_copy(exec, depths, Depths::unknown);
    Tickets<T> tickets(exec);
    for_each_ticket<T>("sptrsv::blocked::depths", exec, tickets, thread_per_row_shape<T>(exec, n, 0), n,
                       DepthSweep<T>{analysis.rows(exec), directions, depths, analysis.shape().ascending()});
    exec.fence("sptrsv::blocked: tickets are freed");
  }
  RowDepths<T> out{depths, {}};
  std::uint64_t most[Directions::most] = {};
  Kokkos::parallel_reduce(
      "sptrsv::blocked::extents", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index i, std::uint64_t& a, std::uint64_t& b, std::uint64_t& c) {
        std::uint64_t const mine = depths(i);
        a = Kokkos::max(a, Depths::of(mine, 0));
        b = Kokkos::max(b, Depths::of(mine, 1));
        c = Kokkos::max(c, Depths::of(mine, 2));
      },
      Kokkos::Max<std::uint64_t>(most[0]), Kokkos::Max<std::uint64_t>(most[1]), Kokkos::Max<std::uint64_t>(most[2]));
  exec.fence("sptrsv::blocked: the sides of boxes are chosen on the host");
  for (int d = 0; d < Directions::most; ++d) out.extent[d] = static_cast<int>(most[d]) + 1;
  return out;
}

/// Sides of boxes of so many rows at most, for the fewest boxes from one corner of the grid to the other.
/// @param asked  sides that are not chosen here; 0: chosen
inline std::array<int, Directions::most> sides_of_boxes(std::array<int, Directions::most> const& extent, double rows,
                                                        std::array<int, Directions::most> const& asked) {
  std::array<int, Directions::most> best{};
  double least = std::numeric_limits<double>::infinity();
  auto const first = [&](int d) { return asked[d] > 0 ? asked[d] : 1; };
  auto const last = [&](int d, double room) {
    return asked[d] > 0 ? asked[d] : std::clamp(static_cast<int>(room), 1, extent[d]);
  };
  for (long long a = first(0); a <= last(0, rows); ++a)
    for (long long b = first(1); b <= last(1, rows / static_cast<double>(a)); ++b) {
      int const c = last(2, rows / static_cast<double>(a * b));
      double const boxes =
          extent[0] / static_cast<double>(a) + extent[1] / static_cast<double>(b) + extent[2] / static_cast<double>(c);
      if (boxes >= least) continue;
      least = boxes;
      best = {static_cast<int>(a), static_cast<int>(b), c};
    }
  return best;
}

/// Boxes: ranges of depths in each direction, in the order of the sums of their numbers.
/// @return  no rows where the numbers of boxes have too many bits
template <class T>
RowGroups<T> group_by_boxes(typename T::exec_space const& exec, Analysis<T> const& analysis, RowDepths<T> const& depths,
                            std::array<int, Directions::most> const& sides) {
  using index = typename T::index;
  using keys = Kokkos::View<std::uint64_t*, typename T::device>;
  index const n = analysis.num_rows();
  bool const ascending = analysis.shape().ascending();
  Kokkos::Array<std::uint64_t, Directions::most> side{};
  std::uint64_t greatest = 0;  // sum of numbers of boxes, and so number in each direction
  for (int d = 0; d < Directions::most; ++d) {
    side[d] = static_cast<std::uint64_t>(sides[d]);
    greatest += static_cast<std::uint64_t>(depths.extent[d] - 1) / side[d];
  }
  int const bits = bits_for(greatest), place_bits = bits_for(static_cast<std::uint64_t>(n));
  if (3 * bits + place_bits > 64) return {};
  auto const key = uninitialized<keys>("sptrsv::blocked::key", static_cast<std::size_t>(n));
  auto const of_row = depths.of_row;
  Kokkos::parallel_for(
      "sptrsv::blocked::boxes", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n), KOKKOS_LAMBDA(index s) {
        std::uint64_t const mine = of_row(ascending ? s : n - 1 - s), a = Depths::of(mine, 0) / side[0],
                            b = Depths::of(mine, 1) / side[1], c = Depths::of(mine, 2) / side[2];
        key(s) = (((((a + b + c) << bits) | a) << bits | b) << place_bits) | static_cast<std::uint64_t>(s);
      });
  return sort_by_group<T>(exec, n, ascending, place_bits, key);
}

}  // namespace sptrsv::detail
