// SPDX-License-Identifier: Apache-2.0
// Capellini: one thread per row on the plain CSR arrays, in natural order, almost without analysis.
#pragma once

#include <string>
#include <string_view>

#include "sptrsv/algorithm/sync_free/sync_free_tuning.hpp"
#include "sptrsv/algorithm/sync_free/thread_per_row.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

/// Solver with a thread per row. Bitwise reproducible: a row is summed in its stored order.
/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithms 4 (two-phase) and 5 (writing first). Differs in that
/// rows are taken by ticket, that the second phase loops until done instead of warp-size times (which needs lock-step
/// warps), and that a sentinel in the slot of a value is its flag.
template <class T>
class ThreadLevel {
 public:
  using types = T;
  static constexpr std::string_view name = "threadlevel";
  static constexpr char const* summary = "a thread per row on plain CSR, no analysis";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  enum class Form { writing_first, two_phase };
  struct Options {
    Form form = Form::writing_first;
    int rows_per_ticket = 0;
    template <class V>
    void visit(V& v) {
      v.choice("form", form, {"writing_first", "two_phase"}, "wait for nothing, or for earlier teams first");
      v.integer("rows_per_ticket", rows_per_ticket, 0, 1024, "rows a team takes at a time; 0: chosen");
    }
  };

  ThreadLevel(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : options_(options),
        ascending_(analysis.shape().ascending()),
        poll_all_missing_(analysis.mean_row() > detail::SyncFreeTuning::poll_all_from),
        values_(exec, analysis.rows(exec)),
        tickets_(exec),
        launch_(detail::thread_per_row_shape<T>(exec, analysis.num_rows(), options.rows_per_ticket)),
        solved_(exec, analysis.num_rows()) {
    if constexpr (!is_host_space<typename T::exec_space>) check_team_size(exec);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks<typename T::exec_space>(
        static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
          constexpr int K = decltype(width)::value;
          detail::for_each_ticket<T>("sptrsv::thread_level::solve", exec, tickets_,
                                     detail::with_column_lanes<T>(exec, launch_, values_.rows().num_rows, columns),
                                     values_.rows().num_rows,
                                     detail::ThreadPerRow<T, K>{values_.rows(),
                                                                values_.numbers(),
                                                                {b, x, fold, columns.first},
                                                                solved_.template begin<K>(exec, columns),
                                                                columns,
                                                                ascending_,
                                                                options_.form == Form::two_phase,
                                                                poll_all_missing_});
        });
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    return std::string(options_.form == Form::two_phase ? "two-phase" : "writing-first") + ", " +
           detail::plural(launch_.rows_per_ticket, "row") + " per ticket, " + detail::plural(launch_.teams, "team") +
           " of " + std::to_string(launch_.threads);
  }
  std::size_t memory_bytes() const { return values_.memory_bytes() + solved_.memory_bytes(); }
  void reserve(typename T::exec_space const& exec, int columns) { solved_.reserve(exec, columns); }

  // public because nvcc instantiates the kernel here
  /// Checks that the kernel's registers allow a team with a thread for each row of a ticket.
  void check_team_size(typename T::exec_space const& exec) const {
    using body = detail::ThreadPerRow<T, 1>;
    detail::RowIO<T> const io({}, {}, {}, 0);
    int const most = detail::most_threads_per_team<T>(
        exec, body{values_.rows(), values_.numbers(), io, {}, {}, ascending_, false, poll_all_missing_});
    if (launch_.threads > most)
      throw InvalidOption("option threadlevel_rows_per_ticket is " + std::to_string(launch_.threads) +
                          ", but on this device a team of this kernel has at most " + std::to_string(most) +
                          " threads, one for each row; give at most " + std::to_string(most) + ", or 0");
  }

 private:
  Options options_;
  bool ascending_, poll_all_missing_;
  detail::RowValues<T> values_;
  mutable detail::Tickets<T> tickets_;
  detail::LaunchShape launch_;
  mutable detail::SolvedValues<T> solved_;
};

}  // namespace sptrsv
