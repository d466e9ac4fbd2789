# SPDX-License-Identifier: Apache-2.0
# Compiles PETSc's own programs of programs.txt unchanged, and runs them with the plugin's factors instead of PETSc's.
set(programs_folder ${CMAKE_CURRENT_LIST_DIR})
set(programs_script ${programs_folder}/petsc_programs.py)
set(programs_settings)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${programs_folder}/programs.txt ${programs_folder}/test_blocks.py)

if(SPTRSV_PETSC_TUTORIALS AND EXISTS ${SPTRSV_PETSC_TUTORIALS}/../../../snes/tutorials/ex19.c)
  get_filename_component(programs_sources ${SPTRSV_PETSC_TUTORIALS}/../../.. REALPATH)
  find_file(SPTRSV_PETSCCONF petscconf.h NO_DEFAULT_PATH PATHS ${PETSC_INCLUDE_DIRS}
    DOC "petscconf.h of the PETSc in use")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${programs_script} --compilable ${programs_sources} ${SPTRSV_PETSCCONF}
                  OUTPUT_VARIABLE programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" programs "${programs}")
  foreach(source ${programs})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "/" "_" target petsc_program_${folder}_${name})
    add_executable(${target} ${programs_sources}/${source})
    target_link_libraries(${target} PRIVATE PkgConfig::PETSC m)
    target_compile_options(${target} PRIVATE -w -O1)
    if(SPTRSV_SANITIZE)  # checks the plugin, not PETSc's programs, which have to load the sanitizers first
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/programs/${folder})
  endforeach()

  add_library(petsc_record_factors MODULE ${programs_folder}/record_factors.c)
  target_link_libraries(petsc_record_factors PRIVATE PkgConfig::PETSC ${CMAKE_DL_LIBS})
  if(SPTRSV_SANITIZE)
    target_compile_options(petsc_record_factors PRIVATE -fno-sanitize=all)
    target_link_options(petsc_record_factors PRIVATE -fno-sanitize=all)
  endif()

  set(programs_compile ${CMAKE_C_COMPILER} -w -O1)
  foreach(folder ${PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS})
    list(APPEND programs_compile -I${folder})
  endforeach()
  set(programs_link ${PETSC_LDFLAGS} -Wl,-rpath,${PETSC_LIBDIR} ${MPI_C_LIBRARIES} -lm)
  foreach(words programs_compile programs_link)
    string(REPLACE ";" "\", \"" ${words} "${${words}}")
  endforeach()
  set(programs_settings ${CMAKE_CURRENT_BINARY_DIR}/programs.json)
  file(GENERATE OUTPUT ${programs_settings} CONTENT "{
  \"sources\": \"${programs_sources}\",
  \"programs\": \"${CMAKE_CURRENT_BINARY_DIR}/programs\",
  \"plugin\": \"$<TARGET_FILE:sptrsv_petsc>\",
  \"record\": \"$<TARGET_FILE:petsc_record_factors>\",
  \"petscconf\": \"${SPTRSV_PETSCCONF}\",
  \"petsc_prefix\": \"${PETSC_PREFIX}\",
  \"mpiexec\": \"${MPIEXEC_EXECUTABLE}\",
  \"compile\": [\"${programs_compile}\"],
  \"link\": [\"${programs_link}\"]
}
")
endif()

sptrsv_petsc_python(programs.rules 60 ${programs_folder}/test_program_rules.py)
foreach(package mat ksp snes ts tao)
  sptrsv_petsc_python(programs.${package} 300 ${programs_script}
    --settings "${programs_settings}" --package ${package} --jobs 1)
endforeach()
