// SPDX-License-Identifier: Apache-2.0
// Yuenyeung: blocks of short rows by a thread per row, blocks of long rows by a warp per row, in one kernel.
#pragma once

#include "sptrsv/algorithm/sync_free/in_row_order.hpp"

namespace sptrsv {

namespace detail {

/// Returns the trained threshold of the device of `exec`, or 0 if fused_table lacks the device.
template <class E>
int trained_threshold(E const& exec) {
  std::string const device = is_host_space<E> ? "host" : device_name(exec);
  for (auto const& entry : fused_table)
    if (device == entry.device) return entry.entries;
  return 0;
}

/// Blocks of up to `block_rows` rows, consecutive in solve order. A block with a mean of at least `threshold`
/// off-diagonal entries per row is warp-level: a warp solves each of its rows.
template <class T>
struct FusedBlocks {
  using index = typename T::index;

  OffDiagonals<T> rows;
  index block_rows;
  long long threshold;
  bool ascending;

  KOKKOS_INLINE_FUNCTION index count() const { return rows.num_rows / block_rows + (rows.num_rows % block_rows > 0); }
  KOKKOS_INLINE_FUNCTION index first(index block) const { return block * block_rows; }
  KOKKOS_INLINE_FUNCTION index size(index block) const {
    index const left = rows.num_rows - first(block);
    return left < block_rows ? left : block_rows;
  }
  KOKKOS_INLINE_FUNCTION bool warp_level(index block) const {
    long long entries = 0;
    for (index s = first(block); s < first(block) + size(block); ++s)
      entries += rows.count(ascending ? s : rows.num_rows - 1 - s);
    return entries >= threshold * size(block);
  }
};

/// Units in solve order, each solved by one warp. Unit u has the rows first(u) to first(u + 1) - 1: one row of a
/// warp-level block, or another block. (A last block of one row thus becomes warp-level, whatever the threshold.)
template <class T>
struct FusedUnits {
  Kokkos::View<typename T::index*, typename T::device> first;  ///< num_units+1
  typename T::index count = 0;
  typename T::index warp_rows = 0;  ///< rows of warp-level blocks
};

/// Lists the units. Cost: two passes over the row offsets; allocates, fences.
template <class T>
FusedUnits<T> make_fused_units(typename T::exec_space const& exec, FusedBlocks<T> const& blocks) {
  using index = typename T::index;
  FusedUnits<T> units;
  Kokkos::parallel_reduce(
      "sptrsv::fused::count_units", row_range<T>(exec, blocks.count()),
      KOKKOS_LAMBDA(index block, index & count, index & warp_rows) {
        bool const warp = blocks.warp_level(block);
        count += warp ? blocks.size(block) : 1;
        warp_rows += warp ? blocks.size(block) : 0;
      },
      units.count, units.warp_rows);
  units.first = raw_view<index, T>(exec, "sptrsv::fused::units", static_cast<std::size_t>(units.count) + 1);
  auto const first = units.first;
  Kokkos::parallel_scan(
      "sptrsv::fused::list_units", row_range<T>(exec, blocks.count()),
      KOKKOS_LAMBDA(index block, index & at, bool final) {
        index const size = blocks.size(block), mine = blocks.warp_level(block) ? size : 1;
        if (final) {
          for (index u = 0; u < mine; ++u) first(at + u) = blocks.first(block) + u;
          if (block == blocks.count() - 1) first(at + mine) = blocks.rows.num_rows;
        }
        at += mine;
      });
  return units;
}

/// Kernel in which a thread of a team is one warp and takes one unit after another. A unit is a row, whose entries the
/// lanes share, or a block of rows with a row per lane. Such a lane solves one right-hand side after another, and never
/// spins on a row of another lane. (With a right-hand side per lane, a warp would solve only a few rows at a time,
/// which would wait for the few before: road:2000 with 8 right-hand sides would take 42 ms instead of 2.)
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
/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithm 6 with the kernels of algorithms 3 and 5. Differences:
/// Warps take units by ticket. A scan on the device lists the units. A value is its own flag. The length of a row
/// excludes its diagonal entry. The threshold is trained for each device, as in the paper's section 6.2
/// (docs/dev/fused.md).
template <class T>
class Fused : public detail::InRowOrder<T> {
  using Base = detail::InRowOrder<T>;

 public:
  static constexpr std::string_view name = "fused";
  static constexpr char const* summary = "short rows by a thread each, long rows by a warp each, in one kernel";
  static constexpr auto model = features_of({{"rows"},
                                             {"warp_window"},
                                             {"thread_window"},
                                             {"level_rows"},
                                             {"level_entries"},
                                             {"longest_row"},
                                             {"late_longest"}});
  struct Options {
    int threshold = 0;
    template <class V>
    void visit(V& v) {
      v.integer("threshold", threshold, 0, 1000000,
                "mean off-diagonal entries from which rows of a block get a warp each; 0: as trained");
      v.removed("kind");
    }
  };

  Fused(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : Base(exec, analysis) {
    int const trained = detail::trained_threshold(exec);
    threshold_ = options.threshold > 0 ? options.threshold : trained > 0 ? trained : block_rows() / 2;
    source_ = options.threshold > 0 ? "asked for" : trained > 0 ? "trained" : "this device is not trained: half a warp";
    units_ = detail::make_fused_units<T>(exec, {this->values_.rows(), block_rows(), threshold_, this->ascending_});
    this->launch_ = this->warp_shape(exec, units_.count, detail::SyncFreeTuning::fused_team_warps, 0);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    this->for_passes(exec, b, x, permute_scale, [&](auto width, auto const& warp, auto const& thread) {
      detail::for_each_ticket_of_threads<T>("sptrsv::fused::solve", exec, this->tickets_, this->launch_, units_.count,
                                            detail::FusedRows<T, decltype(width)::value>{units_.first, warp, thread});
    });
  }

  std::string parameters() const {
    return "warps from " + std::to_string(threshold_) + (threshold_ == 1 ? " entry" : " entries") + " per row on (" +
           source_ + "), " + std::to_string(units_.warp_rows) + " of " +
           detail::plural(this->values_.rows().num_rows, "row") + " by a warp, " + this->launch_text("unit");
  }
  std::size_t memory_bytes() const { return Base::memory_bytes() + units_.first.span() * sizeof(typename T::index); }

 private:
  /// Returns the number of rows of a block: the number of lanes of a warp, or on a host that of most GPUs, so that
  /// hosts and GPUs divide a system in the same way.
  static int block_rows() {
    if constexpr (is_host_space<typename T::exec_space>) return detail::SyncFreeTuning::fused_host_block_rows;
    else return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
  }

  int threshold_;
  char const* source_;
  detail::FusedUnits<T> units_;
};

}  // namespace sptrsv
