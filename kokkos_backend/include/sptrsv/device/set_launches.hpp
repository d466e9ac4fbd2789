// SPDX-License-Identifier: Apache-2.0
// Launches of a solve by sets of independent rows, such as levels or colors: a wide set has a launch of its own,
// successive narrow sets share one.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/tickets.hpp"

namespace sptrsv::detail {

/// Calls f(first, end) for the sets of each launch: one set of kind `wide`, or successive sets of one other kind.
/// @param kind  returns the kind of a set
template <class Index, class Kind, class KindOf, class F>
void for_each_launch(Index sets, Kind wide, KindOf const& kind, F const& f) {
  for (Index s = 0, end = 0; s < sets; s = end) {
    for (end = s + 1; end < sets && kind(s) != wide && kind(end) == kind(s); ++end) {
    }
    f(s, end);
  }
}

/// Returns the policy of a kernel for `count` rows, or blocks of rows, of a wide set.
template <class E, class Index>
auto wide_set_policy(E const& exec, Index count, int per_team, int threads, int lanes, std::size_t team_scratch = 0) {
  return team_policy(exec, static_cast<int>((count + per_team - 1) / per_team), threads, lanes, team_scratch);
}

/// Launches on a host: the calling thread solves narrow sets, all threads solve equal parts of a wide set.
template <class Index>
class HostSetLaunches {
 public:
  HostSetLaunches() = default;
  /// @param first   first unit of each set, and the number of units; a unit is a row or a block of rows
  /// @param narrow  tells whether a set is narrow
  template <class Narrow>
  HostSetLaunches(std::vector<Index> const& first, Narrow const& narrow) {
    auto const sets = static_cast<Index>(first.empty() ? 0 : first.size() - 1);
    for_each_launch(sets, false, narrow, [&](Index s, Index end) {
      launches_.push_back({narrow(s), first[static_cast<std::size_t>(s)], first[static_cast<std::size_t>(end)]});
    });
  }
  std::size_t size() const { return launches_.size(); }
  std::size_t count_narrow() const {
    return static_cast<std::size_t>(
        std::count_if(launches_.begin(), launches_.end(), [](Launch const& launch) { return launch.narrow; }));
  }
  /// Calls solve(first, last) for ranges of units that cover all of them.
  template <class E, class Solve>
  void run(char const* label, E const& exec, Solve const& solve) const {
    for (Launch const& launch : launches_) {
      Index const first = launch.first, last = launch.last;
      if (launch.narrow) {
        solve(first, last);
        continue;
      }
      auto const parts = static_cast<Index>(concurrent_threads(exec));
      auto const end_of = [=](Index part) {
        return static_cast<Index>(first + static_cast<long long>(last - first) * part / parts);
      };
      Kokkos::parallel_for(label, Kokkos::RangePolicy<E, Index>(exec, 0, parts),
                           [&solve, &end_of](Index part) { solve(end_of(part), end_of(part + 1)); });
    }
  }

 private:
  struct Launch {
    bool narrow;
    Index first, last;  // units
  };
  std::vector<Launch> launches_;
};

}  // namespace sptrsv::detail
