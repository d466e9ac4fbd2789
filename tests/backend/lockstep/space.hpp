// SPDX-License-Identifier: Apache-2.0
// Lockstep, an execution space whose team kernels run on emulated warps (warps.hpp) and all others in a loop. The
// library treats it as a GPU. Include it before any header of sptrsv or Kokkos Kernels, in the only file of a program
// that does not link the library.
#pragma once

#if defined(SPTRSV_GPU_CODE)
#error "include lockstep/space.hpp first"
#endif
#define SPTRSV_WARP_EMULATION "lockstep/gpu_code.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <sptrsv/space.hpp>
#include <utility>

#include "lockstep/warps.hpp"

namespace lockstep {

inline int resident_teams = 3;  ///< maximum number of warps of a launch that does not set its number

class Lockstep : public Kokkos::Serial {
 public:
  Lockstep() = default;
  explicit Lockstep(std::uint32_t instance) : instance_(instance) {}
  std::uint32_t impl_instance_id() const { return instance_; }  // Kokkos Tools tells the instances of Serial not apart
  using execution_space = Lockstep;
  using device_type = Kokkos::Device<Lockstep, memory_space>;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Lockstep>;
  static int concurrency() { return 2 * resident_teams * width; }  // a kernel that waits gets half of them
  static char const* name() { return "Lockstep"; }

 private:
  std::uint32_t instance_ = 1;
};

/// Scratch memory of a team.
struct Scratch {
  char* at;
  void* get_shmem(int) const { return at; }
  void* get_shmem_aligned(int, std::size_t) const { return at; }
};

class Member {
 public:
  using scratch_memory_space = Kokkos::HostSpace;

  Member(Lane& lane, int league, int threads, int lanes)
      : lane_(&lane), league_(league), threads_(threads), lanes_(lanes) {}
  int league_rank() const { return lane_->team; }
  int league_size() const { return league_; }
  int team_rank() const { return lane_->y; }
  int team_size() const { return threads_; }
  int lane() const { return lane_->x; }
  int lanes() const { return lanes_; }
  int first_lane_of_warp() const { return lane_->of_warp - lane_->x; }
  void team_barrier() const { Machine::stand(At::barrier); }
  Team& team() const { return Machine::current()->team(*lane_); }
  Scratch team_shmem() const {
    auto const at = reinterpret_cast<std::uintptr_t>(team().scratch.data());
    return {reinterpret_cast<char*>((at + 63) / 64 * 64)};
  }
  Scratch team_scratch(int) const { return team_shmem(); }  // kernels use one of the two levels

 private:
  Lane* lane_;
  int league_, threads_, lanes_;
};

template <class I>
struct Range {
  I begin, end, step;
  Member const* member;
  bool of_thread = false;
};

}  // namespace lockstep

template <>
struct Kokkos::Tools::Experimental::DeviceTypeTraits<lockstep::Lockstep> {
  static constexpr DeviceType id = DeviceType::Serial;
  static int device_id(lockstep::Lockstep const&) { return 0; }
};

