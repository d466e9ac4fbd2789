// SPDX-License-Identifier: Apache-2.0
// Chains: triangles in which a row needs at most one row and is needed by at most one, and the order along them.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Rows chain after chain, each chain in dependency order. Device-copyable.
template <class T>
struct ChainOrder {
  using index = typename T::index;

  bool found = false;  ///< whether op(T) consists of chains only
  bool ascending = true;
  index num_rows = 0, num_chains = 0;
  Kokkos::View<index*, typename T::device> rows;  ///< by position; empty: solve order

  KOKKOS_FORCEINLINE_FUNCTION index row(index p) const {
    if (rows.data()) return rows(p);
    return ascending ? p : num_rows - 1 - p;
  }
};

/// Returns the row that row i needs, or i.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION typename T::index needed_row(OffDiagonals<T> const& rows, typename T::index i) {
  return rows.count(i) > 0 ? rows.col_idx(rows.begin(i)) : i;
}

/// Tells whether some row is needed by several others. Fences.
template <class T>
bool has_branches(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  typename Workspace<T>::Scope const scope(work);
  auto const needed = work.template take<int>(static_cast<std::size_t>(rows.num_rows));
  Kokkos::deep_copy(exec, needed, 0);
  Kokkos::parallel_for(
      "sptrsv::chains::needed", row_range<T>(exec, rows.num_rows), KOKKOS_LAMBDA(index i) {
        if (index const j = needed_row(rows, i); j != i) Kokkos::atomic_inc(&needed(j));
      });
  auto const most = max_over_rows<T>(
      "sptrsv::chains::branches", exec, rows.num_rows, 0, KOKKOS_LAMBDA(index i) { return needed(i); });
  return most > 1;
}

/// Computes the order along chains of any numbering by pointer jumping: in each round a row adds the number of rows
/// before the row that it points to, and then points to where that row points.
template <class T>
void order_along_chains(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows,
                        ChainOrder<T>& order) {
  using index = typename T::index;
  index const n = rows.num_rows;
  typename Workspace<T>::Scope const scope(work);
  auto const take = [&](std::size_t count) { return work.template take<index>(count); };
  auto const size = static_cast<std::size_t>(n);
  auto first = take(size), before = take(size), next_first = take(size), next_before = take(size);
  auto const needed_by = take(size), length = take(size), begin = take(size + 1);
  Kokkos::parallel_for(
      "sptrsv::chains::begin", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        first(i) = needed_row(rows, i);
        before(i) = first(i) != i;
        needed_by(i) = length(i) = 0;
      });
  Kokkos::parallel_for(
      "sptrsv::chains::needed_by", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        if (first(i) != i) needed_by(first(i)) = 1;
      });
  for (index unfinished = 1; unfinished > 0;) {
    Kokkos::parallel_reduce(
        "sptrsv::chains::jump", row_range<T>(exec, n),
        KOKKOS_LAMBDA(index i, index & sum) {
          index const to = first(i), beyond = first(to);
          next_first(i) = beyond;
          next_before(i) = before(i) + (to == i ? index(0) : before(to));
          sum += beyond != to;
        },
        unfinished);
    std::swap(first, next_first);
    std::swap(before, next_before);
  }
  Kokkos::parallel_for(
      "sptrsv::chains::lengths", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        if (needed_by(i) == 0) length(first(i)) = before(i) + 1;  // the last row of its chain
      });
  scan_before<T, index>(
      "sptrsv::chains::positions", exec, work, n, begin, KOKKOS_LAMBDA(index i) { return length(i); });
  order.rows = raw_view<index, T>(exec, "sptrsv::chains::rows", size);
  auto const by_position = order.rows;
  Kokkos::parallel_for(
      "sptrsv::chains::order", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i) { by_position(begin(first(i)) + before(i)) = i; });
  exec.fence("sptrsv::chains: the workspace is given back");
}

/// Looks for chains; computes their order only if it differs from the solve order. Cost: one pass over the pattern if
/// rows have at most one entry, otherwise none; fences.
template <class T>
ChainOrder<T> find_chains(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  using index = typename T::index;
  ChainOrder<T> order;
  order.ascending = analysis.shape().ascending();
  order.num_rows = analysis.num_rows();
  order.num_chains = static_cast<index>(analysis.num_rows() - analysis.num_off_diagonals());
  if (analysis.longest_stored_row() > 1) return order;  // no chain: op(T) has such a row or column
  auto const rows = analysis.rows(exec);
  index const step = order.ascending ? 1 : -1;
  auto const apart = first_row_with<T>(
      "sptrsv::chains::apart", exec, order.num_rows, KOKKOS_LAMBDA(index i) {
        for (auto k = rows.begin(i); k < rows.end(i); ++k)
          if (rows.col_idx(k) != i - step) return true;
        return false;
      });
  if (apart < order.num_rows) {
    if (analysis.longest_row(exec) > 1 || has_branches<T>(exec, analysis.workspace(), rows)) return order;
    order_along_chains<T>(exec, analysis.workspace(), rows, order);
  }
  order.found = true;
  return order;
}

/// Returns the result of find_chains(), which the planner and `chain` share until Analysis::drop_kept().
template <class T>
ChainOrder<T> const& chains_of(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  return analysis.template keep<ChainOrder<T>>("chains", [&] { return find_chains<T>(exec, analysis); });
}

}  // namespace sptrsv::detail
