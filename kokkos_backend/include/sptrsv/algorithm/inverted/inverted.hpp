// SPDX-License-Identifier: Apache-2.0
// Blocks of rows with inverted diagonal blocks: a step for each block instead of one for each level.
#pragma once

#include <algorithm>
#include <climits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sptrsv/algorithm/inverted/column_lists.hpp"
#include "sptrsv/algorithm/inverted/inverse_kernel.hpp"
#include "sptrsv/algorithm/inverted/inverse_values.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/team_launch.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv {

/// Solver by blocks of rows: x_B = inv(L_BB) t_B - W x_near, where t_B = b_B - (entries in other blocks) x, and
/// W = inv(L_BB) L_B,near. The blocks of a complete factor are small subtrees of its elimination tree and pieces of
/// paths above them; those of other triangles are rows that follow each other. `near` is the block before on a path.
/// The inverses and W are made in update(). Where the growth of errors in a block may exceed 1e4 (FindGrowth), its rows
/// are solved by substitution.
///
/// |b - op(T) x|_i <= 4 (k_i + w) u (|op(T)| |x|)_i for random right-hand sides, with k_i entries in row i, and w rows
/// of its block; not guaranteed, and with b = op(T) x of a random x errors may be larger by the growth. Bitwise
/// reproducible, except that a GPU adds three or more entries with the same row and column in any order. On a host
/// chosen by name alone.
/// Sources: F. Alvarado, A. Pothen, R. Schreiber, Highly parallel sparse triangular solution, 1993; P. Raghavan,
/// Efficient parallel sparse triangular solution using selective inversion, 1998. Differs in that the block before is
/// multiplied by the inverse beforehand, and that sums are split by the level at which their x are known.
template <class T>
class Inverted : public AlgorithmDefaults {
 public:
  using types = T;
  using scalar = typename T::scalar;
  using index = typename T::index;
  static constexpr std::string_view name = "inverted";
  static constexpr char const* summary =
      "blocks of rows with inverted diagonal blocks, for complete factors and narrow levels";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  struct Options {
    int width = 0;
    int memory = detail::InvertedTuning::memory;
    template <class V>
    void visit(V& v) {
      v.integer("width", width, 0, 1 << 14,
                "maximum rows of a block of a path, rounded down to a multiple of 16; 0: chosen");
      v.integer("memory", memory, 1, INT_MAX, "MiB that the inverses may take; narrower blocks take less");
    }
  };

  // a step for each level of blocks; reads of the inverses
  static constexpr auto model = features_of({{"rows"},
                                             {"inverse_steps"},  // levels of blocks
                                             {"inverse_bytes"}});
  template <class F>
  static void find_feature(F& features, std::string_view) {
    auto const& analysis = features.analysis();
    auto const& tree = tree_of(features.exec(), analysis);
    auto const n = static_cast<std::size_t>(analysis.num_rows());
    detail::InverseSize size;
    if (tree) {
      auto const& blocks = widest_blocks(features.exec(), analysis);
      size = {static_cast<std::size_t>(blocks.num_levels()), blocks.dense};
    } else {
      size = detail::size_of_path(n, detail::InvertedTuning::width_of<typename T::exec_space>());
    }
    features.set("inverse_steps", size.steps);
    features.set("inverse_bytes", size.dense * sizeof(scalar));
  }
  /// Tells whether the inverses take a moderate amount of memory.
  template <class F>
  static bool pays(F const& features) {
    double const most = std::max(detail::InvertedTuning::planned_bytes, features.value("bytes"));
    return features.value("inverse_bytes") <= std::min(most, detail::InvertedTuning::memory * double(1 << 20));
  }
  /// Tells whether the planner considers `inverted`: on a GPU, for rows with some entries.
  static bool worth_planning(typename T::exec_space const&, Analysis<T> const& analysis) {
    return !is_host_space<typename T::exec_space> && analysis.mean_row() >= detail::InvertedTuning::least_mean_row;
  }

