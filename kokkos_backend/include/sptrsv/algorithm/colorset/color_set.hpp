// SPDX-License-Identifier: Apache-2.0
// Color sets: a kernel for each set of independent rows, in a factor whose rows are numbered color by color.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sptrsv/algorithm/colorset/color_rows.hpp"
#include "sptrsv/algorithm/colorset/colorset_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/host_cost.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

/// Performance model: the time per entry is 1 / (alpha N_r min(phi, P)), with N_r entries per row, phi rows per set, P
/// rows processed at a time, and 1 / alpha the time of a row. So a solve takes rows / (alpha min(phi, P)).
/// Source: B. Suchoski, MSc thesis, Penn State 2012, equation 3.1.
struct ColorModel {
  double rows = 0, entries = 0, sets = 0;
  double capacity = 1;     ///< P, rows
  double row_seconds = 0;  ///< 1 / alpha

  double rows_per_set() const { return sets > 0 ? rows / sets : 0; }
  double entries_per_row() const { return rows > 0 ? entries / rows : 0; }
  double seconds() const { return rows > 0 ? row_seconds * rows / std::min(rows_per_set(), capacity) : 0; }
};

inline std::string to_string(ColorModel const& m) {
  char text[200];
  std::snprintf(text, sizeof text, "%.0f %s of %.1f rows, %.1f off-diagonal entries per row; predicted %.3g us", m.sets,
                m.sets == 1 ? "set" : "sets", m.rows_per_set(), m.entries_per_row(), 1e6 * m.seconds());
  return text;
}

/// Solver by sets of independent rows. No kernel polls. Bitwise reproducible.
/// Source: B. Suchoski, MSc thesis, Penn State 2012, sections 3.1 (form sets) and 4.2 (form cpls, his "color plus level
/// set"). Differences: Sets are found in the triangle, so any ordering and factors with fill work. Rows that an
/// ordering keeps together (inodes) are a block of rows of one set. Each set has its own number of lanes per row. Small
/// sets share a kernel.
template <class T>
class ColorSet : public AlgorithmDefaults {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "colorset";
  static constexpr std::string_view ordering = "color";  ///< ordering of the matrix before it is factored
  static constexpr char const* summary = "a kernel per set of independent rows, for matrices in the ordering color";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  enum class Form { sets, cpls };
  struct Options {
    Form form = Form::sets;
    int lanes_per_row = 0;
    int wide_rows = 0;
    template <class V>
    void visit(V& v) {
      v.choice("form", form, {"sets", "cpls"}, "sets of consecutive rows, or the level sets of the triangle");
      v.power_of_two("lanes_per_row", lanes_per_row, 64,
                     "vector lanes per row on a GPU, a power of two; 0: chosen for each set");
      v.integer("wide_rows", wide_rows, 0, INT_MAX,
                "a set of more rows has a kernel of its own, smaller ones share one; 0: chosen");
      v.renamed("chain_rows", "wide_rows");
    }
  };

  static constexpr auto model = features_of({{"rows"}, {"sets"}, {"level_rows"}, {"longest_row"}});
  /// Tells whether there are few sets, each of which costs a kernel or a barrier, and enough rows per set. Sets of
  /// fewer rows may be blocks of rows, which one thread solves row by row.
  template <class F>
  static bool pays(F const& features) {
    double const sets = features.value("sets");
    return sets <= Tuning::many_sets && features.value("rows") >= Tuning::least_rows_per_set * sets;
  }

  ColorSet(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : ascending_(analysis.shape().ascending()),
        values_(exec, analysis.rows(exec)),
        sets_(options.form == Form::cpls ? sets_of_levels<T>(exec, values_.rows(), analysis.levels(exec))
                                         : find_sets(exec, analysis)) {
    plan(exec, analysis, options);
  }

  /// Tells whether the planner considers `colorset`. On a GPU a set costs microseconds, and a matrix that is not
  /// ordered by color has up to a set per row.
  static bool worth_planning(typename T::exec_space const& exec, Analysis<T> const& analysis) {
    return host ||
           detail::may_have_few_color_sets<T>(exec, analysis.workspace(), analysis.rows(exec),
                                              analysis.shape().ascending(), static_cast<index>(Tuning::many_sets));
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    detail::for_column_blocks<typename T::exec_space>(
        static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
          constexpr int K = decltype(width)::value;
          detail::RowIO<T> const io{b, x, permute_scale, columns.first};
          if constexpr (host) solve_on_host<K>(exec, io);
          else
            solve_on_device<K>(exec, {values_.rows(), values_.numbers(), io, sets_.block_ptr, sets_.list, columns,
                                      /*lanes=*/1, ascending_});
        });
  }

