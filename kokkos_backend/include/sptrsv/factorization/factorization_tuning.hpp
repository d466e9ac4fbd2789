// SPDX-License-Identifier: Apache-2.0
// Constants of the numeric phase of factorizations.
#pragma once

#include "sptrsv/device/scratch_limit.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/factorization.md).
struct FactorizationTuning {
  /// Number of entries per lane in a row of mean length. If levels are narrow, the latency of each row counts, so rows
  /// have more lanes. If levels have more than `wide_level_rows` rows on average, the time of all rows together counts
  /// (lap3d:100 in blocks of colors, 28 levels: 0.46 ms instead of 0.71).
  static constexpr double entries_per_lane = 1, entries_per_lane_of_wide = 8;
  static constexpr double wide_level_rows = 16384;
  /// Counterpart of GpuTuning::levels_in_flight, greater since a row takes longer, mostly before it has to wait.
  static constexpr double levels_in_flight = 30;
  /// levels_in_flight if rows have fewer than `short_row` entries on average: fewer, since polling delays other teams.
  static constexpr double levels_in_flight_of_short = 12, short_row = 8;
  /// LU: conditions for a team to take its next ticket while it still works on the one before. There are at least
  /// `least_tickets_of_team` tickets per team, since otherwise some teams would have two and others none. At most
  /// `most_levels_ahead` levels are in flight, since rows of the next ticket wait until their team is free.
  static constexpr double least_tickets_of_team = 8, most_levels_ahead = 16;
  /// Bytes of scratch memory for the rows of a warp; a row that needs more than its share stays in global memory.
  static constexpr int scratch_bytes = 16384;
  /// Bytes of scratch memory for the rows of a warp with the products of a symmetric factor. If PETSc's compiler
  /// contracts, both factors of each product are kept instead, which takes twice as much.
  static constexpr int product_scratch_bytes = most_scratch_bytes;
  /// Symmetric factors on a GPU: if no row has more pivot rows than this, a thread per row sorts them; otherwise the
  /// host finds their order by following PETSc's lists. Not measured.
  static constexpr int most_sorted = 512;
  /// Host: maximum number of entries of a row in scratch memory.
  static constexpr int host_scratch_entries = 4096;
  /// Host: number of rows of a ticket.
  static constexpr int host_rows_per_ticket = 64;
};

}  // namespace sptrsv::detail