  /// @throws Unsupported if the inverses need more than `memory`, whatever the width of the blocks.
  Inverted(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) : tickets_(exec) {
    rows_.rows = analysis.rows(exec);
    to_.diagonal = analysis.shape().diagonal;
    index const n = analysis.num_rows();
    if (n == 0) return;
    detail::InverseBlocks<index> narrower;
    auto const& blocks = partition(exec, analysis, options, narrower);
    place(exec, blocks);
    make_tasks(exec, analysis.workspace(), blocks);
    inversion_ = detail::BlockInversion<T>(exec, blocks.blocks, n);
    levels_ = blocks.num_levels();
    tree_ = blocks.tree;
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    if (to_.num_rows() == 0) return;
    auto const numbers = analysis.numbers(values, values);
    copy_outer(exec, numbers);
    inversion_.run(exec, rows_, numbers, to_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    int first = 0;
    if constexpr (!is_host_space<typename T::exec_space>) first = solve_blocks<8>(exec, b, x, permute_scale, first);
    first = solve_blocks<4>(exec, b, x, permute_scale, first);
    solve_blocks<1>(exec, b, x, permute_scale, first);
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }
  void reserve(typename T::exec_space const& exec, int columns) {
    bool const eight = columns >= 8 && !is_host_space<typename T::exec_space> && fits<8>(exec);
    solved_.reserve(exec, eight ? 8 : columns >= 4 && fits<4>(exec) ? 4 : 1);
  }

  std::string parameters() const {
    std::string text = detail::plural(static_cast<long long>(to_.blocks.extent(0)), "block") +
                       (tree_ ? " of a tree" : " of rows") + " in " + detail::plural(levels_, "step");
    auto const marked = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to_.substituted);
    auto const substituted = std::count(marked.data(), marked.data() + marked.extent(0), 1);
    return substituted == 0 ? text : text + ", " + std::to_string(substituted) + " by substitution";
  }
  std::size_t memory_bytes() const {
    return outer_.memory_bytes() + inversion_.memory_bytes() + solved_.memory_bytes() +
           to_.dense.span() * sizeof(scalar) + to_.pivot.span() * sizeof(scalar) +
           to_.inverse.span() * sizeof(detail::InverseRow) + to_.row.span() * (3 * sizeof(index) + sizeof(int)) +
           to_.blocks.span() * (sizeof(detail::InverseBlock<index>) + sizeof(int)) +
           tasks_.span() * sizeof(detail::InverseTask<index>);
  }

  // public because nvcc allows no lambda in a private member

  /// Copies the blocks to the device, and allocates their values.
  void place(typename T::exec_space const& exec, detail::InverseBlocks<index> const& blocks) {
    auto const row = to_.row = rows_.row = detail::copy_to_device<T>(exec, "sptrsv::inverted::row", blocks.row);
    to_.blocks = rows_.blocks = detail::copy_to_device<T>(exec, "sptrsv::inverted::blocks", blocks.blocks);
    auto const position = detail::raw_view<index, T>(exec, "sptrsv::inverted::position", blocks.row.size());
    Kokkos::parallel_for(
        "sptrsv::inverted::position", detail::row_range<T>(exec, static_cast<index>(blocks.row.size())),
        KOKKOS_LAMBDA(index p) { position(row(p)) = p; });
    rows_.position = position;
    auto const block_of = detail::raw_view<index, T>(exec, "sptrsv::inverted::block_of", blocks.row.size());
    detail::number_members<T>("sptrsv::inverted::block_of", exec, rows_.blocks, block_of);
    to_.block_of = rows_.block_of = block_of;
    to_.inverse = detail::copy_to_device<T>(exec, "sptrsv::inverted::inverse", blocks.inverse);
    to_.dense = detail::raw_view<scalar, T>(exec, "sptrsv::inverted::dense", blocks.dense);
    to_.pivot = detail::raw_view<scalar, T>(exec, "sptrsv::inverted::pivot", blocks.row.size());
    to_.substituted = detail::raw_view<int, T>(exec, "sptrsv::inverted::substituted", blocks.blocks.size());
    to_.by_substitution = detail::raw_view<int, T>(exec, "sptrsv::inverted::by_substitution", blocks.row.size());
    Kokkos::deep_copy(exec, to_.substituted, 0);
  }
  /// Finds the entries outside of the blocks, and the tasks of a solve.
  void make_tasks(typename T::exec_space const& exec, detail::Workspace<T>& work,
                  detail::InverseBlocks<index> const& blocks) {
    using offset = typename T::offset;
    typename detail::Workspace<T>::Scope const scope(work);
    auto const rows = rows_;
    index const n = rows.rows.num_rows;
    auto const entry_ptr = work.template take<offset>(static_cast<std::size_t>(n) + 1);
    detail::scan_before<T, offset>(
        "sptrsv::inverted::entries", exec, work, n, entry_ptr,
        KOKKOS_LAMBDA(index p) { return rows.rows.count(rows.row(p)); });
    auto const entries_before = detail::copy_to_host(exec, entry_ptr);
    auto const slices = detail::make_slices(blocks, entries_before);
    outer_ =
        detail::ColumnLists<T>(exec, work, rows_, slices, entry_ptr, static_cast<std::size_t>(entries_before.back()))
            .build();
    auto const made = detail::make_tasks(blocks, slices, detail::copy_to_host(exec, outer_.segments));
    detail::require_counted<index>("rows and sums of parts of rows", static_cast<unsigned long long>(made.second),
                                   "indices");
    tasks_ = detail::copy_to_device<T>(exec, "sptrsv::inverted::tasks", made.first);
    solved_ = detail::SolvedValues<T>(exec, static_cast<index>(made.second));
  }
  void copy_outer(typename T::exec_space const& exec, TriangleValues<T> const& numbers) const {
    using offset = typename T::offset;
    auto const outer = outer_;
    Kokkos::parallel_for(
        "sptrsv::inverted::copy_outer", detail::range_of<offset>(exec, outer.values.extent(0)),
        KOKKOS_LAMBDA(offset k) {
          outer.values(k) = detail::conjugate_if(numbers.all(outer.source(k)), numbers.conj);
        });
  }

