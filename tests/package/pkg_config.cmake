# SPDX-License-Identifier: Apache-2.0
# Builds a C program with pkg-config and no CMake: compiles SOURCE with MPICC and FLAGS in WORK, once linked with the
# plugin and once to load it. PKGCONFIG is the program; PATHS has the .pc files of sptrsv and PETSc.

# query(variable arguments...): returns the answer of pkg-config as a list
function(query variable)
  execute_process(COMMAND ${PKGCONFIG} ${ARGN} OUTPUT_VARIABLE answer COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(answer UNIX_COMMAND "${answer}")
  set(${variable} ${answer} PARENT_SCOPE)
endfunction()

set(ENV{PKG_CONFIG_PATH} "${PATHS}")
query(cflags --cflags sptrsv_petsc)
query(libs --libs sptrsv_petsc)
query(libdir --variable=libdir sptrsv_petsc)
query(petsc_libdir --variable=libdir ${PETSC})  # users name PETSc's folder as for any of their programs
query(plugin --variable=plugin sptrsv_petsc)
query(version --modversion sptrsv_petsc)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "sptrsv_petsc.pc says version ${version}, not ${VERSION}")
endif()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

execute_process(COMMAND ${MPICC} ${flags} -DUSE_PLUGIN_LINKED ${cflags} ${SOURCE} -o ${WORK}/linked ${libs}
  -Wl,-rpath,${libdir} -Wl,-rpath,${petsc_libdir}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/linked COMMAND_ERROR_IS_FATAL ANY)

list(REMOVE_ITEM libs -lsptrsv_petsc)
execute_process(COMMAND ${MPICC} ${flags} ${cflags} ${SOURCE} -o ${WORK}/loaded ${libs} -Wl,-rpath,${petsc_libdir}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/loaded -dll_append ${plugin} COMMAND_ERROR_IS_FATAL ANY)

# a PETSc of another version is refused
file(WRITE ${WORK}/other/${PETSC}.pc "Name: ${PETSC}\nDescription: none\nVersion: 3.17.9\n")
set(ENV{PKG_CONFIG_PATH} "${WORK}/other:${PATHS}")
execute_process(COMMAND ${PKGCONFIG} --cflags sptrsv_petsc RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "3\\.17\\.9")
  message(FATAL_ERROR "pkg-config took PETSc 3.17.9, or did not say why not: ${status}, ${text}")
endif()
