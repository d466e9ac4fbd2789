# SPDX-License-Identifier: Apache-2.0
# Checks that each source file of ROOT names the license in its first two lines.
find_package(Git QUIET)
set(files)
if(GIT_FOUND AND EXISTS ${ROOT}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${ROOT} ls-files --cached --others --exclude-standard
    -- CMakeLists.txt CITATION.cff mkdocs.yml .ci .clang-format .clang-tidy .editorconfig .gitignore
    .pre-commit-config.yaml bench cmake docs examples kokkos_backend plugin scripts tests tools
    OUTPUT_VARIABLE listed RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    string(REPLACE "\n" ";" listed "${listed}")
    foreach(file IN LISTS listed)
      if(EXISTS ${ROOT}/${file})
        list(APPEND files ${ROOT}/${file})
      endif()
    endforeach()
  endif()
endif()
file(GLOB top LIST_DIRECTORIES true ${ROOT}/*)
list(FILTER top EXCLUDE REGEX "/(LICENSE|build[^/]*|\\.[^/]*)$")
list(APPEND top ${ROOT}/.ci ${ROOT}/.clang-format ${ROOT}/.clang-tidy ${ROOT}/.editorconfig ${ROOT}/.gitignore
  ${ROOT}/.pre-commit-config.yaml)
if(files)
  set(top "")  # git applies the ignore rules itself
endif()
foreach(entry IN LISTS top)
  if(IS_DIRECTORY ${entry})
    file(GLOB_RECURSE below ${entry}/*)
    list(APPEND files ${below})
  else()
    list(APPEND files ${entry})
  endif()
endforeach()
# pages, JSON and notebooks (which have no comments), inputs for fuzzing, files that editors and Python leave behind
list(FILTER files EXCLUDE REGEX "/corpus/|\\.(md|json|ipynb|pyc|orig|rej|swp)$|~$|/compile_commands.json$")

set(num_checked 0)
foreach(file IN LISTS files)
  file(STRINGS ${file} lines LIMIT_COUNT 2)
  if(NOT lines MATCHES "SPDX-License-Identifier: Apache-2.0")
    message(SEND_ERROR "${file}: no line SPDX-License-Identifier: Apache-2.0 among its first two")
  endif()
  math(EXPR num_checked "${num_checked} + 1")
endforeach()
message(STATUS "${num_checked} files checked")
if(num_checked LESS 100)
  message(FATAL_ERROR "only ${num_checked} files found in ${ROOT}")
endif()
