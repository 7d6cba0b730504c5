# Headers that take longer to parse than what includes them: as
# target_precompile_headers, but not with GCC, whose precompiled headers are too
# large to gain much.
function(ashlar_precompile_headers)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${ARGN})
  endif()
endfunction()
