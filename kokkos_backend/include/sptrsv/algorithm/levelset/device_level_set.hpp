// SPDX-License-Identifier: Apache-2.0
// `levelset` on a GPU: launches of the kernels in level_kernels.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sptrsv/algorithm/levelset/level_kernels.hpp"
#include "sptrsv/algorithm/levelset/levelset_options.hpp"
#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv::detail {

/// `levelset` on a GPU.
template <class T>
class DeviceLevelSet : public LevelSetDescription {
 public:
  using types = T;
  using index = typename T::index;

  DeviceLevelSet(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : diagonal_(analysis.shape().diagonal),
        wide_rows_(static_cast<index>(options.wide_rows > 0 ? options.wide_rows : Tuning::wide_rows)),
        lanes_(options.lanes_per_row > 0 ? std::min(options.lanes_per_row, warp())
                                         : lanes_per_row(analysis.mean_row(), warp())),
        wave_teams_(options.wave_teams),
        tickets_(exec),
        solved_(exec, analysis.num_rows()) {
    analysis.rows(exec);  // before the levels, which are then found by a sweep over these rows
    auto const& sets = analysis.levels(exec, options.analysis);
    order_ = order_rows<T>(exec, analysis, sets.level_rows);
    renumber_columns<T>(exec, analysis.workspace(), order_);
    auto plan =
        plan_levels<index>(sets.level_ptr, wide_rows_, rows_per_slice(), static_cast<index>(Tuning::narrow_slices));
    cut_into_pieces(plan, static_cast<index>(piece_rows));
    launches_ = plan.launches;
    std::size_t const slices = plan.slice_ptr.size();
    plan.slice_ptr.insert(plan.slice_ptr.end(), plan.piece_ptr.begin(), plan.piece_ptr.end());
    plan_ = copy_to_device<T>(exec, "sptrsv::level_set::plan", plan.slice_ptr);
    slice_ptr_ = Kokkos::subview(plan_, std::make_pair(std::size_t(0), slices));
    piece_ptr_ = Kokkos::subview(plan_, std::make_pair(slices, plan.slice_ptr.size()));
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    fill_values<T>(exec, analysis, values, order_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    for_column_blocks<typename T::exec_space>(static_cast<int>(b.extent(1)), [&](auto, ColumnBlock const& columns) {
      int const lanes = std::min(lanes_ * columns.lanes(), warp());
      auto const slots = solved_.template begin<1>(exec, columns);
      order_.values.with_array([&](auto const& array) {
        using stored = typename std::decay_t<decltype(array)>::value_type;
        solve_pass(exec,
                   LevelRow<T, stored>{order_, {b, x, permute_scale, columns.first}, slots, columns, diagonal_, lanes});
      });
    });
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    auto const of = [&](auto kind) {
      return std::to_string(
          std::count_if(launches_.begin(), launches_.end(), [=](auto const& l) { return l.kind == kind; }));
    };
    return plural(launches_.size(), "kernel") + ", " + of(Launch::many_levels) + " for many levels of " +
           (wide_rows_ == std::numeric_limits<index>::max() ? "any size" : "up to " + plural(wide_rows_, "row")) +
           ", " + of(Launch::one_team) + " by one team, " + plural(lanes_, "lane") + " per row" +
           (order_.values.rounds() ? ", values in single precision" : "");
  }
  void reserve(typename T::exec_space const& exec, int columns) { solved_.reserve(exec, columns); }
  std::size_t memory_bytes() const {
    return order_.memory_bytes() + plan_.span() * sizeof(index) + solved_.memory_bytes();
  }

 private:
  using Launch = LevelLaunch<index>;
  using Tuning = LevelSetTuning;
  /// Number of rows that half of the one-team kernel's ring buffer holds.
  static constexpr int piece_rows =
      static_cast<int>(Tuning::one_team_half_bytes / (sizeof(typename T::scalar) * Tuning::one_team_columns));
  static int warp() { return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(); }
  index rows_per_slice() const { return static_cast<index>(warp() / lanes_); }

  template <class Stored>
  void solve_pass(typename T::exec_space const& exec, LevelRow<T, Stored> const& row) const {
    int const rows_per_warp = warp() / row.lanes;
    int step_bits = 0;  // a slice takes 2^step_bits steps
    while (rows_per_warp << step_bits < static_cast<int>(rows_per_slice())) ++step_bits;
    for (Launch const& launch : launches_) {
      index const count = launch.last - launch.first;
      bool const read_later = &launch != &launches_.back();
      if (launch.kind == Launch::one_level && row.columns.lanes() >= Tuning::staged_columns) {
        using Kernel = LevelKernelColumns<T, Stored>;
        int const threads = Tuning::staged_team_warps * rows_per_warp, rows = std::max(threads, warp());
        Kokkos::parallel_for(
            "sptrsv::level_set::solve_columns",
            wide_set_policy(exec, count, rows, threads, row.lanes, Kernel::scratch_bytes(rows, row.columns)),
            Kernel{row, launch.first, launch.last, rows, read_later});
      } else if (launch.kind == Launch::one_level) {
        int const rows = Tuning::wide_team_warps * rows_per_warp;
        Kokkos::parallel_for("sptrsv::level_set::solve", wide_set_policy(exec, count, rows, rows, row.lanes),
                             LevelKernel<T, Stored>{row, launch.first, launch.last, rows, read_later});
      } else if (launch.kind == Launch::one_team && row.columns.lanes() <= Tuning::one_team_columns) {
        using Kernel = OneTeamKernel<T, Stored>;
        Kokkos::parallel_for("sptrsv::level_set::solve_one_team",
                             team_policy(exec, 1, Tuning::one_team_warps * rows_per_warp, row.lanes,
                                         Kernel::scratch_bytes(piece_rows, row.columns.lanes())),
                             Kernel{row, slice_ptr_, piece_ptr_, launch.first_piece, launch.last_piece, rows_per_warp,
                                    step_bits, piece_rows});
      } else {
        index const most_slices = std::numeric_limits<index>::max() >> step_bits;  // an index counts the tickets
        for (index slice = launch.first_slice, slices = 0; slice < launch.last_slice; slice += slices) {
          slices = std::min(static_cast<index>(launch.last_slice - slice), most_slices);
          for_each_ticket<T>("sptrsv::level_set::solve_shared", exec, tickets_,
                             shared_kernel_shape(exec, launch, row.lanes, 1 << step_bits), slices << step_bits,
                             SharedKernel<T, Stored>{row, slice_ptr_, slice, step_bits});
        }
      }
    }
  }
  /// Returns a launch shape with enough teams, of one warp each, for a few levels: more teams would only poll.
  LaunchShape shared_kernel_shape(typename T::exec_space const& exec, Launch const& launch, int lanes,
                                  int steps) const {
    double const tickets = double(launch.last_slice - launch.first_slice) * steps;
    double const resident = exec.concurrency() / double(warp());
    double const share = lanes_ > 1 ? GpuTuning::most_of_resident : Tuning::most_of_resident;
    double const teams =
        wave_teams_ > 0 ? wave_teams_ : teams_of_many_levels(tickets, double(launch.levels), resident, share);
    return {static_cast<int>(std::min(teams, tickets)), warp() / lanes, lanes, 1};
  }

  Diagonal diagonal_;
  OrderedRows<T> order_;
  std::vector<Launch> launches_;
  index wide_rows_;
  int lanes_, wave_teams_;
  Kokkos::View<const index*, typename T::device> plan_, slice_ptr_, piece_ptr_;
  mutable Tickets<T> tickets_;
  mutable SolvedValues<T> solved_;
};

}  // namespace sptrsv::detail
