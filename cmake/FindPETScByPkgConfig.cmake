# SPDX-License-Identifier: Apache-2.0
# Finds PETSc by PETSC_DIR and PETSC_ARCH, otherwise by pkg-config. Makes PkgConfig::PETSC and sets SPTRSV_PETSC_SCALAR
# and SPTRSV_PETSC_INDEX to the C++ types of PetscScalar and PetscInt.
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
set(petsc_dir ${PETSC_DIR})
set(petsc_arch ${PETSC_ARCH})
if(NOT petsc_dir)
  set(petsc_dir $ENV{PETSC_DIR})
  set(petsc_arch $ENV{PETSC_ARCH})
endif()
if(petsc_dir)
  # first in the path, so that the requested PETSc is the one that is used
  set(ENV{PKG_CONFIG_PATH} "${petsc_dir}/${petsc_arch}/lib/pkgconfig:${petsc_dir}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()
pkg_search_module(PETSC REQUIRED IMPORTED_TARGET PETSc>=${SPTRSV_PETSC_MINIMUM} petsc>=${SPTRSV_PETSC_MINIMUM})
target_link_libraries(PkgConfig::PETSC INTERFACE MPI::MPI_C)

file(WRITE ${CMAKE_BINARY_DIR}/petsc_types.c "
#include <petscconf.h>
#if defined(PETSC_USE_COMPLEX)
#define KIND complex
#else
#define KIND real
#endif
#if defined(PETSC_USE_REAL_SINGLE)
#define PRECISION single
#elif defined(PETSC_USE_REAL_DOUBLE)
#define PRECISION double
#elif defined(PETSC_USE_REAL___FLOAT128)
#define PRECISION quadruple
#else
#define PRECISION half
#endif
#if defined(PETSC_USE_64BIT_INDICES)
#define BITS 64
#else
#define BITS 32
#endif
#if defined(PETSC_HAVE_KOKKOS)
#define WITH kokkos
#else
#define WITH nothing
#endif
#if defined(PETSC_HAVE_CUDA)
#define ON_DEVICE cuda
#elif defined(PETSC_HAVE_HIP)
#define ON_DEVICE hip
#else
#define ON_DEVICE nothing
#endif
PETSC_IS KIND PRECISION BITS WITH ON_DEVICE
")
list(TRANSFORM PETSC_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE petsc_includes)
execute_process(COMMAND ${CMAKE_C_COMPILER} -E ${petsc_includes} ${CMAKE_BINARY_DIR}/petsc_types.c
                OUTPUT_VARIABLE petsc_types ERROR_QUIET)
if(NOT petsc_types MATCHES "PETSC_IS ([a-z]+) ([a-z]+) ([0-9]+) ([a-z]+) ([a-z]+)")
  message(FATAL_ERROR "sptrsv: cannot read petscconf.h of PETSc ${PETSC_VERSION} in ${PETSC_INCLUDE_DIRS}; check "
    "PETSC_DIR and PETSC_ARCH")
endif()
set(petsc_scalar ${CMAKE_MATCH_1})
set(petsc_precision ${CMAKE_MATCH_2})
set(petsc_bits ${CMAKE_MATCH_3})
set(SPTRSV_PETSC_HAS_KOKKOS OFF)
if(CMAKE_MATCH_4 STREQUAL kokkos)
  set(SPTRSV_PETSC_HAS_KOKKOS ON)
endif()
set(SPTRSV_PETSC_HAS_CUDA OFF)
if(CMAKE_MATCH_5 STREQUAL cuda)
  set(SPTRSV_PETSC_HAS_CUDA ON)
endif()
if(SPTRSV_PETSC_HAS_CUDA)
  # libpetsc needs libcuda.so.1, which comes with the driver; programs are also linked on machines without one
  set(SPTRSV_PETSC_LINK_OPTIONS LINKER:--unresolved-symbols=ignore-in-shared-libs)
  target_link_options(PkgConfig::PETSC INTERFACE ${SPTRSV_PETSC_LINK_OPTIONS})
endif()
if(NOT petsc_precision STREQUAL double)  # float would compile, but no single-precision PETSc has been tested
  message(FATAL_ERROR "sptrsv: PETSc ${PETSC_VERSION} in ${PETSC_INCLUDE_DIRS} has ${petsc_precision} precision; the "
    "plugin supports double precision, real and complex, with 32- and 64-bit indices. Choose another "
    "PETSC_DIR/PETSC_ARCH, or build without the plugin: -DSPTRSV_ENABLE_PETSC=OFF")
endif()
set(SPTRSV_PETSC_SCALAR double)
if(petsc_scalar STREQUAL complex)
  set(SPTRSV_PETSC_SCALAR Kokkos::complex<${SPTRSV_PETSC_SCALAR}>)
endif()
if(petsc_bits EQUAL 64)
  set(SPTRSV_PETSC_INDEX std::int64_t)
else()
  set(SPTRSV_PETSC_INDEX int)
endif()
set(SPTRSV_PETSC_TESTED 3.18 3.25 3.26)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" petsc_minor_version ${PETSC_VERSION})
if(NOT petsc_minor_version IN_LIST SPTRSV_PETSC_TESTED)
  list(JOIN SPTRSV_PETSC_TESTED ", " tested)
  message(WARNING "sptrsv: PETSc ${PETSC_VERSION} is not among the versions that are tested, ${tested}; run the tests "
    "before use")
endif()
if(petsc_scalar STREQUAL complex AND petsc_bits EQUAL 64)
  message(WARNING "sptrsv: complex scalars with 64-bit indices have been tested apart, but not together; run the tests "
    "before use")
endif()
message(STATUS "sptrsv: PETSc ${PETSC_VERSION} (${petsc_scalar}, ${petsc_precision}, ${petsc_bits}-bit indices, Kokkos "
  "${SPTRSV_PETSC_HAS_KOKKOS}, CUDA ${SPTRSV_PETSC_HAS_CUDA})")
