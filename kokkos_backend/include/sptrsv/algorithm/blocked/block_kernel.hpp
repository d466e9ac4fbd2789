// SPDX-License-Identifier: Apache-2.0
// Kernels of `blocked`: a team solves a block of rows.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/device/compiler.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_end.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/scratch_slots.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Arrays that the kernels read and write, for the columns of a pass.
template <class T>
struct BlockData {
  using scalar = typename T::scalar;
  using index = typename T::index;
  BlockPlan<T> plan;
  StoredValues<T> values;                           // packs x entries
  Kokkos::View<scalar*, typename T::device> pivot;  // n, by position; empty for a unit diagonal
  RowIO<T> io;
  SolvedSlots<scalar, 1> slots;  // by position
  Diagonal diagonal;

  KOKKOS_FORCEINLINE_FUNCTION scalar pivot_of(index p) const {
    return diagonal == Diagonal::unit ? scalar(1) : pivot(p);
  }
  KOKKOS_FORCEINLINE_FUNCTION static scalar await(SolvedSlots<scalar, 1> const& slots, index p, index row) {
    scalar x[1];
    for (Backoff wait; !slots.try_load(static_cast<std::size_t>(p), x); wait(row)) {
    }
    return x[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(SolvedSlots<scalar, 1> const& to, int c, index p, scalar const& x) const {
    to.publish(static_cast<std::size_t>(p), &x);
    to.reset_next(static_cast<std::size_t>(p));
    io.store(plan.row(p), c, x);
  }
};

/// GPU kernel in which a team holds its whole block of rows in scratch memory. Its first warps solve rows: they take
/// slices round robin, in level order, and poll for x in scratch memory. The other warps fetch the halo values that
/// other blocks publish, in order of need. Teams take blocks by ticket, so a block waits only for blocks that running
/// teams have.
/// @tparam Stored  type of the stored values, the scalar or its single precision
template <class T, class Stored, int Entries, bool OneLane, bool OneChunk>
struct BlockOnDevice {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using scratch_slots = ScratchSlots<scalar>;
  using slots_type = SolvedSlots<scalar, 1>;
  struct alignas(Entries * sizeof(std::uint16_t)) Columns {
    std::uint16_t col[Entries];
  };
  struct Pair {
    scalar value[2];
  };
  struct alignas(2 * sizeof(Stored) < 16 ? 2 * sizeof(Stored) : 16) StoredPair {
    Stored value[2];
  };
  BlockData<T> data;
  Tickets<T> tickets;
  int which;             ///< ticket counter of this launch
  int threads_per_warp;  ///< rows per slice
  int computing_warps, fetching_warps;
  int columns;  ///< number of columns of the pass; a team solves a block for one column

  static constexpr int slice_word = std::numeric_limits<unsigned>::digits;

  /// Pointers to the parts of a block in scratch memory.
  struct Staged {
    StoredPair* values;
    Columns* columns;
    std::uint64_t* slice;  ///< fields, lowest bits first: first row (16 bits), rows (8), chunks (8), first pack
    scalar* b;
    scalar* pivot;
    scalar* x;  ///< x of the block's rows, halo values, a zero
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const all = static_cast<unsigned long long>(data.plan.num_blocks) * static_cast<unsigned>(columns);
    auto* const memory =
        static_cast<char*>(team.team_shmem().get_shmem_aligned(static_cast<int>(data.plan.scratch_bytes - 16), 16));
    for (auto t = tickets.take(Kokkos::PerTeam(team), which, 1); t < all;
         t = tickets.take(Kokkos::PerTeam(team), which, 1)) {
      int const column = columns == 1 ? 0 : static_cast<int>(t % static_cast<unsigned>(columns));
      solve_block(team, memory, static_cast<index>(columns == 1 ? t : t / static_cast<unsigned>(columns)), column,
                  data.slots.column(column));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Stored const* stored() const {
    if constexpr (std::is_same_v<Stored, scalar>) return data.values.full.data();
    else return data.values.rounded.data();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_block(Team const& team, char* memory, index b, int column,
                                               slots_type const& slots) const {
    auto const& plan = data.plan;
    index const first = plan.block_row(b), slice = plan.block_slice(b);
    int const rows = static_cast<int>(plan.block_row(b + 1) - first);
    int const slices = static_cast<int>(plan.block_slice(b + 1) - slice);
    std::uint64_t const first_halo = plan.block_halo(b);
    if (plan.slice_chunks(slice) == 0)
      return solve_long_row(team, memory, first, slice, first_halo, plan.block_halo(b + 1), column, slots);
    int const halos = static_cast<int>(plan.block_halo(b + 1) - first_halo);
    std::uint64_t const first_pack = plan.slice_pack(slice);
    int const packs = static_cast<int>(plan.slice_pack(slice + slices) - first_pack);
    Staged const staged = place(memory, data.diagonal == Diagonal::unit, rows, halos, slices, packs);
    scratch_slots const x(staged.x);
    stage(team, staged, first, slice, first_pack, rows, halos, slices, packs, column, x);
    team.team_barrier();
    int const warp = team.team_rank() / threads_per_warp, thread = team.team_rank() % threads_per_warp;
    if (warp < computing_warps) compute(team, staged, x, slots, first, slices, warp, thread);
    else fetch(team, plan.halo.data() + first_halo, x, slots, rows, halos, warp - computing_warps, thread);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](int r) {
      slots.reset_next(static_cast<std::size_t>(first + r));
      data.io.store(plan.row(first + r), column, scratch_slots::load(x.at(r)));
    });
  }

  /// Lays out the parts of a block in scratch memory, each aligned to 16 bytes.
  /// @param at  block_scratch_bytes() - 16 bytes, aligned to 16 bytes
  KOKKOS_FORCEINLINE_FUNCTION static Staged place(char* at, bool unit, int rows, int halos, int slices, int packs) {
    Staged staged;
    auto const take = [&](std::size_t bytes) {
      char* const here = at;
      at += (bytes + 15) / 16 * 16;
      return here;
    };
    staged.values = reinterpret_cast<StoredPair*>(take(sizeof(Stored) * Entries * packs));
    staged.columns = reinterpret_cast<Columns*>(take(sizeof(Columns) * packs));
    staged.slice = reinterpret_cast<std::uint64_t*>(take(sizeof(std::uint64_t) * slices));
    staged.b = reinterpret_cast<scalar*>(take(sizeof(scalar) * rows));
    staged.pivot = reinterpret_cast<scalar*>(take(unit ? 0 : sizeof(scalar) * rows));
    staged.x = reinterpret_cast<scalar*>(take(sizeof(scalar) * (rows + halos + 1)));
    return staged;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(Team const& team, Staged const& staged, index first, index slice,
                                         std::uint64_t first_pack, int rows, int halos, int slices, int packs,
                                         int column, scratch_slots const& x) const {
    auto const& plan = data.plan;
    auto const* const values = reinterpret_cast<StoredPair const*>(stored() + first_pack * Entries);
    auto const* const columns = reinterpret_cast<Columns const*>(plan.col_idx.data() + first_pack * Entries);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, packs * (Entries / 2)),
                         [&](int k) { scratch::copy_async(staged.values + k, values + k); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, packs),
                         [&](int k) { scratch::copy_async(staged.columns + k, columns + k); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](int r) {
      staged.b[r] = data.io.load(plan.row(first + r), column);
      if (data.diagonal != Diagonal::unit) scratch::copy_async(staged.pivot + r, data.pivot.data() + first + r);
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, slices), [&](int s) {
      index const from = plan.slice_row(slice + s);
      staged.slice[s] = static_cast<std::uint64_t>(from - first) |
                        static_cast<std::uint64_t>(plan.slice_row(slice + s + 1) - from) << 16 |
                        static_cast<std::uint64_t>(plan.slice_chunks(slice + s)) << 24 |
                        (plan.slice_pack(slice + s) - first_pack) << slice_word;
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows + halos + 1), [&](int k) {
      if (k < rows + halos) scratch_slots::reset(x.at(k));
      else scratch_slots::publish(x.at(k), scalar(0));
    });
    scratch::await_copies();
  }

  /// Fetches the halo values. Each lane polls for one value at a time and stores it in scratch memory at once.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Team const& team, index const* halo, scratch_slots const& x,
                                         slots_type const& slots, int rows, int halos, int warp, int thread) const {
    int const lanes = data.plan.shape.lanes, step = fetching_warps * threads_per_warp * lanes;
    for_each_lane(team, lanes, [&](int lane) {
      int k = (warp * threads_per_warp + thread) * lanes + lane;
      index at = k < halos ? halo[k] : 0, next = k + step < halos ? halo[k + step] : 0;
      for (Backoff wait; any_in_warp(k < halos); wait(at)) {
        scalar value[1];
        if (k >= halos || !slots.try_load(static_cast<std::size_t>(at), value)) continue;
        scratch_slots::publish(x.at(rows + k), value[0]);
        k += step;
        at = next;
        if (k + step < halos) next = halo[k + step];
      }
    });
  }

  /// Data of a slice for a lane: everything except the x of other rows.
  struct Step {
    scratch::address x[Entries];  ///< addresses of the x of the first chunk
    Pair values[Entries / 2];     ///< values of the first chunk
    scratch::address
        deferred_x[OneLane ? 1 : Entries];  ///< addresses for the deferred entries, the same on all lanes of a row
    Pair deferred_values[OneLane ? 1 : Entries / 2];
    scalar b, pivot;
    scratch::address solved;                  ///< the row's slot in scratch memory
    typename Parts<scalar>::real* published;  ///< the row's slot in global memory
    int pack;                                 ///< the lane's first pack of columns
    int pair;                                 ///< the lane's first pair of values
    int packs;                                ///< number of packs per chunk
    int chunks;                               ///< number of chunks of the slice
  };
  struct Addresses {
    scratch::address values, columns, slice, b, pivot;
  };

  KOKKOS_FORCEINLINE_FUNCTION static void load_chunk(Addresses const& from, scratch_slots const& x, Step const& step,
                                                     int chunk, scratch::address (&at)[Entries],
                                                     Pair (&values)[Entries / 2]) {
    load_pack(from, x, step.pack + chunk * step.packs, step.pair + chunk * step.packs * (Entries / 2), step.packs, at,
              values);
  }
  /// @param pair, step  the first pair of values, and the distance to the next one
  KOKKOS_FORCEINLINE_FUNCTION static void load_pack(Addresses const& from, scratch_slots const& x, int pack, int pair,
                                                    int step, scratch::address (&at)[Entries],
                                                    Pair (&values)[Entries / 2]) {
    auto const columns =
        scratch::load_staged<Columns>(from.columns + static_cast<unsigned>(pack * int(sizeof(Columns))));
    SPTRSV_UNROLL for (int u = 0; u < Entries / 2; ++u) {
      auto const two = scratch::load_staged<StoredPair>(
          from.values + static_cast<unsigned>((pair + u * step) * int(sizeof(StoredPair))));
      SPTRSV_UNROLL for (int v = 0; v < 2; ++v) values[u].value[v] = static_cast<scalar>(two.value[v]);
    }
    SPTRSV_UNROLL for (int e = 0; e < Entries; ++e) at[e] = x.at(columns.col[e]);
  }
  /// Loads a lane's step of a slice. Lanes beyond the last row repeat the last row, and all lanes of a row store the
  /// same value, since branches would take longer.
  KOKKOS_FORCEINLINE_FUNCTION Step load_step(Addresses const& from, scratch_slots const& x, slots_type const& slots,
                                             std::uint64_t slice, index first, int lanes, int lane, int thread) const {
    Step step;
    auto const low = static_cast<unsigned>(slice);
    int const rows = static_cast<int>(low >> 16 & 0xff), mine = thread < rows ? thread : rows - 1;
    int const row = static_cast<int>(low & 0xffff) + mine;
    int const pack = OneLane ? mine : mine * lanes + lane;
    step.packs = OneLane ? rows : rows * lanes;
    step.chunks = static_cast<int>(low >> 24);
    int const first_pack = static_cast<int>(slice >> slice_word);
    step.pack = first_pack + pack;
    step.pair = first_pack * (Entries / 2) + pack;
    load_chunk(from, x, step, 0, step.x, step.values);
    if constexpr (!OneLane)
      if (data.plan.shape.late > 0) {
        int const late = first_pack + step.chunks * step.packs + mine;
        load_pack(from, x, late, late * (Entries / 2), 1, step.deferred_x, step.deferred_values);
      }
    auto const offset = static_cast<unsigned>(row * int(sizeof(scalar)));
    scalar const b = scratch::load_staged<scalar>(from.b + offset);
    step.b = OneLane || lane == 0 ? b : scalar(0);
    step.pivot = data.diagonal == Diagonal::unit ? scalar(1) : scratch::load_staged<scalar>(from.pivot + offset);
    step.solved = x.at(row);
    step.published = computed_here(slots.now + static_cast<std::size_t>(first + row) * slots.stride);
    return step;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t load_slice(Addresses const& from, int s) {
    return scratch::load_staged<std::uint64_t>(from.slice + static_cast<unsigned>(s * 8));
  }

  /// Solves a warp's slices. While the warp solves a slice, it loads the data of its next slice and the descriptor of
  /// the slice after that; beyond the end it loads the block's last slice again.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(Team const& team, Staged const& staged, scratch_slots const& x,
                                           slots_type const& slots, index first, int slices, int warp,
                                           int thread) const {
    int const lanes = data.plan.shape.lanes, lane = lane_of(team), warps = computed_here(computing_warps);
    Addresses const from{scratch::address_of(staged.values), scratch::address_of(staged.columns),
                         scratch::address_of(staged.slice), scratch::address_of(staged.b),
                         scratch::address_of(staged.pivot)};
    if (warp >= slices) return;
    auto const slice = [&](int s) { return load_slice(from, s < slices ? s : slices - 1); };
    auto const step = [&](std::uint64_t of) { return load_step(from, x, slots, of, first, lanes, lane, thread); };
    Step even = step(slice(warp)), odd;
    std::uint64_t next = slice(warp + warps);
    for (int s = warp; s < slices; s += warps) {
      odd = step(next);
      next = slice(s + 2 * warps);
      solve_step(team, from, x, even, lanes);
      s += warps;
      if (s >= slices) break;
      even = step(next);
      next = slice(s + 2 * warps);
      solve_step(team, from, x, odd, lanes);
    }
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_step(Team const& team, Addresses const& from, scratch_slots const& x,
                                              Step const& step, int lanes) const {
    scalar sums[2] = {step.b, scalar(0)};
    subtract(step.x, step.values, sums);
    if constexpr (!OneChunk) {
      for (int c = 1; c < step.chunks; ++c) {
        scratch::address at[Entries];
        Pair values[Entries / 2];
        load_chunk(from, x, step, c, at, values);
        subtract(at, values, sums);
      }
    }
    ColumnSums<scalar, 1> sum;
    sum.value[0] = sums[0] + sums[1];
    if constexpr (!OneLane) {
      sum_over_parts(team, lanes, ColumnBlock{}, sum, [&](int, ColumnSums<scalar, 1>&) {});
      if (data.plan.shape.late > 0) {
        scalar late[2] = {sum.value[0], scalar(0)};
        subtract(step.deferred_x, step.deferred_values, late);
        sum.value[0] = late[0] + late[1];
      }
    }
    scalar const value = finish_row_by_pivot(data.diagonal, sum.value[0], step.pivot);
    scalar const published = scratch_slots::publishable(value);
    scratch_slots::store(step.solved, published);
    slots_type::publish_at(step.published, &published);
  }
  /// Subtracts the terms of a chunk once all their x are solved. Rows of a warp are of one level: no lane waits for
  /// another lane of its warp, and all lanes leave the loop together. The first terms are added while the x are
  /// compared with the sentinel, since an addition takes longer than a comparison.
  KOKKOS_FORCEINLINE_FUNCTION void subtract(scratch::address const (&at)[Entries], Pair const (&values)[Entries / 2],
                                            scalar (&sums)[2]) const {
    scalar x[Entries], first[2];
    for (Backoff wait;; wait(0)) {
      SPTRSV_UNROLL for (int e = 0; e < Entries; ++e) x[e] = scratch_slots::load(at[e]);
      SPTRSV_UNROLL for (int e = 0; e < 2; ++e) first[e] = computed_here(sums[e] - values[0].value[e] * x[e]);
      bool missing = false;
      SPTRSV_UNROLL for (int e = 0; e < Entries; ++e) missing |= !scratch_slots::is_there(x[e]);
      if (!any_in_warp(missing)) break;
    }
    SPTRSV_UNROLL for (int e = 0; e < 2; ++e) sums[e] = first[e];
    SPTRSV_UNROLL for (int e = 2; e < Entries; ++e) sums[e % 2] -= values[e / 2].value[e % 2] * x[e];
  }

  /// Solves a row whose entries do not fit scratch memory: all threads of the team read them from global memory. The
  /// number of partial sums is fixed, so the bits of the row do not depend on the number of threads.
  /// @param memory  long_row_scratch_bytes() - 16 bytes, aligned to 16 bytes
  template <class Team>
  KOKKOS_FUNCTION void solve_long_row(Team const& team, char* memory, index p, index slice, std::uint64_t first,
                                      std::uint64_t last, int column, slots_type const& slots) const {
    auto const& plan = data.plan;
    index const row = plan.row(p);
    Stored const* const values = stored() + plan.slice_pack(slice) * Entries;
    index const* const halo = plan.halo.data() + first;
    int const parts = BlockedTuning::long_row_parts;
    auto* const part = reinterpret_cast<scalar*>(memory);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, parts), [&](int i) {
      scalar sum{};
      for (auto k = static_cast<std::uint64_t>(i); k < last - first; k += static_cast<std::uint64_t>(parts))
        sum += static_cast<scalar>(values[k]) * data.await(slots, halo[k], row);
      part[i] = sum;
    });
    team.team_barrier();
    for (int half = parts / 2; half > 0; half /= 2) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, half), [&](int i) { part[i] += part[i + half]; });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      data.finish(slots, column, p, finish_row(data.diagonal, data.io.load(row, column) - part[0], data.pivot_of(p)));
    });
  }
};

}  // namespace sptrsv::detail
