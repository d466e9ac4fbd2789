// SPDX-License-Identifier: Apache-2.0
// Tickets: running teams take rows in solve order, so that a row waits only for rows that a running team has already
// taken. This guarantees progress on every backend.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

/// Number of teams and threads that share the rows, and number of rows of a ticket.
struct LaunchShape {
  int teams = 1;
  int threads = 1;  ///< per team
  int lanes = 1;    ///< vector lanes per thread
  int rows_per_ticket = 1;
};

/// Two ticket counters: a solve takes tickets from one and clears the other for the next solve, which saves a launch
/// and a fence. The solves of one object must run one after another on one instance.
template <class T>
class Tickets {
 public:
  using counter_view = Kokkos::View<unsigned long long*, typename T::device>;

  Tickets() = default;
  explicit Tickets(typename T::exec_space const& exec)
      : counters_(Kokkos::view_alloc(exec, std::string("sptrsv::tickets")), 2) {}

  /// Clears both counters: after a failed launch it is unknown which of them have been used.
  void restart(typename T::exec_space const& exec) const {
    auto const counters = counters_;
    Kokkos::parallel_for(
        "sptrsv::tickets::restart", range_of<int>(exec, 2), KOKKOS_LAMBDA(int which) { counters(which) = 0; });
  }
  /// Returns the counter of the next launch; call once per launch, on the host.
  int next_counter() { return current_ = 1 - current_; }

  /// Takes the next `rows` rows and returns the first of them.
  /// @param taker  Kokkos::PerTeam(team), or Kokkos::PerThread(team) where each thread takes tickets
  /// @param which  number of the counter
  template <class Taker>
  KOKKOS_INLINE_FUNCTION unsigned long long take(Taker const& taker, int which, int rows) const {
    unsigned long long first = 0;
    auto const counters = counters_;
    Kokkos::single(
        taker,
        [&](unsigned long long& value) {
          value = fetch_add(&counters(which), static_cast<unsigned long long>(rows));
          if (value == 0) counters(1 - which) = 0;  // the first ticket of a solve clears the counter of the next solve
        },
        first);
    return first;
  }

  /// Takes the next row, on the calling thread alone.
  KOKKOS_INLINE_FUNCTION unsigned long long take_alone(int which) const {
    auto const row = fetch_add(&counters_(which), 1ULL);
    if (row == 0) counters_(1 - which) = 0;  // as in take()
    return row;
  }

  /// Calls body(first, last) for each ticket of `rows` rows of [0, n) that the taker takes.
  template <class Taker, class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Taker const& taker, int which, int rows, Index n, Body const& body) const {
    auto const end = static_cast<unsigned long long>(n);
    for (auto first = take(taker, which, rows); first < end; first = take(taker, which, rows)) {
      auto const last = first + static_cast<unsigned long long>(rows);
      body(static_cast<Index>(first), last < end ? static_cast<Index>(last) : n);
    }
  }

  /// Requests a ticket for a team of one warp without waiting for it; all lanes pass the result to received(). A team
  /// may hold a ticket while it works on an earlier one, since some team always works on the first unfinished ticket.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION unsigned long long request([[maybe_unused]] Team const& team, int which, int rows) const {
#if defined(SPTRSV_GPU_CODE)
    return gpu::first_of_team() ? fetch_add(&counters_(which), static_cast<unsigned long long>(rows)) : 0;
#else
    return take(Kokkos::PerTeam(team), which, rows);
#endif
  }
  /// Returns the requested ticket on all lanes of the warp.
  KOKKOS_FORCEINLINE_FUNCTION unsigned long long received(unsigned long long requested,
                                                          [[maybe_unused]] int which) const {
#if defined(SPTRSV_GPU_CODE)
    if (gpu::first_of_team() && requested == 0) counters_(1 - which) = 0;  // as in take()
    return gpu::shuffle(requested, 0);
#else
    return requested;
#endif
  }

 private:
  counter_view counters_;
  int current_ = 0;
};

/// Returns the rows per ticket on a host. Rows depend mostly on near rows. With small tickets, a chain of dependent
/// rows therefore goes from thread to thread, with a cache miss each time; with large tickets, the thread of the last
/// one works alone at the end.
template <class T>
int host_rows_per_ticket(typename T::exec_space const& exec, long long rows) {
  return static_cast<int>(std::clamp(rows / (16LL * concurrent_threads(exec)), 64LL, 4096LL));
}

