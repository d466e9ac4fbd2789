// SPDX-License-Identifier: Apache-2.0
// TileSpTRSV: 16x16 tiles in several formats, a warp per tile row; sync-free or by level sets.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sptrsv/algorithm/tiled/tile_solve.hpp"
#include "sptrsv/algorithm/tiled/tiles.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv {

/// Solver by tiles of 16 by 16 entries. Formats, by entries e of a tile and m of its longest row (tile_width()):
///   dense     2 e >= 256: a slot for each entry
///   ELL       e >= 16, m <= 8, 2 e >= 16 m: m slots for each row, and masks of its columns
///   sparse    all others: the entries of a tile row together, by rows as in CSR, cut into 32 equal parts
///   triangle  the diagonal tile: slots as in ELL, rows scaled to a unit diagonal
///
/// Variant syncfree: rows in natural order, so that chains of rows lie within tiles; a tile row waits for the x that it
/// needs. Tiles end where a row does not depend on the rows before it, as at the end of a grid line.
/// Variant levelset: rows sorted by level. Levels of at least `wide_rows` rows have a kernel each, at thread level (a
/// thread per row of T); all others share kernels at warp level (a warp per tile row).
/// The default is the variant with fewer block levels, where each block level of syncfree counts 1.4 times.
///
/// Diagonal tiles are solved in 16 steps within a warp, so that x is as accurate as by substitution:
/// |b - op(T) x|_i <= 4 (k_i + 2) u (|op(T)| |x|)_i with k_i entries in row i.
///
/// Bitwise reproducible: sums have the fixed order of the tiles, not that of sum_backward.
/// Source: Z. Lu, W. Liu, TileSpTRSV, CCF THPC 2023, known from a summary without formats and thresholds. Differences:
/// Warps take tile rows by ticket, in the order of block levels. The warp of a tile row also multiplies its
/// off-diagonal tiles, which have no kernel of their own. The sparse tiles of a tile row are one list.
template <class T>
class Tiled : public AlgorithmDefaults {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "tiled";
  static constexpr char const* summary = "16x16 tiles in several formats, a warp per tile row";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  enum class Variant { automatic, syncfree, levelset };
  struct Options {
    Variant variant = Variant::automatic;
    int wide_rows = 0;
    int teams = 0;
    template <class V>
    void visit(V& v) {
      v.choice("variant", variant, {"automatic", "syncfree", "levelset"},
               "rows in their own order, or sorted by level; the type for scans is chain");
      v.removed("diagonal_tiles");
      v.integer("wide_rows", wide_rows, 0, INT_MAX,
                "levelset: least rows of a level with a kernel of its own, a thread per row; 0: chosen");
      v.integer("teams", teams, 0, INT_MAX, "GPU: warps that share the tile rows; 0: chosen");
    }
  };

  // latency between tile rows; gathers of x, from memory or after a wait; in wide levels, rows with a thread each
  static constexpr auto model = features_of(
      {{"rows"},
       // tile_levels: block levels, as the solver orders and cuts rows. tile_entries: sum over block levels of the most
       // (row, tile) pairs of a tile row. late_tiles: tile_entries if op(T) is upper (gathers follow the wait), else 0
       {"tile_levels", detail::TiledTuning::sweep, detail::TiledTuning::sweep_level},
       {"tile_entries", detail::TiledTuning::sweep, detail::TiledTuning::sweep_level},
       {"late_tiles", detail::TiledTuning::sweep, detail::TiledTuning::sweep_level},
       {"far_longest"},
       {"wide_longest"}});  // sum of the longest rows of levels that fill the device
  template <class F, class Levels>
  static void derive_features(F& features, Levels const& levels) {
    double wide = 0;
    for (auto const& level : levels)
      if (level.rows > Tuning::wide_rows) wide += level.longest;
    features.set("wide_longest", wide);
    features.bound("tile_levels", std::ceil(static_cast<double>(levels.size()) / tile_size));
  }
  template <class F>
  static void find_feature(F& features, std::string_view) {
    auto const& analysis = features.analysis();
    bool const ascending = analysis.shape().ascending();
    auto const& order = detail::chosen_tile_order<T>(features.exec(), analysis);
    long long const entries = detail::sum_of_most_runs<T>(
        features.exec(), {analysis.rows(features.exec()), order.positions, ascending, tile_size}, order.levels);
    features.set("tile_levels", order.levels.levels);
    features.set("tile_entries", entries);
    features.set("late_tiles", ascending ? 0 : entries);
  }
  /// Tells whether `tiled` may be worth it: false if levels are known to be so wide that finding tiles takes longer
  /// than tiles can gain.
  template <class F>
  static bool pays(F const& features) {
    return !features.exact("levels") || features.value("rows") <= Tuning::most_level_rows * features.value("levels");
  }

  /// Tells whether the planner considers `tiled`: on a GPU not if levels are known to be wide.
  static bool worth_planning(typename T::exec_space const&, Analysis<T> const& analysis) {
    auto const* const levels = analysis.known_levels();
    return is_host_space<typename T::exec_space> || !levels || levels->mean_rows() <= Tuning::most_level_rows;
  }

