// SPDX-License-Identifier: Apache-2.0
// Products with the triangles of a split matrix, row by row.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/relaxation/split_matrix.hpp"

namespace sptrsv::detail {

/// Strict triangles of a split matrix A = L + D + U: L, U, or both.
enum class Strict { lower, upper, both };

/// Kernel for the rows of y = b - N x - scale (D + shift I) x, or of y = N x + scale (D + shift I) x, where N is L, U
/// or L + U. By blocks it has D^-1 N in place of N, and I in place of D + shift I. On a GPU the lanes of a thread share
/// a row, and add their sums in a fixed order.
template <class T, bool Residual>
struct SplitProduct {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  SplitMatrix<T> split;
  Strict strict;  ///< the strict triangles that N consists of
  typename T::indices order;
  typename T::rhs b;  ///< for a residual
  typename T::rhs x;
  typename T::solution y;
  scalar shift, scale;
  int lanes, rows_per_team;

  KOKKOS_FORCEINLINE_FUNCTION index row_at(index p) const { return order.extent(0) > 0 ? order(p) : p; }

  /// Adds the terms of lane `lane` of `step` lanes to `sum`, or subtracts them for a residual.
  KOKKOS_FORCEINLINE_FUNCTION void add_row(index p, std::size_t column, int lane, int step, scalar& sum) const {
    auto const add = [&](scalar const& value, index q) {
      scalar const term = value * x(row_at(q), column);
      sum = Residual ? sum - term : sum + term;
    };
    auto const add_entries = [&](SplitTriangle<T> const& part, offset begin, offset end) {
      for (offset k = begin + lane; k < end; k += step) add(part.values(k), part.col_idx(k));
    };
    int const stored = split.stored_diagonals();
    if (lane == 0 && scale != scalar(0)) add(scale * (split.by_blocks() ? scalar(1) : split.diagonal(p) + shift), p);
    if (strict != Strict::upper) add_entries(split.lower, split.lower.row_ptr(p), split.lower.row_ptr(p + 1) - stored);
    if (strict != Strict::lower) add_entries(split.upper, split.upper.row_ptr(p) + stored, split.upper.row_ptr(p + 1));
  }
  KOKKOS_FUNCTION void operator()(index p) const {
    index const i = row_at(p);
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      scalar sum = Residual ? b(i, c) : scalar(0);
      add_row(p, c, 0, 1, sum);
      y(i, c) = sum;
    }
  }
  template <class Team, class = typename Team::scratch_memory_space>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const p = static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    bool const active = p < split.num_rows;
    index const i = active ? row_at(p) : index(0);
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      ColumnSums<scalar, 1> sum;
      sum_over_parts(team, lanes, ColumnBlock{}, sum, [&](int lane, ColumnSums<scalar, 1>& mine) {
        if (!active) return;
        if (Residual && lane == 0) mine.value[0] = b(i, c);
        add_row(p, c, lane, lanes, mine.value[0]);
      });
      on_first_part(team, ColumnBlock{}, [&](int) {
        if (active) y(i, c) = sum.value[0];
      });
    }
  }

  void launch(char const* label, typename T::exec_space const& exec) {
    using space = typename T::exec_space;
    index const n = split.num_rows;
    if (n == 0) return;
    if constexpr (is_gpu<space>) {
      auto const entries = (strict != Strict::upper ? split.lower.values.extent(0) : 0) +
                           (strict != Strict::lower ? split.upper.values.extent(0) : 0);
      lanes = lanes_per_row(static_cast<double>(entries) / static_cast<double>(n), warp_lanes<space>);
      rows_per_team = GpuTuning::table_warp_lanes * 4 / lanes;
      Kokkos::parallel_for(label, wide_set_policy(exec, n, rows_per_team, rows_per_team, lanes), *this);
    } else {
      with_range(exec, n, static_cast<long long>(split.num_entries),
                 [&](auto const& policy) { Kokkos::parallel_for(label, policy, *this); });
    }
  }
};

/// Computes y = b - N x - scale (D + shift I) x for N = L, U or L + U, by blocks y = b - D^-1 N x - scale x. No
/// overlap.
template <class T>
void residual(typename T::exec_space const& exec, SplitMatrix<T> const& split, Strict strict,
              typename T::indices const& order, double shift, double scale, typename T::rhs const& b,
              typename T::rhs const& x, typename T::solution const& y) {
  using scalar = typename T::scalar;
  SplitProduct<T, true> kernel{split, strict, order, b, x, y, static_cast<scalar>(shift), static_cast<scalar>(scale),
                               1,     1};
  kernel.launch("sptrsv::sweeps::residual", exec);
}

/// Computes y = scale (D + shift I) x + U x, by blocks y = x + D^-1 U x. No overlap.
template <class T>
void multiply_upper(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::indices const& order,
                    double shift, double scale, typename T::rhs const& x, typename T::solution const& y) {
  using scalar = typename T::scalar;
  SplitProduct<T, false> kernel{
      split, Strict::upper, order, {}, x, y, static_cast<scalar>(shift), static_cast<scalar>(scale), 1, 1};
  kernel.launch("sptrsv::sweeps::multiply_upper", exec);
}

/// Computes y = b - y + (2 - omega) E x, by blocks y = b - y + x. No overlap.
/// @param same         y counts as b, and is not read
/// @param by_position  the rows of x are in the order of the sweep
template <class T>
void subtract_from_sum(typename T::exec_space const& exec, SplitMatrix<T> const& split,
                       typename T::indices const& order, typename T::rhs const& b, bool same, typename T::rhs const& x,
                       bool by_position, typename T::solution const& y) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  auto const subtract = KOKKOS_LAMBDA(index p) {
    index const i = order.extent(0) > 0 ? order(p) : p;
    scalar const factor = split.by_blocks() ? scalar(1) : split.between(p);
    for (std::size_t c = 0; c < y.extent(1); ++c)
      y(i, c) = (same ? scalar(0) : b(i, c) - y(i, c)) + factor * x(by_position ? p : i, c);
  };
  with_range(exec, split.num_rows, static_cast<long long>(split.num_rows),
             [&](auto const& policy) { Kokkos::parallel_for("sptrsv::sweeps::subtract_from_sum", policy, subtract); });
}

/// Computes y = b - scale D x, by blocks y = b - x. y may be b; no other overlap.
template <class T>
void subtract_diagonal(typename T::exec_space const& exec, SplitMatrix<T> const& split,
                       typename T::indices const& order, double scale, typename T::rhs const& b,
                       typename T::rhs const& x, typename T::solution const& y) {
  using index = typename T::index;
  using scalar = typename T::scalar;
  auto const factor = static_cast<scalar>(scale);
  auto const subtract = KOKKOS_LAMBDA(index p) {
    index const i = order.extent(0) > 0 ? order(p) : p;
    scalar const d = split.by_blocks() ? scalar(1) : factor * split.diagonal(p);
    for (std::size_t c = 0; c < y.extent(1); ++c) y(i, c) = b(i, c) - d * x(i, c);
  };
  with_range(exec, split.num_rows, static_cast<long long>(split.num_rows),
             [&](auto const& policy) { Kokkos::parallel_for("sptrsv::sweeps::subtract_diagonal", policy, subtract); });
}

}  // namespace sptrsv::detail
