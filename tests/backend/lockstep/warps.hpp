// SPDX-License-Identifier: Apache-2.0
// Emulates warps in lockstep on a host. A lane is a fiber that runs until it needs others; how it continues follows the
// worst case of hardware with one program counter per warp:
//
//   - While a lane is in a polling loop (between the first and the last moment of a Backoff), all other lanes of its
//   warp that are not in such a loop stand still. A lane that has left the loop continues when all have left it.
//   - Other lanes see what a lane publishes when it reaches the next poll of the same loop, or when all lanes of its
//   warp reach a shuffle, a vote, sync(), rejoin() or a barrier. Stores published on the way out of a loop are
//   therefore seen when the last lane has left it.
//
// Warps take turns in an order drawn from a seed. A launch in which nothing is published for many turns hangs.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep {

inline int width = 64;             ///< lanes of a warp
inline std::uint64_t seed = 1;     ///< seed of the order in which warps and lanes take turns
inline bool leaves_alone = false;  ///< planted fault: in take_turns() lanes leave one by one
inline long long turns = 0;        ///< turns of warps in all launches
inline long long launches = 0;

struct Hang : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Point at which a lane stands.
enum class At { running, poll, left_loop, turn, shuffle, vote, sync, rejoin, barrier, end };

struct Lane {
  static constexpr std::size_t stack_bytes = 128 * 1024, value_bytes = 128;
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
  int x, y, team;  ///< lane of the thread, thread of the team, number of the team
  int of_warp;     ///< lane of the warp
  struct Warp* warp = nullptr;
  At at = At::running;
  int loops = 0;                              ///< number of polling loops that the lane is in
  bool done = false, answer = false;          ///< done: argument of take_turns(); answer: result of a vote
  std::vector<std::function<void()>> stores;  ///< stores that no other lane sees yet
  char value[value_bytes];
};

struct Warp {
  std::vector<Lane*> lanes;
  std::vector<char> values;  ///< values of the last shuffle, by lane
  bool any = false;
};

struct Team {
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Warp> warps;
  std::vector<char> scratch;
  unsigned long long broadcast[4];
};

/// Launch; one runs at a time.
class Machine {
 public:
  static Machine*& current() {
    static Machine* machine = nullptr;
    return machine;
  }
  static Lane& lane() { return *current()->lane_; }

  /// @param body  runs a kernel for a lane
  Machine(int teams, int threads, int lanes, std::size_t scratch, std::function<void(Lane&)> body)
      : body_(std::move(body)), random_(seed + static_cast<std::uint64_t>(++launches)), teams_(teams) {
    for (int t = 0; t < teams; ++t) make_team(teams_[t], t, threads, lanes, scratch);
  }
  void run() {
    struct Current {
      Machine* before = current();
      explicit Current(Machine* now) { current() = now; }
      ~Current() { current() = before; }
    } const scope(this);
    std::vector<std::pair<Team*, Warp*>> warps;
    for (Team& team : teams_)
      for (Warp& warp : team.warps) warps.emplace_back(&team, &warp);
    for (long long quiet = 0; !warps.empty(); ++quiet) {
      std::shuffle(warps.begin(), warps.end(), random_);
      for (auto& [team, warp] : warps) {
        events_ = false;
        turn(*team, *warp);
        if (events_) quiet = 0;
      }
      events_ = false;
      for (Team& team : teams_) open_barrier(team);
      if (events_) quiet = 0;
      warps.erase(std::remove_if(warps.begin(), warps.end(), [](auto const& w) { return ended(*w.second); }),
                  warps.end());
      if (quiet > most_quiet)
        throw Hang("no lane has published anything for " + std::to_string(quiet) + " turns" + where_lanes_stand());
    }
  }
  Team& team(Lane const& of) { return teams_[static_cast<std::size_t>(of.team)]; }

  // --- functions that a lane calls
  static void stand(At at) {
    Lane& mine = lane();
    mine.at = at;
    swapcontext(&mine.context, &current()->scheduler_);
  }
  static void event() { current()->events_ = true; }

 private:
  static constexpr long long most_quiet = 3000;

