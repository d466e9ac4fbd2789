# SPDX-License-Identifier: Apache-2.0
# Compares the memory layout of Kokkos Views. With CUDA 12.9 and later, C++20 and the Views of Kokkos 4.7, device code
# reads a View's members at other offsets than host code writes them ([[no_unique_address]]: kokkos/mdspan #434, kokkos
# #9036), and libraries of different C++ standards may disagree in the same way. sizeof and offsetof do not show it,
# since nvcc computes them as the host does. Therefore a host program finds the members in the bytes of a View, and the
# offsets of device code are read from its PTX. No GPU is needed.
set(sptrsv_view_layout_dir ${CMAKE_CURRENT_LIST_DIR}/view_layout)

# sptrsv_headers_of(name standard): makes the target `name` with Kokkos' headers and flags, without its libraries, which
# would need a driver to start
function(sptrsv_headers_of name standard)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} INTERFACE IMPORTED)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    get_target_property(value Kokkos::kokkoscore INTERFACE_${property})
    if(value)
      set_property(TARGET ${name} PROPERTY INTERFACE_${property} ${value})
    endif()
  endforeach()
  get_target_property(kokkos_options Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
  sptrsv_add_kokkos_target(sptrsv_kokkos_cxx${standard} ${standard})
  get_target_property(our_options sptrsv_kokkos_cxx${standard} INTERFACE_COMPILE_OPTIONS)
  foreach(options kokkos_options our_options)
    if(${options})
      set_property(TARGET ${name} APPEND PROPERTY INTERFACE_COMPILE_OPTIONS ${${options}})
    endif()
  endforeach()
  target_compile_features(${name} INTERFACE cxx_std_${standard})
  foreach(library OpenMP::OpenMP_CXX CUDA::cudart_static)
    if(TARGET ${library})
      target_link_libraries(${name} INTERFACE ${library})
    endif()
  endforeach()
endfunction()

# sptrsv_view_layout_source(part language out): copies that part to a file of the language, and names it and the files
# that it needs
function(sptrsv_view_layout_source part language out)
  set(suffix cpp)
  if(language STREQUAL CUDA)
    set(suffix cu)
  endif()
  set(work ${CMAKE_CURRENT_BINARY_DIR}/view_layout)
  configure_file(${sptrsv_view_layout_dir}/${part}.cpp ${work}/${part}.${suffix} COPYONLY)
  file(WRITE ${work}/nothing.cpp "")  # makes the small project use C++ too, for whose standard Kokkos asks
  set(${out} ${work}/${part}.${suffix} ${work}/nothing.cpp PARENT_SCOPE)
endfunction()

# sptrsv_host_layout(language views target out): returns the layout as "vector_data=8;vector_extent=16;", sorted by name
function(sptrsv_host_layout language views target out)
  sptrsv_view_layout_source(host ${language} sources)
  list(GET sources 0 source)
  set(bin ${CMAKE_CURRENT_BINARY_DIR}/view_layout/host)
  # drops functions that Kokkos' headers call and this program does not, or never reaches
  set(CMAKE_TRY_COMPILE_CONFIGURATION Release)
  set(definitions "-DSPTRSV_VIEWS=\"${views}\"" -O2 -ffunction-sections)
  sptrsv_compiler_launcher(launcher)
  try_compile(compiled ${bin} SOURCES ${sources} CMAKE_FLAGS ${launcher} COMPILE_DEFINITIONS ${definitions}
    LINK_OPTIONS LINKER:--gc-sections,--unresolved-symbols=ignore-all LINK_LIBRARIES ${target} OUTPUT_VARIABLE log
    COPY_FILE ${bin}_program)
  set(succeeded ${compiled})
  unset(compiled CACHE)
  if(NOT succeeded)
    message(FATAL_ERROR "sptrsv: a program with nothing but Kokkos Views does not compile: Kokkos and the compiler do "
      "not fit. The compiler said:\n${log}")
  endif()
  execute_process(COMMAND ${bin}_program OUTPUT_VARIABLE layout ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "sptrsv: ${bin}_program, which prints how Views lie in memory, ended with ${status}\n${error}")
  endif()
  list(SORT layout)
  list(REMOVE_ITEM layout "")
  set(${out} "${layout}" PARENT_SCOPE)
endfunction()

# sptrsv_device_layout(language views target out): returns the layout in device code as sptrsv_host_layout() does
function(sptrsv_device_layout language views target out)
  sptrsv_view_layout_source(device ${language} sources)
  set(bin ${CMAKE_CURRENT_BINARY_DIR}/view_layout/device)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  string(REGEX REPLACE "^([0-9]+).*" "\\1-virtual" CMAKE_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")  # PTX only
  set(append_flags "$ENV{NVCC_APPEND_FLAGS}")
  # keeps the PTX readable, also if nvcc_wrapper calls nvcc
  set(ENV{NVCC_APPEND_FLAGS} "${append_flags} --no-compress")
  sptrsv_compiler_launcher(launcher)
  try_compile(compiled ${bin} SOURCES ${sources} CMAKE_FLAGS ${launcher}
    COMPILE_DEFINITIONS "-DSPTRSV_VIEWS=\"${views}\""
    LINK_LIBRARIES ${target} OUTPUT_VARIABLE log COPY_FILE ${bin}_library)
  set(ENV{NVCC_APPEND_FLAGS} "${append_flags}")
  set(succeeded ${compiled})
  unset(compiled CACHE)
  if(NOT succeeded)
    message(FATAL_ERROR "sptrsv: kernels that read Kokkos Views do not compile. The compiler said:\n${log}")
  endif()
  file(STRINGS ${bin}_library lines REGEX "\\.entry sptrsv_|ld\\.global")
  set(layout "")
  set(name "")
  foreach(text IN LISTS lines)
    if(text MATCHES "\\.entry sptrsv_([a-z0-9_]+)")
      set(name ${CMAKE_MATCH_1})
    elseif(name AND text MATCHES "ld\\.global[^[]*\\[%rd[0-9]+(\\+([0-9]+))?\\]")
      math(EXPR offset "0${CMAKE_MATCH_2}" OUTPUT_FORMAT DECIMAL)
      list(APPEND layout ${name}=${offset})
      set(name "")
    endif()
  endforeach()
  if(NOT layout)
    message(FATAL_ERROR "sptrsv: there is no PTX in ${bin}_library, so it cannot be said whether kernels understand "
      "Kokkos Views; compile for an architecture with its PTX, such as -DCMAKE_CUDA_ARCHITECTURES=90")
  endif()
  list(SORT layout)
  set(${out} "${layout}" PARENT_SCOPE)
endfunction()

# sptrsv_compiler_launcher(out): returns the launcher for try_compile, which does not know the rule by which a Kokkos
# without a CMake language wraps the compiler
function(sptrsv_compiler_launcher out)
  get_property(rule GLOBAL PROPERTY RULE_LAUNCH_COMPILE)
  string(REPLACE " " "\\;" rule "${rule}")
  set(${out} "-DCMAKE_CXX_COMPILER_LAUNCHER=${rule}" PARENT_SCOPE)
endfunction()

function(sptrsv_compare_layouts one other what)
  if(NOT one STREQUAL other)
    set(lost ${one})
    list(REMOVE_ITEM lost ${other})
    set(found ${other})
    list(REMOVE_ITEM found ${one})
    message(FATAL_ERROR "sptrsv: Kokkos Views lie in memory in two ways, so that ${what} would read wrong addresses: "
      "host code has (${lost}), the other (${found}). Build Kokkos ${Kokkos_VERSION} with "
      "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON, and it and PETSc with one C++ standard, or take a newer Kokkos; "
      "scripts/setup --stack cuda does the former")
  endif()
endfunction()

# sptrsv_check_kokkos_views(standard others...): compares Views compiled here, as C++ `standard`, with those of
# libraries compiled as `others`. A check that has passed is repeated only when Kokkos, the compiler or its flags change
function(sptrsv_check_kokkos_views standard)
  set(others ${ARGN})
  list(REMOVE_DUPLICATES others)
  list(REMOVE_ITEM others ${standard})
  if(NOT Kokkos_ENABLE_CUDA AND NOT others)
    return()
  endif()
  set(language ${Kokkos_COMPILE_LANGUAGE})
  get_target_property(includes Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  sptrsv_kokkos_config_file(config ${includes})
  file(SHA256 "${config}" config)
  set(key "${config} ${Kokkos_DIR} ${Kokkos_VERSION} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_${language}_COMPILER} \
${CMAKE_${language}_COMPILER_VERSION} ${CMAKE_${language}_FLAGS} ${CMAKE_CUDA_ARCHITECTURES} ${standard} ${others}")
  if(SPTRSV_VIEW_LAYOUT_CHECKED STREQUAL key)
    return()
  endif()
  message(STATUS "sptrsv: comparing how Kokkos Views lie in memory, once")
  set(views ${sptrsv_view_layout_dir}/views.hpp)
  sptrsv_headers_of(sptrsv_headers_cxx${standard} ${standard})
  sptrsv_host_layout(${language} ${views} sptrsv_headers_cxx${standard} here)
  if(Kokkos_ENABLE_CUDA)
    sptrsv_device_layout(${language} ${views} sptrsv_headers_cxx${standard} device)
    sptrsv_compare_layouts("${here}" "${device}" "kernels")
  endif()
  foreach(other IN LISTS others)
    if(other GREATER Kokkos_CXX_STANDARD)  # Kokkos' headers refuse a standard below their own
      sptrsv_headers_of(sptrsv_headers_cxx${other} ${other})
      sptrsv_host_layout(${language} ${views} sptrsv_headers_cxx${other} there)
      sptrsv_compare_layouts("${here}" "${there}" "libraries compiled as C++${other}")
    endif()
  endforeach()
  message(STATUS "sptrsv: Kokkos Views lie in memory alike, wherever they are used")
  set(SPTRSV_VIEW_LAYOUT_CHECKED "${key}" CACHE INTERNAL "Kokkos and compiler whose Views lie alike everywhere")
endfunction()
