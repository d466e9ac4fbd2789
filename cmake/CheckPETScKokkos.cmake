# SPDX-License-Identifier: Apache-2.0
# Checks whether PETSc and the Kokkos that was found can live in one process.

# sptrsv_read_petsc_variables(file cuda prefix): reads from PETSc's file petscvariables prefix_STANDARD, the C++
# standard of its Kokkos code (nvcc's if `cuda`), and prefix_INCLUDES, the folders of its Kokkos headers; empty if it
# has none
function(sptrsv_read_petsc_variables file cuda prefix)
  set(flags_name CXX_FLAGS)
  if(cuda)
    set(flags_name CUDAC_FLAGS)
  endif()
  file(STRINGS ${file} flags REGEX "^${flags_name} *=")
  file(STRINGS ${file} includes REGEX "^KOKKOS_INCLUDE *=")
  set(standard "")
  string(REGEX MATCHALL "-std=[a-z]+\\+\\+[0-9a-z]+" flags "${flags}")
  if(flags)
    list(GET flags -1 flags)  # the last flag counts
    string(REGEX REPLACE ".*\\+" "" standard "${flags}")
    string(REPLACE "2a" "20" standard "${standard}")
    string(REPLACE "2b" "23" standard "${standard}")
  endif()
  string(REGEX MATCHALL "-I[^ ]+" includes "${includes}")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(${prefix}_STANDARD "${standard}" PARENT_SCOPE)
  set(${prefix}_INCLUDES "${includes}" PARENT_SCOPE)
endfunction()

# sptrsv_kokkos_config_file(result folder...): finds the first KokkosCore_config.h, with links resolved; empty if none
function(sptrsv_kokkos_config_file result)
  set(${result} "" PARENT_SCOPE)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${folder}/KokkosCore_config.h)
      file(REAL_PATH ${folder}/KokkosCore_config.h file)
      set(${result} ${file} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# sptrsv_compare_kokkos(petsc_prefix petsc_includes kokkos_includes): stops if PETSc uses another Kokkos
function(sptrsv_compare_kokkos petsc_prefix petsc_includes kokkos_includes)
  sptrsv_kokkos_config_file(petscs ${petsc_includes})
  sptrsv_kokkos_config_file(ours ${kokkos_includes})
  if(petscs AND ours AND NOT petscs STREQUAL ours)
    get_filename_component(petscs ${petscs} DIRECTORY)
    get_filename_component(ours ${ours} DIRECTORY)
    message(FATAL_ERROR "sptrsv: PETSc in ${petsc_prefix} was built over the Kokkos whose headers are in ${petscs}, "
      "and the one that was found has its headers in ${ours}. A process can have but one: set Kokkos_ROOT (and "
      "KokkosKernels_ROOT) to PETSc's, and delete the build folder, which remembers the other one")
  endif()
endfunction()

# sptrsv_check_petsc_kokkos(): if PETSc has Kokkos, sets SPTRSV_PETSC_CXX_STANDARD to the C++ standard that its Kokkos
# code was built with, if PETSc says it
function(sptrsv_check_petsc_kokkos)
  set(SPTRSV_PETSC_CXX_STANDARD "" PARENT_SCOPE)
  if(NOT SPTRSV_PETSC_HAS_KOKKOS)
    get_target_property(type Kokkos::kokkoscore TYPE)
    if(type STREQUAL SHARED_LIBRARY)
      message(WARNING "sptrsv: PETSc ${PETSC_VERSION} has no Kokkos, and the one in ${Kokkos_DIR} is a shared "
        "library. Other libraries of this PETSc may bring a Kokkos of their own, and the process then mixes both. "
        "Better build Kokkos and Kokkos Kernels with -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON: "
        "the plugin hides them")
    endif()
    if(SPTRSV_PETSC_HAS_CUDA AND NOT Kokkos_ENABLE_CUDA)
      message(WARNING "sptrsv: PETSc ${PETSC_VERSION} has CUDA, and the Kokkos in ${Kokkos_DIR} has not: everything "
        "will be solved on the host. For the GPU set Kokkos_ROOT to a Kokkos with Kokkos_ENABLE_CUDA=ON")
    endif()
    return()
  endif()
  set(file ${PETSC_PREFIX}/lib/petsc/conf/petscvariables)
  if(NOT EXISTS ${file})
    message(WARNING "sptrsv: ${file} is missing, so it is not known whether PETSc and the Kokkos in ${Kokkos_DIR} "
      "agree")
    return()
  endif()
  sptrsv_read_petsc_variables(${file} "${SPTRSV_PETSC_HAS_CUDA}" petsc)
  get_target_property(includes Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  sptrsv_compare_kokkos(${PETSC_PREFIX} "${petsc_INCLUDES}" "${includes}")
  if(petsc_STANDARD AND NOT petsc_STANDARD EQUAL Kokkos_CXX_STANDARD)
    message(STATUS "sptrsv: PETSc was built as C++${petsc_STANDARD} and its Kokkos as C++${Kokkos_CXX_STANDARD}")
  endif()
  set(SPTRSV_PETSC_CXX_STANDARD "${petsc_STANDARD}" PARENT_SCOPE)
endfunction()
