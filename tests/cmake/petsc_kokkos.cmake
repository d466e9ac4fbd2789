# SPDX-License-Identifier: Apache-2.0
# Tests MODULES/CheckPETScKokkos.cmake with a PETSc over the same Kokkos, over another one, and with one that does not
# name its Kokkos.
include(${MODULES}/CheckPETScKokkos.cmake)
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/first/include/KokkosCore_config.h "")
file(WRITE ${WORK}/second/include/KokkosCore_config.h "")
file(CREATE_LINK ${WORK}/first ${WORK}/link SYMBOLIC)

set(file ${WORK}/petscvariables)
set(folder ${WORK}/link/include)  # the same folder by another name
if(CASE STREQUAL other)
  set(folder ${WORK}/second/include)
endif()
if(CASE STREQUAL unknown)
  file(WRITE ${file} "CXX_FLAGS = -O2\n")
else()
  file(WRITE ${file} "CXX_FLAGS = -O2 -std=gnu++17\n"
    "CUDAC_FLAGS = -std=c++14 -Xcompiler -fPIC -std=c++20 -O3\nKOKKOS_INCLUDE = -I${folder}\n")
endif()

sptrsv_read_petsc_variables(${file} ON petsc)
sptrsv_compare_kokkos(${WORK} "${petsc_INCLUDES}" "${WORK}/nowhere;${WORK}/first/include")
if(petsc_STANDARD STREQUAL "")
  set(petsc_STANDARD none)
endif()
message(STATUS "standard ${petsc_STANDARD}, fits")
