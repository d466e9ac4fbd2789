// SPDX-License-Identifier: Apache-2.0
// The numeric phase of symmetric factors on a GPU: products are formed as pivot rows arrive, and subtracted at the end.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

#include "sptrsv/factorization/eliminate.hpp"

namespace sptrsv::detail {

/// Where the products of a row wait: first those that are subtracted from its pivot, then those of each entry of U, all
/// in PETSc's order of pivot rows.
template <class T>
struct ProductSlots {
  using Slot = std::uint16_t;
  Kokkos::View<Slot*, typename T::device> slot;   ///< by pair of the update lists
  Kokkos::View<Slot*, typename T::device> begin;  ///< by entry of U: its first one

  std::size_t memory_bytes() const { return (slot.span() + begin.span()) * sizeof(Slot); }
};

/// Updates of the row with the most of them. Fences.
template <class T, class Position>
long long most_updates_of_a_row(typename T::exec_space const& exec, UpdateLists<T, Position> const& lists,
                                typename T::index n) {
  using index = typename T::index;
  auto const begin = lists.begin;
  long long most = 0;
  Kokkos::parallel_reduce(
      "sptrsv::factorization::most_updates", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
      KOKKOS_LAMBDA(index i, long long& m) {
        auto const size = static_cast<long long>(begin(i + 1) - begin(i));
        if (size > m) m = size;
      },
      Kokkos::Max<long long>(most));
  return most;
}

/// The slots of one row's updates, by a counting sort.
template <class T, class Position>
struct FillProductSlots {
  using index = typename T::index;
  using offset = typename T::offset;

  FactorRows<T> rows;
  PivotRows<T> pivots;
  UpdateLists<T, Position> lists;
  ProductSlots<T> slots;

  KOKKOS_FUNCTION void operator()(index i) const {
    using Slot = typename ProductSlots<T>::Slot;
    offset const u = rows.upper.begin(i);
    index const above = rows.count_upper(i);
    for (index t = 0; t < above; ++t) slots.begin(u + t) = 0;
    for_each_pair(i, [&](index target, std::size_t) {
      if (target < above) ++slots.begin(u + target);
    });
    auto sum = static_cast<Slot>(pivots.end(i) - pivots.begin(i));  // each pivot row updates the pivot
    for (index t = 0; t < above; ++t) {
      Slot const count = slots.begin(u + t);
      slots.begin(u + t) = sum;
      sum = static_cast<Slot>(sum + count);
    }
    Slot of_pivot = 0;
    for_each_pair(i, [&](index target, std::size_t p) {
      slots.slot(p) = target < above ? slots.begin(u + target)++ : of_pivot++;
    });
    for (index t = above; t-- > 0;)  // each is where the next one's begin now
      slots.begin(u + t) = t > 0 ? slots.begin(u + t - 1) : static_cast<Slot>(of_pivot);
  }

 private:
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(index i, F const& f) const {
    for (std::size_t p = lists.begin(i); p < lists.begin(i + 1); ++p) f(static_cast<index>(lists.target(p)), p);
  }
};

/// @pre no row has more than 65535 updates
template <class T, class Position>
ProductSlots<T> make_product_slots(typename T::exec_space const& exec, FactorRows<T> const& rows,
                                   PivotRows<T> const& pivots, UpdateLists<T, Position> const& lists) {
  using index = typename T::index;
  using view = decltype(ProductSlots<T>::slot);
  index const n = rows.upper.num_rows;
  auto const raw = [&](char const* name) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "sptrsv::factorization::" + std::string(name));
  };
  ProductSlots<T> slots;
  slots.slot = view(raw("product_slot"), lists.target.extent(0));
  slots.begin = view(raw("product_begin"), rows.upper.col_idx.extent(0));
  Kokkos::parallel_for("sptrsv::factorization::product_slots",
                       Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, n),
                       FillProductSlots<T, Position>{rows, pivots, lists, slots});
  return slots;
}

/// Rows of a symmetric factor by the lanes of a thread. In PETSc's order the pivot row that comes first is, as a rule,
/// the one that is computed last: taken in that order, nothing could be done before it is there. So the products
/// l_ik u_kj are formed from the end of that order, as pivot rows arrive, and wait in scratch memory; when all are
/// there, each entry's products are subtracted in PETSc's order, an entry to a lane.
template <class T, class Position>
struct EliminateByProducts : EliminateRows<T, Position, true> {
  using Base = EliminateRows<T, Position, true>;
  using index = typename Base::index;
  using offset = typename Base::offset;
  using scalar = typename Base::scalar;
  using Base::batch, Base::contract, Base::lanes, Base::lists, Base::map, Base::pivots, Base::published, Base::rows;

  ProductSlots<T> slots;

  /// Scratch entries of a row: its own, and its products. Where PETSc contracts, both factors of each are kept.
  KOKKOS_FORCEINLINE_FUNCTION static long long scratch_entries(long long longest_row, long long most_updates,
                                                               bool contract) {
    return longest_row + most_updates * (contract ? 2 : 1);
  }

