// SPDX-License-Identifier: Apache-2.0
// Constants of the numeric phase of factorizations.
#pragma once

#include "sptrsv/device/scratch_limit.hpp"

namespace sptrsv::detail {

/// Measured on an NVIDIA H200 (docs/factorization.md).
struct FactorizationTuning {
  /// Entries of a mean row of the factors per lane: where levels are narrow each row should be quick, where they have
  /// more rows than `wide_level_rows` on average all rows together (lap3d:100 in blocks of colors, 28 levels: 0.46 ms,
  /// not 0.71).
  static constexpr double entries_per_lane = 1, entries_per_lane_of_wide = 8;
  static constexpr double wide_level_rows = 16384;
  /// As GpuTuning::levels_in_flight: a row takes longer than in a solve, and most of it before it has to wait.
  static constexpr double levels_in_flight = 30;
  /// The same where rows are short, in mean fewer entries than short_row: waiting teams poll, and delay the others.
  static constexpr double levels_in_flight_of_short = 12, short_row = 8;
  /// LU: teams take a ticket while they work on the one before where each has many (else some would have two, and
  /// others none) and where not too many levels are in flight (rows that are held wait for their team).
  static constexpr double least_tickets_of_team = 8, most_levels_ahead = 16;
  /// Bytes of scratch memory for the rows of a warp; where a row does not fit its share, it waits in global memory.
  static constexpr int scratch_bytes = 16384;
  /// The same where products of symmetric factors wait there, too. A PETSc that does not contract needs half of it.
  static constexpr int product_scratch_bytes = most_scratch_bytes;
  /// Entries, on a host.
  static constexpr int host_scratch_entries = 4096;
  /// Rows of a ticket on a host.
  static constexpr int host_rows_per_ticket = 64;
};

}  // namespace sptrsv::detail
