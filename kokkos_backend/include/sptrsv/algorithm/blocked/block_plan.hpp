// SPDX-License-Identifier: Apache-2.0
// Blocks of rows, cut out of groups: rows sorted by level, in slices that a warp solves in one step.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/stable_sort.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Returns the distance between dense blocks of nodes in scalars: odd, so that lanes load from different banks of
/// scratch memory.
KOKKOS_INLINE_FUNCTION constexpr int node_block_stride(int unknowns) { return unknowns * unknowns | 1; }

/// Split of a row: entries per lane and step, and lanes per row. If the plan is one of a graph of nodes, a row is a
/// node, and an entry a dense block of unknowns x unknowns values.
struct RowShape {
  int entries = 4;  ///< entries of a pack, which a lane loads together: 2 or 4; 1 for nodes
  int lanes = 1;    ///< for nodes 1: the kernel chooses
  int rows_per_slice = 1;
  int value_bytes = 8;  ///< per entry
  int late = 0;         ///< number of a row's deferred entries: a pack or none; for nodes several packs
  int unknowns = 1;     ///< per row; more than 1 for nodes
  KOKKOS_INLINE_FUNCTION int width() const { return entries * lanes; }
  /// Returns the number of chunks, of width() entries each, for a row of the given number of entries.
  KOKKOS_INLINE_FUNCTION std::uint64_t chunks(std::uint64_t count) const {
    auto const of_chunk = static_cast<std::uint64_t>(width()), last = static_cast<std::uint64_t>(late);
    return count <= last + of_chunk ? 1 : (count - last + of_chunk - 1) / of_chunk;
  }
  /// Returns the number of entries, padding included, that are stored for a row of the given number of entries.
  KOKKOS_INLINE_FUNCTION std::uint64_t slots(std::uint64_t count) const {
    return chunks(count) * static_cast<std::uint64_t>(width()) + static_cast<std::uint64_t>(late);
  }

  /// Returns the split for rows of the given lengths.
  /// @param warp         lanes of a warp; 1 on a host
  /// @param value_bytes  of an entry
  /// @param may_be_deferred  whether rows may have deferred entries
  static RowShape of(double mean_row, long long longest, int warp, std::size_t value_bytes,
                     bool may_be_deferred = true) {
    RowShape shape;
    shape.value_bytes = static_cast<int>(value_bytes);
    shape.entries = longest <= 2 ? 2 : 4;
    double const wanted = std::min(static_cast<double>(longest), 2 * mean_row);
    while (shape.lanes < warp && shape.width() < wanted) shape.lanes *= 2;
    if (may_be_deferred && shape.lanes >= BlockedTuning::least_deferred_lanes) {
      shape.late = BlockedTuning::deferred_entries;
      while (shape.lanes > BlockedTuning::least_deferred_lanes && shape.width() / 2 >= wanted - shape.late)
        shape.lanes /= 2;
    }
    shape.rows_per_slice = warp / shape.lanes;
    return shape;
  }
  /// Returns the split for nodes.
  /// @param value_bytes  of one value of a block
  static RowShape of_nodes(int unknowns, int nodes_per_slice, std::size_t value_bytes) {
    RowShape shape;
    shape.entries = 1;
    shape.rows_per_slice = nodes_per_slice;
    shape.value_bytes = node_block_stride(unknowns) * static_cast<int>(value_bytes);
    shape.late = BlockedTuning::deferred_blocks;
    shape.unknowns = unknowns;
    return shape;
  }
  /// Returns the number of packs of a row's deferred entries.
  KOKKOS_INLINE_FUNCTION int late_packs() const { return late / entries; }
  /// Returns the number of a row's values on and next to the diagonal: its pivot, or the triangle of a node.
  KOKKOS_INLINE_FUNCTION int pivots() const { return unknowns * (unknowns + 1) / 2; }
  /// Returns the number of scalars of a row in scratch memory: b, x and the pivot, which nodes do not need there.
  KOKKOS_INLINE_FUNCTION int row_scalars() const { return unknowns > 1 ? 2 * unknowns : 3; }
};

