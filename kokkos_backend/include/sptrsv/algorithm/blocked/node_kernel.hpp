// SPDX-License-Identifier: Apache-2.0
// Kernel of `blocked` for nodes: a team solves a block of nodes, each by the lanes of a thread.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "sptrsv/algorithm/blocked/block_kernel.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_end.hpp"
#include "sptrsv/device/scratch_slots.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"

namespace sptrsv::detail {

/// GPU kernel in which a team holds its whole block of nodes in scratch memory, as BlockOnDevice does with rows. A lane
/// multiplies a dense block of Size x Size values by the x of a node. The lanes of a thread add their sums.
/// The triangle within the node is part of the values: x = inv(D) b - inv(D) N x, see FillNodes. Unknowns of a node are
/// numbered in the order of the solve.
///
/// A block's values are stored by rows, block c of node q of R as number c R + q of its slice. `pivot` has inv(D)
/// of each node by rows, or D if the node is solved by substitution.
template <class T, int Size>
struct NodesOnDevice {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using scratch_slots = ScratchSlots<scalar>;
  using slots_type = SolvedSlots<scalar, 1>;
  static constexpr int stride = node_block_stride(Size), pivots = Size * (Size + 1) / 2;
  static constexpr int late = BlockedTuning::deferred_blocks;
  static constexpr int slice_word = std::numeric_limits<unsigned>::digits, last_bit = 2 * slice_word - 1;
  static constexpr int padded = Size == 1 ? 1 : Size == 2 ? 2 : Size <= 4 ? 4 : 8;  ///< Size, rounded to a power of two

  BlockData<T> data;
  Tickets<T> tickets;
  int which;             ///< ticket counter of this launch
  int threads_per_warp;  ///< nodes per slice
  int lanes;             ///< per node
  int computing_warps, fetching_warps;
  int columns;  ///< number of columns of the pass; a team solves a block for one column
  bool ascending;
  Kokkos::View<std::uint8_t*, typename T::device> substituted;  ///< by position: 1 if a node is solved by substitution

  /// Pointers to the parts of a block in scratch memory.
  struct Staged {
    scalar* values;
    std::uint16_t* columns;
    std::uint64_t* slice;  ///< fields, lowest bits first: first node (16 bits), nodes (8), blocks per node without the
                           ///< deferred ones (8), first block (31), whether nodes are solved by substitution (1)
    scalar* b;             ///< inverse of the node's triangle times b; b itself if the node is solved by substitution
    scalar* x;             ///< x of the block's nodes, halo values, a node of zeros
  };
  struct alignas(16) Unit {
    std::uint64_t words[2];
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

  /// Returns unknown s of the node at position p.
  KOKKOS_FORCEINLINE_FUNCTION index row(index p, int s) const {
    return static_cast<index>(data.plan.row(p) * Size + (ascending ? s : Size - 1 - s));
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_block(Team const& team, char* memory, index b, int column,
                                               slots_type const& slots) const {
    auto const& plan = data.plan;
    index const first = plan.block_row(b), slice = plan.block_slice(b);
    int const nodes = static_cast<int>(plan.block_row(b + 1) - first);
    int const slices = static_cast<int>(plan.block_slice(b + 1) - slice);
    std::uint64_t const first_halo = plan.block_halo(b);
    int const halos = static_cast<int>(plan.block_halo(b + 1) - first_halo);
    std::uint64_t const first_pack = plan.slice_pack(slice);
    int const packs = static_cast<int>(plan.slice_pack(slice + slices) - first_pack);
    Staged staged = place(memory, nodes, halos, slices, packs);
    stage(team, staged, first, slice, first_pack, nodes, halos, slices, packs, column);
    scratch_slots const x(staged.x);
    team.team_barrier();
    int const warp = team.team_rank() / threads_per_warp, thread = team.team_rank() % threads_per_warp;
    if (warp < computing_warps) compute(team, staged, x, slots, first, nodes + halos, slices, warp, thread);
    else fetch(team, plan.halo.data() + first_halo, x, slots, nodes, halos, warp - computing_warps, thread);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes * Size), [&](int k) {
      slots.reset_next(static_cast<std::size_t>(first) * Size + static_cast<std::size_t>(k));
      data.io.store(row(first + k / Size, k % Size), column, scratch_slots::load(x.at(k)));
    });
  }

