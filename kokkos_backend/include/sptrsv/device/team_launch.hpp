// SPDX-License-Identifier: Apache-2.0
// Launches of teams that need more scratch memory than Kokkos gives them.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "sptrsv/device/cuda_error.hpp"
#include "sptrsv/device/scratch_limit.hpp"
#include "sptrsv/device/tickets.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define SPTRSV_LAUNCHES_TEAMS
#endif

namespace sptrsv::detail {

#if defined(SPTRSV_LAUNCHES_TEAMS)
namespace cuda {

using Team = typename Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;
static_assert(std::is_constructible_v<Team, void*, std::size_t, std::size_t, void*, std::size_t, int, int>,
              "this Kokkos makes its teams from other arguments than versions 4.5 to 5.0: adapt run_team()");

/// Returns the bytes of shared memory in which a team of Kokkos exchanges values.
inline int team_bytes(int threads) { return (threads + 2) * static_cast<int>(sizeof(double)); }

/// Returns the team of the calling thread block, as Kokkos' own launch does.
__device__ __forceinline__ Team this_team(int team_bytes, int scratch_bytes) {
  extern __shared__ __align__(16) char shared[];
  return Team(shared, static_cast<std::size_t>(team_bytes), static_cast<std::size_t>(scratch_bytes), nullptr, 0,
              static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
}
/// Runs `kernel(team)`, with a team for each thread block.
template <class Kernel>
__global__ void run_team(Kernel const kernel, int team_bytes, int scratch_bytes) {
  kernel(this_team(team_bytes, scratch_bytes));
}

/// Runs `kernel(team)` as run_team() does, with so few registers that a thread block may have `most_threads` threads.
template <int most_threads, class Kernel>
__global__ void __launch_bounds__(most_threads)
    run_bounded_team(Kernel const kernel, int team_bytes, int scratch_bytes) {
  kernel(this_team(team_bytes, scratch_bytes));
}

/// Makes the device of `exec` the current one of this thread, as Kokkos does before each launch.
inline void set_device(Kokkos::Cuda const& exec, char const* label) {
  check_cuda(cudaSetDevice(exec.cuda_device()), label);
}

/// Launches `teams` teams of `threads` threads with `lanes` lanes on the stream of `exec`. A lock serializes the
/// launches of one kernel, since the size of its shared memory is an attribute of the kernel.
/// @throw std::runtime_error  if CUDA refuses the launch
/// @tparam most_threads  bound of the threads of a team, lanes counted; 0: none
template <int most_threads, class Kernel>
void launch(char const* label, Kokkos::Cuda const& exec, int teams, int threads, int lanes, std::size_t scratch_bytes,
            Kernel const& kernel) {
  int const bytes = team_bytes(threads) + static_cast<int>(scratch_bytes);
  set_device(exec, label);
  static std::mutex mutex;
  std::lock_guard<std::mutex> const lock(mutex);
  auto const run = [] {
    if constexpr (most_threads > 0) return run_bounded_team<most_threads, Kernel>;
    else return run_team<Kernel>;
  }();
  check_cuda(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), label);
  std::uint64_t id = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id);
  run<<<static_cast<unsigned>(teams), dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(threads)),
        static_cast<std::size_t>(bytes), exec.cuda_stream()>>>(kernel, team_bytes(threads),
                                                               static_cast<int>(scratch_bytes));
  cudaError_t const error = cudaGetLastError();
  Kokkos::Tools::endParallelFor(id);
  check_cuda(error, label);
}

}  // namespace cuda
#endif

/// Returns the maximum bytes of a team's scratch memory for launch_teams(). With CUDA this is what a thread block may
/// opt in to (227 KiB on an H100), minus what a team of 512 threads needs itself, minus 1 KiB for arrays that kernels
/// declare, as Kokkos' reductions do.
template <class E>
int most_launch_scratch([[maybe_unused]] E const& exec) {
#if defined(SPTRSV_LAUNCHES_TEAMS)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>)
    return std::max(most_scratch_bytes,
                    static_cast<int>(exec.cuda_device_prop().sharedMemPerBlockOptin) - cuda::team_bytes(512) - 1024);
#endif
  return most_scratch_bytes;
}

/// Returns the maximum bytes of scratch memory per team with which a multiprocessor can hold two teams of up to 512
/// threads (109 KiB on an H100), or `most_scratch_bytes` if that is more.
template <class E>
int scratch_of_two_teams([[maybe_unused]] E const& exec) {
#if defined(SPTRSV_LAUNCHES_TEAMS)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>) {
    auto const& device = exec.cuda_device_prop();
    auto const half = static_cast<int>(device.sharedMemPerMultiprocessor / 2 - device.reservedSharedMemPerBlock);
    return std::clamp(half - cuda::team_bytes(512), most_scratch_bytes, most_launch_scratch(exec));
  }
#endif
  return most_scratch_bytes;
}

/// Returns the maximum number of threads of a team of launch_teams(), which the kernel's registers limit.
/// @tparam most_threads  as for launch_teams()
/// @throw std::runtime_error  if CUDA does not know the kernel
template <int most_threads = 0, class E, class Kernel>
int most_launch_threads(E const& exec, int lanes, std::size_t scratch_bytes, Kernel const& kernel) {
#if defined(SPTRSV_LAUNCHES_TEAMS)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>) {
    if constexpr (most_threads > 0) return most_threads / lanes;
    else if (scratch_bytes > static_cast<std::size_t>(most_scratch_bytes)) {
      cudaFuncAttributes attributes{};
      cuda::set_device(exec, "sptrsv: device of a kernel");
      check_cuda(cudaFuncGetAttributes(&attributes, cuda::run_team<Kernel>), "sptrsv: attributes of a kernel");
      return attributes.maxThreadsPerBlock / lanes;
    }
  }
  if constexpr (!(std::is_same_v<E, Kokkos::Cuda> && most_threads > 0))  // compiles no launch that is not used
#endif
    return team_policy(exec, 1, 1, lanes, scratch_bytes).team_size_max(kernel, Kokkos::ParallelForTag());
}

/// Runs `kernel(team)` for each team. If a team needs at most `most_scratch_bytes` of scratch memory and its registers
/// are not limited, Kokkos launches the kernel. Otherwise this function does: Kokkos 4 and 5 refuse more scratch memory
/// than that, of which a team may have most_launch_scratch() bytes.
/// @tparam most_threads  bound of the threads of a team, lanes counted, for which registers are limited; 0: none
template <int most_threads = 0, class E, class Kernel>
void launch_teams(char const* label, E const& exec, int teams, int threads, int lanes, std::size_t scratch_bytes,
                  Kernel const& kernel) {
#if defined(SPTRSV_LAUNCHES_TEAMS)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>)
    if (most_threads > 0 || scratch_bytes > static_cast<std::size_t>(most_scratch_bytes))
      return cuda::launch<most_threads>(label, exec, teams, threads, lanes, scratch_bytes, kernel);
  if constexpr (!(std::is_same_v<E, Kokkos::Cuda> && most_threads > 0))
#endif
    Kokkos::parallel_for(label, team_policy(exec, teams, threads, lanes, scratch_bytes), kernel);
}

}  // namespace sptrsv::detail