/// Partition of the positions into blocks of rows, each solved by a team slice by slice. The rows of a slice, at most
/// rows_per_slice, are of one level. Entry e of a row is entry e / lanes % entries of the pack of lane
/// e % lanes in the slice's chunk e / (lanes entries). A long row is a block of its own, with a slice of no chunks.
/// Deferred entries, those whose columns have the highest levels, are numbered separately.
///
/// values:   by chunk and pair of a pack's entries: rows x lanes consecutive pairs; then a pack of deferred entries
///           per row
/// col_idx:  by chunk: rows x lanes packs of local numbers (rows of the block from 0, its halo values, a zero); then
///           a pack of deferred entries per row
template <class T>
struct BlockPlan {
  using index = typename T::index;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  RowShape shape;
  index num_blocks = 0;
  view<index> row;                 // n; row at each position
  view<index> position;            // n, by row
  view<index> block_row;           // blocks+1: first positions
  view<index> block_slice;         // blocks+1: first slices
  view<index> slice_row;           // slices+1: first positions
  view<std::uint64_t> slice_pack;  // slices+1: first packs
  view<int> slice_chunks;          // slices; 0: a long row
  view<std::uint64_t> block_halo;  // blocks+1: first halo values
  view<index> halo;                // positions of the halo values, in order of need; of all entries of a long row
  view<std::uint16_t> col_idx;     // packs x entries
  view<std::uint16_t> late;        // by position: shape.late numbers of deferred entries, ascending, then `no_entry`
  int most_chunks = 1;             // of a slice
  view<index> long_slice;          // slices of the long rows
  std::size_t scratch_bytes = 0;   // maximum of a block

  static constexpr std::uint16_t no_entry = 0xffff;

  /// Calls f(e, number, is_deferred) for the entries e = 0, 1, ... of the row at position p. `number` counts deferred
  /// and other entries separately.
  /// @return the number of deferred entries
  template <class Count, class F>
  KOKKOS_FORCEINLINE_FUNCTION int for_entries(index p, Count count, F const& f) const {
    int found = 0;
    for (Count e = 0; e < count; ++e) {
      std::size_t const at = static_cast<std::size_t>(p) * static_cast<std::size_t>(shape.late) + std::size_t(found);
      bool const is_deferred = found < shape.late && late(at) == e;
      f(e, is_deferred ? static_cast<Count>(found) : e - static_cast<Count>(found), is_deferred);
      found += is_deferred;
    }
    return found;
  }

  /// Returns the number of entry e of the row at position p, as for_entries() passes it.
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION Count number_of(index p, Count e, bool& is_deferred) const {
    int before = 0;
    is_deferred = false;
    for (int f = 0; f < shape.late; ++f) {
      auto const entry =
          static_cast<Count>(late(static_cast<std::size_t>(p) * std::size_t(shape.late) + std::size_t(f)));
      before += entry < e;
      is_deferred |= entry == e;
    }
    return is_deferred ? static_cast<Count>(before) : e - static_cast<Count>(before);
  }

  /// Calls f with each array that a solve or an update reads.
  template <class F>
  void for_arrays(F const& f) {
    f(row), f(block_row), f(block_slice), f(slice_row), f(slice_pack), f(slice_chunks), f(block_halo), f(halo);
    f(col_idx), f(long_slice), f(late);
  }
};

/// Numbers the ranges of positions that begin at p = 0 and where `begins(p)` is true.
/// @param number  out, n + 1: the range of each position
/// @param to      workspace that owns the result
/// @return the first position of each range, and n
template <class T, class Begins>
Kokkos::View<typename T::index*, typename T::device> number_ranges(
    char const* label, typename T::exec_space const& exec, Workspace<T>& work, Workspace<T>& to, typename T::index n,
    Kokkos::View<typename T::index*, typename T::device> const& number, Begins const& begins) {
  using index = typename T::index;
  // the scan is exclusive, so each position counts the range that begins at the next position
  index const last =
      sum_before<T, index>(label, exec, work, n, number, KOKKOS_LAMBDA(index p) { return p + 1 < n && begins(p + 1); });
  auto const first = to.template take<index>(static_cast<std::size_t>(last) + 2);
  Kokkos::parallel_for(
      label, row_range<T>(exec, n), KOKKOS_LAMBDA(index p) {
        if (p == 0 || number(p) != number(p - 1)) first(number(p)) = p;
        if (p == n - 1) first(number(p) + 1) = n;
      });
  return first;
}