namespace Kokkos {

// functions that kernels call on a team member: kernels use Kokkos' names, so these are declared first
template <class I>
lockstep::Range<I> TeamThreadRange(lockstep::Member const& m, I count) {
  return {static_cast<I>(m.team_rank()), count, static_cast<I>(m.team_size()), &m};
}
template <class I>
lockstep::Range<I> TeamThreadRange(lockstep::Member const& m, I begin, I end) {
  return {static_cast<I>(begin + m.team_rank()), end, static_cast<I>(m.team_size()), &m};
}
template <class I>
lockstep::Range<I> ThreadVectorRange(lockstep::Member const& m, I count) {
  return {static_cast<I>(m.lane()), count, static_cast<I>(m.lanes()), &m, true};
}
template <class I>
lockstep::Range<I> ThreadVectorRange(lockstep::Member const& m, I begin, I end) {
  return {static_cast<I>(begin + m.lane()), end, static_cast<I>(m.lanes()), &m, true};
}
template <class I>
lockstep::Range<I> TeamVectorRange(lockstep::Member const& m, I count) {
  return {static_cast<I>(m.team_rank() * m.lanes() + m.lane()), count, static_cast<I>(m.team_size() * m.lanes()), &m};
}
template <class I, class F>
void parallel_for(lockstep::Range<I> const& range, F const& f) {
  for (I i = range.begin; i < range.end; i += range.step) f(i);
}
/// Reduces over the lanes of a thread, or over a team, by a reducer, such as Kokkos::Max.
template <class I, class F, class R, class V = typename R::reducer::value_type>
void parallel_reduce(lockstep::Range<I> const& range, F const& f, R const& reducer) {
  static_assert(sizeof(V) <= lockstep::Lane::value_bytes);
  V mine;
  reducer.init(mine);
  parallel_for(range, [&](I i) { f(i, mine); });
  if (range.of_thread) {
    V all;
    reducer.init(all);
    for (int lane = 0; lane < range.member->lanes(); ++lane)
      reducer.join(all, lockstep::shuffled(mine, range.member->first_lane_of_warp() + lane));
    reducer.reference() = all;
    return;
  }
  std::memcpy(lockstep::Machine::lane().value, &mine, sizeof(V));
  range.member->team_barrier();
  reducer.init(mine);
  for (auto const& lane : range.member->team().lanes) {
    V part;
    std::memcpy(&part, lane->value, sizeof(V));
    reducer.join(mine, part);
  }
  reducer.reference() = mine;
  range.member->team_barrier();
}
/// Sums over the lanes of a thread, or over a team.
template <class I, class F, class V>
void parallel_reduce(lockstep::Range<I> const& range, F const& f, V& sum) {
  parallel_reduce(range, f, Sum<V>(sum));
}
/// Scans by the first thread of the team.
template <class I, class F>
void parallel_scan(lockstep::Range<I> const& range, F const& f) {
  I sum = 0;
  if (range.member->team_rank() == 0)
    for (I i = range.begin; i < range.end; ++i) f(i, sum, true);
  range.member->team_barrier();
}
inline Impl::ThreadSingleStruct<lockstep::Member> PerTeam(lockstep::Member const& m) {
  return Impl::ThreadSingleStruct<lockstep::Member>(m);
}
inline Impl::VectorSingleStruct<lockstep::Member> PerThread(lockstep::Member const& m) {
  return Impl::VectorSingleStruct<lockstep::Member>(m);
}
template <class F>
void single(Impl::ThreadSingleStruct<lockstep::Member> const& of, F const& f) {
  if (of.team_member.team_rank() == 0 && of.team_member.lane() == 0) f();
}
template <class F, class V>
void single(Impl::ThreadSingleStruct<lockstep::Member> const& of, F const& f, V& value) {
  lockstep::Team& team = of.team_member.team();
  static_assert(sizeof(V) <= sizeof team.broadcast);
  if (of.team_member.team_rank() == 0 && of.team_member.lane() == 0) {
    f(value);
    std::memcpy(team.broadcast, static_cast<void const*>(&value), sizeof(V));
  }
  of.team_member.team_barrier();
  std::memcpy(static_cast<void*>(&value), team.broadcast, sizeof(V));
  of.team_member.team_barrier();
}
template <class F>
void single(Impl::VectorSingleStruct<lockstep::Member> const& of, F const& f) {
  if (of.team_member.lane() == 0) f();
}
template <class F, class V>
void single(Impl::VectorSingleStruct<lockstep::Member> const& of, F const& f, V& value) {
  if (of.team_member.lane() == 0) f(value);
  value = lockstep::shuffled(value, of.team_member.first_lane_of_warp());
}

namespace Impl {

template <>
inline void hostspace_parallel_deepcopy_async<lockstep::Lockstep>(lockstep::Lockstep const&, void* to, void const* from,
                                                                  std::ptrdiff_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

template <class... Properties>
class TeamPolicyInternal<lockstep::Lockstep, Properties...> : public PolicyTraits<Properties...> {
 public:
  using traits = PolicyTraits<Properties...>;
  using execution_policy = TeamPolicyInternal;
  using execution_space = lockstep::Lockstep;
  using member_type = lockstep::Member;

  TeamPolicyInternal(execution_space const& space, int league, int threads, int lanes)
      : space_(space), league_(league), threads_(threads), lanes_(lanes) {}
  template <class... Others>
  TeamPolicyInternal(TeamPolicyInternal<execution_space, Others...> const& other)
      : TeamPolicyInternal(other.space(), other.league_size(), other.team_size(), other.impl_vector_length()) {
    scratch_ = other.scratch_size(0);
  }
  execution_space const& space() const { return space_; }
  int league_size() const { return league_; }
  int team_size() const { return threads_; }
  int impl_vector_length() const { return lanes_; }
  bool impl_auto_team_size() const { return false; }
  bool impl_auto_vector_length() const { return false; }
  std::size_t scratch_size(int) const { return scratch_; }
  static int vector_length_max() { return lockstep::width; }
  template <class F>
  int team_size_max(F const&, ParallelForTag const&) const {
    return 1024;
  }
  TeamPolicyInternal& set_scratch_size(int level, PerTeamValue const& bytes) {
    if (level == 0 || bytes.value > scratch_) scratch_ = bytes.value;
    return *this;
  }
  TeamPolicyInternal& set_chunk_size(int) { return *this; }

 private:
  execution_space space_;
  int league_, threads_, lanes_;
  std::size_t scratch_ = 0;
};

template <class F, class... Properties>
class ParallelFor<F, TeamPolicy<Properties...>, lockstep::Lockstep> {
 public:
  using Policy = TeamPolicyInternal<lockstep::Lockstep, Properties...>;
  ParallelFor(F const& f, Policy const& policy) : f_(f), policy_(policy) {}
  void execute() const {
    int const league = policy_.league_size(), threads = policy_.team_size(), lanes = policy_.impl_vector_length();
    lockstep::Machine(league, threads, lanes, policy_.scratch_size(0), [&](lockstep::Lane& lane) {
      f_(lockstep::Member(lane, league, threads, lanes));
    }).run();
  }

 private:
  F f_;
  Policy policy_;
};

// runs in a loop, as Serial does
template <class F, class... Properties>
class ParallelFor<F, RangePolicy<Properties...>, lockstep::Lockstep>
    : public ParallelFor<F, RangePolicy<Properties...>, Serial> {
 public:
  using ParallelFor<F, RangePolicy<Properties...>, Serial>::ParallelFor;
};
template <class F, class... Properties>
class ParallelFor<F, MDRangePolicy<Properties...>, lockstep::Lockstep>
    : public ParallelFor<F, MDRangePolicy<Properties...>, Serial> {
 public:
  using ParallelFor<F, MDRangePolicy<Properties...>, Serial>::ParallelFor;
};
template <class F, class... Properties>
class ParallelReduce<F, RangePolicy<Properties...>, lockstep::Lockstep>
    : public ParallelReduce<F, RangePolicy<Properties...>, Serial> {
 public:
  using ParallelReduce<F, RangePolicy<Properties...>, Serial>::ParallelReduce;
};
template <class F, class... Properties>
class ParallelScan<F, RangePolicy<Properties...>, lockstep::Lockstep>
    : public ParallelScan<F, RangePolicy<Properties...>, Serial> {
 public:
  using ParallelScan<F, RangePolicy<Properties...>, Serial>::ParallelScan;
};
template <class F, class... Properties, class V>
class ParallelScanWithTotal<F, RangePolicy<Properties...>, V, lockstep::Lockstep>
    : public ParallelScanWithTotal<F, RangePolicy<Properties...>, V, Serial> {
 public:
  using ParallelScanWithTotal<F, RangePolicy<Properties...>, V, Serial>::ParallelScanWithTotal;
};

}  // namespace Impl
}  // namespace Kokkos

#include <sptrsv/device/gpu_code.hpp>
#include <sptrsv/device/host_threads.hpp>

template <>
inline constexpr bool sptrsv::is_host_space<lockstep::Lockstep> = false;
template <>
inline constexpr bool sptrsv::detail::is_gpu<lockstep::Lockstep> = true;
template <>
struct sptrsv::detail::SingleThread<lockstep::Lockstep> {
  using type = Kokkos::Serial;  // for Kokkos Kernels
};
