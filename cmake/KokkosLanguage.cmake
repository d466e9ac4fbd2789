# SPDX-License-Identifier: Apache-2.0
# Compiles Kokkos kernels in the language that Kokkos was built with: C++ for a host, CUDA for a GPU. Makes
# sptrsv::kokkos, for the C++ standard SPTRSV_CXX_STANDARD, and checks that all libraries that share Views agree on
# their layout.
include(KokkosTarget)
include(CheckViewLayout)
include(CheckPETScKokkos)

if(Kokkos_ENABLE_CUDA AND Kokkos_COMPILE_LANGUAGE STREQUAL CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  endif()
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})  # nvcc of the toolkit that Kokkos found, on PATH or not
  endif()
  # The plugin must use the CUDA runtime of PETSc, which links the shared one: kernels that both instantiate, such as
  # Kokkos' own, come from the library that is loaded first, and a second runtime would not know them
  if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  endif()
  enable_language(CUDA)
endif()

# sptrsv_kokkos_sources(FILE...): compiles these files in the language of Kokkos
function(sptrsv_kokkos_sources)
  if(CMAKE_CUDA_COMPILER)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()

# C++ standard of Kokkos, or of a PETSc over the same Kokkos, whichever is later
set(SPTRSV_CXX_STANDARD 17)
set(standards ${Kokkos_CXX_STANDARD})
if(SPTRSV_ENABLE_PETSC)
  sptrsv_check_petsc_kokkos()
  if(SPTRSV_PETSC_HAS_KOKKOS)
    list(APPEND standards ${SPTRSV_PETSC_CXX_STANDARD})
  endif()
endif()
foreach(standard IN LISTS standards)
  if(standard GREATER SPTRSV_CXX_STANDARD)
    set(SPTRSV_CXX_STANDARD ${standard})
  endif()
endforeach()
sptrsv_add_kokkos_target(sptrsv::kokkos ${SPTRSV_CXX_STANDARD})
sptrsv_check_kokkos_views(${SPTRSV_CXX_STANDARD} ${standards})