  std::string parameters() const {
    std::string text = to_string(model_) + "; " + detail::plural(launches_.size(), "kernel");
    if constexpr (!host)
      if (launches_.size() > 0) {
        auto const [least, most] = std::minmax_element(launches_.begin(), launches_.end(),
                                                       [](auto const& a, auto const& b) { return a.lanes < b.lanes; });
        text += ", " + std::to_string(least->lanes) + " to " + std::to_string(most->lanes) + " lanes per row";
      }
    if (sets_.block_ptr.data())
      text += ", blocks of up to " +
              std::to_string(*std::max_element(sets_.longest_block.begin(), sets_.longest_block.end())) + " rows";
    if (model_.sets > Tuning::many_sets && model_.rows_per_set() < Tuning::few_rows)
      text += "; so many small sets are slow: order the matrix by color, at distance k+1 for k levels of fill";
    return text;
  }
  void reserve(typename T::exec_space const&, int) {}
  std::size_t memory_bytes() const {
    return values_.memory_bytes() + (sets_.block_ptr.span() + set_ptr_.span()) * sizeof(index);
  }

 private:
  static constexpr bool host = detail::runs_inline<typename T::exec_space>;
  using Launch = detail::ColorLaunch<index>;
  using Tuning = detail::ColorSetTuning;
  static int warp() { return Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(); }

  /// Finds the sets on the device if they are few and all blocks are single rows, otherwise by a pass on the host.
  ColorSets<T> find_sets(typename T::exec_space const& exec, Analysis<T> const& analysis) const {
    if constexpr (!host) {
      auto const& sets = detail::consecutive_sets_of<T>(exec, analysis);
      if (!sets.adjacent && !sets.first.empty()) return detail::sets_of_single_rows<T>(sets);
    }
    return find_color_sets<T>(exec, values_.rows(), ascending_);
  }

  void plan(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    double const rows = static_cast<double>(analysis.num_rows());
    model_ = {rows, static_cast<double>(analysis.num_off_diagonals()), static_cast<double>(sets_.num_sets()),
              static_cast<double>(detail::concurrent_threads(exec)), Tuning::row_seconds};
    long long small = Tuning::small_rows;
    if constexpr (host) {
      detail::HostCost const cost(detail::host_speed(exec), rows, analysis.mean_row());
      small = cost.narrow_rows();
      model_.row_seconds = 1e-9 * cost.level_row;
    }
    if (options.wide_rows > 0) small = options.wide_rows;
    if constexpr (host) {
      launches_ = {sets_.set_ptr, [&](index s) { return sets_.rows_in_set(s) <= small; }};
    } else {
      launches_ = detail::plan_color_launches<T>(sets_, small, warp());
      for (Launch& launch : launches_)
        if (options.lanes_per_row > 0) launch.lanes = std::min(options.lanes_per_row, warp());
      set_ptr_ = detail::copy_to_device<T>(exec, "sptrsv::color_set::set_ptr", sets_.set_ptr);
    }
  }

  template <int K>
  void solve_on_host(typename T::exec_space const& exec, detail::RowIO<T> const& io) const {
    index const* const block_ptr = sets_.block_ptr.data();
    auto const position = [=](index block) { return block_ptr ? block_ptr[block] : block; };
    detail::with_access<host, K>(io, [&](auto access) {
      launches_.run("sptrsv::color_set::solve", exec, [&](index first, index last) {
        detail::solve_color_positions<T, K, decltype(access)::value>(
            values_.rows(), values_.numbers(), sets_.list.data(), io, ascending_, position(first), position(last));
      });
    });
  }
  template <int K>
  void solve_on_device(typename T::exec_space const& exec, detail::ColorRows<T, K> rows) const {
    for (Launch const& launch : launches_) {
      rows.lanes = std::min(launch.lanes * rows.columns.lanes(), warp());
      int const threads = (launch.one_team ? Tuning::one_team_warps : Tuning::team_warps) * warp() / rows.lanes;
      if (launch.one_team) {
        Kokkos::parallel_for(
            "sptrsv::color_set::solve_one_team", detail::team_policy(exec, 1, threads, rows.lanes),
            detail::ColorOneTeamKernel<T, K>{rows, set_ptr_, launch.first_set, launch.last_set, launch.longest});
      } else {
        Kokkos::parallel_for("sptrsv::color_set::solve",
                             detail::wide_set_policy(exec, launch.last - launch.first, threads, threads, rows.lanes),
                             detail::ColorKernel<T, K>{rows, launch.first, launch.last, launch.longest, threads});
      }
    }
  }

  bool ascending_;
  detail::RowValues<T> values_;
  ColorSets<T> sets_;
  std::conditional_t<host, detail::HostSetLaunches<index>, std::vector<Launch>> launches_;
  Kokkos::View<const index*, typename T::device> set_ptr_;  // on a GPU
  ColorModel model_;
};

}  // namespace sptrsv
