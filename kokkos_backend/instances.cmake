# SPDX-License-Identifier: Apache-2.0
# Generates the files that instantiate the library for each scalar, index, offset and space: one per class, and one per
# folder of algorithms, so that no file takes long to compile.

# sptrsv_read_algorithms(): sets sptrsv_algorithms to the entries of algorithm_list.hpp, and for each Name
# sptrsv_header_<Name> to the included header name.hpp and sptrsv_folder_<Name> to its folder
function(sptrsv_read_algorithms)
  set(list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/include/sptrsv/planner/algorithm_list.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} text)
  string(REGEX MATCH "Algorithms =[ \n]*TypeList<([^;]*)>;" entries "${text}")
  string(REGEX MATCHALL "[A-Za-z0-9_]+<T>" entries "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "#include \"sptrsv/algorithm/[a-z0-9_/]+\\.hpp\"" headers "${text}")
  if(NOT entries)
    message(FATAL_ERROR "sptrsv: ${list} has no line 'using Algorithms = TypeList<...>;' with entries of the form "
      "Name<T>")
  endif()
  set(algorithms)
  foreach(entry IN LISTS entries)
    string(REPLACE "<T>" "" algorithm "${entry}")
    string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" file "${algorithm}")
    string(TOLOWER "${file}" file)
    if(NOT headers MATCHES "(sptrsv/algorithm/([a-z0-9_]+)/${file}\\.hpp)")
      message(FATAL_ERROR "sptrsv: ${list} lists ${algorithm}, but does not include "
        "sptrsv/algorithm/<folder>/${file}.hpp; include it there, and name header and class alike")
    endif()
    set(sptrsv_header_${algorithm} ${CMAKE_MATCH_1} PARENT_SCOPE)
    set(sptrsv_folder_${algorithm} ${CMAKE_MATCH_2} PARENT_SCOPE)
    list(APPEND algorithms ${algorithm})
  endforeach()
  set(sptrsv_algorithms ${algorithms} PARENT_SCOPE)
endfunction()

# sptrsv_instance_analysis(name scalar index offset space): writes <name>_analysis.hpp, which declares the analysis for
# these types `extern template`, and <name>_analysis_here.hpp, which instantiates it
function(sptrsv_instance_analysis name scalar index offset space)
  set(extern "extern ")
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/analysis.hpp.in ${name}_analysis.hpp @ONLY)
  set(extern)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/analysis.hpp.in ${name}_analysis_here.hpp @ONLY)
endfunction()

# sptrsv_instance_sources(name scalar index offset space): sets sptrsv_sources to the files for these types
function(sptrsv_instance_sources name scalar index offset space)
  set(sources ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set(folders)
  set(extern_algorithms)
  foreach(algorithm IN LISTS sptrsv_algorithms)
    set(folder ${sptrsv_folder_${algorithm}})
    list(APPEND folders ${folder})
    set(instance "template struct detail::MakeAlgorithm<instances::${name}, ${algorithm}<instances::${name}>>;\n")
    string(APPEND includes_of_${folder} "#include \"${sptrsv_header_${algorithm}}\"\n")
    string(APPEND algorithms_of_${folder} "${instance}")
    string(APPEND extern_algorithms "extern ${instance}")
  endforeach()
  sptrsv_instance_analysis(${name} ${scalar} ${index} ${offset} ${space})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/solver.cpp.in ${name}.cpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/factor.cpp.in ${name}_factor.cpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/sweeps.cpp.in ${name}_sweeps.cpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/factorization.cpp.in ${name}_factorization.cpp @ONLY)
  # GCC and Clang fuse multiplications and additions where the processor can; factors would then differ from PETSc's
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}_factorization.cpp PROPERTIES COMPILE_OPTIONS
    "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>;$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>")
  list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/${name}_factor.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/${name}_factorization.cpp ${CMAKE_CURRENT_BINARY_DIR}/${name}_sweeps.cpp)
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(includes "${includes_of_${folder}}")
    set(algorithms "${algorithms_of_${folder}}")
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/algorithms.cpp.in ${name}_${folder}.cpp @ONLY)
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/${name}_${folder}.cpp)
  endforeach()
  set(sptrsv_sources ${sources} PARENT_SCOPE)
endfunction()
