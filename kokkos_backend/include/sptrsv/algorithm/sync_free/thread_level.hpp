// SPDX-License-Identifier: Apache-2.0
// Capellini: one thread per row on the plain CSR arrays, in natural order, almost without analysis.
#pragma once

#include "sptrsv/algorithm/sync_free/in_row_order.hpp"
#include "sptrsv/triangle/level_sets.hpp"

namespace sptrsv {

/// Solver with a thread per row. Bitwise reproducible: a row is summed in its stored order.
/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithms 4 (two-phase) and 5 (writing first). Differences:
/// Threads take rows by ticket. The second phase loops until it is done instead of once per lane of a warp, which would
/// need lock-step warps. The sentinel in the slot of a value is its flag.
template <class T>
class ThreadLevel : public detail::InRowOrder<T> {
 public:
  static constexpr std::string_view name = "threadlevel";
  static constexpr char const* summary = "a thread per row on plain CSR, no analysis";
  static constexpr auto model =
      features_of({{"rows"}, {"thread_window"}, {"level_entries"}, {"longest_row"}, {"late_longest"}});
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
      : detail::InRowOrder<T>(exec, analysis), two_phase_(options.form == Form::two_phase) {
    this->launch_ = detail::thread_per_row_shape<T>(exec, analysis.num_rows(), options.rows_per_ticket);
    if constexpr (!is_host_space<typename T::exec_space>) check_team_size(exec);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    auto const n = this->values_.rows().num_rows;
    this->for_passes(exec, b, x, permute_scale, [&](auto, auto const&, auto thread) {
      thread.two_phase = two_phase_;
      detail::for_each_ticket<T>("sptrsv::thread_level::solve", exec, this->tickets_,
                                 detail::with_column_lanes<T>(exec, this->launch_, n, thread.columns), n, thread);
    });
  }

  std::string parameters() const { return (two_phase_ ? "two-phase, " : "writing-first, ") + this->launch_text("row"); }

  // public because nvcc instantiates the kernel here
  /// Checks that the kernel's registers allow a team with a thread for each row of a ticket.
  void check_team_size(typename T::exec_space const& exec) const {
    detail::RowIO<T> const io({}, {}, {}, 0);
    int const most = detail::most_threads_per_team<T>(
        exec, detail::ThreadPerRow<T, 1>{{}, {}, io, {}, {}, /*ascending=*/true, /*two_phase=*/false, false});
    if (this->launch_.threads > most)
      throw InvalidOption("option threadlevel_rows_per_ticket is " + std::to_string(this->launch_.threads) +
                          ", but on this device a team of this kernel has at most " + std::to_string(most) +
                          " threads, one for each row; give at most " + std::to_string(most) + ", or 0");
  }

 private:
  bool two_phase_;
};

}  // namespace sptrsv
