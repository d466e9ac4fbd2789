// SPDX-License-Identifier: Apache-2.0
// Common part of the algorithms that solve rows in natural order, `syncfree`, `threadlevel` and `fused`: the kernels
// that solve a row by a warp or by a thread, and the base class.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "sptrsv/algorithm/sync_free/sync_free_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv::detail {

/// Kernel in which the lanes of a thread, a warp on a GPU, share the entries and right-hand sides of one row. Each lane
/// waits only for the unknowns that its own entries need; other warps solve them.
template <class T, int K>
struct WarpPerRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using real = typename SolvedSlots<scalar, K>::real;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  SolvedSlots<scalar, K> slots;
  ColumnBlock columns;
  int lanes;
  bool ascending;

  /// Sums a lane's part of row i: every `parts`th entry for the lane's columns; part 0 starts from b.
  KOKKOS_FORCEINLINE_FUNCTION void sum_part(index i, int lane, scalar (&sum)[K]) const {
    int const column = columns.column(lane), part = columns.part(lane), parts = lanes >> columns.bits;
    if (column >= columns.count) return;
    if (part == 0)
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    using terms_type = Terms<scalar, K>;
    auto const mine = slots.column(column);
    offset const step = parts * rows.step();
    offset k = rows.first(i) + part * rows.step();
    for (offset left = rows.count(i) - part; left > 0;
         left -= terms_type::batch * parts, k += terms_type::batch * step) {
      terms_type terms;
      for (int u = 0; u < terms_type::batch; ++u)
        if (u * parts < left) {
          terms.at[u] = mine.at(rows.col_idx(k + u * step));
          terms.value[u] = numbers.entry(k + u * step);
        }
      terms.await_and_subtract(sum, [](real const* at, scalar(&x)[K]) { SolvedSlots<scalar, K>::poll(at, x); }, i);
    }
  }
  /// Solves row s of the solve order by all lanes of the thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_row(Team const& team, index s) const {
    index const i = ascending ? s : rows.num_rows - 1 - s;
    scalar const pivot = numbers.pivot(i);
    auto const own = slots.column(columns.column(lane_of(team))).from(i);
    ColumnSums<scalar, K> sums;
    sum_over_parts(team, lanes, columns, sums,
                   [&](int lane, ColumnSums<scalar, K>& part) { sum_part(i, lane, part.value); });
    on_first_part(team, columns, [&](int column) {
      for (int c = 0; c < K; ++c) sums.value[c] = numbers.finish(sums.value[c], pivot);
      own.publish(0, sums.value);
      for (int c = 0; c < K; ++c) io.store(i, column + c, sums.value[c]);
      own.reset_next(0);
    });
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) { solve_row(team, s); });
  }
};

/// Kernel with a thread per row of a ticket, and a lane per right-hand side. A thread never spins on a row of its own
/// ticket. In each turn of its loop it looks at a batch of terms. If all their x are solved, it subtracts the terms,
/// and publishes its own x after the last batch; otherwise it polls again. The loads of a batch are in flight together.
template <class T, int K>
struct ThreadPerRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr int batch = K == 1 ? 4 : 1;

  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  SolvedSlots<scalar, K> all_slots;
  ColumnBlock columns;
  bool ascending, two_phase;
  bool poll_all_missing;  ///< polls for all missing entries of a batch, not only for the first: more loads, fewer turns

  /// Next entries of a row, at most `batch`, with a mask of those whose x is missing.
  struct Entries {
    index col[batch];
    scalar value[batch];
    scalar x[batch][K];
    unsigned missing;
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(SolvedSlots<scalar, K> const& slots, Entries& e, offset& k,
                                        offset& left) const {
    e.missing = 0;
    for (int u = 0; u < batch; ++u) {
      bool const have = u < left;
      e.col[u] = have ? rows.col_idx(k + u * rows.step()) : index(0);
      e.value[u] = have ? numbers.entry(k + u * rows.step()) : scalar(0);
      for (int c = 0; c < K; ++c) e.x[u][c] = scalar(0);
      if (have && !slots.try_load(e.col[u], e.x[u])) e.missing |= 1u << u;
    }
    offset const taken = left < batch ? left : offset(batch);
    k += taken * rows.step();
    left -= taken;
  }
  /// Polls for missing entries.
  /// @return whether none is missing
  KOKKOS_FORCEINLINE_FUNCTION bool complete(SolvedSlots<scalar, K> const& slots, Entries& e) const {
    for (int u = 0; u < batch; ++u)
      if (e.missing & (1u << u)) {
        if (slots.try_load(e.col[u], e.x[u])) e.missing &= ~(1u << u);
        if (!poll_all_missing) break;
      }
    return e.missing == 0;
  }
  /// Performs phase 1 of the two-phase form: waits for each entry of earlier tickets.
  KOKKOS_FUNCTION void wait_for_earlier(SolvedSlots<scalar, K> const& slots, offset& k, offset& left, index first,
                                        index i, scalar (&sum)[K]) const {
    for (; left > 0; --left, k += rows.step()) {
      index const j = rows.col_idx(k);
      if ((ascending ? j : rows.num_rows - 1 - j) >= first) break;
      scalar x[K];
      slots.await(static_cast<std::size_t>(j), x, i);
      for (int c = 0; c < K; ++c) sum[c] -= numbers.entry(k) * x[c];
    }
  }
  /// Solves row s of the solve order for the columns of one lane. Rows from `first` on may belong to the same warp.
  KOKKOS_FORCEINLINE_FUNCTION void solve_row(int column, index s, index first) const {
    if (column >= columns.count) return;
    index const i = ascending ? s : rows.num_rows - 1 - s;
    auto const slots = all_slots.column(column);
    scalar sum[K];
    for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
    offset k = rows.first(i), left = rows.count(i);
    scalar const pivot = numbers.pivot(i);
    slots.reset_next(i);
    if (two_phase) {
      wait_for_earlier(slots, k, left, first, i, sum);
      rejoin_lanes();  // before that, a lane must not poll for rows of other lanes
    }
    Entries entries;
    load(slots, entries, k, left);
    take_turns([&](Backoff& wait) {
      if (complete(slots, entries)) {
        for (int u = 0; u < batch; ++u)
          for (int c = 0; c < K; ++c) sum[c] -= entries.value[u] * entries.x[u][c];
        if (left == 0) {
          for (int c = 0; c < K; ++c) sum[c] = numbers.finish(sum[c], pivot);
          slots.publish(i, sum);
          for (int c = 0; c < K; ++c) io.store(i, column + c, sum[c]);
          return true;
        }
        load(slots, entries, k, left);
      } else {
        wait(i);
      }
      return false;
    });
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last),
                         [&](index s) { solve_row(lane_of(team), s, first); });
  }
};

