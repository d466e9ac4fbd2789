// SPDX-License-Identifier: Apache-2.0
// Queries of an execution space: where it runs, and the name of its device.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

namespace sptrsv {

/// Tells whether functors of E run on threads of the calling process.
template <class E>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename E::memory_space>::accessible &&
    std::is_same_v<typename E::memory_space, Kokkos::HostSpace>;

/// Returns the device's name by the vendor's runtime; elsewhere the execution space's name.
template <class E>
std::string device_name([[maybe_unused]] E const& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>) return exec.cuda_device_prop().name;
  else
#endif
#if defined(KOKKOS_ENABLE_HIP)
      if constexpr (std::is_same_v<E, Kokkos::HIP>)
    return exec.hip_device_prop().name;
  else
#endif
    return E::name();
}

}  // namespace sptrsv
