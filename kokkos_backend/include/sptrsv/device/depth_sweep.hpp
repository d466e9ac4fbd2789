// SPDX-License-Identifier: Apache-2.0
// Sweeps that compute a depth for each row from the depths of the rows that it needs, as soon as those are published.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/tickets.hpp"

namespace sptrsv::detail {

/// Rows whose depths a lane polls for together.
template <class Index>
struct NeededRows {
  static constexpr int batch = 4;
  Index row[batch] = {};
  unsigned missed = 0;  ///< a bit for each row whose depth is not known yet

  KOKKOS_FORCEINLINE_FUNCTION void add(int u, Index needed) {
    row[u] = needed;
    missed |= 1u << u;
  }
};

/// Waits for the depths of all rows that a row needs. Lanes of a warp may need each other's rows, so a lane never loops
/// on one depth: in each turn it polls for a batch of rows, and takes the depths that are known.
/// @param needed   first rows to poll for, before those of next()
/// @param depths   by row; `unknown` until published
/// @param next     next(batch) refills an empty batch; returns false if no rows are left
/// @param take     take(needed, depth) is called for each needed row
/// @param publish  publish() stores the row's own depth; called in the turn in which the wait ends
template <class Index, class Depths, class Depth, class Next, class Take, class Publish>
KOKKOS_FORCEINLINE_FUNCTION void await_depths(Index row, NeededRows<Index> needed, Depths const& depths, Depth unknown,
                                              Next const& next, Take const& take, Publish const& publish) {
  take_turns([&](Backoff& wait) {
    if (!next(needed)) {
      publish();
      return true;
    }
    bool found = false;
    for (int u = 0; u < NeededRows<Index>::batch; ++u)
      if (needed.missed & (1u << u)) {
        Depth const depth = load_relaxed(&depths(needed.row[u]));
        if (depth == unknown) continue;
        found = true;
        needed.missed &= ~(1u << u);
        take(needed.row[u], depth);
      }
    if (!found) wait(row);
    return false;
  });
}

/// Publishes the depth of each row of a ticket: the maximum of depth_of_lane(row, lane) over a thread's lanes.
/// @param depth_of_lane  with one lane per thread, publishes the depth itself: other threads of the warp may poll for
/// it
template <class Team, class Index, class DepthOfLane, class Publish>
KOKKOS_FORCEINLINE_FUNCTION void publish_depths(Team const& team, Index first, Index last, int lanes,
                                                DepthOfLane const& depth_of_lane, Publish const& publish) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](Index row) {
    if (lanes == 1) {
      depth_of_lane(row, 0);
      return;
    }
    Index const depth = max_over_lanes<Index>(team, lanes, [&](int lane) { return depth_of_lane(row, lane); });
    if (lane_of(team) == 0) publish(row, depth);
    rejoin_lanes();
  });
}

/// Returns the shape of a launch with a thread per row.
/// @param rows_per_ticket  0: chosen here
template <class T>
LaunchShape thread_per_row_shape(typename T::exec_space const& exec, long long n, int rows_per_ticket) {
  LaunchShape shape;
  if constexpr (is_host_space<typename T::exec_space>) {
    shape.rows_per_ticket = rows_per_ticket > 0 ? rows_per_ticket : host_rows_per_ticket<T>(exec, n);
  } else {
    shape.threads = shape.rows_per_ticket =
        rows_per_ticket > 0 ? rows_per_ticket : 2 * Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
  }
  shape.teams = number_of_teams<T>(exec, n, shape);
  return shape;
}

/// Returns the shape of a sweep over n rows: a thread per row or, on a GPU if `by_warps`, a warp per row.
template <class T>
LaunchShape depth_sweep_shape(typename T::exec_space const& exec, long long n, bool by_warps) {
  if (!by_warps || is_host_space<typename T::exec_space>) return thread_per_row_shape<T>(exec, n, 0);
  LaunchShape shape{1, 1, Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max(), 1};
  shape.teams = number_of_teams<T>(exec, n, shape);
  return shape;
}

}  // namespace sptrsv::detail
