# Programs: one executable each, or, when LLVM is linked statically, all of them
# in one, which acts as the program whose name it is called by: the compiler is
# 40 MB and is not needed twice. So what only one program uses is static or in
# an unnamed namespace there, and what two use is a library.

# ashlar_add_program(name source... LIBRARIES library...)
function(ashlar_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "LIBRARIES")
  set(sources ${program_UNPARSED_ARGUMENTS})
  # Messages name an author's file as the repository does.
  set(names -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
  if(NOT ASHLAR_STATIC)
    add_executable(${name} ${sources})
    target_compile_options(${name} PRIVATE ${names})
    target_link_libraries(${name} PRIVATE ${program_LIBRARIES})
    return()
  endif()
  add_library(${name} OBJECT ${sources})
  target_compile_options(${name} PRIVATE ${names})
  string(MAKE_C_IDENTIFIER ashlar_main_${name} entry)
  target_compile_definitions(${name} PRIVATE main=${entry})
  target_link_libraries(${name} PRIVATE ${program_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY ASHLAR_PROGRAMS ${name})
endfunction()

# Links the programs of a static build into `ashlar-programs`, with a symbolic
# link for each in `programs/`.
function(ashlar_link_programs)
  get_property(programs GLOBAL PROPERTY ASHLAR_PROGRAMS)
  if(NOT programs)
    return()
  endif()
  set(ASHLAR_PROGRAM_DECLARATIONS "")
  set(ASHLAR_PROGRAM_ENTRIES "")
  set(folder ${CMAKE_BINARY_DIR}/programs)
  file(MAKE_DIRECTORY ${folder})
  # Of programs that there are no more.
  file(GLOB links ${folder}/*)
  foreach(link IN LISTS links)
    if(IS_SYMLINK ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  foreach(program IN LISTS programs)
    string(MAKE_C_IDENTIFIER ashlar_main_${program} entry)
    string(APPEND ASHLAR_PROGRAM_DECLARATIONS "int ${entry}(int, char **);\n")
    string(APPEND ASHLAR_PROGRAM_ENTRIES
      "    {\"${program}\", ${entry}},\n")
    file(CREATE_LINK ashlar-programs ${folder}/${program} SYMBOLIC)
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/Programs.cpp.in
    ${CMAKE_BINARY_DIR}/Programs.cpp @ONLY)
  add_executable(ashlar-programs ${CMAKE_BINARY_DIR}/Programs.cpp)
  set_target_properties(ashlar-programs PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${folder})
  target_link_libraries(ashlar-programs PRIVATE ${programs})
endfunction()
