// SPDX-License-Identifier: Apache-2.0
// Families without random choices: grids, chain, arrows, dense, diagonal.
#include <array>

#include "families.hpp"

namespace sptrsv::support::detail {
namespace {

/// Offsets (dx, dy, dz) to the earlier neighbors of a grid node, in ascending order of their number.
using Stencil = std::vector<std::array<std::int64_t, 3>>;

/// Returns the earlier neighbors in a cube around the node; with `star` only those along the axes.
Stencil earlier_neighbors(bool three_dimensional, bool star) {
  Stencil stencil;
  for (std::int64_t dz = three_dimensional ? -1 : 0; dz <= 0; ++dz) {
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const bool earlier = dz < 0 || (dz == 0 && (dy < 0 || (dy == 0 && dx < 0)));
        const bool on_axis = dx * dx + dy * dy + dz * dz == 1;
        if (earlier && (on_axis || !star)) stencil.push_back({dx, dy, dz});
      }
    }
  }
  return stencil;
}

/// Returns a grid of side^2 or side^3 nodes in natural order, with `unknowns` coupled unknowns per node.
LowerPattern grid(std::int64_t side, bool three_dimensional, bool star, std::int64_t unknowns) {
  const Stencil stencil = earlier_neighbors(three_dimensional, star);
  const auto inside = [side](std::int64_t c) { return c >= 0 && c < side; };
  LowerPattern pattern;
  std::vector<std::int64_t> neighbors;
  for (std::int64_t z = 0; z < (three_dimensional ? side : 1); ++z) {
    for (std::int64_t y = 0; y < side; ++y) {
      for (std::int64_t x = 0; x < side; ++x) {
        neighbors.clear();
        for (const auto& [dx, dy, dz] : stencil) {
          if (!inside(x + dx) || !inside(y + dy) || z + dz < 0) continue;
          neighbors.push_back(((z + dz) * side + y + dy) * side + x + dx);
        }
        const std::int64_t node = (z * side + y) * side + x;
        for (std::int64_t u = 0; u < unknowns; ++u) {
          for (std::int64_t neighbor : neighbors)
            for (std::int64_t v = 0; v < unknowns; ++v) pattern.add(neighbor * unknowns + v);
          for (std::int64_t v = 0; v < u; ++v) pattern.add(node * unknowns + v);
          pattern.end_row();
        }
      }
    }
  }
  return pattern;
}

/// Returns a pattern whose row i has the columns first(i) to i - 1.
template <class First>
LowerPattern filled_rows(std::int64_t n, First first) {
  LowerPattern pattern;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = first(i); j < i; ++j) pattern.add(j);
    pattern.end_row();
  }
  return pattern;
}

}  // namespace

LowerPattern lap2d(const Arguments& arguments) { return grid(arguments[0], false, true, 1); }
LowerPattern lap3d(const Arguments& arguments) { return grid(arguments[0], true, true, 1); }
LowerPattern stencil27(const Arguments& arguments) { return grid(arguments[0], true, false, 1); }
LowerPattern fem2d(const Arguments& arguments) { return grid(arguments[0], false, false, 2); }
LowerPattern fem3(const Arguments& arguments) { return grid(arguments[0], true, false, 3); }

LowerPattern chain(const Arguments& arguments) {
  return filled_rows(arguments[0], [](std::int64_t i) { return i == 0 ? 0 : i - 1; });
}

LowerPattern diagonal(const Arguments& arguments) {
  return filled_rows(arguments[0], [](std::int64_t i) { return i; });
}

LowerPattern dense(const Arguments& arguments) {
  return filled_rows(arguments[0], [](std::int64_t) { return 0; });
}

LowerPattern blocks(const Arguments& arguments) {
  const std::int64_t size = arguments[1];
  return filled_rows(arguments[0] * size, [size](std::int64_t i) { return i - i % size; });
}

LowerPattern arrow_down(const Arguments& arguments) {
  const std::int64_t last = arguments[0] - 1;
  return filled_rows(arguments[0], [last](std::int64_t i) { return i == last ? 0 : i; });
}

LowerPattern arrow_up(const Arguments& arguments) {
  LowerPattern pattern;
  for (std::int64_t i = 0; i < arguments[0]; ++i) {
    if (i > 0) pattern.add(0);
    pattern.end_row();
  }
  return pattern;
}

}  // namespace sptrsv::support::detail
