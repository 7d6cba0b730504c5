# The page is what the program prints.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ ${PAGE} page)
if(NOT status EQUAL 0 OR NOT printed STREQUAL page)
  message(FATAL_ERROR "${PAGE} is not what ${PROGRAM} prints (status ${status}); "
    "write it anew: ${PROGRAM} >${PAGE}")
endif()
