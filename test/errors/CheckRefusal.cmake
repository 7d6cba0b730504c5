# The program NAME is refused, and says what its source says and nothing else.
set(said ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.txt)
execute_process(COMMAND ${PROGRAMS} ${NAME} OUTPUT_FILE ${said}
  ERROR_FILE ${said} RESULT_VARIABLE status TIMEOUT 30)
if(NOT status EQUAL 1)
  file(READ ${said} text)
  message(FATAL_ERROR "${NAME} was not refused: ${status}\n${text}")
endif()
execute_process(
  COMMAND ${FILECHECK} --match-full-lines --implicit-check-not={{.}}
    --input-file=${said} ${SOURCE}
  COMMAND_ERROR_IS_FATAL ANY)
