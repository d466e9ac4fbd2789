// SPDX-License-Identifier: Apache-2.0
// Numeric phase of symmetric factors on a GPU: products are formed as pivot rows arrive, and subtracted at the end.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/factorization/eliminate.hpp"

namespace sptrsv::detail {

/// Slots of a row's products in scratch memory: for its pivot, then for each entry of U, in PETSc's order of pivot
/// rows.
template <class T>
struct ProductSlots {
  using Slot = std::uint16_t;
  Kokkos::View<Slot*, typename T::device> slot;   ///< by pair of the update lists
  Kokkos::View<Slot*, typename T::device> begin;  ///< by entry of U: its first slot

  std::size_t memory_bytes() const { return (slot.span() + begin.span()) * sizeof(Slot); }
};

/// Returns the maximum number of updates of a row. Fences.
template <class T, class Position>
long long most_updates_of_a_row(typename T::exec_space const& exec, UpdateLists<T, Position> const& lists,
                                typename T::index n) {
  auto const begin = lists.begin;
  auto const updates = KOKKOS_LAMBDA(typename T::index i) { return static_cast<long long>(begin(i + 1) - begin(i)); };
  return max_over_rows<T>("sptrsv::factorization::most_updates", exec, n, 0LL, updates);
}

/// Kernel that makes the update lists for products from the lists in PETSc's order, with a row per warp or host thread.
template <class T, class Position>
struct ArrangeProducts {
  using index = typename T::index;
  using Slot = typename ProductSlots<T>::Slot;

  FactorRows<T> rows;
  PivotRows<T> listed, ascending;     ///< pivot rows in PETSc's order, and by ascending column
  UpdateLists<T, Position> from, to;  ///< aligned with `listed` and `ascending`; `to` has no targets
  ProductSlots<T> slots;
  int lanes, scratch_entries;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int* const scratch =
        static_cast<int*>(team.team_shmem().get_shmem(scratch_entries * static_cast<int>(sizeof(int))));
    for (auto i = static_cast<long long>(team.league_rank()); i < rows.upper.num_rows; i += team.league_size())
      row(lane_of(team), static_cast<index>(i), scratch);
  }
  /// Arranges row i. Scratch memory holds the next slot of each entry, the position of each pivot row in ascending
  /// order, and the offset of the pairs of each pivot row.
  KOKKOS_FUNCTION void row(int lane, index i, int* scratch) const {
    auto const above = static_cast<int>(rows.count_upper(i));
    auto const count = static_cast<int>(listed.end(i) - listed.begin(i));
    int *const next = scratch, *const position = next + above + 1, *const first = position + count;
    std::size_t const begin = from.begin(i);
    auto const pairs = static_cast<int>(from.begin(i + 1) - begin);

    for (int t = lane; t <= above; t += lanes) next[t] = 0;
    sync_warp();
    for (int p = lane; p < pairs; p += lanes) Kokkos::atomic_inc(&next[static_cast<int>(from.target(begin + p))]);
    for (int p = lane; p < count; p += lanes) {
      position[p] = static_cast<int>(
          first_at_least(ascending.row, ascending.begin(i), ascending.end(i), listed.row(listed.begin(i) + p)) -
          ascending.begin(i));
      first[position[p]] = static_cast<int>(from.count(listed.begin(i) + p));
    }
    sync_warp();
    for (int q = lane; q < count; q += lanes) to.count(ascending.begin(i) + q) = static_cast<Position>(first[q]);
    sync_warp();
    if (lane == 0) {
      int sum = count;  // the pivot's slots come first: each pivot row updates it
      for (int t = 0; t < above; ++t) sum = begin_at(next[t], sum);
      next[above] = sum = 0;
      for (int q = 0; q < count; ++q) sum = begin_at(first[q], sum);
    }
    sync_warp();
    for (int t = lane; t < above; t += lanes) slots.begin(rows.upper.begin(i) + t) = static_cast<Slot>(next[t]);
    sync_warp();
    std::size_t pair = begin;
    for (int p = 0; p < count; ++p) {  // a pivot row's targets differ, so lanes do not collide
      auto const updates = static_cast<int>(from.count(listed.begin(i) + p));
      for (int k = lane; k < updates; k += lanes) {
        std::size_t const at = begin + static_cast<std::size_t>(first[position[p]] + k);
        to.source(at) = from.source(pair + static_cast<std::size_t>(k));
        slots.slot(at) = static_cast<Slot>(next[static_cast<int>(from.target(pair + static_cast<std::size_t>(k)))]++);
      }
      pair += static_cast<std::size_t>(updates);
      sync_warp();
    }
  }
  /// Replaces a count by the sum before it, and returns the sum after it.
  KOKKOS_FORCEINLINE_FUNCTION static int begin_at(int& count, int sum) {
    int const behind = sum + count;
    count = sum;
    return behind;
  }
};

