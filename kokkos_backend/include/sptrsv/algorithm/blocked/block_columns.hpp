// SPDX-License-Identifier: Apache-2.0
// Local column numbers of a block of rows: those of its own rows and of its halo values.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/algorithm/blocked/block_plan.hpp"

namespace sptrsv::detail {

/// Offsets of one row's entries in its slice.
struct EntryOffsets {
  int lanes, entries;
  std::uint64_t chunk_packs;    ///< number of packs of a chunk: rows of the slice x lanes
  std::uint64_t row_pack;       ///< offset of the row's first pack in a chunk: row x lanes
  std::uint64_t deferred_pack;  ///< offset of the row's first pack of deferred entries, from the slice's first pack
  std::uint64_t rows;           ///< rows of the slice: the step from a row's pack of deferred entries to its next one

  /// Returns the offset of deferred entry e in col_idx, and in the values, from the slice's first pack.
  template <class E>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t late(E e) const {
    auto const number = static_cast<std::uint64_t>(e), of_pack = static_cast<std::uint64_t>(entries);
    return (deferred_pack + number / of_pack * rows) * of_pack + number % of_pack;
  }
  /// Returns the offset of entry e in col_idx, from the slice's first pack.
  template <class E>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t column(E e) const {
    auto const width = static_cast<E>(lanes * entries);
    E const chunk = e / width, rest = e % width;
    return (static_cast<std::uint64_t>(chunk) * chunk_packs + row_pack + static_cast<std::uint64_t>(rest % lanes)) *
               static_cast<std::uint64_t>(entries) +
           static_cast<std::uint64_t>(rest / lanes);
  }
  /// Returns the offset of entry e in the values, from the slice's first pack.
  template <class E>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t value(E e) const {
    auto const width = static_cast<E>(lanes * entries);
    E const chunk = e / width, rest = e % width, q = rest / lanes;
    return static_cast<std::uint64_t>(chunk) * chunk_packs * static_cast<std::uint64_t>(entries) +
           (static_cast<std::uint64_t>(q / 2) * chunk_packs + row_pack + static_cast<std::uint64_t>(rest % lanes)) * 2 +
           static_cast<std::uint64_t>(q % 2);
  }
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION EntryOffsets entry_offsets(BlockPlan<T> const& plan, typename T::index slice,
                                                       typename T::index p) {
  auto const first = plan.slice_row(slice);
  auto const lanes = static_cast<std::uint64_t>(plan.shape.lanes);
  auto const mine = static_cast<std::uint64_t>(p - first),
             rows = static_cast<std::uint64_t>(plan.slice_row(slice + 1) - first), chunk_packs = rows * lanes;
  return {plan.shape.lanes,
          plan.shape.entries,
          chunk_packs,
          mine * lanes,
          static_cast<std::uint64_t>(plan.slice_chunks(slice)) * chunk_packs + mine,
          rows};
}

/// Hash table of columns and the first use of each, with open addressing, in a team's memory.
template <class Index>
struct ColumnTable {
  Index* column;
  unsigned* first;  ///< first use: row * row_step + entry
  unsigned* rank;
  unsigned mask;

