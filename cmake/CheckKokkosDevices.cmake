# SPDX-License-Identifier: Apache-2.0
# Checks that this Kokkos has only devices for which the backend is instantiated.

# sptrsv_check_kokkos_devices(device...): stops at the first device, named as in Kokkos_DEVICES, that is not supported
function(sptrsv_check_kokkos_devices)
  foreach(device IN LISTS ARGN)
    if(device STREQUAL HIP)
      if(NOT SPTRSV_ENABLE_HIP)
        message(FATAL_ERROR "sptrsv: this Kokkos has Kokkos_ENABLE_HIP=ON. The kernels compile for AMD GPUs, and have "
          "not run on one yet (docs/amd.md): set SPTRSV_ENABLE_HIP=ON if you want them nevertheless, or Kokkos_ROOT to "
          "another Kokkos")
      endif()
      message(WARNING "sptrsv: solvers for AMD GPUs are untested: they compile, and have not run on one (docs/amd.md)")
    elseif(NOT device MATCHES "^(SERIAL|OPENMP|CUDA)$")
      message(FATAL_ERROR "sptrsv: this Kokkos has Kokkos_ENABLE_${device}=ON, for which there are no solvers here: "
        "the kernels' waiting, lanes and staging (kokkos_backend/include/sptrsv/device) are carried through for "
        "SERIAL, OPENMP and CUDA. Set Kokkos_ROOT to a Kokkos with these alone")
    endif()
  endforeach()
endfunction()
