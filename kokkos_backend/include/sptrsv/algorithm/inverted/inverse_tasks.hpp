// SPDX-License-Identifier: Apache-2.0
// Tasks of a solve by inverted blocks, in the order in which teams take them.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "sptrsv/algorithm/inverted/outer_entries.hpp"

namespace sptrsv::detail {

enum class TaskKind { small_blocks, sums, product };

/// Work that one team does. x of position p is in slot p; slots from n on hold sums of rows of wide blocks: t, and
/// those of parts. All members are of one type, since lanes copy them.
template <class I>
struct InverseTask {
  I kind;
  I first, rows;                   ///< positions
  I block, behind_last_block;      ///< the blocks
  I segment, behind_last_segment;  ///< segments of small blocks and sums
  I from_t, to_t;                  ///< slots of first rows: of the other parts' sums, or of t of the block; of own sums
  I parts;                         ///< number of other parts, all before this one
  I last;                          ///< whether sums are complete with this part
  I sum_lanes, product_lanes;      ///< lanes that share a row
  I block_first;                   ///< products: first position of the block
  I near_first, near_rows;         ///< products: positions of its block `near`
  I list, columns, rows_at;        ///< the first segment, see Segment

  KOKKOS_FORCEINLINE_FUNCTION TaskKind what() const { return static_cast<TaskKind>(kind); }
};

/// Groups rows into slices: small blocks of one level share a slice, wide blocks are cut into several.
/// @param entries_before  by position: number of entries of the rows before; and of all
template <class I, class Offset>
std::vector<RowSlice<I>> make_slices(InverseBlocks<I> const& all, std::vector<Offset> const& entries_before) {
  std::vector<RowSlice<I>> slices;
  bool open = false;
  for (std::size_t b = 0; b < all.blocks.size(); ++b) {
    auto const& block = all.blocks[b];
    auto const number = static_cast<I>(b);
    if (!block.small) {
      I const end = block.first + block.rows;
      for (I first = block.first; first < end;) {
        I next = std::min<I>(end, first + InvertedTuning::sum_rows);
        while (next < end && next < first + InvertedTuning::most_sum_rows &&
               static_cast<long long>(entries_before[std::min<I>(end, next + InvertedTuning::sum_rows)] -
                                      entries_before[first]) <= InvertedTuning::few_entries)
          next = std::min<I>(end, next + InvertedTuning::sum_rows);
        slices.push_back({first, next - first, number, number + 1, true});
        first = next;
      }
      open = false;
      continue;
    }
    if (open) {
      auto& last = slices.back();
      I const end = block.first + block.rows;
      auto const inverse = all.inverse[end - 1].at - all.inverse[last.first].at;
      if (all.blocks[last.block].level == block.level && end - last.first <= InvertedTuning::small_task &&
          static_cast<long long>(entries_before[end] - entries_before[last.first]) + static_cast<long long>(inverse) <=
              InvertedTuning::task_entries) {
        last.rows = end - last.first;
        last.behind_last_block = number + 1;
        continue;
      }
    }
    slices.push_back({block.first, block.rows, number, number + 1, false});
    open = true;
  }
  return slices;
}

/// Returns the tasks, ordered by the level after which they can start, and the number of slots. A task only waits for
/// tasks before it. The first parts of the sums of all slices come before the second ones.
template <class I>
std::pair<std::vector<InverseTask<I>>, long long> make_tasks(InverseBlocks<I> const& all,
                                                             std::vector<RowSlice<I>> const& slices,
                                                             std::vector<Segment<I>> const& segments) {
  struct Keyed {
    std::tuple<I, int, I, I, std::size_t> key;  // level after which it can start, kind, level, part, number
    InverseTask<I> task;
  };
  std::vector<Keyed> keyed;
  auto const add = [&](I start, int kind, I level, I part, InverseTask<I> const& task) {
    keyed.push_back({{start, kind, level, part, keyed.size()}, task});
  };
  auto slots = static_cast<long long>(all.row.size());
  std::vector<I> t_of(all.blocks.size(), -1);
  for (std::size_t b = 0; b < all.blocks.size(); ++b) {
    auto const& block = all.blocks[b];
    if (block.small) continue;
    t_of[b] = static_cast<I>(slots);
    slots += block.rows;
    for (I i = 0; i < block.rows; i += InvertedTuning::product_rows)
      add(block.level, 2, block.level, 0,
          {static_cast<I>(TaskKind::product), block.first + i,
           std::min<I>(InvertedTuning::product_rows, block.rows - i), static_cast<I>(b), static_cast<I>(b + 1), 0, 0,
           t_of[b], 0, 0, 0, 1, tile_lanes, block.first, block.near_first, block.near_rows, 0, 0, 0});
  }
  std::size_t at = 0;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    auto const& slice = slices[s];
    auto const& block = all.blocks[slice.block];
    std::size_t const first = at;
    long long entries = 0;
    while (at < segments.size() && segments[at].slice == static_cast<I>(s)) entries += segments[at++].entries;
    double const rows = static_cast<double>(slice.rows);
    if (!slice.wide) {
      Segment<I> const list = first < at ? segments[first] : Segment<I>{};
      std::size_t inverse = 0;
      for (I p = slice.first; p < slice.first + slice.rows; ++p)
        inverse += static_cast<std::size_t>(all.inverse[p].length);
      double const parts = static_cast<double>(std::max<std::size_t>(1, at - first));
      add(block.level, 0, block.level, 0,
          {static_cast<I>(TaskKind::small_blocks), slice.first, slice.rows, slice.block, slice.behind_last_block,
           static_cast<I>(first), static_cast<I>(at), -1, -1, 0, 1,
           InvertedTuning::lanes(static_cast<double>(entries) / rows / parts),
           InvertedTuning::lanes(2 * static_cast<double>(inverse) / rows), 0, 0, 0, list.first, list.columns,
           list.rows_at});
      continue;
    }
    auto const others = static_cast<I>(at - first - 1), sums_at = static_cast<I>(slots);
    slots += static_cast<long long>(others) * slice.rows;
    for (std::size_t g = first; g < at; ++g) {
      auto const part = static_cast<I>(g - first);
      bool const last = part == others;
      I const start = segments[g].level + 1,
              to = last ? t_of[slice.block] + slice.first - block.first : sums_at + part * slice.rows;
      add(start, start == block.level ? 1 : 3, block.level, part,
          {static_cast<I>(TaskKind::sums), slice.first, slice.rows, slice.block, slice.behind_last_block,
           static_cast<I>(g), static_cast<I>(g + 1), sums_at, to, others, last,
           InvertedTuning::lanes(static_cast<double>(segments[g].entries) / rows), 1, 0, 0, 0, segments[g].first,
           segments[g].columns, segments[g].rows_at});
    }
  }
  std::sort(keyed.begin(), keyed.end(), [](Keyed const& a, Keyed const& b) { return a.key < b.key; });
  std::vector<InverseTask<I>> tasks;
  for (auto const& each : keyed) tasks.push_back(each.task);
  return {tasks, slots};
}

}  // namespace sptrsv::detail
