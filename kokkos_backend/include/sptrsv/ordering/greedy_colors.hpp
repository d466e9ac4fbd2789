// SPDX-License-Identifier: Apache-2.0
// Coloring by first fit in the matrix's memory space: each row takes the least color that no earlier neighbor has. The
// colors are those of Kokkos Kernels' COLORING_SERIAL, for any space and number of threads.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/ordering/coloring.hpp"
#include "sptrsv/triangle/level_sets.hpp"

namespace sptrsv {

namespace detail {

/// Tells whether all rows ascend and every entry (i, j) has an entry (j, i). Fences.
template <class T>
bool is_sorted_and_symmetric(typename T::exec_space const& exec, typename T::pattern const& matrix) {
  using index = typename T::index;
  auto const is_wrong = KOKKOS_LAMBDA(index i) {
    for (auto k = matrix.row_ptr(i); k < matrix.row_ptr(i + 1); ++k) {
      index const j = matrix.col_idx(k);
      if (k > matrix.row_ptr(i) && matrix.col_idx(k - 1) >= j) return true;
      auto const end = matrix.row_ptr(j + 1), at = first_at_least(matrix.col_idx, matrix.row_ptr(j), end, i);
      if (at == end || matrix.col_idx(at) != i) return true;
    }
    return false;
  };
  return first_row_with<T>("sptrsv::coloring::symmetry", exec, matrix.num_rows(), is_wrong) == matrix.num_rows();
}

/// Kernel in which a thread colors a row once it knows the colors of all earlier neighbors, for which it polls.
template <class T>
struct GreedyColors {
  using index = typename T::index;
  using offset = typename T::offset;

  typename T::pattern matrix;
  Kokkos::View<index*, typename T::device> colors;  ///< -1: none yet
  Kokkos::View<int, typename T::device> given_up;
  long long most_polls;  ///< polls of a row without effect after which all rows give up

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index i) { color(i); });
  }
  /// Colors row i. Each round looks at 64 colors, from `base` on; `taken` has the bits of those that neighbors have.
  KOKKOS_FUNCTION void color(index i) const {
    offset k = matrix.row_ptr(i);
    offset const end = matrix.row_ptr(i + 1);
    index base = 0;
    std::uint64_t taken = 0;
    long long polls = 0;
    take_turns([&](Backoff& wait) {
      if (k == end || matrix.col_idx(k) >= i) {
        if (~taken != 0) {
          index free = base;
          for (std::uint64_t bits = taken; bits & 1; bits >>= 1) ++free;
          store_relaxed(&colors(i), free);
          return true;
        }
        base += 64;
        taken = 0;
        k = matrix.row_ptr(i);
        return false;
      }
      index const c = load_relaxed(&colors(matrix.col_idx(k)));
      if (c >= 0) {
        if (c >= base && c - base < 64) taken |= std::uint64_t(1) << (c - base);
        ++k;
        return false;
      }
      if (++polls % 64 == 0) {
        if (polls > most_polls) store_relaxed(&given_up(), 1);
        if (load_relaxed(&given_up())) return true;
      }
      wait(i);
      return false;
    });
  }
};

}  // namespace detail

/// Colors the rows of a matrix like color_graph() with ColorAlgorithm::serial, in the space of its pattern.
/// @param matrix    rows in natural order
/// @param fallback_reason  out: why there is no coloring; empty on success
/// @param most_polls  number of polls of one row without effect after which the attempt ends. If each row is a neighbor
/// of the row before, as in a chain, one core of a host is faster.
/// Cost: a search for each entry's mirror image, a launch in which rows poll for their neighbors' colors, a copy of the
/// colors to the host, and a sort of the rows there.
template <class T>
Coloring<typename T::index> color_on_device(typename T::exec_space const& exec, typename T::pattern const& matrix,
                                            std::string& fallback_reason, long long most_polls = 20000) {
  using index = typename T::index;
  index const n = matrix.num_rows();
  fallback_reason.clear();
  if (n == 0) return {{}, {0}, {}};
  if (!detail::is_sorted_and_symmetric<T>(exec, matrix)) {
    fallback_reason = "the pattern is not symmetric";
    return {};
  }
  auto const colors = detail::raw_view<index, T>(exec, "sptrsv::coloring::colors", static_cast<std::size_t>(n));
  Kokkos::View<int, typename T::device> const given_up(Kokkos::view_alloc(exec, "sptrsv::coloring::given_up"));
  Kokkos::deep_copy(exec, colors, index(-1));
  detail::Tickets<T> tickets(exec);
  detail::for_each_ticket<T>("sptrsv::coloring::greedy", exec, tickets, detail::thread_per_row_shape<T>(exec, n, 0), n,
                             detail::GreedyColors<T>{matrix, colors, given_up, most_polls});
  std::vector<index> color_of(static_cast<std::size_t>(n));
  int gave_up = 0;
  Kokkos::deep_copy(exec, Kokkos::View<index*, Kokkos::HostSpace>(color_of.data(), color_of.size()), colors);
  Kokkos::deep_copy(exec, gave_up, given_up);
  exec.fence("sptrsv::coloring: colors are known");
  if (gave_up) {
    fallback_reason = "too many rows wait for each other";
    return {};
  }
  return detail::group_by_color(color_of);
}

}  // namespace sptrsv
