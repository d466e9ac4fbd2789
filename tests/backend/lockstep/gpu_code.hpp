// SPDX-License-Identifier: Apache-2.0
// Implements the interface of device/gpu_code.hpp by emulated warps. Names are short, since kernels call them.
#pragma once

#include "lockstep/warps.hpp"

namespace sptrsv::detail::gpu {

using lockstep::At;
using lockstep::Machine;

inline int lane() { return Machine::lane().x; }
inline bool first_of_team() { return Machine::lane().x == 0 && Machine::lane().y == 0; }
template <class R>
R shuffle(R value, int lane) {
  return lockstep::shuffled(value, lane);
}
template <class R>
R shuffle_xor(R value, int distance) {
  return lockstep::shuffled(value, Machine::lane().of_warp ^ distance);
}
inline bool any(bool value) { return lockstep::voted(value); }
inline void sync() { Machine::stand(At::sync); }
inline void rejoin() { Machine::stand(At::rejoin); }

struct WaitingLoop {
  WaitingLoop() { ++Machine::lane().loops; }
  WaitingLoop(WaitingLoop const&) = delete;
  ~WaitingLoop() {
    if (--Machine::lane().loops == 0) Machine::stand(At::left_loop);
  }
  void pause() const { Machine::stand(At::poll); }
};
template <class Turn>
void take_turns(Turn const& turn) {
  auto& mine = Machine::lane();
  bool done = false;
  while (lockstep::leaves_alone)
    if (turn()) return;
  do {
    if (!done) done = turn();
    mine.done = done;
    Machine::stand(At::turn);
  } while (!mine.answer);
}

template <class T>
T load_acquire(T const* address) {
  return *address;
}
template <class T>
T load_relaxed(T const* address) {
  return *address;
}
/// Publishes a store to other lanes as warps.hpp says; at once outside of team kernels.
template <class Store>
void publish(Store const& store) {
  if (Machine::current()) Machine::lane().stores.push_back(store);
  else store();
}
template <class T>
void store_relaxed(T* address, T value) {
  publish([=] { std::memcpy(static_cast<void*>(address), &value, sizeof(T)); });
}
template <class T>
T fetch_add(T* address, T value) {
  if (Machine::current()) Machine::event();
  T const before = *address;
  *address += value;
  return before;
}
template <class T>
void release_increment(T* address) {
  publish([=] { ++*address; });
}
template <class Bits>
Bits load_from_scratch(Bits* address, Bits) {
  return *address;
}
template <class Bits>
void store_to_scratch(Bits* address, Bits value) {
  publish([=] { *address = value; });
}
inline void prefetch(void const*) {}
template <class R>
R computed_here(R value) {
  return value;
}

}  // namespace sptrsv::detail::gpu