/// Replaces the lists, whose pivot rows are in PETSc's order, by lists of ascending pivot rows, since pivot rows arrive
/// in about that order. Assigns slots to the products.
/// @param by_columns       as in pivots_in_list_order()
/// @param scratch_entries  EliminateByProducts::scratch_entries() for the longest row and the most updates
/// @pre No row has more than 65535 updates.
template <class T, class Position>
ProductSlots<T> arrange_products(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                 OffDiagonals<T> const& by_columns, PivotRows<T>& pivots,
                                 UpdateLists<T, Position>& lists, int scratch_entries) {
  using Arrange = ArrangeProducts<T, Position>;
  int const lanes = lanes_share_rows<typename T::exec_space> ? warp_lanes<typename T::exec_space> : 1;
  Arrange arrange{rows,  pivots,         {by_columns, by_columns.col_idx, by_columns.source}, lists, {}, {},
                  lanes, scratch_entries};
  arrange.to.begin = lists.begin;
  auto const make = [&](auto& view, char const* name, std::size_t size) {
    view = factor_view<std::decay_t<decltype(view)>>(exec, name, size);
  };
  make(arrange.to.count, "update_count", lists.count.extent(0));
  make(arrange.to.source, "update_source", lists.source.extent(0));
  make(arrange.slots.slot, "product_slot", lists.source.extent(0));
  make(arrange.slots.begin, "product_begin", rows.upper.col_idx.extent(0));
  int const teams = number_of_teams<T>(exec, rows.upper.num_rows, {1, 1, lanes, 1});
  Kokkos::parallel_for("sptrsv::factorization::arrange_products",
                       team_policy(exec, teams, 1, lanes, sizeof(int) * static_cast<std::size_t>(scratch_entries)),
                       arrange);
  exec.fence("sptrsv::factorization: lists in PETSc's order are given up");
  pivots = arrange.ascending;
  lists = arrange.to;
  return arrange.slots;
}

/// Kernel that eliminates rows of a symmetric factor by products. The pivot row that PETSc subtracts first is usually
/// the one that is computed last, so in PETSc's order the kernel could do nothing until then. Therefore it forms the
/// products l_ik u_kj as the pivot rows arrive, and stores them in scratch memory. Once all are there, each lane takes
/// an entry and subtracts its products in PETSc's order.
template <class T, class Position>
struct EliminateByProducts : EliminateRows<T, Position, true> {
  using Base = EliminateRows<T, Position, true>;
  using index = typename Base::index;
  using offset = typename Base::offset;
  using scalar = typename Base::scalar;
  using Base::batch, Base::contract, Base::lanes, Base::lists, Base::map, Base::pivots, Base::published, Base::rows;

  ProductSlots<T> slots;

  /// Returns the number of scratch entries that a row needs: one for each of its own entries, and one for each product,
  /// or two if PETSc contracts, since then both factors of a product are kept.
  KOKKOS_FORCEINLINE_FUNCTION static long long scratch_entries(long long longest_row, long long most_updates,
                                                               bool contract) {
    return longest_row + most_updates * (contract ? 2 : 1);
  }

  static constexpr int ready = 2;  ///< number of a lane's sums that are kept in registers

  /// Entry of the row: its value in A, and the products that are subtracted from it.
  struct Sum {
    scalar value;
    index entry;
    int slot, end;
  };
  /// Returns sum number t of row i: first the pivot's, which has the most products.
  KOKKOS_FORCEINLINE_FUNCTION Sum sum_of(index i, index t, index above, offset u, int total) const {
    if (t == 0)
      return {Base::diagonal(Base::from_matrix(map.pivots(i))) + scalar(Base::shift_amount), above, 0,
              static_cast<int>(pivots.end(i) - pivots.begin(i))};
    index const e = t - 1;
    return {Base::from_matrix(map.upper(u + e)), e, int(slots.begin(u + e)),
            t < above ? int(slots.begin(u + t)) : total};
  }