  KOKKOS_FORCEINLINE_FUNCTION static unsigned hash(Index column) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(column) * 11400714819323198485u) >> 40);
  }
  KOKKOS_FORCEINLINE_FUNCTION void insert(Index c, unsigned need) const {
    for (unsigned at = hash(c) & mask;; at = (at + 1) & mask) {
      Index const there = Kokkos::atomic_compare_exchange(&column[at], Index(-1), c);
      if (there == Index(-1) || there == c) {
        Kokkos::atomic_min(&first[at], need);
        return;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned find(Index c) const {
    unsigned at = hash(c) & mask;
    while (column[at] != c) at = (at + 1) & mask;
    return at;
  }
};

/// Kernel in which a team lists the halo positions of a block of rows, each once and in order of need, and assigns the
/// block's local column numbers.
template <class T>
struct NumberColumns {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> rows;
  BlockPlan<T> plan;
  Kokkos::View<index*, typename T::device> slice_of;       // by position
  Kokkos::View<index*, typename T::device> listed;         // halo positions, those of block b from first_listed(b)
  Kokkos::View<std::uint64_t*, typename T::device> halos;  // out, by block: number of halo values
  Kokkos::View<char*, typename T::device> tables;          // one per team
  int most_table;                                          // a power of two

  static constexpr unsigned row_step = 1024;  // exceeds the number of entries of any row that is not long
  static_assert(BlockedTuning::long_row < static_cast<int>(row_step));

  KOKKOS_FUNCTION static std::size_t table_bytes(int table) {
    return static_cast<std::size_t>(table) * (sizeof(index) + 2 * sizeof(unsigned)) + 4 * sizeof(std::uint64_t);
  }

  /// Returns the offset of block b's list in `listed`, which is that of its packs in col_idx.
  KOKKOS_FUNCTION std::uint64_t first_listed(index b) const {
    return plan.slice_pack(plan.block_slice(b)) * static_cast<std::uint64_t>(plan.shape.entries);
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    char* const memory = tables.data() + static_cast<std::size_t>(team.league_rank()) * table_bytes(most_table);
    for (auto b = static_cast<long long>(team.league_rank()); b < plan.num_blocks; b += team.league_size()) {
      number(team, memory, static_cast<index>(b));
      team.team_barrier();  // the next block uses the same table
    }
  }
  template <class Team>
  KOKKOS_FUNCTION void number(Team const& team, char* memory, index b) const {
    index const first = plan.block_row(b), last = plan.block_row(b + 1);
    int const count = static_cast<int>(last - first);
    std::uint64_t const begin = first_listed(b);
    std::uint64_t entries = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, count),
        [&](int r, std::uint64_t& sum) { sum += static_cast<std::uint64_t>(rows.count(plan.row(first + r))); },
        entries);
    if (plan.slice_chunks(plan.block_slice(b)) == 0) {  // a long row
      index const i = plan.row(first);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<offset>(entries)), [&](offset e) {
        listed(begin + static_cast<std::uint64_t>(e)) = plan.position(rows.col_idx(rows.first(i) + e * rows.step()));
      });
      Kokkos::single(Kokkos::PerTeam(team), [&]() { halos(b) = entries; });
      return;
    }
    int size = 64;
    while (size < most_table && static_cast<std::uint64_t>(size) < 2 * entries) size *= 2;
    auto* const column = reinterpret_cast<index*>(memory);
    auto* const need = reinterpret_cast<unsigned*>(column + size);
    ColumnTable<index> const table{column, need, need + size, static_cast<unsigned>(size - 1)};
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int at) {
      table.column[at] = -1;
      table.first[at] = ~0u;
    });
    team.team_barrier();
    auto const for_halo = [&](int r, auto const& f) {
      index const i = plan.row(first + r);
      offset const entries_of_row = rows.count(i);
      offset k = rows.first(i);
      for (offset e = 0; e < entries_of_row; ++e, k += rows.step()) {
        index const c = plan.position(rows.col_idx(k));
        if (c < first || c >= last) f(e, c);
      }
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int r) {
      for_halo(r, [&](offset e, index c) { table.insert(c, static_cast<unsigned>(r) * row_step + unsigned(e)); });
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, count), [&](int r, int& sum, bool final) {
      for_halo(r, [&](offset e, index c) {
        unsigned const at = table.find(c);
        if (table.first[at] != static_cast<unsigned>(r) * row_step + unsigned(e)) return;
        if (final) {
          table.rank[at] = static_cast<unsigned>(sum);
          listed(begin + static_cast<std::uint64_t>(sum)) = c;
        }
        ++sum;
      });
      if (final && r == count - 1) halos(b) = static_cast<std::uint64_t>(sum);
    });
    team.team_barrier();
    int const all = static_cast<int>(halos(b));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int r) {
      index const p = first + r, i = plan.row(p), slice = slice_of(p);
      auto const offsets = entry_offsets(plan, slice, p);
      std::uint64_t const base = plan.slice_pack(slice) * static_cast<std::uint64_t>(plan.shape.entries);
      offset const entries_of_row = rows.count(i), begin_of_row = rows.first(i);
      offset const slots = static_cast<offset>(plan.slice_chunks(slice)) * offsets.lanes * offsets.entries;
      int const late = plan.for_entries(p, entries_of_row, [&](offset e, offset number, bool is_deferred) {
        index const c = plan.position(rows.col_idx(begin_of_row + e * rows.step()));
        int const local =
            c >= first && c < last ? static_cast<int>(c - first) : count + static_cast<int>(table.rank[table.find(c)]);
        plan.col_idx(base + (is_deferred ? offsets.late(number) : offsets.column(number))) =
            static_cast<std::uint16_t>(local);
      });
      auto const zero = static_cast<std::uint16_t>(count + all);
      for (offset e = entries_of_row - late; e < slots; ++e) plan.col_idx(base + offsets.column(e)) = zero;
      for (int e = late; e < plan.shape.late; ++e) plan.col_idx(base + offsets.late(e)) = zero;
    });
  }
};

