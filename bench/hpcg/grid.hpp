// SPDX-License-Identifier: Apache-2.0
// Matrix of the HPCG benchmark on the host: 27-point stencil, orders of its rows, Gauss-Seidel by one loop.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace sptrsv::bench::hpcg {

/// Matrix by rows, on the host.
struct HostMatrix {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;

  int num_rows() const { return static_cast<int>(row_ptr.size()) - 1; }
};

/// Order of the rows. `color`: by colors of the matrix' graph; `block_color`: by colors of blocks of rows.
enum class Order { natural, color, block_color };

/// Returns the number of the grid point (x, y, z) in natural order.
inline int grid_point(int side, int x, int y, int z) { return (z * side + y) * side + x; }

/// Returns the stencil on a grid of side^3 points: 26 on the diagonal, -1 for each of up to 26 neighbors.
inline HostMatrix stencil(int side) {
  HostMatrix out;
  auto const inside = [side](int c) { return c >= 0 && c < side; };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        for (int k = 0; k < 27; ++k) {
          int const u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
          if (!inside(u) || !inside(v) || !inside(w)) continue;
          out.col_idx.push_back(grid_point(side, u, v, w));
          out.values.push_back(k == 13 ? 26.0 : -1.0);
        }
        out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
      }
  return out;
}

/// Returns the position of each row in an order.
/// @param order  the row at each position
inline std::vector<int> positions(std::vector<int> const& order) {
  std::vector<int> out(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) out[order[p]] = static_cast<int>(p);
  return out;
}

/// Returns the matrix with rows and columns in another order; columns ascend.
/// @param order  the row at each position
inline HostMatrix permuted(HostMatrix const& a, std::vector<int> const& order) {
  HostMatrix out;
  auto const position = positions(order);
  std::vector<std::pair<int, double>> row;
  for (int const i : order) {
    row.clear();
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) row.emplace_back(position[a.col_idx[k]], a.values[k]);
    std::sort(row.begin(), row.end());
    for (auto const& [column, value] : row) {
      out.col_idx.push_back(column);
      out.values.push_back(value);
    }
    out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
  }
  return out;
}

/// Performs one symmetric Gauss-Seidel sweep over the rows as they are stored, by the definition.
inline void sweep_by_rows(HostMatrix const& a, std::vector<double> const& b, std::vector<double>& x) {
  int const n = a.num_rows();
  for (int step = 0; step < 2 * n; ++step) {
    int const i = step < n ? step : 2 * n - 1 - step;
    double sum = b[i], diagonal = 0;
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col_idx[k] == i) diagonal = a.values[k];
      else sum -= a.values[k] * x[a.col_idx[k]];
    }
    x[i] = sum / diagonal;
  }
}

/// Returns the row at each position of an order by colors.
std::vector<int> color_order(HostMatrix const& a, Order order);

}  // namespace sptrsv::bench::hpcg
