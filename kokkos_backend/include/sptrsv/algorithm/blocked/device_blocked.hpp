// SPDX-License-Identifier: Apache-2.0
// `blocked` on a GPU: a team per block of rows, in scratch memory.
#pragma once

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sptrsv/algorithm/blocked/block_columns.hpp"
#include "sptrsv/algorithm/blocked/block_estimate.hpp"
#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/block_kernel.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/algorithm/blocked/blocked_options.hpp"
#include "sptrsv/algorithm/blocked/blocked_tuning.hpp"
#include "sptrsv/algorithm/blocked/node_kernel.hpp"
#include "sptrsv/algorithm/blocked/node_values.hpp"
#include "sptrsv/device/joint_memory.hpp"
#include "sptrsv/device/team_launch.hpp"
#include "sptrsv/triangle/node_graph.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv::detail {

/// `blocked` on a GPU.
template <class T>
class DeviceBlocked : public BlockedModel {
 public:
  using types = T;
  using index = typename T::index;

  DeviceBlocked(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : shape_(analysis.shape()), rows_(analysis.rows(exec)), tickets_(exec) {
    if (analysis.num_rows() == 0) return;
    require_counted<unsigned>("rows", static_cast<unsigned long long>(analysis.num_rows()), "numbers in blocks");
    auto const& graph = graph_of(exec, analysis, options);
    plan(exec, graph, options);
    solved_ = decltype(solved_)(exec, analysis.num_rows());
    choose_warps(exec, graph, options);
    long long const threads = exec.concurrency();
    teams_ = options.teams > 0 ? options.teams : static_cast<int>(std::max(1LL, threads / Tuning::threads_per_team));
    teams_ = static_cast<int>(std::min<long long>({teams_, plan_.num_blocks, INT_MAX / Tuning::columns_per_pass}));
  }

  /// Returns the graph of nodes that a solver with default options has, or nullptr if it solves row by row.
  static Analysis<T> const* solved_graph(typename T::exec_space const& exec, Analysis<T> const& analysis) {
    auto const& graph = graph_of(exec, analysis, {});
    return &graph == &analysis ? nullptr : &graph;
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    if (plan_.num_blocks > 0) fill_values(exec, analysis.numbers(values, values));
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    if (plan_.num_blocks == 0) return;
    int const columns = static_cast<int>(b.extent(1));
    for (int first = 0; first < columns; first += Tuning::columns_per_pass) {
      ColumnBlock block{first, std::min(columns - first, Tuning::columns_per_pass), 0};
      while (block.lanes() < block.count) ++block.bits;
      BlockData<T> const data{
          plan_,          values_, pivot_, {b, x, permute_scale, first}, solved_.template begin<1>(exec, block),
          shape_.diagonal};
      with_kernel(data, block.count, [&](auto const& kernel) {
        constexpr int bound = most_threads_of<std::decay_t<decltype(kernel)>>;
        launch_teams<bound>("sptrsv::blocked::solve", exec, teams_ * block.count, team_threads(), lanes_,
                            plan_.scratch_bytes, kernel);
      });
    }
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    std::string out =
        plural(plan_.num_blocks, "block") + " (" + cut_ + "), " + plural(plan_.slice_chunks.extent(0), "slice");
    if (plan_.long_slice.extent(0) > 0) out += ", " + plural(plan_.long_slice.extent(0), "long row");
    if (unknowns() > 1) {
      out += ", nodes of " + plural(unknowns(), "row");
      auto const marked = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), substituted_);
      auto const count = std::count(marked.data(), marked.data() + marked.extent(0), 1);
      if (count > 0) out += " (" + std::to_string(count) + " by substitution)";
    }
    return out + ", " + plural(lanes_, "lane") + (unknowns() > 1 ? " per node, " : " per row, ") +
           (plan_.shape.late > 0 ? "with deferred entries, " : "") + plural(teams_, "team") + " of " +
           std::to_string(computing_warps_) + " + " + plural(fetching_warps_, "warp") + ", " +
           std::to_string(plan_.scratch_bytes) + " bytes of scratch memory" +
           (values_.rounds() ? ", values in single precision" : "");
  }
  void reserve(typename T::exec_space const& exec, int columns) {
    solved_.reserve(exec, std::min(columns, Tuning::columns_per_pass));
  }
  std::size_t memory_bytes() const { return memory_.bytes() + solved_.memory_bytes(); }

  // public because nvcc allows no lambda in a private member
  void fill_values(typename T::exec_space const& exec, TriangleValues<T> const& numbers) {
    using offset = typename T::offset;
    if (unknowns() > 1)
      return with_size([&](auto size) {
        constexpr int Size = decltype(size)::value;
        fill_nodes<T, Size>(
            exec,
            FillNodes<T, Size>{plan_, {rows_, Size, shape_.ascending()}, values_.full, pivot_, substituted_, numbers});
      });
    auto const plan = plan_;
    auto const rows = rows_;
    auto const values = values_;
    auto const pivot = pivot_;
    auto const entry = KOKKOS_LAMBDA(offset k) { return conjugate_if(numbers.all(rows.source_of(k)), numbers.conj); };
    auto const per_slice = static_cast<std::uint64_t>(plan.shape.rows_per_slice);
    values.begin(exec);
    Kokkos::parallel_for(
        "sptrsv::blocked::update",
        with_arguments_in_launch(range_of<std::uint64_t>(exec, plan.slice_chunks.extent(0) * per_slice)),
        KOKKOS_LAMBDA(std::uint64_t t) {
          auto const slice = static_cast<index>(t / per_slice);
          index const p = plan.slice_row(slice) + static_cast<index>(t % per_slice);
          if (p >= plan.slice_row(slice + 1)) return;
          index const i = plan.row(p);
          if (pivot.extent(0) > 0) pivot(p) = numbers.pivot(i);
          if (plan.slice_chunks(slice) == 0) return;
          auto const offsets = entry_offsets(plan, slice, p);
          std::uint64_t const base = plan.slice_pack(slice) * static_cast<std::uint64_t>(plan.shape.entries);
          offset const first = rows.first(i);
          plan.for_entries(p, rows.count(i), [&](offset e, offset number, bool is_deferred) {
            values.set(base + (is_deferred ? offsets.late(number) : offsets.value(number)),
                       entry(first + e * rows.step()));
          });
        });
    if (plan.long_slice.extent(0) > 0) fill_long_rows(exec, entry);
    require_stored<T>(exec, values, rows, numbers, shape_);
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
        team_policy(exec, static_cast<int>(plan.long_slice.extent(0)), Tuning::analysis_threads, 1),
        KOKKOS_LAMBDA(typename teams::member_type const& team) {
          index const slice = plan.long_slice(team.league_rank()), i = plan.row(plan.slice_row(slice));
          std::uint64_t const base = plan.slice_pack(slice) * static_cast<std::uint64_t>(plan.shape.entries);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows.count(i)), [&](offset e) {
            values.set(base + static_cast<std::uint64_t>(e), entry(rows.first(i) + e * rows.step()));
          });
        });
  }

 private:
  using Tuning = BlockedTuning;

  int unknowns() const { return plan_.shape.unknowns; }

  /// Returns the maximum bytes of scratch memory of a block.
  static std::size_t most_block_bytes(typename T::exec_space const& exec, Options const& options) {
    return static_cast<std::size_t>(
        options.scratch > 0 ? std::clamp(options.scratch, Tuning::least_scratch_bytes, most_launch_scratch(exec))
                            : scratch_of_two_teams(exec));
  }

  /// Returns the analysis of the nodes' graph, or that of the rows if they form no nodes that the kernel takes.
  static Analysis<T> const& graph_of(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                     Options const& options) {
    using scalar = typename T::scalar;
    if (options.nodes == 0 || (analysis.storage() != Storage::full && !is_single<scalar>)) return analysis;
    auto const& nodes = nodes_of<T>(exec, analysis, Tuning::node_sizes<scalar>);
    if (nodes.size == 1) return analysis;
    auto const longest = static_cast<std::size_t>(nodes.graph->longest_row(exec));
    auto const shape = row_shape<T>(exec, *nodes.graph, warp());
    bool const fits = longest <= static_cast<std::size_t>(Tuning::most_node_blocks) &&
                      block_scratch_bytes<T>(shape, static_cast<std::size_t>(shape.slots(longest)), 1, 1, longest) <=
                          most_block_bytes(exec, options);
    return fits ? *nodes.graph : analysis;
  }
  static int warp() { return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(); }

  void plan(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    auto const shape = row_shape<T>(exec, analysis, warp(), options.late != 0);
    lanes_ = warp() / shape.rows_per_slice;
    auto const& sets = analysis.levels(exec);
    std::size_t const most_rows = options.rows > 0 ? static_cast<std::size_t>(options.rows) : Tuning::block_rows;
    std::size_t const most_bytes = most_block_bytes(exec, options);
    std::size_t bytes = bytes_to_cut_for(most_bytes);
    auto const groups =
        group_rows<T>(exec, analysis, options, rows_that_fit<T>(shape, analysis.mean_row(), most_rows, most_bytes));
    cut_ = groups.shape;
    // holds the arrays of a plan until their sizes are known
    Workspace<T> of_plan(Tuning::plan_row_bytes * static_cast<std::size_t>(analysis.num_rows()) +
                         Tuning::plan_entry_bytes * static_cast<std::size_t>(analysis.num_off_diagonals()));
    BlockCutter<T> cutter(exec, analysis, sets, shape, of_plan);
    while (true) {  // cut again for less memory if blocks need more halo values than estimated
      typename Workspace<T>::Scope const of_one_cut(analysis.workspace()), of_its_plan(of_plan);
      plan_ = cutter.cut(groups, bytes, most_rows);
      number_columns<T>(exec, analysis.workspace(), of_plan, analysis.rows(exec), plan_, cutter.slice_of());
      bytes = bytes * 3 / 4;
      if (plan_.scratch_bytes > most_bytes) continue;
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
    auto const of_entry = unknowns() > 1 ? static_cast<std::size_t>(node_block_stride(unknowns())) : 1;
    bool const has_pivots = unknowns() > 1 || shape_.diagonal != Diagonal::unit;
    std::size_t const slots = plan_.col_idx.extent(0) * of_entry,
                      pivots = has_pivots ? plan_.row.extent(0) * static_cast<std::size_t>(plan_.shape.pivots()) : 0;
    StoredLayout<T> const values(memory_, storage, slots);
    std::size_t const pivot = memory_.template append<scalar>(pivots);
    std::size_t const nodes = unknowns() > 1 ? plan_.row.extent(0) : 0,
                      substituted = memory_.template append<std::uint8_t>(nodes);
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
    substituted_ = memory_.template view<std::uint8_t>(substituted, nodes);
    Kokkos::deep_copy(exec, substituted_, std::uint8_t(0));
    values_.with_array([&](auto const& array) { Kokkos::deep_copy(exec, array, 0); });  // padding stays zero
  }

  int team_threads() const { return plan_.shape.rows_per_slice * (computing_warps_ + fetching_warps_); }

  /// Calls f with the kernel compiled for this shape of rows.
  template <class F>
  void with_kernel(BlockData<T> const& data, int columns, F const& f) const {
    auto const make = [&](auto entries, auto one_lane, auto one_chunk) {
      values_.with_array([&](auto const& array) {
        using stored = typename std::decay_t<decltype(array)>::value_type;
        f(BlockOnDevice<T, stored, decltype(entries)::value, decltype(one_lane)::value, decltype(one_chunk)::value>{
            data, tickets_, columns > 0 ? tickets_.next_counter() : 0, plan_.shape.rows_per_slice, computing_warps_,
            fetching_warps_, columns});
      });
    };
    using two = std::integral_constant<int, 2>;
    using four = std::integral_constant<int, 4>;
    if (unknowns() > 1) return with_node_kernel(data, columns, f);
    if (plan_.shape.entries == 2) make(two{}, std::true_type{}, std::true_type{});
    else if (plan_.most_chunks > 1) make(four{}, std::false_type{}, std::false_type{});
    else if (plan_.shape.lanes > 1) make(four{}, std::false_type{}, std::true_type{});
    else make(four{}, std::true_type{}, std::true_type{});
  }
  template <class F>
  void with_node_kernel(BlockData<T> const& data, int columns, F const& f) const {
    with_size([&](auto size) {
      f(NodesOnDevice<T, decltype(size)::value>{data, tickets_, columns > 0 ? tickets_.next_counter() : 0,
                                                plan_.shape.rows_per_slice, lanes_, computing_warps_, fetching_warps_,
                                                columns, shape_.ascending(), substituted_});
    });
  }
  /// Calls f with the number of rows of a node as an integral constant.
  template <class F>
  void with_size(F const& f) const {
    auto const attempt = [&](auto size) {
      constexpr int rows = decltype(size)::value;
      if constexpr ((Tuning::node_sizes<typename T::scalar> >> rows & 1u) != 0)
        if (unknowns() == rows) f(size);
    };
    attempt(std::integral_constant<int, 2>{});
    attempt(std::integral_constant<int, 3>{});
    attempt(std::integral_constant<int, 4>{});
    attempt(std::integral_constant<int, 5>{});
  }
  /// Chooses the numbers of warps, and reduces them if the team does not fit: complex numbers need many registers.
  void choose_warps(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    auto const entries = static_cast<double>(analysis.num_off_diagonals());
    bool const fetches = static_cast<double>(plan_.halo.extent(0)) > Tuning::many_halos * entries &&
                         analysis.levels(exec).num_levels() > Tuning::many_levels;
    bool const many = fetches || static_cast<double>(analysis.longest_row(exec)) > Tuning::large_row * entries ||
                      (plan_.shape.late > 0 && plan_.scratch_bytes > static_cast<std::size_t>(most_scratch_bytes));
    computing_warps_ = options.computing_warps > 0 ? options.computing_warps
                       : many || unknowns() > 1    ? Tuning::most_warps
                                                   : Tuning::warps;
    // with real numbers a thread has 72 registers, so a multiprocessor has registers for two such teams
    bool const fetch_more = options.computing_warps == 0 && lanes_ == 1 && std::is_floating_point_v<typename T::scalar>;
    fetching_warps_ = options.fetching_warps > 0 ? options.fetching_warps
                      : fetch_more               ? Tuning::most_warps
                                                 : computing_warps_;
    typename T::rhs const b;
    typename T::solution const x;
    PermuteScale<T> const permute_scale{};
    BlockData<T> const data{plan_, values_, pivot_, {b, x, permute_scale, 0}, {}, shape_.diagonal};
    int most = 0;
    with_kernel(data, 0, [&](auto const& kernel) {
      constexpr int bound = most_threads_of<std::decay_t<decltype(kernel)>>;
      most = most_launch_threads<bound>(exec, lanes_, plan_.scratch_bytes, kernel) / plan_.shape.rows_per_slice;
    });
    while (computing_warps_ + fetching_warps_ > std::max(2, most))
      --(computing_warps_ > fetching_warps_ ? computing_warps_ : fetching_warps_);
  }

  Shape shape_;
  OffDiagonals<T> rows_;
  JointMemory<T> memory_;  // of the arrays of plan_, values_ and pivot_
  BlockPlan<T> plan_;
  std::string cut_;
  StoredValues<T> values_;
  Kokkos::View<typename T::scalar*, typename T::device> pivot_;
  Kokkos::View<std::uint8_t*, typename T::device> substituted_;  // nodes only
  int lanes_ = 1;                                                // per row, or per node
  int computing_warps_ = 1, fetching_warps_ = 1, teams_ = 1;
  mutable Tickets<T> tickets_;
  mutable SolvedValues<T> solved_;
};

}  // namespace sptrsv::detail
