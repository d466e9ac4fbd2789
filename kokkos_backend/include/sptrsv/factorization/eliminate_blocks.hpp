// SPDX-License-Identifier: Apache-2.0
// Numeric phase of factors with dense blocks: like the scalar kernel, with dense blocks as entries.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/factorization/block_inverse.hpp"
#include "sptrsv/factorization/block_rows.hpp"
#include "sptrsv/factorization/eliminate.hpp"

namespace sptrsv::detail {

/// Split of the entries of dense blocks among the lanes of a thread: `step` lanes per block, `groups` blocks at a time.
struct BlockLanes {
  int size, area, entry, step, group, groups;  ///< group: first block of this lane; groups: blocks at a time

  KOKKOS_FORCEINLINE_FUNCTION BlockLanes(int size_, int lane, int lanes)
      : size(size_),
        area(size_ * size_),
        entry(area < lanes ? lane % area : lane),
        step(area < lanes ? area : lanes),
        group(area < lanes ? lane / area : 0),
        groups(area < lanes ? lanes / area : 1) {}
  /// Calls f(block, entry) for this lane's entries of `count` blocks.
  template <class I, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(I count, F const& f) const {
    if (group >= groups) return;
    for (I t = static_cast<I>(group); t < count; t += static_cast<I>(groups))
      for (int e = entry; e < area; e += step) f(t, e);
  }
};

/// Work space of a row of dense blocks.
struct BlockWork {
  static constexpr int blocks = 3;  ///< dense blocks of work space; two columns of one block follow
  /// Returns the number of scalars of a row of `length` dense blocks, including its work space.
  static std::size_t entries_of_row(std::size_t length, int size) {
    return (length + blocks) * static_cast<std::size_t>(size) * static_cast<std::size_t>(size) +
           2 * static_cast<std::size_t>(size);
  }
};

/// Kernel in which the lanes of a thread, on a GPU a warp, eliminate a row of dense blocks. Blocks are stored by
/// columns. The blocks and the work space of a row are in scratch memory, or for long rows in global memory.
template <class T, class Position, bool Symmetric>
struct EliminateBlocks : FactorsInWork<T, Position, Symmetric> {
  using Base = FactorsInWork<T, Position, Symmetric>;
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  using real = typename Base::real;
  using Base::a, Base::any_small, Base::contract, Base::inverse, Base::lanes, Base::lists, Base::lower, Base::map;
  using Base::pivots, Base::published, Base::rows, Base::status, Base::upper;
  static constexpr int batch = 4;             ///< values that are polled for together
  static constexpr bool takes_ahead = false;  ///< whether teams may take their next ticket early

