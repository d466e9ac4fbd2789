// SPDX-License-Identifier: Apache-2.0
// Products with the triangles of a split matrix, row by row.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/independent_rows.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/relaxation/split_matrix.hpp"

namespace sptrsv::detail {

/// Strict triangles of a split matrix A = L + D + U: L, U, or both.
enum class Strict { lower, upper, both };

/// Results of SplitProduct, with M = N + scale (D + shift I), where N is L, U or L + U:
///   product           y = M x
///   residual          y = b - M x
///   correction        y = x + E^-1 (b - M x)
///   first_correction  y = x + E^-1 (b - M x) with x = E^-1 b, which is computed where it is needed
enum class Form { product, residual, correction, first_correction };

/// Kernel that computes the rows of a Form. If the matrix is split by blocks, D^-1 N stands for N, and I for D + shift
/// I and for E. On a GPU the lanes of a thread share a row, and add their sums in a fixed order.
template <class T, Form form>
struct SplitProduct {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  SplitMatrix<T> split;
  Strict strict;  ///< the strict triangles that N consists of
  typename T::indices order;
  typename T::rhs b;  ///< not used by Form::product
  typename T::rhs x;  ///< not used by Form::first_correction
  typename T::solution y;
  scalar shift, scale;
  int lanes, rows_per_team;

  KOKKOS_FORCEINLINE_FUNCTION index row_at(index p) const { return order.extent(0) > 0 ? order(p) : p; }

  /// Returns the entry of x in the row at position p.
  KOKKOS_FORCEINLINE_FUNCTION scalar guess(index p, std::size_t column) const {
    index const i = row_at(p);
    if constexpr (form == Form::first_correction) return split.divide_by_e(p, b(i, column));
    else return x(i, column);
  }
  /// Returns the sum of N's terms in the row at position p that belong to lane `lane` of `step` lanes.
  KOKKOS_FORCEINLINE_FUNCTION scalar sum_part(index p, std::size_t column, int lane, int step) const {
    scalar sum(0);
    auto const add_entries = [&](SplitTriangle<T> const& part, offset begin, offset end) {
      for (offset k = begin + lane; k < end; k += step) sum += part.values(k) * guess(part.col_idx(k), column);
    };
    int const stored = split.stored_diagonals();
    if (strict != Strict::upper) add_entries(split.lower, split.lower.row_ptr(p), split.lower.row_ptr(p + 1) - stored);
    if (strict != Strict::lower) add_entries(split.upper, split.upper.row_ptr(p) + stored, split.upper.row_ptr(p + 1));
    return sum;
  }
  /// Stores the entry of y in the row at position p, where N's terms add up to `sum`.
  KOKKOS_FORCEINLINE_FUNCTION void store(index p, std::size_t column, scalar sum) const {
    index const i = row_at(p);
    if (scale != scalar(0))
      sum += scale * (split.by_blocks() ? scalar(1) : split.diagonal(p) + shift) * guess(p, column);
    if constexpr (form != Form::product) sum = b(i, column) - sum;
    if constexpr (form == Form::correction || form == Form::first_correction)
      sum = guess(p, column) + split.divide_by_e(p, sum);
    y(i, column) = sum;
  }
  KOKKOS_FUNCTION void operator()(index p) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) store(p, c, sum_part(p, c, 0, 1));
  }
  template <class Team, class = typename Team::scratch_memory_space>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const p = static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    bool const active = p < split.num_rows;
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      ColumnSums<scalar, 1> sum;
      sum_over_parts(team, lanes, ColumnBlock{}, sum, [&](int lane, ColumnSums<scalar, 1>& mine) {
        if (active) mine.value[0] += sum_part(p, c, lane, lanes);
      });
      on_first_part(team, ColumnBlock{}, [&](int) {
        if (active) store(p, c, sum.value[0]);
      });
    }
  }

  void launch(char const* label, typename T::exec_space const& exec) {
    using space = typename T::exec_space;
    index const n = split.num_rows;
    if (n == 0) return;
    if constexpr (is_gpu<space>) {
      bool const below = strict != Strict::upper, above = strict != Strict::lower;
      auto const entries = (below ? split.lower.values.extent(0) : 0) + (above ? split.upper.values.extent(0) : 0);
      auto const diagonals = static_cast<double>((below + above) * split.stored_diagonals()) * static_cast<double>(n);
      lanes = lanes_per_independent_row(static_cast<double>(n), static_cast<double>(entries) - diagonals,
                                        static_cast<double>(split.longest_row), below + above, warp_lanes<space>);
      rows_per_team = GpuTuning::table_warp_lanes * 4 / lanes;
      Kokkos::parallel_for(label, wide_set_policy(exec, n, rows_per_team, rows_per_team, lanes), *this);
    } else {
      for_range(label, exec, n, static_cast<long long>(split.num_entries * y.extent(1)), *this);
    }
  }
};

/// Computes y = b - N x - scale (D + shift I) x, where N is L, U or L + U. If the matrix is split by blocks of rows,
/// computes y = b - D^-1 N x - scale x instead. The vectors must not overlap.
template <class T>
void residual(typename T::exec_space const& exec, SplitMatrix<T> const& split, Strict strict,
              typename T::indices const& order, double shift, double scale, typename T::rhs const& b,
              typename T::rhs const& x, typename T::solution const& y) {
  using scalar = typename T::scalar;
  SplitProduct<T, Form::residual> kernel{
      split, strict, order, b, x, y, static_cast<scalar>(shift), static_cast<scalar>(scale), 1, 1};
  kernel.launch("sptrsv::sweeps::residual", exec);
}

/// Performs a Jacobi sweep from the guess x: y = x + E^-1 (b - (A + shift I) x) or, split by blocks,
/// y = x + b - D^-1 A x. Form first_correction ignores x: two sweeps from zero. The vectors must not overlap.
template <class T, Form form>
void sweep_jacobi(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::indices const& order,
                  double shift, typename T::rhs const& b, typename T::rhs const& x, typename T::solution const& y) {
  using scalar = typename T::scalar;
  SplitProduct<T, form> kernel{split, Strict::both, order, b, x, y, static_cast<scalar>(shift), scalar(1), 1, 1};
  kernel.launch("sptrsv::sweeps::jacobi", exec);
}

/// Computes y = scale (D + shift I) x + U x or, split by blocks, y = x + D^-1 U x. The vectors must not overlap.
template <class T>
void multiply_upper(typename T::exec_space const& exec, SplitMatrix<T> const& split, typename T::indices const& order,
                    double shift, double scale, typename T::rhs const& x, typename T::solution const& y) {
  using scalar = typename T::scalar;
  SplitProduct<T, Form::product> kernel{
      split, Strict::upper, order, {}, x, y, static_cast<scalar>(shift), static_cast<scalar>(scale), 1, 1};
  kernel.launch("sptrsv::sweeps::multiply_upper", exec);
}

/// Computes y = b - y + (2 - omega) E x or, split by blocks, y = b - y + x. The vectors must not overlap.
/// @param same         y is not read, and b stands for it
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
  for_range("sptrsv::sweeps::subtract_from_sum", exec, split.num_rows, split.num_rows, subtract);
}

/// Computes y = b - scale D x or, split by blocks, y = b - x. y may be b; otherwise the vectors must not overlap.
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
  for_range("sptrsv::sweeps::subtract_diagonal", exec, split.num_rows, split.num_rows, subtract);
}

}  // namespace sptrsv::detail
