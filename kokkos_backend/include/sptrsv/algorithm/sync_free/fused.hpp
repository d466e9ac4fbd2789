// SPDX-License-Identifier: Apache-2.0
// Yuenyeung: blocks of short rows by a thread per row, blocks of long rows by a warp per row, in one kernel.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "sptrsv/algorithm/sync_free/fused_units.hpp"
#include "sptrsv/algorithm/sync_free/sync_free_tuning.hpp"
#include "sptrsv/algorithm/sync_free/thread_per_row.hpp"
#include "sptrsv/algorithm/sync_free/warp_per_row.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

namespace detail {

/// Kernel in which a thread of a team is one warp and takes one unit after another: a row, which its lanes share, or a
/// block of rows, of which a lane takes one row, column after column, and spins on no row of another lane. (With
/// columns on lanes only a few rows of a block would be solved at a time, each group waiting for the group before:
/// road:2000 with 8 columns takes 42 ms instead of 2.)
template <class T, int K>
struct FusedRows {
  using index = typename T::index;

  Kokkos::View<const index*, typename T::device> first_row;  ///< first row of each unit, and the end of the last unit
  WarpPerRow<T, K> warp;
  ThreadPerRow<T, K> thread;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first_unit, index last_unit) const {
    for (index unit = first_unit; unit < last_unit; ++unit) {
      index const first = first_row(unit), last = first_row(unit + 1);
      if (last - first == 1) warp.solve_row(team, first);
      else
        for_each_lane(team, warp.lanes, [&](int lane) {
          for (index s = first + lane; s < last; s += warp.lanes)
            for (int column = 0; column < warp.columns.lanes(); ++column) thread.solve_row(column, s, first);
        });
    }
  }
};

}  // namespace detail

/// Solver with a warp per long row and a thread per short row. Bitwise reproducible; on a GPU the threshold determines
/// the order of a row's sum.
/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithm 6 with the kernels of algorithms 3 and 5. Differs in
/// that units are taken by ticket and listed by a scan on the device, that a value is its own flag, and that rows are
/// measured without their diagonal entry. The threshold comes from a table by device, trained as in section 6.2 of the
/// paper (docs/fused.md).
template <class T>
class Fused {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "fused";
  static constexpr char const* summary = "short rows by a thread each, long rows by a warp each, in one kernel";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  struct Options {
    int threshold = 0;
    template <class V>
    void visit(V& v) {
      v.integer("threshold", threshold, 0, 1000000,
                "mean off-diagonal entries from which rows of a block get a warp each; 0: as trained");
    }
  };

  Fused(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : ascending_(analysis.shape().ascending()),
        poll_all_missing_(analysis.mean_row() > detail::SyncFreeTuning::poll_all_from),
        values_(exec, analysis.rows(exec)),
        tickets_(exec),
        solved_(exec, analysis.num_rows()) {
    choose_threshold(exec, options.threshold);
    units_ = detail::make_fused_units<T>(exec, {values_.rows(), block_rows(), threshold_, ascending_});
    launch_ = choose_launch(exec);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks<typename T::exec_space>(
        static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
          constexpr int K = decltype(width)::value;
          auto const& rows = values_.rows();
          detail::RowIO<T> const io(b, x, fold, columns.first);
          auto const slots = solved_.template begin<K>(exec, columns);
          detail::for_each_ticket_of_threads<T>(
              "sptrsv::fused::solve", exec, tickets_, launch_, units_.count,
              detail::FusedRows<T, K>{
                  units_.first,
                  {rows, values_.numbers(), io, slots, columns, launch_.lanes, ascending_},
                  {rows, values_.numbers(), io, slots, columns, ascending_, false, poll_all_missing_}});
        });
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    char text[240];
    std::snprintf(
        text, sizeof text, "warps from %d %s per row on (%s), %lld of %s by a warp, %s per ticket, %s of %d x %d",
        threshold_, threshold_ == 1 ? "entry" : "entries", source_, static_cast<long long>(units_.warp_rows),
        detail::plural(values_.rows().num_rows, "row").c_str(), detail::plural(launch_.rows_per_ticket, "unit").c_str(),
        detail::plural(launch_.teams, "team").c_str(), launch_.threads, launch_.lanes);
    return text;
  }
  void reserve(typename T::exec_space const& exec, int columns) { solved_.reserve(exec, columns); }
  std::size_t memory_bytes() const {
    return values_.memory_bytes() + solved_.memory_bytes() + units_.first.span() * sizeof(index);
  }

 private:
  /// Returns the rows of a block: the lanes of a warp; on a host those of most GPUs, so that systems are split alike.
  static int block_rows() {
    if constexpr (is_host_space<typename T::exec_space>) return detail::SyncFreeTuning::fused_host_block_rows;
    else return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
  }

  void choose_threshold(typename T::exec_space const& exec, int asked) {
    threshold_ = asked > 0 ? asked : detail::trained_threshold(detail::fused_device(exec));
    source_ = asked > 0 ? "asked for" : "trained";
    if (threshold_ > 0) return;
    threshold_ = block_rows() / 2;
    source_ = "this device is not trained: half a warp";
  }

  detail::LaunchShape choose_launch(typename T::exec_space const& exec) const {
    detail::LaunchShape shape;
    long long const n = values_.rows().num_rows, units = units_.count;
    if constexpr (is_host_space<typename T::exec_space>) {
      shape.rows_per_ticket =
          static_cast<int>(std::max(1LL, detail::host_rows_per_ticket<T>(exec, n) * units / std::max(1LL, n)));
    } else {
      shape.lanes = Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
      shape.threads = detail::SyncFreeTuning::fused_team_warps;
    }
    shape.teams = detail::number_of_teams<T>(exec, units, shape);
    return shape;
  }

  bool ascending_, poll_all_missing_;
  int threshold_ = 0;
  char const* source_ = "";
  detail::RowValues<T> values_;
  mutable detail::Tickets<T> tickets_;
  mutable detail::SolvedValues<T> solved_;
  detail::FusedUnits<T> units_;
  detail::LaunchShape launch_;
};

}  // namespace sptrsv
