# SPDX-License-Identifier: Apache-2.0
# Writes the git commit of SOURCE to the header OUTPUT if the commit has changed. Sources in a folder of another
# repository have none.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
                OUTPUT_VARIABLE checkout OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(root ${SOURCE} REALPATH)
set(commit "")
if(checkout STREQUAL root)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
set(text "#pragma once\n#define SPTRSV_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
