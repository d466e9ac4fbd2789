// SPDX-License-Identifier: Apache-2.0
// Approximate solve by a fixed number of Jacobi sweeps with the triangle.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <climits>
#include <string>
#include <string_view>

#include "sptrsv/algorithm/iterated/iterated_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/graph_capture.hpp"
#include "sptrsv/device/independent_rows.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_part.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

namespace detail {

/// Computes D^-1 b for the columns of a pass, where D is the diagonal of op(T).
/// @param to  n-by-columns.count, row by row; or null: results go to the caller's x and `out`
template <class T>
void divide_by_diagonal(typename T::exec_space const& exec, TriangleValues<T> const& numbers, RowIO<T> const& io,
                        ColumnBlock const& columns, typename T::scalar* to) {
  long long const count = columns.count, size = static_cast<long long>(numbers.num_rows) * count;
  auto const divide = KOKKOS_LAMBDA(long long e) {
    auto const i = static_cast<typename T::index>(e / count);
    auto const c = static_cast<int>(e % count);
    typename T::scalar const value = numbers.finish(io.load(i, c), numbers.pivot(i));
    if (to) to[e] = value;
    else io.store(i, c, value);
  };
  for_range("sptrsv::iterated::divide", exec, size, size, divide);
}

/// Kernel of x_new = D^-1 (b - N x_old), where D is the diagonal of op(T) and N = op(T) - D, for the columns of a pass.
/// On a GPU the lanes of a thread share a row's entries and right-hand sides.
template <class T, int K>
struct JacobiSweep {
  using scalar = typename T::scalar;
  using index = typename T::index;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  scalar const* x_old;  ///< n-by-columns.count, row by row
  scalar* x_new;        ///< like x_old; or null: results go to the caller's x and `out`
  ColumnBlock columns;
  long long entries;  ///< number of T's entries
  int lanes = 1, rows_per_team = 1;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t position(index i, int c) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns.count) + static_cast<std::size_t>(c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_part(index i, int column, int part, int parts, scalar (&sum)[K]) const {
    if (part == 0)
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    subtract_row_part(
        rows, numbers, i, part, parts, [&](index j, int c) { return x_old[position(j, column + c)]; }, sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(index i, int column, scalar pivot, scalar const (&sum)[K]) const {
    for (int c = 0; c < K; ++c) {
      scalar const value = numbers.finish(sum[c], pivot);
      if (x_new) x_new[position(i, column + c)] = value;
      else io.store(i, column + c, value);
    }
  }
  KOKKOS_FUNCTION void operator()(index i) const {
    scalar sum[K];
    add_part(i, 0, 0, 1, sum);
    store(i, 0, numbers.pivot(i), sum);
  }
  template <class Team, class = typename Team::scratch_memory_space>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    index const i = static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    bool const active = i < rows.num_rows;
    scalar const pivot = active ? numbers.pivot(i) : scalar(1);
    ColumnSums<scalar, K> sums;
    sum_over_parts(team, lanes, columns, sums, [&](int lane, ColumnSums<scalar, K>& mine) {
      int const column = columns.column(lane);
      if (active && column < columns.count) add_part(i, column, columns.part(lane), lanes >> columns.bits, mine.value);
    });
    on_first_part(team, columns, [&](int column) {
      if (active) store(i, column, pivot, sums.value);
    });
  }

  void launch(typename T::exec_space const& exec) {
    using space = typename T::exec_space;
    char const* const label = "sptrsv::iterated::sweep";
    if constexpr (columns_on_lanes<space>) {
      Kokkos::parallel_for(label, wide_set_policy(exec, rows.num_rows, rows_per_team, rows_per_team, lanes), *this);
    } else {
      for_range(label, exec, rows.num_rows, entries * columns.count, *this);
    }
  }
};

}  // namespace detail

/// Approximate solver by k Jacobi sweeps: x_0 = D^-1 b, x_j = D^-1 (b - N x_(j-1)), where op(T) = D + N and D is the
/// diagonal. After k sweeps the rows of the levels 0 to k are exact, so k = levels - 1 gives the solution; a solve
/// makes no more sweeps than that. With fewer sweeps the error is x - x_k = (-D^-1 N)^(k+1) x, which may be of any
/// size. x_k is linear in b; with the same k, a transposed solve is exactly the transpose of that linear map. The
/// planner never chooses it. No kernel polls. Bitwise reproducible.
/// Source: H. Anzt, E. Chow, J. Dongarra, Euro-Par 2015.
template <class T>
class Iterated : public AlgorithmDefaults {
 public:
  using types = T;
  using scalar = typename T::scalar;
  using index = typename T::index;
  static constexpr std::string_view name = "iterated";
  static constexpr char const* summary = "approximate: a fixed number of Jacobi sweeps with the triangle";
  static constexpr Capabilities capabilities{
      /*upper=*/true,           /*transpose=*/true,   /*multi_rhs=*/true,
      /*single_storage=*/false, /*any_pattern=*/true, /*exact=*/false};
  struct Options {
    int sweeps = detail::IteratedTuning::sweeps;
    template <class V>
    void visit(V& v) {
      v.integer("sweeps", sweeps, 0, INT_MAX, "sweeps, each a product with the triangle; 0: the diagonal alone");
    }
  };

