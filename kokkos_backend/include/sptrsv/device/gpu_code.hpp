// SPDX-License-Identifier: Apache-2.0
// Defines SPTRSV_GPU_CODE where GPU code is compiled. Namespace gpu then has the vendor-specific operations:
//
//   lane(), first_of_team()             the calling lane of a thread; whether it is the first lane of its team
//   shuffle(), shuffle_xor(), any()     values of other lanes of the warp; all lanes must call them
//   sync()                              makes the lanes' writes to memory visible to the whole warp
//   take_turns(turn)                    calls turn() until it returns true; turns publish what other lanes poll for
//   rejoin()                            ends a branch in which some lanes publish; no lane waits before that
//   WaitingLoop                         lives as long as a loop that polls; pause() is called between two polls
//   load_acquire(), load_relaxed(), store_relaxed(), fetch_add(), release_increment()    visible on the whole GPU
//   load_from_scratch(), store_to_scratch()                                   visible in the team
//   prefetch(address)                   loads 128 bytes to the L2 cache without waiting; may do nothing
//   computed_here()                     a value that the compiler must not compute later
//
// On a GPU in lockstep a lane that waits for another lane of its own warp hangs: the other lane stands still until the
// waiting lane has left its loop. Kernels therefore wait only for rows of other teams or, where lanes of one warp need
// each other's rows, poll and publish in turns. docs/amd.md lists these kernels. Tests emulate such a warp on a host:
// SPTRSV_WARP_EMULATION names the header that implements the interface.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#if defined(__CUDA_ARCH__)
#define SPTRSV_GPU_CODE
#include "sptrsv/device/cuda_code.hpp"
#elif defined(__HIP_DEVICE_COMPILE__)
#define SPTRSV_GPU_CODE
#include "sptrsv/device/hip_code.hpp"
#elif defined(SPTRSV_WARP_EMULATION)
#define SPTRSV_GPU_CODE
#include SPTRSV_WARP_EMULATION
#else
namespace sptrsv::detail::gpu {
struct WaitingLoop {};
}  // namespace sptrsv::detail::gpu
#endif

namespace sptrsv::detail {

/// Tells whether kernels of E run on a GPU.
template <class E>
inline constexpr bool is_gpu =
#if defined(KOKKOS_ENABLE_CUDA)
    std::is_same_v<E, Kokkos::Cuda> ||
#endif
#if defined(KOKKOS_ENABLE_HIP)
    std::is_same_v<E, Kokkos::HIP> ||
#endif
    false;

}  // namespace sptrsv::detail