/// Returns the bytes of scratch memory of a block: entries with their columns, slices, b, pivots, x, and alignment.
/// @param slots  number of entries, padding included
template <class T>
KOKKOS_FUNCTION std::size_t block_scratch_bytes(RowShape const& shape, std::size_t slots, std::size_t rows,
                                                std::size_t slices, std::size_t halos) {
  using scalar = typename T::scalar;
  auto const unknowns = static_cast<std::size_t>(shape.unknowns);
  return slots * (static_cast<std::size_t>(shape.value_bytes) + sizeof(std::uint16_t)) +
         slices * sizeof(std::uint64_t) +
         (static_cast<std::size_t>(shape.row_scalars()) * rows + unknowns * (halos + 1)) * sizeof(scalar) +
         (shape.unknowns > 1 ? 128 : 96);
}
/// Returns the bytes of scratch memory that a team needs to sum a long row: partial sums and alignment.
template <class T>
KOKKOS_FUNCTION std::size_t long_row_scratch_bytes() {
  return BlockedTuning::long_row_parts * sizeof(typename T::scalar) + 16;
}
/// Returns the bytes of scratch memory that a row adds to its block, its expected halo values included.
/// @param slots  number of its entries, padding included
template <class T>
KOKKOS_FUNCTION std::uint64_t row_scratch_bytes(RowShape const& shape, std::uint64_t slots, double entries) {
  auto const halos = static_cast<std::size_t>(entries * BlockedTuning::expected_halos);
  return block_scratch_bytes<T>(shape, slots, 1, 1, halos) - block_scratch_bytes<T>(shape, 0, 0, 0, 0);
}

/// Cutter of groups into blocks of rows, and of blocks into slices.
template <class T>
class BlockCutter {
 public:
  using index = typename T::index;
  using exec_space = typename T::exec_space;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;

  /// @param of_plan  workspace that owns the plan's arrays
  BlockCutter(exec_space const& exec, Analysis<T> const& analysis, LevelSets<T> const& sets, RowShape const& shape,
              Workspace<T>& of_plan)
      : exec_(exec),
        work_(analysis.workspace()),
        of_plan_(of_plan),
        rows_(analysis.rows(exec)),
        level_of_(sets.level_of),
        levels_(sets.num_levels()),
        shape_(shape),
        n_(analysis.num_rows()),
        any_long_(analysis.longest_row(exec) > BlockedTuning::long_row) {}

  /// Returns a plan without column numbers; slice_of() then returns a view in the analysis' workspace.
  /// @param bytes  maximum scratch memory of a block: its rows, their entries and an estimate of its halo values
  BlockPlan<T> cut(RowGroups<T> const& groups, std::size_t bytes, std::size_t most_rows) {
    BlockPlan<T> plan;
    plan.shape = shape_;
    auto const rows = static_cast<std::size_t>(n_);
    plan.row = of_plan_.template take<index>(rows);
    plan.position = of_plan_.template take<index>(rows);
    number_ = work_.template take<index>(rows + 1);
    key_ = work_.template take<std::uint64_t>(rows);
    cut_groups(groups, plan, bytes, most_rows);
    sort_by_level(groups, plan);
    if (shape_.late > 0) find_deferred(plan);
    cut_slices(plan);
    return plan;
  }
  /// Returns the slice of each position, as of the last cut().
  view<index> slice_of() const { return number_; }