  /// Returns row s of a node's inverse triangle times b.
  KOKKOS_FORCEINLINE_FUNCTION scalar load_b(index p, int s, int column) const {
    scalar const own = data.io.load(row(p, s), column);
    if (substituted(p)) return own;
    auto const* const inverse = data.pivot.data() + static_cast<std::size_t>(p) * pivots + s * (s + 1) / 2;
    scalar sum = inverse[s] * own;
    for (int c = 0; c < s; ++c) sum += inverse[c] * data.io.load(row(p, c), column);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t by_substitution(index slice) const {
    std::uint64_t any = 0;
    for (index p = data.plan.slice_row(slice); p < data.plan.slice_row(slice + 1); ++p) any |= substituted(p) != 0;
    return any;
  }

  /// Lays out the parts of a block in scratch memory, each aligned to 16 bytes. Values and columns have 16 bytes more:
  /// they are copied in units of 16 bytes.
  /// @param at  block_scratch_bytes() - 16 bytes, aligned to 16 bytes
  KOKKOS_FORCEINLINE_FUNCTION static Staged place(char* at, int nodes, int halos, int slices, int packs) {
    Staged staged;
    auto const take = [&](std::size_t bytes) {
      char* const here = at;
      at += (bytes + 15) / 16 * 16;
      return here;
    };
    staged.values = reinterpret_cast<scalar*>(take(sizeof(scalar) * stride * packs + sizeof(Unit)));
    staged.columns = reinterpret_cast<std::uint16_t*>(take(sizeof(std::uint16_t) * packs + sizeof(Unit)));
    staged.slice = reinterpret_cast<std::uint64_t*>(take(sizeof(std::uint64_t) * slices));
    staged.b = reinterpret_cast<scalar*>(take(sizeof(scalar) * Size * nodes));
    staged.x = reinterpret_cast<scalar*>(take(sizeof(scalar) * Size * (nodes + halos + 1)));
    return staged;
  }
  /// Copies `count` elements to scratch memory in units of 16 bytes, from the unit that has the first element on.
  /// @param to  in: aligned to 16 bytes; out: address of the first element
  template <class Team, class V>
  KOKKOS_FORCEINLINE_FUNCTION static void copy_units(Team const& team, V*& to, V const* from, std::size_t count) {
    auto const address = reinterpret_cast<std::uintptr_t>(from), skip = address % sizeof(Unit);
    auto const* const units = reinterpret_cast<Unit const*>(address - skip);
    auto* const here = reinterpret_cast<Unit*>(to);
    int const all = static_cast<int>((skip + count * sizeof(V) + sizeof(Unit) - 1) / sizeof(Unit));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all), [&](int k) { scratch::copy_async(here + k, units + k); });
    to += skip / sizeof(V);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(Team const& team, Staged& staged, index first, index slice,
                                         std::uint64_t first_pack, int nodes, int halos, int slices, int packs,
                                         int column) const {
    auto const& plan = data.plan;
    scratch_slots const x(staged.x);
    copy_units(team, staged.values, static_cast<scalar const*>(data.values.full.data()) + first_pack * stride,
               static_cast<std::size_t>(packs) * stride);
    copy_units(team, staged.columns, static_cast<std::uint16_t const*>(plan.col_idx.data()) + first_pack,
               static_cast<std::size_t>(packs));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes * Size),
                         [&](int k) { staged.b[k] = load_b(first + k / Size, k % Size, column); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, slices), [&](int s) {
      index const from = plan.slice_row(slice + s);
      staged.slice[s] = static_cast<std::uint64_t>(from - first) |
                        static_cast<std::uint64_t>(plan.slice_row(slice + s + 1) - from) << 16 |
                        static_cast<std::uint64_t>(plan.slice_chunks(slice + s)) << 24 |
                        (plan.slice_pack(slice + s) - first_pack) << slice_word |
                        by_substitution(slice + s) << last_bit;
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, (nodes + halos + 1) * Size), [&](int k) {
      if (k < (nodes + halos) * Size) scratch_slots::reset(x.at(k));
      else scratch_slots::publish(x.at(k), scalar(0));
    });
    scratch::await_copies();
  }

  /// Fetches the halo values. Each lane polls for the x of one node at a time and stores them in scratch memory at
  /// once.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Team const& team, index const* halo, scratch_slots const& x,
                                         slots_type const& slots, int nodes, int halos, int warp, int thread) const {
    int const step = fetching_warps * threads_per_warp * lanes;
    for_each_lane(team, lanes, [&](int lane) {
      int k = (warp * threads_per_warp + thread) * lanes + lane;
      index at = k < halos ? halo[k] : 0, next = k + step < halos ? halo[k + step] : 0;
      for (Backoff wait; any_in_warp(k < halos); wait(at)) {
        if (k >= halos) continue;
        scalar value[Size][1];
        bool there = true;
        SPTRSV_UNROLL for (int c = 0; c < Size; ++c) {
          there &= slots.try_load(static_cast<std::size_t>(at) * Size + static_cast<std::size_t>(c), value[c]);
        }
        if (!there) continue;
        SPTRSV_UNROLL for (int c = 0; c < Size; ++c) scratch_slots::publish(x.at((nodes + k) * Size + c), value[c][0]);
        k += step;
        at = next;
        if (k + step < halos) next = halo[k + step];
      }
    });
  }

  struct Addresses {
    scratch::address values, columns, slice, b;
  };
  static constexpr unsigned scalar_bytes = sizeof(scalar);

  /// A slice for a lane.
  struct Slice {
    int nodes;       ///< number of nodes
    int blocks;      ///< number of a node's blocks, without deferred ones
    int first_pack;  ///< first block of the slice
    int mine;        ///< the lane's node in the slice
    int node;        ///< the lane's node in the block of nodes
    bool substitutes;

    KOKKOS_FORCEINLINE_FUNCTION Slice(std::uint64_t fields, int thread) {
      auto const low = static_cast<unsigned>(fields), high = static_cast<unsigned>(fields >> slice_word);
      nodes = static_cast<int>(low >> 16 & 0xff);
      blocks = static_cast<int>(low >> 24);
      first_pack = static_cast<int>(high & 0x7fffffffu);
      mine = thread < nodes ? thread : nodes - 1;
      node = static_cast<int>(low & 0xffff) + mine;
      substitutes = high >> 31 != 0;
    }
    KOKKOS_FORCEINLINE_FUNCTION int pack(int block) const { return first_pack + block * nodes + mine; }
  };
  /// A block of a node: values and the number of the column's node, which is used only after the values have been
  /// requested as well.
  struct Block {
    scalar value[Size * Size];
    int column;
    bool active;
  };
  KOKKOS_FORCEINLINE_FUNCTION static scalar load_value(scratch::address at, int e) {
    return scratch::load_staged<scalar>(at + static_cast<unsigned>(e) * scalar_bytes);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int load_column(Addresses const& from, int pack) {
    return scratch::load_staged<std::uint16_t>(from.columns + static_cast<unsigned>(pack) * 2u);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void load_block(Addresses const& from, Slice const& slice, int c, Block& block) {
    block.active = c < slice.blocks;
    int const pack = slice.pack(block.active ? c : 0);
    block.column = load_column(from, pack);
    auto const at = from.values + static_cast<unsigned>(pack * stride) * scalar_bytes;
    SPTRSV_UNROLL for (int e = 0; e < Size * Size; ++e) block.value[e] = load_value(at, e);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t load_slice(Addresses const& from, int s) {
    return scratch::load_staged<std::uint64_t>(from.slice + static_cast<unsigned>(s) * 8u);
  }
  /// Waits for `Count` values. Only missing ones are polled for again, since the loads of all warps of a team queue up.
  /// @param at  returns the address of value k
  template <int Count, class At>
  KOKKOS_FORCEINLINE_FUNCTION static void await(At const& at, scalar (&x)[Count]) {
    SPTRSV_UNROLL for (int k = 0; k < Count; ++k) x[k] = scratch_slots::load(at(k));
    for (Backoff wait; any_in_warp(scratch_slots::any_missing(x)); wait(0)) {
      SPTRSV_UNROLL for (int k = 0; k < Count; ++k) {
        if (!scratch_slots::is_there(x[k])) x[k] = scratch_slots::load(at(k));
      }
    }
  }
  /// Subtracts a block's product from the sums once its x are solved.
  KOKKOS_FORCEINLINE_FUNCTION static void subtract(scratch_slots const& slots, Block const& block, int zero,
                                                   scalar (&sums)[padded]) {
    scalar x[Size];
    auto const from = slots.at((block.active ? block.column : zero) * Size);
    await<Size>([&](int c) { return from + static_cast<unsigned>(c) * scalar_bytes; }, x);
    SPTRSV_UNROLL for (int c = 0; c < Size; ++c) {
      SPTRSV_UNROLL for (int r = 0; r < Size; ++r) {
        sums[r] -= (block.active ? block.value[r * Size + c] : scalar(0)) * x[c];
      }
    }
  }
  /// Subtracts the products of the deferred blocks from the sum of the lane's unknown.
  KOKKOS_FORCEINLINE_FUNCTION static scalar subtract_late(scalar const (&value)[late * Size],
                                                          scratch::address const (&from)[late], scalar sum) {
    scalar x[late * Size], sums[late];
    await<late * Size>([&](int k) { return from[k / Size] + static_cast<unsigned>(k % Size) * scalar_bytes; }, x);
    SPTRSV_UNROLL for (int l = 0; l < late; ++l) sums[l] = (l == 0 ? sum : scalar(0)) - value[l * Size] * x[l * Size];
    SPTRSV_UNROLL for (int c = 1; c < Size; ++c) {
      SPTRSV_UNROLL for (int l = 0; l < late; ++l) sums[l] -= value[l * Size + c] * x[l * Size + c];
    }
    SPTRSV_UNROLL for (int l = 2; l < late; ++l) sums[1] += sums[l];
    return sums[0] + sums[1];
  }

  /// Returns the unknown whose sum sum_unknowns() leaves on a lane; Size or more: none.
  KOKKOS_FORCEINLINE_FUNCTION int unknown_of(int lane) const {
    int r = 0;
    for (int distance = lanes / 2, left = padded; left > 1; left /= 2, distance /= 2)
      r = 2 * r + ((lane & distance) != 0);
    return r;
  }
  /// Adds the sums of a node's lanes. In each step a lane passes on half of its sums, so that in the end it has the sum
  /// of the one unknown unknown_of(lane).
  KOKKOS_FORCEINLINE_FUNCTION scalar sum_unknowns(scalar (&sums)[padded], int lane) const {
#if defined(SPTRSV_GPU_CODE)
    int distance = lanes / 2;
    SPTRSV_UNROLL for (int half = padded / 2; half > 0; half /= 2) {
      bool const upper = (lane & distance) != 0;
      SPTRSV_UNROLL for (int r = 0; r < half; ++r) {
        scalar const kept = upper ? sums[half + r] : sums[r], passed = upper ? sums[r] : sums[half + r];
        sums[r] = kept + from_lane(passed, distance);
      }
      distance /= 2;
    }
    for (; distance > 0; distance /= 2) sums[0] += from_lane(sums[0], distance);
#endif
    return sums[0];
  }

  /// Solves a warp's slices. Nodes of a slice are of one level, so that no lane waits for another lane of its warp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(Team const& team, Staged const& staged, scratch_slots const& x,
                                           slots_type const& slots, index first, int zero, int slices, int warp,
                                           int thread) const {
    if (warp >= slices) return;
    int const lane = lane_of(team);
    Addresses const from{scratch::address_of(staged.values), scratch::address_of(staged.columns),
                         scratch::address_of(staged.slice), scratch::address_of(staged.b)};
    int const warps = computed_here(computing_warps);
    std::uint64_t fields = load_slice(from, warp);
    for (int s = warp; s < slices; s += warps) {
      Slice const slice(fields, thread);
      fields = load_slice(from, s + warps < slices ? s + warps : s);
      solve(from, x, slots, first, zero, slice, lane, thread);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void solve(Addresses const& from, scratch_slots const& x, slots_type const& slots,
                                         index first, int zero, Slice const& slice, int lane, int thread) const {
    int const unknown = unknown_of(lane), own = unknown < Size ? unknown : Size - 1, at = slice.node * Size + own;
    Block block;
    load_block(from, slice, lane, block);
    scalar late_value[late * Size];
    int late_column[late];
    SPTRSV_UNROLL for (int l = 0; l < late; ++l) {
      int const pack = slice.pack(slice.blocks + l);
      late_column[l] = load_column(from, pack);
      auto const values = from.values + static_cast<unsigned>(pack * stride + own * Size) * scalar_bytes;
      SPTRSV_UNROLL for (int c = 0; c < Size; ++c) late_value[l * Size + c] = load_value(values, c);
    }
    scalar const b = scratch::load_staged<scalar>(from.b + static_cast<unsigned>(at) * scalar_bytes);
    auto* const published =
        computed_here(slots.now + (static_cast<std::size_t>(first) * Size + static_cast<std::size_t>(at)) *
                                      static_cast<std::size_t>(slots.stride));
    scalar sums[padded];
    SPTRSV_UNROLL for (int r = 0; r < padded; ++r) sums[r] = scalar(0);
    scratch::address late_x[late];
    SPTRSV_UNROLL for (int l = 0; l < late; ++l) late_x[l] = x.at(late_column[l] * Size);
    for (int c = lane + lanes; c - lane < slice.blocks; c += lanes) {
      Block next;
      load_block(from, slice, c, next);
      subtract(x, block, zero, sums);
      block = next;
    }
    subtract(x, block, zero, sums);
    scalar sum = subtract_late(late_value, late_x, b + sum_unknowns(sums, lane));
    if (slice.substitutes) sum = substitute(sum, first + slice.node, unknown, thread);
    if (unknown < Size) {
      scalar const value = scratch_slots::publishable(sum);
      scratch_slots::store(x.at(at), value);
      slots_type::publish_at(published, &value);
    }
    rejoin_lanes();
  }
  /// Solves the triangle within a node that is solved by substitution. All lanes of the warp call it; the sums of other
  /// nodes stay as they are.
  KOKKOS_FUNCTION scalar substitute(scalar sum, index p, int unknown, int thread) const {
#if defined(SPTRSV_GPU_CODE)
    bool const substitutes = substituted(p) != 0 && unknown < Size;
    auto const* const row = data.pivot.data() + static_cast<std::size_t>(p) * pivots + unknown * (unknown + 1) / 2;
    scalar const pivot = substitutes ? row[unknown] : scalar(1);
    for (int c = 0; c < Size; ++c) {
      if (substitutes && c == unknown) sum = finish_row_by_pivot(data.diagonal, sum, pivot);
      scalar const solved = lane_value(sum, thread * lanes + c * (lanes / padded));
      if (substitutes && c < unknown) sum -= row[c] * solved;
    }
#endif
    return sum;
  }
#if defined(SPTRSV_GPU_CODE)
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static R lane_value(R value, int lane) {
    return gpu::shuffle(value, lane);
  }
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION static Kokkos::complex<R> lane_value(Kokkos::complex<R> value, int lane) {
    return {gpu::shuffle(value.real(), lane), gpu::shuffle(value.imag(), lane)};
  }
#endif
};

/// Maximum number of threads of a team, lanes counted, for which the registers of a kernel of `blocked` are limited; 0:
/// none.
template <class Kernel>
inline constexpr int most_threads_of = 0;
template <class T, int Size>
inline constexpr int most_threads_of<NodesOnDevice<T, Size>> = BlockedTuning::node_threads;

}  // namespace sptrsv::detail
