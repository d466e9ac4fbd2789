// SPDX-License-Identifier: Apache-2.0
// Solver by scans for chains, triangles in which each row needs at most one row and is needed by at most one.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "sptrsv/algorithm/chain/chain_scan.hpp"
#include "sptrsv/algorithm/chain/chain_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/graph_capture.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

/// Solver of chains, in three steps; the second and the third correct what the step before computed inaccurately:
///   scan        compose the rows' maps in each chunk, then the chunks by one team; then each thread substitutes in its
///   few rows, from the unknown before them
///   correction  the same scan, of the residual
///   check       |y_i - (b_i - a y_j) / d_i| <= c eps (|y_i| + |a y_j / d_i|) + 1024 denorm_min in each row i, which
///   needs row j; c = 4 (real) or 2 (complex). Right-hand sides that fail, because products of many entries leave the
///   range of numbers or b is infinite, are solved again by substitution, with a thread per chain.
/// Thus x meets the bound of substitution, |b - op(T) x|_i <= 4 (k_i + 2) u (|op(T)| |x|)_i, except where it
/// underflows. A solve has nine kernels, none of which polls. Bitwise reproducible: maps are composed in a fixed order.
/// @throws Unsupported for other triangles.
/// Source (composed maps): H. S. Stone, JACM 20 (1973); P. M. Kogge, H. S. Stone, IEEE Trans. Comput. C-22 (1973).
template <class T>
class Chain : public AlgorithmDefaults {
 public:
  using types = T;
  using scalar = typename T::scalar;
  using index = typename T::index;
  static constexpr std::string_view name = "chain";
  static constexpr char const* summary = "chains of rows (each needs at most one, and at most one needs it) by scans";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true,
                                             /*single_storage=*/false, /*any_pattern=*/false};
  struct Options {
    template <class V>
    void visit(V&) {}
  };

  /// Tells whether the planner considers `chain`: only if chains are long on average.
  static bool worth_planning(typename T::exec_space const& exec, Analysis<T> const& analysis) {
    auto const rows = static_cast<double>(analysis.num_rows()),
               chains = rows - static_cast<double>(analysis.num_off_diagonals());
    return rows > 0 && rows >= Tuning::planned_length * chains && detail::chains_of<T>(exec, analysis).found;
  }
  /// Returns the nanoseconds of a solve on a GPU.
  static std::optional<double> estimate(Analysis<T> const& analysis) {
    return Tuning::solve_nanoseconds + Tuning::row_nanoseconds * static_cast<double>(analysis.num_rows());
  }

  Chain(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const&)
      : order_(chains_in(exec, analysis)), values_(exec, analysis.rows(exec)) {
    chunks_ = static_cast<index>((static_cast<long long>(order_.num_rows) + Tuning::chunk - 1) / Tuning::chunk);
    reserve(exec, 1);
  }
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }
  /// Allocates the arrays for solves of `columns` right-hand sides.
  void reserve(typename T::exec_space const& exec, int columns) const {
    auto const k = static_cast<std::size_t>(std::min(columns, most_columns)),
               chunks = static_cast<std::size_t>(chunks_) * k;
    if (k <= repeated_.extent(0)) return;
    // all or none: members are set once all allocations have succeeded
    auto const y =
        detail::raw_view<scalar, T>(exec, "sptrsv::chains::y", static_cast<std::size_t>(order_.num_rows) * k);
    auto const of_chunk = detail::raw_view<detail::AffineMap<scalar>, T>(exec, "sptrsv::chains::of_chunk", chunks);
    auto const unknowns = detail::raw_view<scalar, T>(exec, "sptrsv::chains::unknowns", 2 * chunks);
    auto const repeated = detail::raw_view<int, T>(exec, "sptrsv::chains::repeated", k);
    y_ = y, of_chunk_ = of_chunk, unknowns_ = unknowns, repeated_ = repeated;
  }
  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    detail::refuse_graph_capture(exec, name);  // a later reserve() frees arrays that replays of the graph would use
    auto const columns = static_cast<int>(b.extent(1));
    reserve(exec, columns);
    for (int first = 0; first < columns; first += most_columns)
      solve_columns(exec, {b, x, permute_scale, first}, std::min(columns - first, most_columns));
  }
  std::string parameters() const {
    return detail::plural(order_.num_chains, "chain") + " in " + detail::plural(chunks_, "chunk") + " of " +
           std::to_string(Tuning::chunk) + " rows";
  }
  std::size_t memory_bytes() const {
    return values_.memory_bytes() + order_.rows.span() * sizeof(index) +
           (y_.span() + unknowns_.span()) * sizeof(scalar) + of_chunk_.span() * sizeof(detail::AffineMap<scalar>) +
           repeated_.span() * sizeof(int);
  }

 private:
  using Tuning = detail::ChainTuning;
  static constexpr int most_columns = detail::max_column_lanes;  ///< per pass over T
  static constexpr int team_threads = is_host_space<typename T::exec_space> ? 1 : Tuning::threads;
  static constexpr std::size_t scratch_bytes = sizeof(detail::AffineMap<scalar>) * team_threads + 16;

  static detail::ChainOrder<T> const& chains_in(typename T::exec_space const& exec, Analysis<T> const& analysis) {
    auto const& order = detail::chains_of<T>(exec, analysis);
    if (order.found) return order;
    throw Unsupported(std::string(name), "triangles where a row needs several others or several rows need one");
  }
  void solve_columns(typename T::exec_space const& exec, detail::RowIO<T> const& io, int columns) const {
    using detail::ChainPass;
    std::size_t const chunks = static_cast<std::size_t>(chunks_) * static_cast<std::size_t>(columns);
    detail::ChainSystem<T> const system{
        order_,           values_.rows(),   values_.numbers(), io,
        y_.data(),        of_chunk_.data(), unknowns_.data(),  unknowns_.data() + chunks,
        repeated_.data(), chunks_};
    launch<ChainPass::compose>(exec, system, columns);
    scan_chunks(exec, system, columns);
    launch<ChainPass::solve>(exec, system, columns);
    launch<ChainPass::compose_correction>(exec, system, columns);
    scan_chunks(exec, system, columns);
    launch<ChainPass::correct>(exec, system, columns);
    for_each_position("sptrsv::chains::residuals", exec, detail::ChainResiduals<T>{system}, columns);
    for_each_position("sptrsv::chains::substitute", exec, detail::ChainSubstitution<T>{system}, columns);
    for_each_position("sptrsv::chains::store", exec, detail::ChainStore<T>{system}, columns);
  }
  template <detail::ChainPass Pass>
  void launch(typename T::exec_space const& exec, detail::ChainSystem<T> const& system, int columns) const {
    Kokkos::parallel_for("sptrsv::chains::scan",
                         detail::team_policy(exec, static_cast<int>(chunks_ * columns), team_threads, 1, scratch_bytes),
                         detail::ChainKernel<T, Pass>{system});
  }
  void scan_chunks(typename T::exec_space const& exec, detail::ChainSystem<T> const& system, int columns) const {
    Kokkos::parallel_for("sptrsv::chains::chunks", detail::team_policy(exec, columns, team_threads, 1, scratch_bytes),
                         detail::ChainChunkScan<T>{system});
  }
  /// Calls body(k) for k = column * num_rows + position, for all positions of the first `columns` columns.
  template <class Body>
  void for_each_position(char const* label, typename T::exec_space const& exec, Body const& body, int columns) const {
    Kokkos::parallel_for(label,
                         detail::with_arguments_in_launch(
                             detail::range_of<long long>(exec, static_cast<long long>(order_.num_rows) * columns)),
                         body);
  }

  detail::ChainOrder<T> order_;
  detail::RowValues<T> values_;
  index chunks_ = 0;
  mutable Kokkos::View<scalar*, typename T::device> y_, unknowns_;
  mutable Kokkos::View<detail::AffineMap<scalar>*, typename T::device> of_chunk_;
  mutable Kokkos::View<int*, typename T::device> repeated_;
};

}  // namespace sptrsv
