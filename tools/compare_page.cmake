# SPDX-License-Identifier: Apache-2.0
# Checks that PAGE equals the output of PROGRAM.
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${MADE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PAGE} ${MADE} RESULT_VARIABLE different)
if(different)
  execute_process(COMMAND diff ${PAGE} ${MADE})
  message(FATAL_ERROR "${PAGE} is not what ${PROGRAM} prints; write it again: ${PROGRAM} > ${PAGE}")
endif()
