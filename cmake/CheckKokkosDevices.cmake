# SPDX-License-Identifier: Apache-2.0
# Whether this Kokkos runs only where the backend is instantiated and its kernels are carried through.

# sptrsv_check_kokkos_devices(device...): stops at the first one that is not, by name; as in Kokkos_DEVICES
function(sptrsv_check_kokkos_devices)
  foreach(device IN LISTS ARGN)
    if(NOT device MATCHES "^(SERIAL|OPENMP|CUDA)$")
      message(FATAL_ERROR "sptrsv: this Kokkos has Kokkos_ENABLE_${device}=ON, for which there are no solvers here: "
        "the kernels' waiting, lanes and staging (kokkos_backend/include/sptrsv/device) are carried through for "
        "SERIAL, OPENMP and CUDA. Set Kokkos_ROOT to a Kokkos with these alone")
    endif()
  endforeach()
endfunction()
