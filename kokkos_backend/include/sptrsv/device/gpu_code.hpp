// SPDX-License-Identifier: Apache-2.0
// SPTRSV_GPU_CODE is defined where a GPU's code is compiled. Then namespace gpu has what depends on its vendor:
//
//   lane(), first_of_team()             the calling lane of a thread; whether it is the first lane of its team
//   shuffle(), shuffle_xor(), any()     values of other lanes of the warp, which all of them call
//   sync()                              what the lanes have written to memory, all of them read
//   take_turns(turn)                    calls turn() until true, which publishes what other lanes of the warp poll for
//   rejoin()                            after a branch in which some lanes publish: none waits before they have
//   WaitingLoop                         begins and ends with a loop that polls; pause() between two polls
//   load_acquire(), load_relaxed(), store_relaxed(), fetch_add(), arrive()    visible on the whole GPU
//   load_from_scratch(), store_to_scratch()                                   visible in the team
//   computed_here()                     a value that the compiler must not compute later
//
// A lane of a GPU in lockstep that waits for another lane of its own warp hangs: the other one stands still until it
// has left its loop. So kernels wait for rows of other teams alone, or, where lanes of one warp need each other's rows,
// poll and publish in turns. docs/amd.md lists the kernels; tests emulate such a warp on a host: they name their form
// of the above by SPTRSV_WARP_EMULATION.
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

/// Whether kernels of E are a GPU's code.
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
