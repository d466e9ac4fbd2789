// SPDX-License-Identifier: Apache-2.0
// Vector lanes of rows in a kernel in which no row waits for another.
#pragma once

#include "sptrsv/device/gpu_tuning.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/sweeps.md, "Jacobi sweeps"); used on every GPU.
struct IndependentRowTuning {
  /// Number of entries per lane of a triangle's row of mean length, if rows are many and of similar length.
  static constexpr int entries_per_lane = 8;
  /// Once a lane has at most this many entries of the longest row, more lanes gain nothing.
  static constexpr int least_entries_per_lane = 2;
  /// Relative cost of an entry that one lane adds serially, and overhead of a lane of a row. The unit is the time that
  /// all lanes together take for an entry, about 5 ps.
  static constexpr double entry_of_lane = 7e4, lane_of_row = 3.4;
};

/// Returns the number of vector lanes of each row, a power of two up to `most`, for rows that do not wait for each
/// other: the fewest lanes with which the longest row takes no longer than all rows together.
/// @param entries    number of off-diagonal entries of all rows
/// @param triangles  number of triangles, 1 or 2, of the entries; a lane adds the terms of one after the other
inline int lanes_per_independent_row(double rows, double entries, double longest_row, int triangles, int most) {
  using Tuning = IndependentRowTuning;
  int const limit = lanes_per_row(longest_row, most, Tuning::least_entries_per_lane);
  int lanes = lanes_per_row(entries / (rows * triangles), most, Tuning::entries_per_lane);
  while (lanes < limit && longest_row / lanes * Tuning::entry_of_lane > rows * lanes * Tuning::lane_of_row + entries)
    lanes *= 2;
  return lanes;
}

}  // namespace sptrsv::detail
