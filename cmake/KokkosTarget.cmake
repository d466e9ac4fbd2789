# SPDX-License-Identifier: Apache-2.0
# Kokkos, Kokkos Kernels, and what a compiler must be told to use them; for the build and in the installed package.

# sptrsv_add_kokkos_target(name standard): the imported target `name`, for C++ `standard`
function(sptrsv_add_kokkos_target name standard)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} INTERFACE IMPORTED)
  set(kernels Kokkos::kokkoskernels)
  if(NOT TARGET Kokkos::kokkoskernels)
    set(kernels KokkosKernels::all_libs)  # as Trilinos names it
  endif()
  target_link_libraries(${name} INTERFACE Kokkos::kokkos ${kernels})
  target_compile_features(${name} INTERFACE cxx_std_${standard})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15 AND
    KokkosKernels_VERSION VERSION_LESS 4.5)
    # a template that nobody instantiates names a member that does not exist, which GCC 15 looks at
    target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-template-body>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND
    KokkosKernels_VERSION VERSION_LESS 4.5)
    target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fdelayed-template-parsing>)  # the same template
  endif()
  if(NOT Kokkos_ENABLE_CUDA)
    return()
  endif()
  # a Kokkos that is no CMake language has its files compiled as C++, by nvcc_wrapper, and brings the first two itself
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
