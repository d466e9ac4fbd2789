// SPDX-License-Identifier: Apache-2.0
// Blocks of rows, each solved by one team: most dependencies stay within a team's scratch memory.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sptrsv/algorithm/blocked/block_columns.hpp"
#include "sptrsv/algorithm/blocked/block_estimate.hpp"
#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/block_kernel.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/algorithm/blocked/host_blocks.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv {

/// Solver by blocks of rows, each in one team: a dependency in scratch memory takes a third of the time of one through
/// global memory. Blocks never wait for later blocks, since they are ranges of numbers that do not decrease along a
/// dependency: strips of successive levels, or boxes of a matrix numbered like a grid. See docs/blocks.md. Bitwise
/// reproducible.
template <class T>
class Blocked {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "blocked";
  static constexpr char const* summary = "a team per block of rows, in scratch memory";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true,
                                             /*single_storage=*/true};
  enum class Cut { automatic, strips, boxes };
  struct Options {
    Cut shape = Cut::automatic;
    int levels = 0;
    int rows = 0;
    int side0 = 0, side1 = 0, side2 = 0;
    int computing_warps = 0, fetching_warps = 0;
    int teams = 0;
    template <class V>
    void visit(V& v) {
      v.choice("shape", shape, {"automatic", "strips", "boxes"}, "strips of levels, or boxes of a grid");
      v.integer("levels", levels, 0, INT_MAX, "levels of a strip; 0: chosen");
      v.integer("rows", rows, 0, INT_MAX, "rows of a block at most; 0: chosen");
      v.integer("side0", side0, 0, INT_MAX, "rows of a box in the direction of the shortest distances; 0: chosen");
      v.integer("side1", side1, 0, INT_MAX, "rows of a box in the second direction; 0: chosen");
      v.integer("side2", side2, 0, INT_MAX, "rows of a box in the third direction; 0: chosen");
      v.integer("computing_warps", computing_warps, 0, 8, "GPU: warps of a team that solve rows; 0: chosen");
      v.integer("fetching_warps", fetching_warps, 0, 8, "GPU: warps that fetch what other blocks solve; 0: chosen");
      v.integer("teams", teams, 0, INT_MAX, "GPU: teams at once; 0: chosen");
    }
  };

  Blocked(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : shape_(analysis.shape()), rows_(analysis.rows(exec)), tickets_(exec) {
    if (analysis.num_rows() == 0) return;
    detail::require_counted<unsigned>("rows", static_cast<unsigned long long>(analysis.num_rows()),
                                      "numbers in blocks");
    if constexpr (host) cut_for_host(exec, analysis, options);
    else cut_for_gpu(exec, analysis, options);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    if constexpr (host) detail::fill_host_blocks(exec, host_, rows_, analysis.numbers(values, values), shape_);
    else if (plan_.num_blocks > 0) fill_values(exec, analysis.numbers(values, values));
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    int const columns = static_cast<int>(b.extent(1));
    if constexpr (host) {
      for (int c = 0; c < columns; ++c)
        detail::for_each_ticket<T>("sptrsv::blocked::solve", exec, tickets_, {teams_, 1, 1, 1}, host_.num_blocks,
                                   detail::SolveHostBlocks<T>{host_, {b, x, fold, c}, shape_.diagonal, ++solves_});
    } else if (plan_.num_blocks > 0) {
      for (int first = 0; first < columns; first += Tuning::columns_per_pass) {
        detail::ColumnBlock block{first, std::min(columns - first, Tuning::columns_per_pass), 0};
        while (block.lanes() < block.count) ++block.bits;
        detail::BlockData<T> const data{
            plan_, values_, pivot_, {b, x, fold, first}, solved_.template begin<1>(exec, block), shape_.diagonal};
        with_kernel(data, block.count, [&](auto const& kernel) {
          Kokkos::parallel_for("sptrsv::blocked::solve", policy(exec, teams_ * block.count, team_threads()), kernel);
        });
      }
    }
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
    if constexpr (host) Kokkos::deep_copy(exec, host_.done, 0u);
    solves_ = 0;
  }

  /// Tells whether the planner considers `blocked`: on a host with several threads; on a GPU unless many long rows are
  /// blocks of their own, since all rows that need one wait for its team.
  static bool worth_planning(typename T::exec_space const& exec, Analysis<T> const& analysis) {
    if constexpr (host) return detail::concurrent_threads(exec) > 1;
    else return detail::count_long_rows<T>(exec, analysis) * Tuning::rows_per_long_row <= analysis.num_rows();
  }

  std::string parameters() const {
    if constexpr (host)
      return detail::plural(host_.num_blocks, "block") + " (" + cut_ + ") in " +
             detail::plural(host_.num_steps, "step") + ", " + detail::plural(host_.need.extent(0), "wait") +
             " for a block" + (host_.values.rounds() ? ", values in single precision" : "");
    std::string out = detail::plural(plan_.num_blocks, "block") + " (" + cut_ + "), " +
                      detail::plural(plan_.slice_chunks.extent(0), "slice");
    if (plan_.long_rows > 0) out += ", " + detail::plural(plan_.long_rows, "long row");
    return out + ", " + detail::plural(plan_.shape.lanes, "lane") + " per row, " + detail::plural(teams_, "team") +
           " of " + std::to_string(computing_warps_) + " + " + detail::plural(fetching_warps_, "warp") + ", " +
           std::to_string(plan_.scratch_bytes) + " bytes of scratch memory" +
           (values_.rounds() ? ", values in single precision" : "");
  }
  void reserve(typename T::exec_space const& exec, int columns) {
    if constexpr (!host) solved_.reserve(exec, std::min(columns, Tuning::columns_per_pass));
  }
  std::size_t memory_bytes() const { return memory_.bytes() + solved_.memory_bytes() + host_.memory_bytes(); }

  // public because nvcc allows no lambda in a private member
  void fill_values(typename T::exec_space const& exec, TriangleValues<T> const& numbers) {
    using offset = typename T::offset;
    auto const plan = plan_;
    auto const rows = rows_;
    auto const values = values_;
    auto const pivot = pivot_;
    auto const entry = KOKKOS_LAMBDA(offset k) {
      return detail::conjugate_if(numbers.all(rows.source_of(k)), numbers.conj);
    };
    auto const per_slice = static_cast<std::uint64_t>(plan.shape.rows_per_slice);
    values.begin(exec);
    Kokkos::parallel_for(
        "sptrsv::blocked::update",
        detail::with_arguments_in_launch(Kokkos::RangePolicy<typename T::exec_space, std::uint64_t>(
            exec, 0, plan.slice_chunks.extent(0) * per_slice)),
        KOKKOS_LAMBDA(std::uint64_t t) {
          auto const slice = static_cast<index>(t / per_slice);
          index const p = plan.slice_row(slice) + static_cast<index>(t % per_slice);
          if (p >= plan.slice_row(slice + 1)) return;
          index const i = plan.row(p);
          if (pivot.extent(0) > 0) pivot(p) = numbers.pivot(i);
          if (plan.slice_chunks(slice) == 0) return;
          auto const place = detail::entry_place(plan, slice, p);
          std::uint64_t const base = plan.slice_pack(slice) * static_cast<std::uint64_t>(plan.shape.entries);
          offset const count = rows.count(i);
          offset k = rows.first(i);
          for (offset e = 0; e < count; ++e, k += rows.step()) values.set(base + place.value(e), entry(k));
        });
    if (plan.long_rows > 0) fill_long_rows(exec, entry);
    detail::require_stored<T>(exec, values, rows, numbers, shape_);
  }
  template <class Entry>
  void fill_long_rows(typename T::exec_space const& exec, Entry const& entry) {
    using offset = typename T::offset;
    auto const plan = plan_;
    auto const rows = rows_;
    auto const values = values_;
    using teams = Kokkos::TeamPolicy<typename T::exec_space>;
    Kokkos::parallel_for(
        "sptrsv::blocked::update_long",
        detail::team_policy(exec, static_cast<int>(plan.long_rows), Tuning::analysis_threads, 1),
        KOKKOS_LAMBDA(typename teams::member_type const& team) {
          index const slice = plan.long_slice(team.league_rank()), i = plan.row(plan.slice_row(slice));
          std::uint64_t const base = plan.slice_pack(slice) * static_cast<std::uint64_t>(plan.shape.entries);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows.count(i)), [&](offset e) {
            values.set(base + static_cast<std::uint64_t>(e), entry(rows.first(i) + e * rows.step()));
          });
        });
  }

 private:
  static constexpr bool host = detail::runs_inline<typename T::exec_space>;
  using Tuning = detail::BlockedTuning;

  void cut_for_gpu(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    plan(exec, analysis, options);
    solved_ = decltype(solved_)(exec, analysis.num_rows());
    choose_warps(exec, analysis, options);
    long long const threads = exec.concurrency();
    teams_ = options.teams > 0 ? options.teams : static_cast<int>(std::max(1LL, threads / Tuning::threads_per_team));
    teams_ = static_cast<int>(std::min<long long>({teams_, plan_.num_blocks, INT_MAX / Tuning::columns_per_pass}));
  }

  void cut_for_host(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    long long const threads = detail::concurrent_threads(exec);
    auto const rows = static_cast<std::size_t>(
        options.rows > 0 ? options.rows : detail::host_block_rows(analysis.num_rows(), threads));
    typename detail::Workspace<T>::Scope const of_groups(analysis.workspace());
    auto const groups = group(exec, analysis, options, static_cast<double>(rows));
    host_ = detail::cut_host_blocks<T>(exec, rows_, shape_.diagonal, analysis.storage(), groups, rows);
    teams_ = static_cast<int>(std::min<long long>(threads, host_.num_blocks));
  }

  void plan(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    int const warp = Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
    auto const shape = detail::row_shape<T>(exec, analysis, warp);
    auto const& sets = analysis.levels(exec);
    std::size_t const most_rows = options.rows > 0 ? static_cast<std::size_t>(options.rows) : Tuning::block_rows;
    std::size_t bytes = detail::bytes_to_cut_for();
    auto const groups = group(exec, analysis, options, detail::rows_that_fit<T>(shape, analysis.mean_row(), most_rows));
    // of a plan, until its size is known
    detail::Workspace<T> of_plan(Tuning::plan_row_bytes * static_cast<std::size_t>(analysis.num_rows()) +
                                 Tuning::plan_entry_bytes * static_cast<std::size_t>(analysis.num_off_diagonals()));
    detail::BlockCutter<T> cutter(exec, analysis, sets, shape, of_plan);
    while (true) {  // cut again for less memory if blocks need more outer values than estimated
      typename detail::Workspace<T>::Scope const of_one_cut(analysis.workspace()), of_its_plan(of_plan);
      plan_ = cutter.cut(groups, bytes, most_rows);
      detail::number_columns<T>(exec, analysis.workspace(), of_plan, rows_, plan_, cutter.slice_of());
      bytes = bytes * 3 / 4;
      if (plan_.scratch_bytes > Tuning::scratch_bytes) continue;
      keep(exec, analysis.storage());
      break;
    }
    of_plan.clear(exec);
    if (shape.entries == 2 && plan_.most_chunks > 1)  // the kernel for packs of two reads no second chunk
      throw std::logic_error("sptrsv: blocked has cut packs of two for rows of more entries");
  }

  /// Allocates the arrays that solves need, and copies the plan there.
  void keep(typename T::exec_space const& exec, Storage storage) {
    using scalar = typename T::scalar;
    std::size_t const slots = plan_.col_idx.extent(0),
                      pivots = shape_.diagonal == Diagonal::unit ? 0 : plan_.row.extent(0);
    detail::StoredLayout<T> const values(memory_, storage, slots);
    std::size_t const pivot = memory_.template append<scalar>(pivots);
    std::vector<std::size_t> at;
    plan_.for_arrays([&](auto const& array) {
      using value = typename std::remove_reference_t<decltype(array)>::value_type;
      at.push_back(memory_.template append<value>(array.extent(0)));
    });
    memory_.allocate("sptrsv::blocked::plan");
    auto next = at.begin();
    plan_.for_arrays([&](auto& array) {
      using value = typename std::remove_reference_t<decltype(array)>::value_type;
      auto const to = memory_.template view<value>(*next++, array.extent(0));
      Kokkos::deep_copy(exec, to, array);
      array = to;
    });
    plan_.position = {};
    values_ = values.view(memory_);
    pivot_ = memory_.template view<scalar>(pivot, pivots);
    values_.with_array([&](auto const& array) { Kokkos::deep_copy(exec, array, 0); });  // padding stays zero
  }

  detail::RowGroups<T> group(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options,
                             double rows) {
    auto const groups = detail::take_groups<T>(analysis);
    if (options.shape != Cut::strips) {
      auto const& directions = analysis.directions(exec);
      typename detail::Workspace<T>::Scope const of_depths(analysis.workspace());
      if (directions.count() >= 2 || options.shape == Cut::boxes) {
        auto const depths = detail::find_depths<T>(exec, analysis);
        std::array<int, 3> const asked{options.side0, options.side1, options.side2};
        auto const sides = detail::sides_of_boxes(depths.extent, rows, asked);
        bool const any = detail::group_by_boxes<T>(exec, analysis, depths, sides, groups);
        double filled = static_cast<double>(analysis.num_rows());
        for (int d = 0; d < directions.count(); ++d) filled /= sides[d];
        if (any && (options.shape == Cut::boxes ||
                    static_cast<double>(detail::count_groups<T>(exec, groups)) <= Tuning::most_boxes * filled + 1)) {
          cut_ = "boxes of " + std::to_string(sides[0]);
          for (int d = 1; d < directions.count(); ++d) cut_ += " x " + std::to_string(sides[d]);
          return groups;
        }
      }
    }
    auto const& sets = analysis.levels(exec);
    int const levels = options.levels > 0 ? options.levels : detail::levels_of_strip(rows, sets.mean_rows());
    cut_ = "strips of " + detail::plural(levels, "level");
    detail::group_by_strips<T>(exec, analysis, sets, levels, groups);
    return groups;
  }

  auto policy(typename T::exec_space const& exec, int teams, int threads) const {
    return detail::team_policy(exec, teams, threads, plan_.shape.lanes, plan_.scratch_bytes);
  }
  int team_threads() const { return plan_.shape.rows_per_slice * (computing_warps_ + fetching_warps_); }

  /// Calls f with the kernel compiled for this shape of rows.
  template <class F>
  void with_kernel(detail::BlockData<T> const& data, int columns, F const& f) const {
    auto const make = [&](auto entries, auto one_lane, auto one_chunk) {
      values_.with_array([&](auto const& array) {
        using stored = typename std::decay_t<decltype(array)>::value_type;
        f(detail::BlockOnDevice<T, stored, decltype(entries)::value, decltype(one_lane)::value,
                                decltype(one_chunk)::value>{data, tickets_, columns > 0 ? tickets_.next_counter() : 0,
                                                            plan_.shape.rows_per_slice, computing_warps_,
                                                            fetching_warps_, columns});
      });
    };
    using two = std::integral_constant<int, 2>;
    using four = std::integral_constant<int, 4>;
    if (plan_.shape.entries == 2) make(two{}, std::true_type{}, std::true_type{});
    else if (plan_.most_chunks > 1) make(four{}, std::false_type{}, std::false_type{});
    else if (plan_.shape.lanes > 1) make(four{}, std::false_type{}, std::true_type{});
    else make(four{}, std::true_type{}, std::true_type{});
  }
  /// Chooses the numbers of warps; fewer if the team does not fit, since complex numbers need many registers.
  void choose_warps(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    auto const entries = static_cast<double>(analysis.num_off_diagonals());
    bool const fetches = static_cast<double>(plan_.outer.extent(0)) > Tuning::many_outers * entries &&
                         analysis.levels(exec).num_levels() > Tuning::many_levels;
    bool const many = fetches || static_cast<double>(analysis.longest_row_of_op(exec)) > Tuning::large_row * entries;
    computing_warps_ = options.computing_warps > 0 ? options.computing_warps
                       : many                      ? Tuning::most_warps
                                                   : Tuning::warps;
    fetching_warps_ = options.fetching_warps > 0 ? options.fetching_warps : computing_warps_;
    typename T::rhs const b;
    typename T::solution const x;
    Fold<T> const fold{};
    detail::BlockData<T> const data{plan_, values_, pivot_, {b, x, fold, 0}, {}, shape_.diagonal};
    int most = 0;
    with_kernel(data, 0, [&](auto const& kernel) {
      most = policy(exec, 1, 1).team_size_max(kernel, Kokkos::ParallelForTag()) / plan_.shape.rows_per_slice;
    });
    while (computing_warps_ + fetching_warps_ > std::max(2, most))
      --(computing_warps_ > fetching_warps_ ? computing_warps_ : fetching_warps_);
  }

  Shape shape_;
  OffDiagonals<T> rows_;
  detail::HostBlocks<T> host_;     // on a host
  detail::JointMemory<T> memory_;  // GPU: of all members below except solved_
  detail::BlockPlan<T> plan_;
  std::string cut_;
  detail::StoredValues<T> values_;
  Kokkos::View<typename T::scalar*, typename T::device> pivot_;
  int computing_warps_ = 1, fetching_warps_ = 1, teams_ = 1;
  mutable detail::Tickets<T> tickets_;
  mutable detail::SolvedValues<T> solved_;
  mutable unsigned solves_ = 0;  // on a host
};

}  // namespace sptrsv
