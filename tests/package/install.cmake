# SPDX-License-Identifier: Apache-2.0
# Installs BUILD, made from SOURCE, into an empty WORK/prefix and checks that all files of the built COMPONENTS are
# there.
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix COMMAND_ERROR_IS_FATAL ANY)

set(package ${LIBDIR}/cmake/sptrsv)
set(expected share/doc/sptrsv/LICENSE ${package}/sptrsvConfig.cmake ${package}/sptrsvConfigVersion.cmake
    ${LIBDIR}/libsptrsv_backend.a)
if(PETSC)
  list(APPEND expected ${LIBDIR}/libsptrsv_petsc.so ${LIBDIR}/pkgconfig/sptrsv_petsc.pc include/sptrsv_petsc.h
    share/sptrsv/check/use_plugin.c
    share/sptrsv/petscrc
    share/sptrsv/recipes/multigrid.petscrc
    share/sptrsv/python/sptrsv/__init__.py share/sptrsv/python/sptrsv/py.typed
    share/sptrsv/python/sptrsv/libsptrsv_petsc.so)
endif()
if(IFPACK2)
  list(APPEND expected ${LIBDIR}/libsptrsv_ifpack2.a include/sptrsv/ifpack2/create.hpp
    include/sptrsv/ifpack2/riluk_impl.hpp
    include/sptrsv/ifpack2/local_triangular_solver_impl.hpp include/sptrsv/ifpack2/detail/local_factor.hpp)
endif()
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/kokkos_backend ${SOURCE}/kokkos_backend/include/*.hpp)
foreach(file IN LISTS expected headers)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

# no installed file may refer to the build or source folder
file(GLOB written ${WORK}/prefix/${package}/*.cmake ${WORK}/prefix/${LIBDIR}/pkgconfig/*.pc)
foreach(file IN LISTS written)
  file(READ ${file} text)
  foreach(folder ${SOURCE}/kokkos_backend ${SOURCE}/plugin ${BUILD})
    string(FIND "${text}" "${folder}/" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()