  Iterated(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : values_(exec, analysis.rows(exec)), entries_(analysis.num_off_diagonals() + analysis.num_rows()) {
    exact_sweeps_ = std::max<index>(analysis.count_levels(exec) - 1, 0);
    sweeps_ = static_cast<index>(std::min<long long>(options.sweeps, exact_sweeps_));
    if (analysis.num_rows() > 0)
      lanes_ = detail::lanes_per_independent_row(
          static_cast<double>(analysis.num_rows()), static_cast<double>(analysis.num_off_diagonals()),
          static_cast<double>(analysis.longest_row(exec)), 1, detail::warp_lanes<typename T::exec_space>);
    reserve(exec, 1);
  }
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }
  /// Allocates the arrays for solves of `columns` right-hand sides.
  void reserve(typename T::exec_space const& exec, int columns) const {
    int const most =
        detail::columns_on_lanes<typename T::exec_space> ? detail::max_column_lanes : detail::max_column_block;
    auto const wanted = static_cast<std::size_t>(std::min(columns, most)),
               size = wanted * static_cast<std::size_t>(values_.rows().num_rows);
    if (sweeps_ == 0 || size <= x_[0].extent(0)) return;
    auto const even = detail::raw_view<scalar, T>(exec, "sptrsv::iterated::x", size);
    if (sweeps_ > 1) x_[1] = detail::raw_view<scalar, T>(exec, "sptrsv::iterated::x", size);
    x_[0] = even;
  }
  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    detail::refuse_graph_capture(exec, name);  // a later reserve() frees arrays that replays of the graph would use
    auto const columns = static_cast<int>(b.extent(1));
    reserve(exec, columns);
    if (values_.rows().num_rows == 0) return;
    detail::for_column_blocks<typename T::exec_space>(columns, [&](auto width, detail::ColumnBlock const& block) {
      solve_columns<decltype(width)::value>(exec, {b, x, permute_scale, block.first}, block);
    });
  }
  std::string parameters() const {
    std::string text = detail::plural(sweeps_, "sweep");
    if constexpr (detail::columns_on_lanes<typename T::exec_space>)
      text += ", " + detail::plural(lanes_, "lane") + " per row";
    if (sweeps_ < exact_sweeps_) return text + "; approximate, exact after " + std::to_string(exact_sweeps_);
    return text + "; exact";
  }
  /// Returns the number of products with each off-diagonal entry in a solve.
  long long num_passes() const { return sweeps_; }
  std::size_t memory_bytes() const { return values_.memory_bytes() + (x_[0].span() + x_[1].span()) * sizeof(scalar); }

 private:
  using Tuning = detail::IteratedTuning;

  template <int K>
  void solve_columns(typename T::exec_space const& exec, detail::RowIO<T> const& io,
                     detail::ColumnBlock const& columns) const {
    detail::divide_by_diagonal(exec, values_.numbers(), io, columns, sweeps_ > 0 ? x_[0].data() : nullptr);
    detail::JacobiSweep<T, K> sweep{values_.rows(), values_.numbers(), io, nullptr, nullptr, columns, entries_};
    if constexpr (detail::columns_on_lanes<typename T::exec_space>) {
      constexpr int warp = detail::warp_lanes<typename T::exec_space>;
      sweep.lanes = std::min(lanes_ * columns.lanes(), warp);
      sweep.rows_per_team = Tuning::team_warps * warp / sweep.lanes;
    }
    for (index s = 1; s <= sweeps_; ++s) {
      sweep.x_old = x_[(s - 1) % 2].data();
      sweep.x_new = s < sweeps_ ? x_[s % 2].data() : nullptr;
      sweep.launch(exec);
    }
  }

  detail::RowValues<T> values_;
  long long entries_;
  index exact_sweeps_ = 0, sweeps_ = 0;
  int lanes_ = 1;
  mutable Kokkos::View<scalar*, typename T::device> x_[2];
};

}  // namespace sptrsv
