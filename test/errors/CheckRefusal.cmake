# COMMAND fails, and says what SOURCE says that it must.
set(said ${NAME}.txt)
execute_process(COMMAND ${COMMAND} OUTPUT_FILE ${said} ERROR_FILE ${said}
  RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 1)
  file(READ ${said} text)
  message(FATAL_ERROR "${NAME} was not refused: ${status}\n${text}")
endif()
execute_process(COMMAND ${FILECHECK} --input-file=${said} ${SOURCE}
  COMMAND_ERROR_IS_FATAL ANY)