 private:
  /// Tells whether a team's scratch memory holds what K columns need.
  template <int K>
  static bool fits(typename T::exec_space const& exec) {
    return is_host_space<typename T::exec_space> ||
           detail::InverseKernel<T, K>::scratch_bytes <= static_cast<std::size_t>(detail::most_launch_scratch(exec));
  }
  /// Solves K columns at a time from column `first` on, and returns the first column that is left.
  template <int K>
  int solve_blocks(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
                   PermuteScale<T> const& permute_scale, int first) const {
    if (K > 1 && !fits<K>(exec)) return first;
    for (; first + K <= static_cast<int>(b.extent(1)); first += K)
      solve_columns<K>(exec, b, x, permute_scale, {first, K, 0});
    return first;
  }
  /// Returns the tree of op(T), if it has one; kept for the planner and this type.
  static std::optional<detail::DependencyTree<index>> const& tree_of(typename T::exec_space const& exec,
                                                                     Analysis<T> const& analysis) {
    return analysis.template keep<std::optional<detail::DependencyTree<index>>>(
        "inverted", [&] { return detail::find_tree<T>(exec, analysis); });
  }
  static detail::InverseBlocks<index> make_blocks(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                                  index width) {
    return detail::make_blocks<index>(tree_of(exec, analysis), analysis.num_rows(), analysis.shape().ascending(),
                                      width);
  }
  /// Returns blocks of the default width; kept for the planner and this type.
  static detail::InverseBlocks<index> const& widest_blocks(typename T::exec_space const& exec,
                                                           Analysis<T> const& analysis) {
    constexpr index width = detail::InvertedTuning::width_of<typename T::exec_space>();
    return analysis.template keep<detail::InverseBlocks<index>>("inverted",
                                                                [&] { return make_blocks(exec, analysis, width); });
  }
  /// Returns the widest blocks whose inverses fit in the memory: those that are kept, or `narrower`, which it sets.
  static detail::InverseBlocks<index> const& partition(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                                       Options const& options, detail::InverseBlocks<index>& narrower) {
    std::size_t const most = (static_cast<std::size_t>(options.memory) << 20) / sizeof(scalar);
    constexpr index least = detail::InvertedTuning::product_rows;
    index width = options.width;
    if (width == 0) {
      if (auto const& widest = widest_blocks(exec, analysis); widest.dense <= most) return widest;
      width = detail::InvertedTuning::width_of<typename T::exec_space>() / 2;
    }
    for (;; width /= 2) {
      width = std::max<index>(least, width / least * least);
      narrower = make_blocks(exec, analysis, width);
      if (narrower.dense <= most) return narrower;
      if (width <= least)
        throw Unsupported(std::string(name),
                          "this triangle in the memory it may take: its inverses need " +
                              std::to_string((narrower.dense * sizeof(scalar) >> 20) + 1) + " MiB",
                          "set the option memory (PETSc: -mat_sptrsv_inverted_memory) to that, or choose another type");
    }
  }
  template <int K>
  void solve_columns(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
                     PermuteScale<T> const& permute_scale, detail::ColumnBlock const& columns) const {
    if (to_.num_rows() == 0) return;
    using kernel = detail::InverseKernel<T, K>;
    auto const count = static_cast<index>(tasks_.extent(0));
    kernel const body{to_,
                      outer_,
                      tasks_,
                      {b, x, permute_scale, columns.first},
                      solved_.template begin<K>(exec, columns),
                      tickets_,
                      tickets_.next_counter()};
    constexpr int most_threads = detail::InvertedTuning::warps * detail::tile_lanes;
    detail::LaunchShape shape;
    if (!is_host_space<typename T::exec_space>) {
      shape.threads = detail::InvertedTuning::warps;
      shape.lanes = detail::tile_lanes;
    }
    shape.teams = detail::number_of_teams<T>(exec, count, shape);
    if constexpr (detail::is_gpu<typename T::exec_space> && kernel::scratch_bytes <= detail::most_scratch_bytes) {
      Kokkos::TeamPolicy<typename T::exec_space, Kokkos::LaunchBounds<most_threads, 1>> policy(
          exec, shape.teams, shape.threads, shape.lanes);
      policy.set_scratch_size(0, Kokkos::PerTeam(kernel::scratch_bytes));
      policy.set_scratch_size(1, Kokkos::PerTeam(8));
      Kokkos::parallel_for("sptrsv::inverted::solve", detail::with_arguments_in_launch(policy), body);
    } else {
      detail::launch_teams<most_threads>("sptrsv::inverted::solve", exec, shape.teams, shape.threads, shape.lanes,
                                         kernel::scratch_bytes, body);
    }
  }

  detail::PlacedRows<T> rows_;
  detail::InvertedRows<T> to_;
  detail::OuterEntries<T> outer_;
  Kokkos::View<const detail::InverseTask<index>*, typename T::device> tasks_;
  detail::BlockInversion<T> inversion_;
  mutable detail::Tickets<T> tickets_;
  mutable detail::SolvedValues<T> solved_;
  long long levels_ = 0;
  bool tree_ = false;
};

}  // namespace sptrsv