  Tiled(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : options_(options), diagonal_(analysis.shape().diagonal), tickets_(exec) {
    index const n = analysis.num_rows();
    if (n == 0) return;
    detail::TileOrder<T> const by =
        options.variant != Variant::automatic
            ? detail::make_tile_order<T>(exec, analysis, options.variant == Variant::syncfree)
            : detail::chosen_tile_order<T>(exec, analysis);
    options_.variant = by.own_order ? Variant::syncfree : Variant::levelset;
    auto const order = detail::order_by_block_level<T>(exec, analysis.workspace(), by.levels);
    {
      auto const rows = detail::sort_rows<T>(exec, analysis.rows(exec), by.positions, analysis.shape().ascending());
      tiles_ = make_tiles<T>(exec, rows, order);
      repeated_ = find_repeated<T>(exec, rows, tiles_);
    }
    values_ = detail::make_tile_values<T>(exec, tiles_);
    solved_ = decltype(solved_)(exec, tiles_.num_tile_rows() * tile_size);
    num_levels_ = order.num_levels();
    plan_launches(exec, order.level_ptr);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    if (tiles_.num_tile_rows() == 0) return;
    detail::update_tiles<T>(exec, tiles_, repeated_, analysis.numbers(values, values), values_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    detail::for_column_blocks<typename T::exec_space>(
        static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& block) {
          constexpr int K = decltype(width)::value;
          solve_columns<K>(
              exec,
              {tiles_, values_, {b, x, permute_scale, block.first}, solved_.template begin<K>(exec, block), diagonal_},
              block.bits > 0 ? block.count : 1);
        });
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    solved_.restart();
  }

  std::string parameters() const {
    auto const by_threads =
        std::count_if(launches_.begin(), launches_.end(), [](Launch const& l) { return l.by_threads; });
    return std::string(options_.variant == Variant::syncfree ? "syncfree" : "levelset") + ", " +
           detail::plural(tiles_.num_tile_rows(), "row") + " of tiles in " +
           detail::plural(num_levels_, "block level") + ", " + detail::plural(tiles_.tiles.extent(0), "tile") +
           " in ELL or dense format, " + detail::plural(launches_.size(), "kernel") + ", " +
           std::to_string(by_threads) + " at thread level";
  }
  void reserve(typename T::exec_space const& exec, int columns) { solved_.reserve(exec, columns); }
  std::size_t memory_bytes() const {
    return tiles_.memory_bytes() + repeated_.memory_bytes() + values_.memory_bytes() + solved_.memory_bytes();
  }

 private:
  struct Launch {
    index first, last;
    bool by_threads;
    std::size_t levels;
  };
  static constexpr bool host = is_host_space<typename T::exec_space>;
  using Tuning = detail::TiledTuning;

  /// Launches all kernels of a pass.
  /// @param columns  number of right-hand sides that have a ticket or a thread each
  template <int K>
  void solve_columns(typename T::exec_space const& exec, detail::TileSystem<T, K> const& system, int columns) const {
    // number of tile rows whose tickets an index can count
    auto const tickets_per_launch = static_cast<index>(std::numeric_limits<index>::max() / columns);
    for (Launch const& launch : launches_) {
      index const tile_rows = launch.last - launch.first;
      if (launch.by_threads) {
        Kokkos::parallel_for(
            "sptrsv::tiled::solve_by_threads",
            detail::with_arguments_in_launch(
                detail::range_of<long long>(exec, static_cast<long long>(tile_rows) * tile_size * columns)),
            detail::TileRowByThreads<T, K>{system, static_cast<index>(launch.first * tile_size), columns});
        continue;
      }
      for (index first = launch.first, count = 0; first < launch.last; first += count) {
        count = std::min(static_cast<index>(launch.last - first), tickets_per_launch);
        detail::for_each_ticket<T>("sptrsv::tiled::solve", exec, tickets_, shared_kernel_shape(exec, launch, columns),
                                   static_cast<index>(count * columns),
                                   detail::TileRowPerWarp<T, K>{system, first, columns});
      }
    }
  }
  void plan_launches(typename T::exec_space const& exec, std::vector<index> const& level_ptr) {
    long long const wide = options_.variant == Variant::syncfree ? LLONG_MAX
                           : options_.wide_rows > 0              ? options_.wide_rows
                                                                 : Tuning::wide_rows;
    std::size_t const levels = level_ptr.size() - 1;
    for (std::size_t l = 0, start = 0; l <= levels; ++l) {
      bool const by_threads = l < levels &&
                              static_cast<long long>(level_ptr[l + 1] - level_ptr[l]) * tile_size >= wide &&
                              detail::has_diagonals_alone<T>(exec, tiles_, level_ptr[l], level_ptr[l + 1]);
      if (l < levels && !by_threads) continue;
      if (start < l) launches_.push_back({level_ptr[start], level_ptr[l], false, l - start});
      if (by_threads) launches_.push_back({level_ptr[l], level_ptr[l + 1], true, 1});
      start = l + 1;
    }
  }
  detail::LaunchShape shared_kernel_shape(typename T::exec_space const& exec, Launch const& launch, int columns) const {
    long long const tickets = static_cast<long long>(launch.last - launch.first) * columns;
    detail::LaunchShape shape;
    if constexpr (host) {
      shape.rows_per_ticket =
          static_cast<int>(std::clamp(tickets / (Tuning::host_tickets_per_thread * detail::concurrent_threads(exec)),
                                      1LL, Tuning::host_tile_rows_per_ticket));
      shape.teams = detail::number_of_teams<T>(exec, tickets, shape);
    } else {
      shape.lanes = detail::tile_lanes;
      double const resident = exec.concurrency() / detail::tile_lanes, all = static_cast<double>(tickets);
      double const teams = options_.teams > 0
                               ? options_.teams
                               : detail::teams_of_many_levels(all, static_cast<double>(launch.levels), resident);
      shape.teams = static_cast<int>(std::min(teams, all));
    }
    return shape;
  }

  Options options_;
  Diagonal diagonal_;
  TilePattern<T> tiles_;
  RepeatedEntries<T> repeated_;
  detail::TileValues<T> values_;
  std::vector<Launch> launches_;
  index num_levels_ = 0;
  mutable detail::Tickets<T> tickets_;
  mutable detail::SolvedValues<T> solved_;
};

}  // namespace sptrsv
