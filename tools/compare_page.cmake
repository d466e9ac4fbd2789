# SPDX-License-Identifier: Apache-2.0
# Checks that PAGE equals the output of PROGRAM, called with OPTION if there is one.
execute_process(COMMAND ${PROGRAM} ${OPTION} OUTPUT_FILE ${MADE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PAGE} ${MADE} RESULT_VARIABLE different)
if(different)
  execute_process(COMMAND diff ${PAGE} ${MADE})
  string(JOIN " " command ${PROGRAM} ${OPTION})
  message(FATAL_ERROR "${PAGE} is not what ${command} prints; write it again: ${command} > ${PAGE}")
endif()