  std::string where_lanes_stand() const {
    static char const* const states[] = {"running", "poll", "left loop", "turn",    "shuffle",
                                         "vote",    "sync", "rejoin",    "barrier", "end"};
    std::string out;
    for (Team const& team : teams_)
      for (Warp const& warp : team.warps) {
        std::map<At, int> count;
        for (Lane const* lane : warp.lanes) ++count[lane->at];
        out += "; a warp:";
        for (auto const& [at, lanes] : count)
          out += " " + std::to_string(lanes) + " at " + states[static_cast<int>(at)];
      }
    return out;
  }
  void make_team(Team& team, int number, int threads, int lanes, std::size_t scratch) {
    team.scratch.resize(scratch + 64);
    int const all = threads * lanes;
    team.warps.resize(static_cast<std::size_t>((all + width - 1) / width));
    for (int k = 0; k < all; ++k) {
      team.lanes.push_back(std::make_unique<Lane>());
      Lane& lane = *team.lanes.back();
      lane.x = k % lanes;
      lane.y = k / lanes;
      lane.team = number;
      lane.of_warp = k % width;
      lane.warp = &team.warps[static_cast<std::size_t>(k / width)];
      lane.warp->lanes.push_back(&lane);
      getcontext(&lane.context);
      lane.context.uc_stack.ss_sp = lane.stack.get();
      lane.context.uc_stack.ss_size = Lane::stack_bytes;
      lane.context.uc_link = nullptr;
      makecontext(&lane.context, &Machine::enter, 0);
    }
  }
  static void enter() {
    current()->body_(lane());
    while (true) stand(At::end);
  }
  static bool ended(Warp const& warp) {
    for (Lane const* lane : warp.lanes)
      if (lane->at != At::end || !lane->stores.empty()) return false;
    return true;
  }
  void publish(Lane& lane) {
    if (lane.stores.empty()) return;
    for (auto const& store : lane.stores) store();
    lane.stores.clear();
    events_ = true;
  }
  void let_go(Lane& lane) {
    publish(lane);
    lane.at = At::running;
  }

  /// Runs all lanes that can run until they stand, then lets those continue that may.
  void turn(Team&, Warp& warp) {
    ++turns;
    std::vector<Lane*> order = warp.lanes;
    std::shuffle(order.begin(), order.end(), random_);
    for (Lane* lane : order) {
      if (lane->at != At::running) continue;
      lane_ = lane;
      swapcontext(&scheduler_, &lane->context);
      if (lane->at == At::end) events_ = true;
    }
    std::vector<Lane*> in_loops;
    for (Lane* lane : warp.lanes)
      if (lane->loops > 0) in_loops.push_back(lane);
    if (in_loops.empty()) leave_loops(warp);
    else go_on_in_loops(warp, in_loops);
  }
  void go_on_in_loops(Warp& warp, std::vector<Lane*> const& in_loops) {
    bool polled = false, all_vote = true, done = true;
    for (Lane* lane : in_loops) {
      if (lane->at == At::poll) {  // the lane is in the loop, so all code before it has been run
        let_go(*lane);
        polled = true;
      }
      all_vote &= lane->at == At::turn;
      done &= lane->done;
    }
    if (polled) return;
    if (all_vote) {
      for (Lane* lane : in_loops) {
        lane->answer = done;
        let_go(*lane);
      }
      return;
    }
    meet(warp);
  }
  void leave_loops(Warp& warp) {
    bool left = false, rejoined = false;
    for (Lane* lane : warp.lanes) {
      if (lane->at == At::left_loop) {
        let_go(*lane);
        left = true;
      } else if (lane->at == At::end) {
        publish(*lane);
      }
    }
    for (Lane* lane : warp.lanes)
      if (!left && lane->at == At::rejoin) {
        let_go(*lane);
        rejoined = true;
      }
    if (!left && !rejoined) meet(warp);
    events_ |= left || rejoined;
  }
  /// Lets all lanes of a warp continue together if they stand at the same point. Lanes that have ended take no part.
  void meet(Warp& warp) {
    std::vector<Lane*> lanes;
    for (Lane* lane : warp.lanes)
      if (lane->at != At::end) lanes.push_back(lane);
    if (lanes.empty()) return;
    At const at = lanes[0]->at;
    for (Lane const* lane : lanes)
      if (lane->at != at) return;
    if (at == At::barrier)
      for (Lane* lane : lanes) publish(*lane);
    if (at != At::shuffle && at != At::vote && at != At::sync) return;
    events_ |= lanes[0]->loops == 0;
    warp.any = false;
    warp.values.resize(static_cast<std::size_t>(width) * Lane::value_bytes);
    for (Lane* lane : lanes) {
      warp.any |= lane->done;
      std::memcpy(warp.values.data() + static_cast<std::size_t>(lane->of_warp) * Lane::value_bytes, lane->value,
                  Lane::value_bytes);
    }
    for (Lane* lane : lanes) let_go(*lane);
  }
  void open_barrier(Team& team) {
    for (auto const& lane : team.lanes)
      if (lane->at != At::barrier) return;
    for (auto const& lane : team.lanes) let_go(*lane);
    events_ = true;
  }

  std::function<void(Lane&)> body_;
  std::mt19937_64 random_;
  std::vector<Team> teams_;
  ucontext_t scheduler_;
  Lane* lane_ = nullptr;
  bool events_ = false;
};

template <class V>
V shuffled(V const& value, int from) {
  static_assert(sizeof(V) <= Lane::value_bytes);
  Lane& mine = Machine::lane();
  std::memcpy(mine.value, static_cast<void const*>(&value), sizeof(V));
  Machine::stand(At::shuffle);
  V out = value;
  std::memcpy(static_cast<void*>(&out), mine.warp->values.data() + static_cast<std::size_t>(from) * Lane::value_bytes,
              sizeof(V));
  return out;
}
inline bool voted(bool value) {
  Machine::lane().done = value;
  Machine::stand(At::vote);
  return Machine::lane().warp->any;
}

}  // namespace lockstep