/// Base class with the values of the rows, the tickets, and the slots in which solved values are published. A derived
/// class sets launch_ and defines solve().
template <class T>
class InRowOrder : public AlgorithmDefaults {
 public:
  using types = T;
  using exec_space = typename T::exec_space;
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};

  void update(exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }
  void restart(exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }
  void reserve(exec_space const& exec, int columns) { solved_.reserve(exec, columns); }
  std::size_t memory_bytes() const { return values_.memory_bytes() + solved_.memory_bytes(); }

 protected:
  /// @param by_columns  holds the columns of op(T) instead of its rows, for kernels that use no slots
  InRowOrder(exec_space const& exec, Analysis<T> const& analysis, bool by_columns = false)
      : ascending_(analysis.shape().ascending()),
        poll_all_missing_(analysis.mean_row() > SyncFreeTuning::poll_all_from),
        values_(exec, by_columns ? analysis.columns(exec) : analysis.rows(exec)),
        tickets_(exec),
        solved_(exec, by_columns ? 0 : analysis.num_rows()) {}

  /// Returns the shape of a launch in which a warp, on a host a thread, takes one unit (row or block) after another.
  /// @param team_warps  GPU: warps per team
  /// @param per_ticket  units per ticket. 0: chosen, on a GPU 1: with more, a warp would start a unit only after the
  ///                    unit before, while all other warps may wait for it
  LaunchShape warp_shape(exec_space const& exec, long long units, int team_warps, int per_ticket) const {
    LaunchShape shape;
    if constexpr (is_host_space<exec_space>) {
      long long const n = std::max<long long>(1, values_.rows().num_rows);
      shape.rows_per_ticket = static_cast<int>(std::max(1LL, host_rows_per_ticket<T>(exec, n) * units / n));
    } else {
      shape.lanes = Kokkos::TeamPolicy<exec_space>::vector_length_max();
      shape.threads = team_warps;
    }
    if (per_ticket > 0) shape.rows_per_ticket = per_ticket;
    shape.teams = number_of_teams<T>(exec, units, shape);
    return shape;
  }
  std::string launch_text(char const* unit) const {
    return plural(launch_.rows_per_ticket, unit) + " per ticket, " + plural(launch_.teams, "team") + " of " +
           std::to_string(launch_.threads) + " x " + std::to_string(launch_.lanes);
  }
  /// Calls launch(integral_constant<int, K>, warp, thread) for each pass over T, with the kernel that solves a row by a
  /// warp and the kernel that solves a row by a thread.
  template <class Launch>
  void for_passes(exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
                  PermuteScale<T> const& permute_scale, Launch const& launch) const {
    for_column_blocks<exec_space>(static_cast<int>(b.extent(1)), [&](auto width, ColumnBlock const& columns) {
      constexpr int K = decltype(width)::value;
      RowIO<T> const io(b, x, permute_scale, columns.first);
      auto const slots = solved_.template begin<K>(exec, columns);
      launch(width, WarpPerRow<T, K>{values_.rows(), values_.numbers(), io, slots, columns, launch_.lanes, ascending_},
             ThreadPerRow<T, K>{values_.rows(), values_.numbers(), io, slots, columns, ascending_, /*two_phase=*/false,
                                poll_all_missing_});
    });
  }

  bool ascending_, poll_all_missing_;
  LaunchShape launch_;
  RowValues<T> values_;
  mutable Tickets<T> tickets_;
  mutable SolvedValues<T> solved_;
};

}  // namespace sptrsv::detail
