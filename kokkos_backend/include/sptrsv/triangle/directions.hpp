// SPDX-License-Identifier: Apache-2.0
// Directions of a pattern numbered like a grid: groups of entries at similar distances from the diagonal.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sptrsv::detail {

/// Groups of entries by their distance |i - j|. In a matrix numbered like a grid each group is a direction of the grid.
class Directions {
 public:
  static constexpr int most = 3, bins = 128;
  using Histogram = std::array<std::size_t, bins>;

  Directions() = default;
  /// @param edges  number of entries, of all or of a sample, in each bin() of distances
  explicit Directions(Histogram const& edges) {
    std::size_t all = 0;
    for (std::size_t const e : edges) all += e;
    int last = -gap - 1;
    std::size_t usual[most] = {};
    for (int b = 0; b < bins; ++b) {
      if (edges[b] > all / 50) {  // 2 % of the entries; smaller bins belong to the direction before
        if (b - last > gap && count_ < most) ++count_;
        last = b;
        if (edges[b] > usual[count_ - 1]) {
          usual[count_ - 1] = edges[b];
          distance_[count_ - 1] = std::exp2(0.5 * b);
        }
      }
      direction_[b] = static_cast<signed char>(count_ > 0 ? count_ - 1 : 0);
    }
  }
  KOKKOS_INLINE_FUNCTION int count() const { return count_; }
  /// Returns the direction of entries at a distance.
  /// @param distance  positive
  template <class Index>
  KOKKOS_INLINE_FUNCTION int of(Index distance) const {
    return direction_[bin(distance)];
  }
  /// Returns the extents of a grid of n rows, from the usual distance of each direction; 1 for absent directions.
  std::array<double, most> extents(double n) const {
    std::array<double, most> out{1, 1, 1};
    for (int d = 0; d < count_; ++d)
      out[static_cast<std::size_t>(d)] = std::max(1.0, (d + 1 < count_ ? distance_[d + 1] : n) / distance_[d]);
    return out;
  }
  /// Returns the bin of a distance; an octave has two bins. Directions are more than `gap` bins apart: a factor of 4.
  template <class Index>
  KOKKOS_INLINE_FUNCTION static int bin(Index distance) {
    int octave = 0;
    for (auto rest = static_cast<std::uint64_t>(distance); rest > 1; rest >>= 1) ++octave;
    double const fraction = static_cast<double>(distance) / static_cast<double>(std::uint64_t(1) << octave);
    return 2 * octave + (fraction > 1.41421356);
  }

 private:
  static constexpr int gap = 4;
  signed char direction_[bins] = {};
  double distance_[most] = {};
  int count_ = 0;
};

}  // namespace sptrsv::detail
