// SPDX-License-Identifier: Apache-2.0
// What a device is called: coefficients that were measured belong to one kind of device.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

namespace sptrsv::detail {

/// As the vendor's runtime has it; elsewhere the execution space's name.
template <class E>
std::string device_name([[maybe_unused]] E const& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<E, Kokkos::Cuda>) return exec.cuda_device_prop().name; else
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<E, Kokkos::HIP>) return exec.hip_device_prop().name; else
#endif
  return E::name();
}

}  // namespace sptrsv::detail
