// SPDX-License-Identifier: Apache-2.0
// Sets of independent rows, found in a triangle whose rows are numbered color by color.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "sptrsv/algorithm/colorset/colorset_tuning.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/triangle/consecutive_sets.hpp"
#include "sptrsv/triangle/level_sets.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv {

/// Partition of the solve order into sets, and of sets into blocks of rows. Blocks of one set are independent. Rows of
/// a block depend on each other, like PETSc's inodes, and one thread solves them one after another.
template <class T>
struct ColorSets {
  using index = typename T::index;

  Kokkos::View<const index*, typename T::device> list;  ///< the row of a position; empty: solve order
  /// first positions of the blocks of rows, and n; empty: every block is one row
  Kokkos::View<const index*, typename T::device> block_ptr;
  std::vector<index> set_ptr;        ///< num_sets+1, in blocks
  std::vector<index> position_ptr;   ///< num_sets+1, in positions
  std::vector<double> mean_row;      ///< off-diagonal entries per row of each set
  std::vector<index> longest_block;  ///< rows of the longest block of each set

  index num_sets() const { return set_ptr.empty() ? 0 : static_cast<index>(set_ptr.size() - 1); }
  index rows_in_set(index s) const { return position_ptr[s + 1] - position_ptr[s]; }
};

namespace detail {

template <class T>
KOKKOS_INLINE_FUNCTION typename T::index row_at(typename T::index at, typename T::index n, bool ascending) {
  return ascending ? at : n - 1 - at;
}

/// Returns a host array of of(p) for all positions p < n. Fences.
template <class T, class Of>
Kokkos::View<typename T::index*, Kokkos::HostSpace> numbers_of_positions(char const* label,
                                                                         typename T::exec_space const& exec,
                                                                         typename T::index n, Of const& of) {
  using index = typename T::index;
  auto const numbers = raw_view<index, T>(exec, label, static_cast<std::size_t>(n));
  Kokkos::parallel_for(label, row_range<T>(exec, n), KOKKOS_LAMBDA(index p) { numbers(p) = of(p); });
  exec.fence("sptrsv::color_sets: the numbers are read on the host");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
}

/// Returns for each position p the last position that its row needs, or -1 if it needs none. With `start`, only
/// positions before start(p) count.
template <class T>
Kokkos::View<typename T::index*, Kokkos::HostSpace> last_needed(
    typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending,
    Kokkos::View<const typename T::index*, typename T::device> const& start) {
  using index = typename T::index;
  auto const n = rows.num_rows;
  return numbers_of_positions<T>(
      "sptrsv::color_sets::last", exec, n, KOKKOS_LAMBDA(index p) {
        index const i = row_at<T>(p, n, ascending), limit = start.data() ? start(p) : n;
        index greatest = -1;
        for (auto k = rows.begin(i); k < rows.end(i); ++k) {
          index const needed = row_at<T>(rows.col_idx(k), n, ascending);
          if (needed < limit && needed > greatest) greatest = needed;
        }
        return greatest;
      });
}

/// Returns the number of entries of the row of each position.
/// @param list  row of each position; empty: solve order
template <class T>
Kokkos::View<typename T::index*, Kokkos::HostSpace> row_lengths(
    typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending,
    Kokkos::View<const typename T::index*, typename T::device> const& list) {
  using index = typename T::index;
  auto const n = rows.num_rows;
  return numbers_of_positions<T>(
      "sptrsv::color_sets::length", exec, n, KOKKOS_LAMBDA(index p) {
        return static_cast<index>(rows.count(list.data() ? list(p) : row_at<T>(p, n, ascending)));
      });
}

/// Tells, by a cheap necessary condition, whether there may be at most `limit` sets. Splits the solve order into 2 *
/// limit equal parts: with at most `limit` sets, at most `limit` parts contain an internal dependency. Only
/// dependencies over more than rows_of_near_blocks rows count, since nearer rows may be in one block of rows. Cost: a
/// kernel that samples rows of each part; fences.
template <class T>
bool may_have_few_color_sets(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows,
                             bool ascending, typename T::index limit) {
  using index = typename T::index;
  constexpr index near = ColorSetTuning::rows_of_near_blocks;
  index const n = rows.num_rows, size = n / (2 * limit) + 1;
  auto const looked_at = static_cast<index>(std::min<long long>(size, ColorSetTuning::rows_of_part));
  constexpr bool host = is_host_space<typename T::exec_space>;
  typename Workspace<T>::Scope const scope(work);
  auto const is_cut = work.template take<int>(static_cast<std::size_t>(2 * limit));
  using teams = Kokkos::TeamPolicy<typename T::exec_space>;
  Kokkos::parallel_for(
      "sptrsv::color_sets::parts",
      team_policy(exec, static_cast<int>(2 * limit), host ? 1 : ColorSetTuning::part_team_threads, 1),
      KOKKOS_LAMBDA(typename teams::member_type const& team) {
        auto const part = static_cast<index>(team.league_rank());
        int cut = 0;
        // samples rows from the end of the part, since most of the part precedes them
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, looked_at),
            [&](index back, int& mine) {
              auto const step = static_cast<index>(static_cast<long long>(back) * size / looked_at);
              long long const p = static_cast<long long>(part) * size + size - 1 - step;
              if (p >= n) return;
              index const i = row_at<T>(static_cast<index>(p), n, ascending);
              // entries are sorted: reads them from the nearest one on, until an entry is in another part
              auto const begin = rows.begin(i), count = rows.count(i);
              for (typename T::offset e = 0; mine == 0 && e < count && e < ColorSetTuning::entries_of_row; ++e) {
                index const needed = row_at<T>(rows.col_idx(begin + (ascending ? count - 1 - e : e)), n, ascending);
                if (needed / size != part) break;
                mine = p - needed > near;
              }
            },
            cut);
        Kokkos::single(Kokkos::PerTeam(team), [&]() { is_cut(part) = cut > 0; });
      });
  std::vector<int> found(is_cut.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<int*, Kokkos::HostSpace>(found.data(), found.size()), is_cut);
  exec.fence("sptrsv::color_sets: the number of parts is needed");
  return std::accumulate(found.begin(), found.end(), index(0)) <= limit;
}

