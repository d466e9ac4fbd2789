# SPDX-License-Identifier: Apache-2.0
# Kokkos, Kokkos Kernels and the compiler options to use them, for the build and for the installed package.

# sptrsv_add_kokkos_target(name standard): makes the imported target `name` for C++ `standard`
function(sptrsv_add_kokkos_target name standard)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} INTERFACE IMPORTED)
  set(kernels Kokkos::kokkoskernels)
  if(NOT TARGET Kokkos::kokkoskernels)
    set(kernels KokkosKernels::all_libs)  # name in Trilinos
  endif()
  target_link_libraries(${name} INTERFACE Kokkos::kokkos ${kernels})
  target_compile_features(${name} INTERFACE cxx_std_${standard})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15 AND
    KokkosKernels_VERSION VERSION_LESS 4.5)
    # GCC 15 reports a template of Kokkos Kernels that nobody instantiates, since it names a member that does not exist
    target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-template-body>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND
    KokkosKernels_VERSION VERSION_LESS 4.5)
    # Clang 19 reports the same template
    target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fdelayed-template-parsing>)
  endif()
  if(NOT Kokkos_ENABLE_CUDA)
    return()
  endif()
  # a Kokkos without a CMake language compiles its files as C++ by nvcc_wrapper, and brings the first two options itself
  set(cuda "$<COMPILE_LANGUAGE:${Kokkos_COMPILE_LANGUAGE}>")
  if(Kokkos_COMPILE_LANGUAGE STREQUAL CUDA)
    target_compile_options(${name} INTERFACE $<${cuda}:--extended-lambda>)
    if(standard GREATER 17 AND CMAKE_VERSION VERSION_LESS 3.26)
      target_compile_options(${name} INTERFACE $<${cuda}:-std=c++${standard}>)  # CMake knows no C++20 for nvcc yet
    endif()
  endif()
  if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13 AND Kokkos_VERSION VERSION_LESS_EQUAL 4.7.0)
    target_compile_options(${name} INTERFACE
      "$<${cuda}:SHELL:-include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13_compat.h>")
  endif()
endfunction()
