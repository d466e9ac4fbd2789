// SPDX-License-Identifier: Apache-2.0
// Level-set solve: rows stored level by level; a kernel per wide level, several narrower levels per kernel.
#pragma once

#include <climits>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sptrsv/algorithm/levelset/level_kernels.hpp"
#include "sptrsv/algorithm/levelset/level_order.hpp"
#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

/// Solver by level sets. Bitwise reproducible.
/// Source: M. Naumov, NVR-2011-001, algorithms 1 and 2. Differs in that rows are copied in level order, on a host by
/// length within a level; that the analysis of an untransposed solve is a sweep by default (option analysis); and that
/// levels share a kernel by their number of rows, not by the launch configuration that they need.
template <class T>
class LevelSet {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "levelset";
  static constexpr char const* summary = "rows by level, a kernel per wide level, short levels chained";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true,
                                             /*single_storage=*/true};
  struct Options {
    LevelMethod analysis = LevelMethod::automatic;
    int wide_rows = 0;
    int wave_teams = 0;
    int lanes_per_row = 0;
    template <class V>
    void visit(V& v) {
      v.choice("analysis", analysis, {"automatic", "sweep", "root_candidates"}, "how levels are found");
      v.integer("wide_rows", wide_rows, 0, INT_MAX,
                "a level of more rows has a kernel of its own, smaller ones share one; 0: chosen");
      v.renamed("chain_rows", "wide_rows");
      v.integer("wave_teams", wave_teams, 0, INT_MAX, "GPU: teams of a kernel that levels share; 0: chosen");
      v.renamed("chain_teams", "wave_teams");
      v.power_of_two("lanes_per_row", lanes_per_row, 64, "vector lanes per row on a GPU, a power of two; 0: chosen");
    }
  };

  LevelSet(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : shape_(analysis.shape()), rows_(analysis.rows(exec)) {
    auto const& sets = analysis.levels(exec, options.analysis);
    auto level_rows = sets.level_rows;
    if constexpr (host) level_rows = detail::rows_by_level_and_length<T>(exec, rows_, sets);
    order_ = detail::order_rows<T>(exec, analysis, level_rows);
    if constexpr (host) plan_for_host(exec, analysis, options, sets);
    else plan_for_device(exec, analysis, options, sets);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    detail::fill_values<T>(exec, rows_, analysis.numbers(values, values), shape_, order_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks<typename T::exec_space>(
        static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
          [[maybe_unused]] constexpr int K = decltype(width)::value;
          detail::RowIO<T> const io{b, x, fold, columns.first};
          if constexpr (host) {
            detail::with_access<host, K>(io, [&](auto access) { solve_on_host<K, decltype(access)::value>(exec, io); });
          } else {
            int const lanes = std::min(lanes_ * columns.lanes(), warp(exec));
            auto const slots = solved_.template begin<1>(exec, columns);
            order_.values.with_array([&](auto const& array) {
              using stored = typename std::decay_t<decltype(array)>::value_type;
              solve_on_device(exec, detail::LevelRow<T, stored>{order_, io, slots, columns, shape_.diagonal, lanes});
            });
          }
        });
  }

  void restart(typename T::exec_space const& exec) const {
    if (host) return;  // no state between solves
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    auto const of = [&](auto kind) {
      return std::count_if(launches_.begin(), launches_.end(), [=](auto const& l) { return l.kind == kind; });
    };
    std::string const all = detail::plural(launches_.size(), "kernel") + ", ";
    std::string const size =
        shared_rows_ == std::numeric_limits<index>::max() ? "any size" : "up to " + detail::plural(shared_rows_, "row");
    auto const one_team = of(Launch::one_team);
    std::string const share = one_team == 1 && launches_.size() == 1 ? "" : std::to_string(one_team) + " of them ";
    std::string const stored = order_.values.rounds() ? ", values in single precision" : "";
    if (host) return all + share + "by one thread for successive levels of " + size + stored;
    return all + std::to_string(of(Launch::many_levels)) + " for many levels of " + size + ", " +
           std::to_string(one_team) + " by one team, " + detail::plural(lanes_, "lane") + " per row" + stored;
  }
  void reserve(typename T::exec_space const& exec, int columns) {
    if (!host) solved_.reserve(exec, columns);
  }
  std::size_t memory_bytes() const {
    std::size_t const own_rows = host ? order_.row.span() * sizeof(index) : 0;
    return order_.memory_bytes() + own_rows + plan_.span() * sizeof(index) + solved_.memory_bytes();
  }

 private:
  static constexpr bool host = detail::runs_inline<typename T::exec_space>;

  using Launch = detail::LevelLaunch<index>;
  using Tuning = detail::LevelSetTuning;
  /// Number of rows that half of the one-team kernel's ring buffer holds.
  static constexpr int piece_rows =
      static_cast<int>(Tuning::one_team_half_bytes / (sizeof(typename T::scalar) * Tuning::one_team_columns));
  static int warp(typename T::exec_space const&) {
    return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
  }

  void plan_for_host(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options,
                     LevelSets<T> const& sets) {
    int const chosen =
        detail::HostCost(detail::host_speed(exec), double(analysis.num_rows()), analysis.mean_row()).chain_rows();
    shared_rows_ = static_cast<index>(options.wide_rows > 0 ? options.wide_rows : chosen);
    launches_ = detail::plan_levels<index>(sets.level_ptr, shared_rows_, analysis.num_rows(), 1).launches;
  }

  void plan_for_device(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options,
                       LevelSets<T> const& sets) {
    {
      auto& work = analysis.workspace();
      typename detail::Workspace<T>::Scope const scope(work);
      detail::columns_to_positions<T>(exec, order_, work.template take<index>(order_.row.extent(0)));
    }
    lanes_ = std::min(options.lanes_per_row, warp(exec));
    if (lanes_ == 0) lanes_ = detail::lanes_per_row(analysis.mean_row(), warp(exec));
    rows_per_slice_ = static_cast<index>(warp(exec) / lanes_);
    shared_rows_ = static_cast<index>(options.wide_rows > 0 ? options.wide_rows : Tuning::wide_rows);
    wave_teams_ = options.wave_teams;
    auto plan = detail::plan_levels<index>(sets.level_ptr, shared_rows_, rows_per_slice_,
                                           static_cast<index>(Tuning::narrow_slices));
    detail::cut_into_pieces(plan, static_cast<index>(piece_rows));
    launches_ = plan.launches;
    std::size_t const slices = plan.slice_ptr.size();
    plan.slice_ptr.insert(plan.slice_ptr.end(), plan.piece_ptr.begin(), plan.piece_ptr.end());
    plan_ =
        decltype(plan_)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::level_set::plan")),
                        plan.slice_ptr.size());
    tickets_ = detail::Tickets<T>(exec);
    solved_ = decltype(solved_)(exec, analysis.num_rows());
    Kokkos::deep_copy(exec, plan_,
                      Kokkos::View<index const*, Kokkos::HostSpace>(plan.slice_ptr.data(), plan.slice_ptr.size()));
    slice_ptr_ = Kokkos::subview(plan_, std::make_pair(std::size_t(0), slices));
    piece_ptr_ = Kokkos::subview(plan_, std::make_pair(slices, plan.slice_ptr.size()));
    exec.fence("sptrsv::level_set: the plan has been copied, and is freed on the host");
  }

  /// Solves levels that share a kernel by the calling thread, a wide level in equal parts by all threads.
  template <int K, detail::Access A>
  void solve_on_host(typename T::exec_space const& exec, detail::RowIO<T> const& io) const {
    for (Launch const& launch : launches_) {
      index const first = launch.first, last = launch.last;
      if (launch.kind != Launch::one_level) {
        detail::solve_positions<T, K, A>(order_, io, shape_.diagonal, first, last);
        continue;
      }
      auto const parts = static_cast<index>(detail::concurrent_threads(exec));
      auto const end_of = [=](index part) {
        return static_cast<index>(first + static_cast<long long>(last - first) * part / parts);
      };
      Kokkos::parallel_for(
          "sptrsv::level_set::solve", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, parts),
          [this, &io, &end_of](index part) {
            detail::solve_positions<T, K, A>(order_, io, shape_.diagonal, end_of(part), end_of(part + 1));
          });
    }
  }
  template <class Stored>
  void solve_on_device(typename T::exec_space const& exec, detail::LevelRow<T, Stored> const& row) const {
    int const rows_per_warp = warp(exec) / row.lanes;
    int step_bits = 0;  // a slice takes 2^step_bits steps
    while (rows_per_warp << step_bits < static_cast<int>(rows_per_slice_)) ++step_bits;
    for (Launch const& launch : launches_) {
      if (launch.kind == Launch::one_level && row.columns.lanes() >= Tuning::staged_columns) {
        using Kernel = detail::LevelKernelColumns<T, Stored>;
        int const threads = Tuning::staged_team_warps * rows_per_warp, rows = std::max(threads, warp(exec));
        auto const league = static_cast<int>((launch.last - launch.first + rows - 1) / rows);
        Kokkos::parallel_for(
            "sptrsv::level_set::solve_columns",
            detail::team_policy(exec, league, threads, row.lanes, Kernel::scratch_bytes(rows, row.columns)),
            Kernel{row, launch.first, launch.last, rows, &launch != &launches_.back()});
      } else if (launch.kind == Launch::one_level) {
        int const rows = Tuning::wide_team_warps * rows_per_warp;
        auto const league = static_cast<int>((launch.last - launch.first + rows - 1) / rows);
        Kokkos::parallel_for(
            "sptrsv::level_set::solve", detail::team_policy(exec, league, rows, row.lanes),
            detail::LevelKernel<T, Stored>{row, launch.first, launch.last, rows, &launch != &launches_.back()});
      } else if (launch.kind == Launch::one_team && row.columns.lanes() <= Tuning::one_team_columns) {
        using Kernel = detail::OneTeamKernel<T, Stored>;
        Kokkos::parallel_for("sptrsv::level_set::solve_one_team",
                             detail::team_policy(exec, 1, Tuning::one_team_warps * rows_per_warp, row.lanes,
                                                 Kernel::scratch_bytes(piece_rows, row.columns.lanes())),
                             Kernel{row, slice_ptr_, piece_ptr_, launch.first_piece, launch.last_piece, rows_per_warp,
                                    step_bits, piece_rows});
      } else {
        index const most_slices = std::numeric_limits<index>::max() >> step_bits;  // an index counts their tickets
        for (index slice = launch.first_slice, count = 0; slice < launch.last_slice; slice += count) {
          count = std::min(static_cast<index>(launch.last_slice - slice), most_slices);
          detail::for_each_ticket<T>("sptrsv::level_set::solve_shared", exec, tickets_,
                                     shared_kernel_shape(exec, launch, row.lanes, 1 << step_bits), count << step_bits,
                                     detail::SharedKernel<T, Stored>{row, slice_ptr_, slice, step_bits});
        }
      }
    }
  }
  /// Returns a launch shape with enough teams, of one warp each, for a few levels: more teams would only poll.
  detail::LaunchShape shared_kernel_shape(typename T::exec_space const& exec, Launch const& launch, int lanes,
                                          int steps) const {
    double const tickets = double(launch.last_slice - launch.first_slice) * steps;
    double const resident = exec.concurrency() / double(warp(exec));
    double const teams = wave_teams_ > 0 ? wave_teams_
                                         : detail::teams_of_many_levels(tickets, double(launch.levels), resident,
                                                                        lanes_ > 1 ? detail::GpuTuning::most_of_resident
                                                                                   : Tuning::most_of_resident);
    return {static_cast<int>(std::min(teams, tickets)), warp(exec) / lanes, lanes, 1};
  }

  Shape shape_;
  OffDiagonals<T> rows_;
  detail::LevelOrder<T> order_;
  std::vector<Launch> launches_;
  index shared_rows_ = 0, rows_per_slice_ = 1;
  int lanes_ = 1, wave_teams_ = 0;
  Kokkos::View<index*, typename T::device> plan_, slice_ptr_, piece_ptr_;
  mutable detail::Tickets<T> tickets_;
  mutable detail::SolvedValues<T> solved_;
};

}  // namespace sptrsv