/// Returns the number of teams: the number that can be resident at a time, but at most one per ticket.
template <class T>
int number_of_teams(typename T::exec_space const& exec, long long rows, LaunchShape const& shape) {
  long long const needed = (rows + shape.rows_per_ticket - 1) / shape.rows_per_ticket;
  long long const resident = static_cast<long long>(concurrent_threads(exec)) / (shape.threads * shape.lanes);
  return static_cast<int>(std::max(1LL, std::min(needed, resident)));
}

/// Returns the shape of a launch with a lane for each column of a row, and therefore with fewer rows per team.
template <class T>
LaunchShape with_column_lanes(typename T::exec_space const& exec, LaunchShape shape, long long rows,
                              ColumnBlock const& columns) {
  if (columns.bits == 0) return shape;
  shape.lanes = columns.lanes();
  shape.rows_per_ticket = shape.threads = std::max(1, shape.threads >> columns.bits);
  shape.teams = number_of_teams<T>(exec, rows, shape);
  return shape;
}

/// Makes a launch pass the kernel's arguments itself. Otherwise Kokkos passes 512 bytes or more to CUDA through
/// constant memory, and for that the host waits until the kernel before has ended.
template <class Policy>
auto with_arguments_in_launch(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Returns the policy of a team kernel. On a GPU, Kokkos 4.x reallocates the teams' scratch memory at each launch while
/// its size is zero; requesting a few bytes each time makes it allocate once.
/// @param team_scratch  bytes of a team's level 0 scratch (shared memory in CUDA)
template <class E>
auto team_policy(E const& exec, int teams, int threads, int lanes, std::size_t team_scratch = 0) {
  Kokkos::TeamPolicy<E> policy(exec, teams, threads, lanes);
  if constexpr (!is_host_space<E>) policy.set_scratch_size(1, Kokkos::PerTeam(8));
  if (team_scratch > 0) policy.set_scratch_size(0, Kokkos::PerTeam(team_scratch));
  return with_arguments_in_launch(policy);
}

template <class T, class Body>
struct TicketKernel {
  using index = typename T::index;

  Tickets<T> counter;
  int which, rows;  ///< counter, and rows of a ticket
  index n;
  Body body;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    counter.for_each(Kokkos::PerTeam(team), which, rows, n, [&](index first, index last) { body(team, first, last); });
  }
};

/// Returns the maximum number of threads of a team of for_each_ticket() on a device; the kernel's registers limit it.
template <class T, class Body>
int most_threads_per_team(typename T::exec_space const& exec, Body const& body) {
  return team_policy(exec, 1, 1, 1).team_size_max(TicketKernel<T, Body>{{}, 0, 1, 1, body}, Kokkos::ParallelForTag());
}

/// Runs `body(team, first_row, last_row)` for every ticket of [0, n), in ascending order of tickets.
template <class T, class Body>
void for_each_ticket(char const* label, typename T::exec_space const& exec, Tickets<T>& tickets,
                     LaunchShape const& shape, typename T::index n, Body const& body) {
  if (n == 0) return;
  int const which = tickets.next_counter();
  Kokkos::parallel_for(label, team_policy(exec, shape.teams, shape.threads, shape.lanes),
                       TicketKernel<T, Body>{tickets, which, shape.rows_per_ticket, n, body});
}

/// Runs `body(team, first_row, last_row)` for every ticket of [0, n); each thread of a team takes its own tickets and
/// waits for no other thread of the team.
template <class T, class Body>
void for_each_ticket_of_threads(char const* label, typename T::exec_space const& exec, Tickets<T>& tickets,
                                LaunchShape const& shape, typename T::index n, Body const& body) {
  if (n == 0) return;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  int const which = tickets.next_counter();
  int const rows = shape.rows_per_ticket, threads = shape.threads;
  auto const counter = tickets;
  Kokkos::parallel_for(
      label, team_policy(exec, shape.teams, threads, shape.lanes), KOKKOS_LAMBDA(member const& team) {
        using index = typename T::index;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int) {
          // not Tickets::for_each, with which the kernel of `fused` needs 72 registers instead of 64
          for (auto first = counter.take(Kokkos::PerThread(team), which, rows);
               first < static_cast<unsigned long long>(n); first = counter.take(Kokkos::PerThread(team), which, rows)) {
            auto const last = first + static_cast<unsigned long long>(rows);
            body(team, static_cast<index>(first),
                 last < static_cast<unsigned long long>(n) ? static_cast<index>(last) : n);
          }
        });
      });
}

}  // namespace sptrsv::detail
