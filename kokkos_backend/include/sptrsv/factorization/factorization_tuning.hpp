// SPDX-License-Identifier: Apache-2.0
// Constants of the numeric phase of factorizations.
#pragma once

#include "sptrsv/device/scratch_limit.hpp"

namespace sptrsv::detail {

/// Constants measured on an NVIDIA H200 (docs/dev/factorization.md).
struct FactorizationTuning {
  /// Entries of a mean row of the factors per lane. Where levels are narrow each row should be fast; where they have
  /// more than `wide_level_rows` rows on average, all rows together (lap3d:100 in blocks of colors, 28 levels: 0.46 ms
  /// instead of 0.71).
  static constexpr double entries_per_lane = 1, entries_per_lane_of_wide = 8;
  static constexpr double wide_level_rows = 16384;
  /// Counterpart of GpuTuning::levels_in_flight: a row takes longer than in a solve, mostly before it has to wait.
  static constexpr double levels_in_flight = 30;
  /// levels_in_flight for rows with fewer than `short_row` entries on average: polling teams delay the others.
  static constexpr double levels_in_flight_of_short = 12, short_row = 8;
  /// LU: teams take a ticket while they work on the one before, if each has at least `least_tickets_of_team` tickets
  /// (otherwise some would have two and others none), and at most `most_levels_ahead` levels are in flight (held rows
  /// wait for their team).
  static constexpr double least_tickets_of_team = 8, most_levels_ahead = 16;
  /// Bytes of scratch memory for the rows of a warp; a row that does not fit its share stays in global memory.
  static constexpr int scratch_bytes = 16384;
  /// Bytes of scratch memory that also holds symmetric factors' products; half is needed if PETSc does not contract.
  static constexpr int product_scratch_bytes = most_scratch_bytes;
  /// Symmetric factors on a GPU: if no row has more pivot rows, a thread per row sorts them; otherwise PETSc's lists
  /// are followed on the host. Not measured.
  static constexpr int most_sorted = 512;
  /// Host: scratch entries.
  static constexpr int host_scratch_entries = 4096;
  /// Host: rows of a ticket.
  static constexpr int host_rows_per_ticket = 64;
};

}  // namespace sptrsv::detail
