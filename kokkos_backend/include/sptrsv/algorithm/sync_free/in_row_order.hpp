// SPDX-License-Identifier: Apache-2.0
// Common part of the algorithms that solve rows in natural order: `syncfree`, `threadlevel` and `fused`.
#pragma once

#include <algorithm>
#include <string>

#include "sptrsv/algorithm/sync_free/row_kernels.hpp"
#include "sptrsv/algorithm/sync_free/sync_free_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv::detail {

/// Holds the values of the rows, the tickets, and the slots in which solved values are published. A derived class sets
/// launch_, and solves.
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
  /// @param by_columns  takes the columns of op(T) in place of its rows, for kernels that use no slots
  InRowOrder(exec_space const& exec, Analysis<T> const& analysis, bool by_columns = false)
      : ascending_(analysis.shape().ascending()),
        poll_all_missing_(analysis.mean_row() > SyncFreeTuning::poll_all_from),
        values_(exec, by_columns ? analysis.columns(exec) : analysis.rows(exec)),
        tickets_(exec),
        solved_(exec, by_columns ? 0 : analysis.num_rows()) {}

  /// Returns the shape of a launch in which a warp, on a host a thread, takes one unit after another: a row or a block.
  /// @param team_warps  GPU: warps per team
  /// @param per_ticket  units per ticket; 0: on a GPU 1, since with more a warp starts each unit only after the unit
  ///                    before, and all others wait for it
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
  void for_passes(exec_space const& exec, typename T::rhs const& b, typename T::solution const& x, Fold<T> const& fold,
                  Launch const& launch) const {
    for_column_blocks<exec_space>(static_cast<int>(b.extent(1)), [&](auto width, ColumnBlock const& columns) {
      constexpr int K = decltype(width)::value;
      RowIO<T> const io(b, x, fold, columns.first);
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
