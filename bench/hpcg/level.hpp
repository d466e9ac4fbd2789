// SPDX-License-Identifier: Apache-2.0
// Grids of the HPCG benchmark in the memory of the kernels, and the kernels on their vectors.
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <memory>
#include <sptrsv/space.hpp>
#include <sptrsv/types.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "grid.hpp"

namespace sptrsv::bench::hpcg {

template <class Space>
using Vector = Kokkos::View<double*, typename Types<double, int, int, Space>::device>;
template <class Space>
using Indices = Kokkos::View<int*, typename Types<double, int, int, Space>::device>;

/// Copies an array of the host to an array in the memory of Space.
template <class Space, class Number>
auto to_device(std::string const& label, std::vector<Number> const& from) {
  Kokkos::View<Number*, typename Types<double, int, int, Space>::device> out(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, label), from.size());
  Kokkos::deep_copy(out, Kokkos::View<Number const*, Kokkos::HostSpace>(from.data(), from.size()));
  return out;
}

template <class Space>
std::vector<double> to_host(Vector<Space> const& from) {
  std::vector<double> out(from.extent(0));
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(out.data(), out.size()), from);
  return out;
}

/// Matrix on one grid, with the vectors of a V-cycle.
template <class Space>
struct Level {
  using types = Types<double, int, int, Space>;

  HostMatrix host;
  Indices<Space> row_ptr, col_idx;
  Vector<Space> values;
  Indices<Space> fine_row;  ///< for each row, the row of the next finer grid at the same point; empty on the finest
  Vector<Space> b, x, r;    ///< n; right-hand side and solution of this grid's problem, residual

  int num_rows() const { return host.num_rows(); }
  int num_entries() const { return static_cast<int>(host.values.size()); }
  typename types::pattern pattern() const { return {row_ptr, col_idx, RowOrder::natural}; }
};

/// The four grids, from the finest to the coarsest, with rows in one order.
template <class Space>
struct Hierarchy {
  static constexpr int count = 4;

  std::vector<Level<Space>> levels;
  double order_seconds = 0;  ///< coloring and permutation of the matrices on the host

  Hierarchy(int side, Order order) {
    std::vector<std::vector<int>> rows(count);
    for (int l = 0; l < count; ++l) {
      Level<Space> level;
      level.host = stencil(side >> l);
      if (order != Order::natural) order_seconds += reorder(level.host, order, rows[l]);
      level.row_ptr = to_device<Space>("hpcg::row_ptr", level.host.row_ptr);
      level.col_idx = to_device<Space>("hpcg::col_idx", level.host.col_idx);
      level.values = to_device<Space>("hpcg::values", level.host.values);
      for (auto* v : {&level.b, &level.x, &level.r}) *v = Vector<Space>("hpcg::vector", level.num_rows());
      if (l > 0) level.fine_row = to_device<Space>("hpcg::fine_row", injection(side >> l, rows[l], rows[l - 1]));
      levels.push_back(std::move(level));
    }
    set_rhs(levels[0]);
  }

 private:
  static double reorder(HostMatrix& a, Order order, std::vector<int>& rows) {
    return seconds_of(
        [&] {
          rows = color_order(a, order);
          a = permuted(a, rows);
        },
        [] {});
  }
  /// Returns for each row of a grid the row of the finer grid at the same point.
  /// @param order, fine_order  the row at each position, empty for natural order
  static std::vector<int> injection(int side, std::vector<int> const& order, std::vector<int> const& fine_order) {
    auto const fine_position = positions(fine_order);
    std::vector<int> out(static_cast<std::size_t>(side) * side * side);
    for (std::size_t p = 0; p < out.size(); ++p) {
      int const i = order.empty() ? static_cast<int>(p) : order[p];
      int const fine = grid_point(2 * side, 2 * (i % side), 2 * (i / side % side), 2 * (i / side / side));
      out[p] = fine_order.empty() ? fine : fine_position[fine];
    }
    return out;
  }
  /// Sets b to the sums of the rows, so that the solution is 1.
  static void set_rhs(Level<Space>& level) {
    auto const& a = level.host;
    std::vector<double> b(a.num_rows(), 0);
    for (int i = 0; i < a.num_rows(); ++i)
      for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) b[i] += a.values[k];
    level.b = to_device<Space>("hpcg::b", b);
  }
};

template <class Space>
Kokkos::RangePolicy<Space> all_of(Space const& exec, Vector<Space> const& v) {
  return Kokkos::RangePolicy<Space>(exec, 0, static_cast<int>(v.extent(0)));
}

/// Computes y = alpha x + beta y. x may be y. With beta = 0 the contents of y are ignored.
template <class Space>
void combine(Space const& exec, double alpha, Vector<Space> const& x, double beta, Vector<Space> const& y) {
  Kokkos::parallel_for(
      "hpcg::combine", all_of(exec, y),
      KOKKOS_LAMBDA(int i) { y(i) = beta == 0 ? alpha * x(i) : alpha * x(i) + beta * y(i); });
}

template <class Space>
double dot(Space const& exec, Vector<Space> const& x, Vector<Space> const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "hpcg::dot", all_of(exec, x), KOKKOS_LAMBDA(int i, double& mine) { mine += x(i) * y(i); }, sum);
  return sum;
}

/// Returns the maximum of |x - 1|, infinite if there is a NaN.
template <class Space>
double distance_to_one(Space const& exec, Vector<Space> const& x) {
  double most = 0;
  double const infinity = std::numeric_limits<double>::infinity();
  Kokkos::parallel_reduce(
      "hpcg::distance_to_one", all_of(exec, x),
      KOKKOS_LAMBDA(int i, double& mine) {
        double const distance = x(i) == x(i) ? Kokkos::abs(x(i) - 1) : infinity;
        if (distance > mine) mine = distance;
      },
      Kokkos::Max<double>(most));
  return most;
}

/// Copies the fine residual at the points of the coarse grid.
template <class Space>
void restrict_to(Space const& exec, Level<Space> const& coarse, Vector<Space> const& fine) {
  auto const b = coarse.b;
  auto const row = coarse.fine_row;
  Kokkos::parallel_for("hpcg::restrict", all_of(exec, b), KOKKOS_LAMBDA(int i) { b(i) = fine(row(i)); });
}

/// Adds the coarse solution to the fine one at the points of the coarse grid.
template <class Space>
void prolong_from(Space const& exec, Level<Space> const& coarse, Vector<Space> const& fine) {
  auto const x = coarse.x;
  auto const row = coarse.fine_row;
  Kokkos::parallel_for("hpcg::prolong", all_of(exec, x), KOKKOS_LAMBDA(int i) { fine(row(i)) += x(i); });
}

/// Returns the bandwidth of a copy that is much larger than caches, reads and writes, in bytes per second.
template <class Space>
double copy_bandwidth(Space const& exec) {
  int const size = is_host_space<Space> ? 1 << 22 : 1 << 26;
  Vector<Space> const from("hpcg::from", size), to("hpcg::to", size);
  auto const copy = [&] { combine(exec, 1.0, from, 0.0, to); };
  auto const fence = [&] { exec.fence("hpcg::copy_bandwidth"); };
  auto const times = measure(Limits{}, seconds_of(copy, fence), copy, fence);
  return 16.0 * size / times.median;
}

}  // namespace sptrsv::bench::hpcg