  // public because nvcc allows no lambda in a private member
  void cut_groups(RowGroups<T> const& groups, BlockPlan<T>& plan, std::size_t bytes, std::size_t most_rows) {
    typename Workspace<T>::Scope const scope(work_);
    auto const key = groups.key;
    auto const row = groups.row;
    auto const rows = rows_;
    auto const group_of = work_.template take<index>(static_cast<std::size_t>(n_) + 1);
    auto const shape = shape_;
    auto const budget = static_cast<std::uint64_t>(bytes);
    std::uint64_t const least = budget / most_rows + 1;
    auto const is_long = KOKKOS_LAMBDA(index p) { return rows.count(row(p)) > BlockedTuning::long_row; };
    auto const group = number_ranges<T>(
        "sptrsv::blocked::groups", exec_, work_, work_, n_, group_of,
        KOKKOS_LAMBDA(index p) { return key(p) != key(p - 1); });
    auto const cost = work_.template take<std::uint64_t>(static_cast<std::size_t>(n_) + 1);
    scan_before<T, std::uint64_t>(
        "sptrsv::blocked::cost", exec_, work_, n_, cost, KOKKOS_LAMBDA(index p) {
          auto const entries = static_cast<std::uint64_t>(rows.count(row(p)));
          if (is_long(p)) return budget;
          std::uint64_t const mine = row_scratch_bytes<T>(shape, shape.slots(entries), static_cast<double>(entries));
          return mine < least ? least : mine;
        });
    // number of the position's part in its group; all parts of a group have about equal cost
    auto const part = KOKKOS_LAMBDA(index p) {
      index const g = group_of(p);
      std::uint64_t const first = cost(group(g)), all = cost(group(g + 1)) - first;
      return (cost(p) - first) * ((all + budget - 1) / budget) / all;
    };
    plan.block_row = number_ranges<T>(
        "sptrsv::blocked::blocks", exec_, work_, of_plan_, n_, number_, KOKKOS_LAMBDA(index p) {
          return group_of(p) != group_of(p - 1) || is_long(p) || is_long(p - 1) || part(p) != part(p - 1);
        });
    plan.num_blocks = static_cast<index>(plan.block_row.extent(0)) - 1;
  }

  /// Sorts the rows of each block by level; rows of a level keep their order.
  void sort_by_level(RowGroups<T> const& groups, BlockPlan<T>& plan) {
    typename Workspace<T>::Scope const scope(work_);
    auto const rows = static_cast<std::size_t>(n_);
    auto const block_level = work_.template take<std::uint64_t>(rows);
    auto const sorted = work_.template take<index>(rows);
    auto const group_row = groups.row;
    auto const row = plan.row, position = plan.position;
    auto const number = number_;
    auto const level_of = level_of_;
    int const level_bits = bits_for(static_cast<std::uint64_t>(levels_));
    Kokkos::parallel_for(
        "sptrsv::blocked::level", row_range<T>(exec_, n_), KOKKOS_LAMBDA(index p) {
          block_level(p) = (static_cast<std::uint64_t>(number(p)) << level_bits) |
                           static_cast<std::uint64_t>(level_of(group_row(p)));
        });
    sort_positions<T, std::uint64_t>(exec_, work_, block_level, key_, sorted,
                                     level_bits + bits_for(static_cast<std::uint64_t>(plan.num_blocks)));
    Kokkos::parallel_for(
        "sptrsv::blocked::position", row_range<T>(exec_, n_), KOKKOS_LAMBDA(index p) {
          index const i = group_row(sorted(p));
          row(p) = i;
          position(i) = p;
        });
  }

  /// Lists the deferred entries of each row.
  void find_deferred(BlockPlan<T>& plan) {
    constexpr int most_late = std::max(BlockedTuning::deferred_entries, BlockedTuning::deferred_blocks);
    int const most = shape_.late;
    plan.late = of_plan_.template take<std::uint16_t>(static_cast<std::size_t>(n_) * static_cast<std::size_t>(most));
    auto const late = plan.late;
    auto const row = plan.row;
    auto const rows = rows_;
    auto const level_of = level_of_;
    Kokkos::parallel_for(
        "sptrsv::blocked::late", row_range<T>(exec_, n_), KOKKOS_LAMBDA(index p) {
          index const i = row(p);
          auto const count = static_cast<int>(rows.count(i) > BlockedTuning::long_row ? 0 : rows.count(i));
          auto k = rows.first(i);
          index level[most_late];
          int entry[most_late], found = 0;  // by ascending level
          for (int e = 0; e < count; ++e, k += rows.step()) {
            index const mine = level_of(rows.col_idx(k));
            if (found == most && mine < level[0]) continue;
            int at = found < most ? found++ : 0;
            if (at == 0)
              for (; at + 1 < found && level[at + 1] <= mine; ++at)
                level[at] = level[at + 1], entry[at] = entry[at + 1];
            else
              for (; at > 0 && level[at - 1] > mine; --at) level[at] = level[at - 1], entry[at] = entry[at - 1];
            level[at] = mine;
            entry[at] = e;
          }
          for (int a = 1; a < found; ++a)
            for (int b = a; b > 0 && entry[b - 1] > entry[b]; --b) Kokkos::kokkos_swap(entry[b - 1], entry[b]);
          for (int a = 0; a < most; ++a)
            late(static_cast<std::size_t>(p) * static_cast<std::size_t>(most) + static_cast<std::size_t>(a)) =
                a < found ? static_cast<std::uint16_t>(entry[a]) : BlockPlan<T>::no_entry;
        });
  }

