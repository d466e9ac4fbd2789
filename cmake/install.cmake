# SPDX-License-Identifier: Apache-2.0
# Rules of `cmake --install`. Each component has a file sptrsv_<component>.cmake in the package, which exists if and
# only if the component was built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sptrsv)
set(built_dir ${CMAKE_CURRENT_BINARY_DIR}/package)

# sptrsv_install_package_file(name destination): makes the file `name` from cmake/<name>.in and installs it
function(sptrsv_install_package_file name destination)
  configure_package_config_file(cmake/${name}.in ${built_dir}/${name} INSTALL_DESTINATION ${destination}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  install(FILES ${built_dir}/${name} DESTINATION ${destination})
endfunction()

# sptrsv_install_component(name headers): installs the static library sptrsv_<name>, its headers and its package files
function(sptrsv_install_component name headers)
  set_target_properties(sptrsv_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS sptrsv_${name} EXPORT sptrsv_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT sptrsv_${name} NAMESPACE sptrsv:: FILE sptrsv_${name}_targets.cmake DESTINATION ${package_dir})
  install(DIRECTORY ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
  sptrsv_install_package_file(sptrsv_${name}.cmake ${package_dir})
endfunction()

sptrsv_install_package_file(sptrsvConfig.cmake ${package_dir})
write_basic_package_version_file(${built_dir}/sptrsvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${built_dir}/sptrsvConfigVersion.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/sptrsv)

# --- backend
sptrsv_install_component(backend kokkos_backend/include/sptrsv)
install(FILES cmake/KokkosTarget.cmake cmake/cuda13_compat.h DESTINATION ${package_dir})

# --- petsc; its targets are written by hand: pkg-config finds PETSc again, and users do not see Kokkos
if(SPTRSV_ENABLE_PETSC)
  install(TARGETS sptrsv_petsc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES plugin/petsc/sptrsv_petsc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

  # the plugin serves one minor version of PETSc; folders are relative to the file, so that all can be moved
  pkg_get_variable(SPTRSV_PETSC_PCFILEDIR ${PETSC_MODULE_NAME} pcfiledir)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" SPTRSV_PETSC_MINOR "${PETSC_VERSION}")
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  set(SPTRSV_PETSC_NEXT_MINOR ${CMAKE_MATCH_1}.${next})
  file(RELATIVE_PATH SPTRSV_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(cmake/sptrsv_petsc.pc.in ${built_dir}/sptrsv_petsc.pc @ONLY)
  install(FILES ${built_dir}/sptrsv_petsc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  sptrsv_install_package_file(sptrsv_petsc.cmake ${package_dir})

  # the Python package has the plugin next to its modules: as a link, and as a file where pip installs the component
  # python (plugin/python/pyproject.toml), which is no part of `cmake --install`
  set(python_dir ${CMAKE_INSTALL_DATADIR}/sptrsv/python)
  install(DIRECTORY plugin/python/sptrsv DESTINATION ${python_dir} FILES_MATCHING PATTERN *.py PATTERN py.typed
          PATTERN __pycache__ EXCLUDE)
  file(RELATIVE_PATH plugin /${python_dir}/sptrsv /${CMAKE_INSTALL_LIBDIR}/libsptrsv_petsc.so)
  install(CODE "file(CREATE_LINK ${plugin}
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${python_dir}/sptrsv/libsptrsv_petsc.so SYMBOLIC)")
  install(TARGETS sptrsv_petsc LIBRARY DESTINATION sptrsv COMPONENT python EXCLUDE_FROM_ALL)

  # module files name the installation folder, which --prefix may have changed
  install(CODE "get_filename_component(PREFIX \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)")
  foreach(kind lua tcl)
    set(name_lua lmod/sptrsv/${PROJECT_VERSION}.lua)
    set(name_tcl tcl/sptrsv/${PROJECT_VERSION})
    set(into ${CMAKE_INSTALL_DATADIR}/sptrsv/modulefiles/${name_${kind}})
    install(CODE "
      set(PROJECT_VERSION ${PROJECT_VERSION})
      set(PETSC_VERSION ${PETSC_VERSION})
      set(LIBDIR ${CMAKE_INSTALL_LIBDIR})
      set(DATADIR ${CMAKE_INSTALL_DATADIR})
      message(STATUS \"Installing: \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${into}\")
      configure_file(${PROJECT_SOURCE_DIR}/cmake/modulefile/sptrsv.${kind}.in
        \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${into} @ONLY)")
  endforeach()
  install(FILES tests/package/petsc/use_plugin.c DESTINATION ${CMAKE_INSTALL_DATADIR}/sptrsv/check)
  install(DIRECTORY examples/recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/sptrsv FILES_MATCHING PATTERN *.petscrc)
  set(into ${CMAKE_INSTALL_DATADIR}/sptrsv/petscrc)
  install(CODE "
    set(LIBDIR ${CMAKE_INSTALL_LIBDIR})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/petscrc.in \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${into} @ONLY)
    message(STATUS \"To load the plugin in all PETSc programs: cat '\${PREFIX}/${into}' >> ~/.petscrc\")")
endif()

# --- ifpack2; all templates are installed, so that other scalars can be instantiated
if(SPTRSV_ENABLE_IFPACK2)
  sptrsv_install_component(ifpack2 plugin/ifpack2/sptrsv)
endif()