/// Returns the sets of a triangle in which no row needs the row directly before it, so that all blocks are single rows.
/// @pre sets.first is not empty
template <class T>
ColorSets<T> sets_of_single_rows(ConsecutiveSets<T> const& sets) {
  using index = typename T::index;
  ColorSets<T> out;
  out.set_ptr = out.position_ptr = sets.first;
  for (std::size_t s = 0; s + 1 < sets.first.size(); ++s)
    out.mean_row.push_back(static_cast<double>(sets.before[s + 1] - sets.before[s]) /
                           static_cast<double>(sets.first[s + 1] - sets.first[s]));
  out.longest_block.assign(out.mean_row.size(), index(1));
  return out;
}

}  // namespace detail

/// Finds the sets in one pass over the rows: a set ends before the first row that needs a row of the set outside its
/// own block of rows. If rows are numbered color by color, and the rows or blocks of a color are independent, there are
/// no more sets than colors: a set that starts within a color reaches at least to the end of that color. Fences.
/// Cost: two passes over the pattern, and a host pass over 3 numbers per row.
template <class T>
ColorSets<T> find_color_sets(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool ascending) {
  using index = typename T::index;
  index const n = rows.num_rows;
  ColorSets<T> sets;
  sets.set_ptr.assign(1, 0);
  sets.position_ptr.assign(1, 0);
  if (n == 0) return sets;
  auto const length = detail::row_lengths<T>(exec, rows, ascending, {});
  auto before = detail::last_needed<T>(exec, rows, ascending, {});
  std::vector<index> start(static_cast<std::size_t>(n));  // first row of a run in which each row needs the row before
  bool runs = false;
  for (index p = 0; p < n; ++p) {
    bool const goes_on = p > 0 && before(p) == p - 1;
    start[p] = goes_on ? start[p - 1] : p;
    runs = runs || goes_on;
  }
  if (runs)
    before = detail::last_needed<T>(exec, rows, ascending,
                                    detail::copy_to_device<T>(exec, "sptrsv::color_sets::start", start));
  std::vector<index> block_ptr;
  double entries = 0;
  index longest = 0;
  auto const close = [&](index p) {
    sets.set_ptr.push_back(static_cast<index>(block_ptr.size()));
    sets.position_ptr.push_back(p);
    sets.mean_row.push_back(entries / static_cast<double>(p - sets.position_ptr[sets.position_ptr.size() - 2]));
    sets.longest_block.push_back(std::max(longest, p - block_ptr.back()));
    entries = 0;
    longest = 0;
  };
  for (index p = 0; p < n; ++p) {
    bool const opens = p > 0 && before(p) >= sets.position_ptr.back();
    if (opens) close(p);
    if (opens || start[p] == p) {
      if (!opens && p > 0) longest = std::max(longest, p - block_ptr.back());
      block_ptr.push_back(p);
    }
    entries += static_cast<double>(length(p));
  }
  close(n);
  bool const blocks = static_cast<index>(block_ptr.size()) < n;
  block_ptr.push_back(n);
  if (blocks) sets.block_ptr = detail::copy_to_device<T>(exec, "sptrsv::color_sets::block_ptr", block_ptr);
  return sets;
}

/// Returns the level sets as ColorSets with blocks of one row, at the positions of `levels.level_rows`.
template <class T>
ColorSets<T> sets_of_levels(typename T::exec_space const& exec, OffDiagonals<T> const& rows,
                            LevelSets<T> const& levels) {
  using index = typename T::index;
  ColorSets<T> sets;
  sets.list = levels.level_rows;
  sets.set_ptr = sets.position_ptr = levels.level_ptr;
  auto const num_sets = static_cast<std::size_t>(sets.num_sets());
  sets.longest_block.assign(num_sets, 1);
  auto const length = detail::row_lengths<T>(exec, rows, true, levels.level_rows);
  for (std::size_t s = 0; s < num_sets; ++s) {
    double entries = 0;
    for (index p = sets.position_ptr[s]; p < sets.position_ptr[s + 1]; ++p) entries += static_cast<double>(length(p));
    sets.mean_row.push_back(entries / static_cast<double>(sets.position_ptr[s + 1] - sets.position_ptr[s]));
  }
  return sets;
}

}  // namespace sptrsv