  void cut_slices(BlockPlan<T>& plan) {
    typename Workspace<T>::Scope const scope(work_);
    auto const key = key_;
    auto const row = plan.row;
    auto const rows = rows_;
    auto const run_of = work_.template take<index>(static_cast<std::size_t>(n_) + 1);
    auto const run = number_ranges<T>(
        "sptrsv::blocked::runs", exec_, work_, work_, n_, run_of,
        KOKKOS_LAMBDA(index p) { return key(p) != key(p - 1); });
    auto const per_slice = static_cast<index>(shape_.rows_per_slice);
    plan.slice_row = number_ranges<T>(
        "sptrsv::blocked::slices", exec_, work_, of_plan_, n_, number_,
        KOKKOS_LAMBDA(index p) { return (p - run(run_of(p))) % per_slice == 0; });
    auto const slices = static_cast<index>(plan.slice_row.extent(0)) - 1;
    plan.slice_chunks = of_plan_.template take<int>(static_cast<std::size_t>(slices));
    plan.slice_pack = of_plan_.template take<std::uint64_t>(static_cast<std::size_t>(slices) + 1);
    auto const slice_row = plan.slice_row;
    auto const slice_chunks = plan.slice_chunks;
    auto const shape = shape_;
    Kokkos::parallel_reduce(
        "sptrsv::blocked::chunks", row_range<T>(exec_, slices),
        KOKKOS_LAMBDA(index s, int& most) {
          typename T::offset longest = 1;
          for (index p = slice_row(s); p < slice_row(s + 1); ++p) {
            auto const count = rows.count(row(p));
            if (count > longest) longest = count;
          }
          bool const is_long = longest > BlockedTuning::long_row;
          int const chunks = is_long ? 0 : static_cast<int>(shape.chunks(static_cast<std::uint64_t>(longest)));
          slice_chunks(s) = chunks;
          most = most < chunks ? chunks : most;
        },
        Kokkos::Max<int>(plan.most_chunks));
    auto const packs = sum_before<T, std::uint64_t>(
        "sptrsv::blocked::packs", exec_, work_, slices, plan.slice_pack, KOKKOS_LAMBDA(index s) {
          index const p = slice_row(s);
          auto const lanes = static_cast<std::uint64_t>(shape.lanes), width = static_cast<std::uint64_t>(shape.width());
          if (slice_chunks(s) == 0)
            return lanes * ((static_cast<std::uint64_t>(rows.count(row(p))) + width - 1) / width);
          return static_cast<std::uint64_t>(slice_row(s + 1) - p) *
                 (lanes * static_cast<std::uint64_t>(slice_chunks(s)) + static_cast<std::uint64_t>(shape.late_packs()));
        });
    plan.col_idx = of_plan_.template take<std::uint16_t>(packs * static_cast<std::size_t>(shape_.entries));
    auto const block_row = plan.block_row;
    auto const slice_of = number_;
    index const blocks = plan.num_blocks;
    plan.block_slice = of_plan_.template take<index>(static_cast<std::size_t>(blocks) + 1);
    auto const block_slice = plan.block_slice;
    Kokkos::parallel_for(
        "sptrsv::blocked::block_slice", row_range<T>(exec_, blocks + 1),
        KOKKOS_LAMBDA(index b) { block_slice(b) = b == blocks ? slices : slice_of(block_row(b)); });
    if (any_long_)
      plan.long_slice = list_where<T>(
          "sptrsv::blocked::long", exec_, work_, slices, KOKKOS_LAMBDA(index s) { return slice_chunks(s) == 0; },
          [&](std::size_t count) { return of_plan_.template take<index>(count); });
  }

 private:
  exec_space exec_;
  Workspace<T>&work_, &of_plan_;
  OffDiagonals<T> rows_;
  view<const index> level_of_;
  index levels_;
  RowShape shape_;
  index n_;
  bool any_long_;
  view<index> number_;       // by position: its block or, after cut_slices(), its slice
  view<std::uint64_t> key_;  // by position: block and level
};

}  // namespace sptrsv::detail
