# SPDX-License-Identifier: Apache-2.0
# Finds Ifpack2, and the Kokkos that it was built over. Sets SPTRSV_TPETRA_SCALARS to the scalars that Tpetra is
# instantiated for, as Kokkos' C++ types.
find_package(Ifpack2 REQUIRED CONFIG)
if(SPTRSV_ENABLE_TESTS OR SPTRSV_ENABLE_EXAMPLES)
  find_package(Belos REQUIRED CONFIG)
endif()
find_package(MPI REQUIRED COMPONENTS CXX)  # Trilinos leaves MPI to the compiler wrappers
# Kokkos lies next to Ifpack2; if Trilinos was built over another one, find_package() searches as usual
foreach(package Kokkos KokkosKernels)
  get_filename_component(own ${Ifpack2_DIR}/../${package} REALPATH)
  if(EXISTS ${own}/${package}Config.cmake)
    if(${package}_DIR)
      get_filename_component(given ${${package}_DIR} REALPATH)
      if(NOT given STREQUAL own)
        message(FATAL_ERROR "sptrsv: Ifpack2 in ${Ifpack2_DIR} was built over the ${package} in ${own}, and "
          "${package}_DIR is ${${package}_DIR}. A process can have but one: leave ${package}_DIR out, and delete the "
          "build folder, which remembers it")
      endif()
    endif()
    set(${package}_DIR ${own} CACHE PATH "Trilinos' own" FORCE)
  endif()
endforeach()
if(NOT TARGET Kokkos::kokkos)
  message(FATAL_ERROR "sptrsv: the Trilinos in ${Ifpack2_DIR} has no Kokkos; build Trilinos with Tpetra, or without "
    "the plugin: -DSPTRSV_ENABLE_IFPACK2=OFF")
endif()

get_target_property(includes Ifpack2::trilinos_ifpack2 INTERFACE_INCLUDE_DIRECTORIES)
find_file(SPTRSV_TPETRA_CONFIG TpetraCore_config.h HINTS ${includes} REQUIRED)
file(STRINGS ${SPTRSV_TPETRA_CONFIG} tpetra_types REGEX "^#define HAVE_TPETRA_INST_")
set(SPTRSV_TPETRA_SCALARS)
foreach(pair DOUBLE=double FLOAT=float COMPLEX_DOUBLE=Kokkos::complex<double> COMPLEX_FLOAT=Kokkos::complex<float>)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 type)
  if("#define HAVE_TPETRA_INST_${name}" IN_LIST tpetra_types)
    list(APPEND SPTRSV_TPETRA_SCALARS ${type})
  endif()
endforeach()
message(STATUS "sptrsv: Ifpack2 in ${Ifpack2_DIR}; Tpetra for ${SPTRSV_TPETRA_SCALARS}")