  template <class Next>
  KOKKOS_FUNCTION void row(int lane, index i, bool active, scalar* x, Next& next) const {
    index const above = active ? rows.count_upper(i) : index(0);
    offset const u = active ? rows.upper.begin(i) : offset(0);
    offset q = active ? pivots.begin(i) : offset(0);
    offset const end = active ? pivots.end(i) : offset(0);
    std::size_t pair = active ? lists.begin(i) : std::size_t(0);
    scalar* const products = x + above + 1;

    // loads everything that does not depend on other rows before the first wait
    next.take();
    index const all = active ? above + 1 : index(0);
    auto const total = active ? static_cast<int>(lists.begin(i + 1) - pair) : 0;
    Sum sums[ready];
    SPTRSV_UNROLL
    for (int r = 0; r < ready; ++r) {
      index const t = static_cast<index>(lane + r * lanes);
      if (t < all) sums[r] = sum_of(i, t, above, u, total);
    }

    next.find();

    while (any_in_warp(q < end)) {
      index count[batch];
      int slot[batch];
      std::size_t at[batch];
      PivotBatch<scalar, true> g;
      SPTRSV_UNROLL
      for (int b = 0; b < batch; ++b) {
        count[b] = 0;
        slot[b] = 0;
        at[b] = 0;
        g.at_inverse[b] = g.at_multiplied[b] = g.at_from[b] = nullptr;
        if (q + b >= end) continue;
        index const k = pivots.row(q + b);
        g.at_inverse[b] = computed_here(Base::inverse_at(k));
        g.at_multiplied[b] = computed_here(published + pivots.entry(q + b));
        count[b] = static_cast<index>(lists.count(q + b));
        at[b] = pair;
        if (lane < count[b]) {
          std::size_t const mine = pair + static_cast<std::size_t>(lane);
          g.at_from[b] = computed_here(published + rows.upper.begin(k) + static_cast<offset>(lists.source(mine)));
          slot[b] = slots.slot(mine);
        }
        pair += static_cast<std::size_t>(count[b]);
      }
      g.await(i);
      SPTRSV_UNROLL
      for (int b = 0; b < batch; ++b) {
        scalar const factor = g.multiplied[b] * g.inverted[b];
        if (g.at_from[b]) keep(products, slot[b], factor, g.from[b]);
        if (count[b] > lanes) {
          offset const row_of_pivot = rows.upper.begin(pivots.row(q + b));
          for (index which = static_cast<index>(lane + lanes); which < count[b]; which += static_cast<index>(lanes)) {
            std::size_t const other = at[b] + static_cast<std::size_t>(which);
            keep(products, slots.slot(other), factor,
                 Flagged<scalar>::await(published + row_of_pivot + static_cast<offset>(lists.source(other)), i));
          }
        }
      }
      q += batch;
    }
    sync_warp();
    SPTRSV_UNROLL
    for (int r = 0; r < ready; ++r)
      if (static_cast<index>(lane + r * lanes) < all) x[sums[r].entry] = subtract(sums[r], products);
    for (index t = static_cast<index>(lane + ready * lanes); t < all; t += static_cast<index>(lanes)) {
      Sum const sum = sum_of(i, t, above, u, total);
      x[sum.entry] = subtract(sum, products);
    }
    sync_warp();
    if (active) Base::finish(lane, i, offset(0), u, index(0), above, x);
    sync_warp();
  }

  KOKKOS_FORCEINLINE_FUNCTION void keep(scalar* products, int slot, scalar const& factor, scalar const& entry) const {
    if (contract) {
      products[2 * slot] = factor;
      products[2 * slot + 1] = entry;
    } else {
      products[slot] = rounded_product(factor, entry);
    }
  }
  /// Subtracts the products. Loads four at a time, so that only the subtractions depend on each other.
  KOKKOS_FORCEINLINE_FUNCTION scalar subtract(Sum const& sum, scalar const* products) const {
    scalar x = sum.value;
    int slot = sum.slot;
    if (contract) {
      for (; slot < sum.end; ++slot) x = subtract_product(x, products[2 * slot], products[2 * slot + 1], true);
      return x;
    }
    for (; slot + 4 <= sum.end; slot += 4) {
      scalar const a = products[slot], b = products[slot + 1], c = products[slot + 2], d = products[slot + 3];
      x = x - a;
      x = x - b;
      x = x - c;
      x = x - d;
    }
    for (; slot < sum.end; ++slot) x = x - products[slot];
    return x;
  }
};

}  // namespace sptrsv::detail
