# SPDX-License-Identifier: Apache-2.0
# Kokkos kernels are C++ for a host and CUDA for a GPU: a Kokkos built as a CMake language says which.
if(Kokkos_ENABLE_CUDA AND Kokkos_COMPILE_LANGUAGE STREQUAL CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
endif()

# sptrsv_kokkos_sources(FILE...): compile these the way Kokkos was compiled
function(sptrsv_kokkos_sources)
  if(CMAKE_CUDA_COMPILER)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()