/// Fills col_idx, block_halo, halo and scratch_bytes of a plan.
/// @param of_plan  workspace that owns the plan's arrays
template <class T>
void number_columns(typename T::exec_space const& exec, Workspace<T>& work, Workspace<T>& of_plan,
                    OffDiagonals<T> const& rows, BlockPlan<T>& plan,
                    Kokkos::View<typename T::index*, typename T::device> const& slice_of) {
  using index = typename T::index;
  index const blocks = plan.num_blocks;
  typename Workspace<T>::Scope const scope(work);
  NumberColumns<T> number{rows, plan, slice_of, {}, {}, {}, 64};
  number.listed = work.template take<index>(plan.col_idx.extent(0));
  number.halos = work.template take<std::uint64_t>(static_cast<std::size_t>(blocks));
  auto const block_slice = plan.block_slice;
  auto const slice_chunks = plan.slice_chunks;
  auto const most_entries = max_over_rows<T>(
      "sptrsv::blocked::most_entries", exec, blocks, std::uint64_t(0), KOKKOS_LAMBDA(index b) {
        return slice_chunks(block_slice(b)) == 0 ? 0 : number.first_listed(b + 1) - number.first_listed(b);
      });
  while (static_cast<std::uint64_t>(number.most_table) < 2 * most_entries) number.most_table *= 2;
  constexpr bool host = is_host_space<typename T::exec_space>;
  int const teams = number_of_teams<T>(exec, blocks, {1, host ? 1 : BlockedTuning::threads_per_analysis_team, 1, 1});
  number.tables =
      work.template take<char>(static_cast<std::size_t>(teams) * NumberColumns<T>::table_bytes(number.most_table));
  Kokkos::parallel_for("sptrsv::blocked::columns",
                       team_policy(exec, teams, host ? 1 : BlockedTuning::analysis_threads, 1), number);

  plan.block_halo = of_plan.template take<std::uint64_t>(static_cast<std::size_t>(blocks) + 1);
  auto const halos = number.halos;
  auto const all = sum_before<T, std::uint64_t>(
      "sptrsv::blocked::block_halo", exec, work, blocks, plan.block_halo, KOKKOS_LAMBDA(index b) { return halos(b); });
  plan.halo = of_plan.template take<index>(all);
  auto const block_halo = plan.block_halo;
  auto const halo = plan.halo;
  auto const listed = number.listed;
  auto const block_row = plan.block_row;
  Kokkos::parallel_for(
      "sptrsv::blocked::halo",
      team_policy(exec, static_cast<int>(blocks), host ? 1 : BlockedTuning::analysis_threads, 1),
      KOKKOS_LAMBDA(typename Kokkos::TeamPolicy<typename T::exec_space>::member_type const& team) {
        auto const b = static_cast<index>(team.league_rank());
        std::uint64_t const to = block_halo(b), from = number.first_listed(b);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<long long>(block_halo(b + 1) - to)),
                             [&](long long k) {
                               halo(to + static_cast<std::uint64_t>(k)) = listed(from + static_cast<std::uint64_t>(k));
                             });
      });
  auto const slice_pack = plan.slice_pack;
  auto const pack_entries = static_cast<std::uint64_t>(plan.shape.entries);
  auto const shape = plan.shape;
  plan.scratch_bytes = max_over_rows<T>(
      "sptrsv::blocked::scratch", exec, blocks, std::size_t(0), KOKKOS_LAMBDA(index b) {
        index const first = block_slice(b), last = block_slice(b + 1);
        if (slice_chunks(first) == 0) return long_row_scratch_bytes<T>();
        return block_scratch_bytes<T>(shape, (slice_pack(last) - slice_pack(first)) * pack_entries,
                                      static_cast<std::size_t>(block_row(b + 1) - block_row(b)),
                                      static_cast<std::size_t>(last - first), halos(b));
      });
}

}  // namespace sptrsv::detail