  offset lower_begin, upper_begin;
  real shift;
  bool shift_is_relative, interchange;
  int size;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t area() const {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  }
  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION std::size_t at_block(I position) const {
    return static_cast<std::size_t>(position) * area();
  }
  /// Waits for a column of a dense block that another row publishes, and calls use(m, value) for its values.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void await_column(scalar const* column, index i, Use const& use) const {
    for (int first = 0; first < size; first += batch) {
      scalar value[batch] = {};
      Backoff wait;
      for (bool missing = true; missing;) {
        SPTRSV_UNROLL
        for (int m = 0; m < batch; ++m)  // all loads before the first comparison, so that they overlap
          if (first + m < size) Flagged<scalar>::poll(column + first + m, value[m]);
        missing = false;
        SPTRSV_UNROLL
        for (int m = 0; m < batch; ++m) missing |= !Flagged<scalar>::is_there(value[m]);
        if (missing) wait(i);
      }
      SPTRSV_UNROLL
      for (int m = 0; m < batch; ++m)
        if (first + m < size) use(first + m, value[m]);
    }
  }
  /// Waits for a dense block that another row publishes, and copies it.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int lane, index i, scalar const* from, scalar* to) const {
    for (int e = lane; e < static_cast<int>(area()); e += lanes) to[e] = Flagged<scalar>::await(from + e, i);
  }

  struct Row {
    index i, below, above;
    scalar *inverted, *of_pivot, *factor, *columns, *x;
  };
  KOKKOS_FORCEINLINE_FUNCTION void load(BlockLanes const& by, Row const& row, offset l, offset u) const {
    by.for_each(row.below + row.above + 1, [&](index t, int e) {
      offset const source = t < row.below               ? map.lower(l + t)
                            : t < row.below + row.above ? map.upper(u + (t - row.below))
                                                        : map.pivots(row.i);
      row.x[at_block(t) + e] = source < 0 ? scalar(0) : a[at_block(source) + e];
    });
  }
  /// Computes factor = L_ik = A_ik D_k^-1, or for a symmetric factor its transpose D_k^-1 U_ki.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int lane, Row const& row, offset q, index k, scalar const* entry) const {
    fetch(lane, row.i, inverse + at_block(k), row.inverted);
    if (Symmetric) fetch(lane, row.i, published + at_block(pivots.entry(q)), row.of_pivot);
    sync_warp();
    scalar const* const left = Symmetric ? row.inverted : entry;
    scalar const* const right = Symmetric ? row.of_pivot : row.inverted;
    for (int e = lane; e < static_cast<int>(area()); e += lanes) {
      int const r = e % size, c = e / size;
      scalar sum(0);
      for (int m = 0; m < size; ++m) sum = subtract_product(sum, -left[m * size + r], right[c * size + m], contract);
      row.factor[e] = sum;
    }
    sync_warp();
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(BlockLanes const& by, Row const& row, offset q, index k,
                                            std::size_t first) const {
    by.for_each(Base::count_updates(q, k), [&](index which, int e) {
      auto const u = Base::update(row.i, q, k, first, which, area());
      if (!u.from) return;
      int const r = e % size, c = e / size;
      scalar* const to = row.x + at_block(u.target) + e;
      scalar sum = *to;
      await_column(u.from + c * size, row.i, [&](int m, scalar const& value) {
        sum = subtract_product(sum, Symmetric ? row.factor[r * size + m] : row.factor[m * size + r], value, contract);
      });
      *to = sum;
    });
    sync_warp();
  }
  /// Tells whether a dense block of A has a nonzero entry; PETSc skips dense blocks without one.
  KOKKOS_FORCEINLINE_FUNCTION bool is_nonzero(int lane, scalar const* entry) const {
    bool mine = false;
    for (int e = lane; e < static_cast<int>(area()); e += lanes) mine |= entry[e] != scalar(0);
    return any_in_warp(mine);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_lower(int lane, Row const& row, offset l, index t, scalar const* block) const {
    scalar* const to = lower + static_cast<std::size_t>(lower_begin) + at_block(l) + static_cast<std::size_t>(t) * size;
    std::size_t const stride = static_cast<std::size_t>(row.below) * size;
    for (int e = lane; e < static_cast<int>(area()); e += lanes) to[(e % size) * stride + e / size] = block[e];
  }

  /// Eliminates row i by the lanes of a thread.
  /// @pre On a GPU, if lanes share rows, the lanes of a thread are a whole warp.
  template <class Next>
  KOKKOS_FUNCTION void row(int lane, index i, bool active, scalar* scratch, Next const& /*next*/) const {
    if (!active) return;
    BlockLanes const by(size, lane, lanes);
    scalar* const work = Base::memory_of(i, scratch);
    std::size_t const one = area();
    Row const row{i,          rows.count_lower(i), rows.count_upper(i), work,
                  work + one, work + 2 * one,      work + 3 * one,      work + 3 * one + 2 * size};
    offset const l = Symmetric ? offset(0) : rows.lower.begin(i), u = rows.upper.begin(i), end = pivots.end(i);
    std::size_t first = lists.empty() ? std::size_t(0) : lists.begin(i);
    load(by, row, l, u);
    sync_warp();
    for (offset q = pivots.begin(i); q < end; ++q) {
      index const k = pivots.row(q);
      scalar const* const entry = Symmetric ? nullptr : row.x + at_block(q - l);
      bool const nonzero = Symmetric || is_nonzero(lane, entry);
      if (nonzero) {
        multiply(lane, row, q, k, entry);
        subtract(by, row, q, k, first);
      }
      if (!Symmetric) store_lower(lane, row, l, static_cast<index>(q - l), nonzero ? row.factor : entry);
      if (!lists.empty()) first += static_cast<std::size_t>(lists.count(q));
      sync_warp();
    }
    finish(lane, by, row, u);
    sync_warp();
  }

  /// Publishes U, inverts and publishes the pivot block, and scales U.
  KOKKOS_FORCEINLINE_FUNCTION void finish(int lane, BlockLanes const& by, Row const& row, offset u) const {
    scalar const* const blocks = row.x + at_block(row.below);
    by.for_each(row.above, [&](index t, int e) {
      Flagged<scalar>::publish(published + at_block(u + t) + e, blocks[at_block(t) + e]);
    });
    scalar* const pivot = row.x + at_block(row.below + row.above);
    real amount = shift;
    if (shift_is_relative) {
      amount = real(1e-12);
      for (int k = 0; k < size; ++k) amount += Kokkos::abs(pivot[k * size + k]);
      amount = shift * amount;
    }
    sync_warp();
    int const zero = InvertBlock<scalar>{pivot, row.columns, size, lane, lanes, amount, interchange, contract}.run();
    for (int e = lane; e < static_cast<int>(area()); e += lanes)
      Flagged<scalar>::publish(inverse + at_block(row.i) + e, pivot[e]);
    if (lane == 0 && zero >= 0) Base::report(row.i, static_cast<real>(zero));
    scalar* const to = upper + static_cast<std::size_t>(upper_begin) + at_block(u);
    std::size_t const stride = static_cast<std::size_t>(row.above) * size;
    bool doubtful = false;
    by.for_each(row.above, [&](index t, int e) {
      int const r = e % size, c = e / size;
      scalar const* const column = blocks + at_block(t) + c * size;
      scalar sum(0);
      real greatest = 0;
      bool any = false;
      for (int m = 0; m < size; ++m) {
        scalar const d = pivot[m * size + r], v = column[m];
        sum = subtract_product(sum, -d, v, contract);
        greatest = Kokkos::fmax(greatest, size_of(d) * size_of(v));
        any |= d != scalar(0) && v != scalar(0);
      }
      to[r * stride + static_cast<std::size_t>(t) * size + c] = sum;
      doubtful |=
          !BlockProduct<scalar>::is_finite(size_of(sum)) || (any && greatest < Kokkos::Experimental::norm_min_v<real>);
    });
    if (doubtful) {
      store_relaxed(&status->doubtful, 1);
      store_relaxed(any_small, 1);
    }
  }
};

/// Returns the first row of dense blocks with a D^-1 U_ij that may not be stored instead of its factors, or -1. Fences.
template <class T>
long long first_row_out_of_range(typename T::exec_space const& exec, OffDiagonals<T> const& upper, int size,
                                 typename T::scalar const* u, typename T::scalar const* inverse) {
  std::size_t const area = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  auto const is_wrong = KOKKOS_LAMBDA(typename T::index i) {
    for (auto k = upper.begin(i); k < upper.end(i); ++k) {
      BlockProduct<typename T::scalar> const product{size, inverse + static_cast<std::size_t>(i) * area,
                                                     u + static_cast<std::size_t>(k) * area,
                                                     inverse + static_cast<std::size_t>(upper.col_idx(k)) * area};
      if (!product.holds()) return true;
    }
    return false;
  };
  long long const first = first_row_with<T>("sptrsv::factorization::range", exec, upper.num_rows, is_wrong);
  return first < upper.num_rows ? first : -1;
}

}  // namespace sptrsv::detail