  KOKKOS_FUNCTION void row(int lane, index i, bool active, scalar* x) const {
    index const above = active ? rows.count_upper(i) : index(0);
    offset const u = active ? rows.upper.begin(i) : offset(0);
    offset const begin = active ? pivots.begin(i) : offset(0);
    offset q = active ? pivots.end(i) : offset(0);
    std::size_t const first = active ? lists.begin(i) : std::size_t(0);
    std::size_t behind = active ? lists.begin(i + 1) : std::size_t(0);  // the pairs of pivots before q end here
    scalar* const products = x + above + 1;

    while (any_in_warp(q > begin)) {
      index count[batch];
      std::size_t at[batch];
      scalar const* from_at[batch];
      scalar from[batch] = {}, inverted[batch] = {}, multiplied[batch] = {};
      scalar const *at_inverse[batch], *at_multiplied[batch];
      SPTRSV_UNROLL
      for (int b = 0; b < batch; ++b) {
        count[b] = 0;
        at[b] = 0;
        at_inverse[b] = at_multiplied[b] = from_at[b] = nullptr;
        if (q - b <= begin) continue;
        offset const p = q - 1 - b;
        index const k = pivots.row(p);
        at_inverse[b] = computed_here(Base::inverse_at(k));
        at_multiplied[b] = computed_here(published + pivots.entry(p));
        count[b] = static_cast<index>(lists.count(p));
        behind -= static_cast<std::size_t>(count[b]);
        at[b] = behind;
        if (lane < count[b])
          from_at[b] = computed_here(published + rows.upper.begin(k) +
                                     static_cast<offset>(lists.source(behind + static_cast<std::size_t>(lane))));
      }
      Backoff wait;
      for (bool missing = true; missing; wait(i)) {
        SPTRSV_UNROLL
        for (int b = 0; b < batch; ++b) {  // all loads before the first comparison, so that they overlap
          if (at_inverse[b]) Flagged<scalar>::poll(at_inverse[b], inverted[b]);
          if (at_multiplied[b]) Flagged<scalar>::poll(at_multiplied[b], multiplied[b]);
          if (from_at[b]) Flagged<scalar>::poll(from_at[b], from[b]);
        }
        bool there = true;
        SPTRSV_UNROLL
        for (int b = 0; b < batch; ++b)
          there &= Flagged<scalar>::is_there(inverted[b]) && Flagged<scalar>::is_there(from[b]) &&
                   Flagged<scalar>::is_there(multiplied[b]);
        missing = any_in_warp(!there);
      }
      SPTRSV_UNROLL
      for (int b = 0; b < batch; ++b) {
        scalar const factor = multiplied[b] * inverted[b];
        if (from_at[b]) keep(products, at[b] + static_cast<std::size_t>(lane), factor, from[b]);
        if (count[b] > lanes) {
          offset const row_of_pivot = rows.upper.begin(pivots.row(q - 1 - b));
          for (index which = static_cast<index>(lane + lanes); which < count[b]; which += static_cast<index>(lanes)) {
            std::size_t const pair = at[b] + static_cast<std::size_t>(which);
            keep(products, pair, factor,
                 Base::await(published + row_of_pivot + static_cast<offset>(lists.source(pair)), i));
          }
        }
      }
      q -= batch;
    }
    sync_warp();
    index const all = active ? above + 1 : index(0);
    offset const of_pivot = active ? pivots.end(i) - begin : offset(0);
    auto const total = active ? static_cast<int>(lists.begin(i + 1) - first) : 0;
    for (index t = static_cast<index>(lane); t < all; t += static_cast<index>(lanes)) {
      index const e = t == 0 ? above : t - 1;  // the pivot first: it has the most products
      bool const is_pivot = e == above;
      int const slot = is_pivot ? 0 : slots.begin(u + e);
      int const end = is_pivot ? static_cast<int>(of_pivot) : e + 1 < above ? int(slots.begin(u + e + 1)) : total;
      scalar const value = is_pivot ? Base::diagonal(Base::from_matrix(map.pivots(i))) + scalar(Base::shift_amount)
                                    : Base::from_matrix(map.upper(u + e));
      x[e] = subtract(value, products, slot, end);
    }
    sync_warp();
    if (active) Base::finish(lane, i, offset(0), u, index(0), above, x);
    sync_warp();
  }

  KOKKOS_FORCEINLINE_FUNCTION void keep(scalar* products, std::size_t pair, scalar const& factor,
                                        scalar const& entry) const {
    int const slot = slots.slot(pair);
    if (contract) {
      products[2 * slot] = factor;
      products[2 * slot + 1] = entry;
    } else {
      products[slot] = rounded_product(factor, entry);
    }
  }
  /// Loads four products at a time, so that only the differences wait for each other.
  KOKKOS_FORCEINLINE_FUNCTION scalar subtract(scalar x, scalar const* products, int slot, int end) const {
    if (contract) {
      for (; slot < end; ++slot) x = subtract_product(x, products[2 * slot], products[2 * slot + 1], true);
      return x;
    }
    for (; slot + 4 <= end; slot += 4) {
      scalar const a = products[slot], b = products[slot + 1], c = products[slot + 2], d = products[slot + 3];
      x = x - a;
      x = x - b;
      x = x - c;
      x = x - d;
    }
    for (; slot < end; ++slot) x = x - products[slot];
    return x;
  }
};

}  // namespace sptrsv::detail
