# Finds MLIR and makes its libraries linkable, shared or (ASHLAR_STATIC) static.

if(ASHLAR_STATIC)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_package(MLIR ${ASHLAR_LLVM_VERSION}.1 REQUIRED CONFIG
  HINTS /usr/lib/llvm-${ASHLAR_LLVM_VERSION}/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${LLVM_DEFINITIONS_LIST})

if(NOT ASHLAR_STATIC)
  set(MLIR_LINK_MLIR_DYLIB ON)
  return()
endif()

# Debian exports MLIR's static libraries with the shared libLLVM in their link
# interface. Replace it by the static components that are used.
set(LLVM_LINK_LLVM_DYLIB OFF)
set(MLIR_LINK_MLIR_DYLIB OFF)
llvm_map_components_to_libnames(ashlar_llvm_libraries
  Passes NVPTXCodeGen NVPTXDesc NVPTXInfo)
add_library(AshlarLlvm INTERFACE)
target_link_libraries(AshlarLlvm INTERFACE ${ashlar_llvm_libraries})
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    list(TRANSFORM libraries REPLACE "^LLVM$" AshlarLlvm)
    set_property(TARGET ${target} PROPERTY
      INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()
set_property(TARGET LLVMSupport PROPERTY INTERFACE_LINK_LIBRARIES
  rt dl m ZLIB::ZLIB zstd::libzstd_static LLVMDemangle)
set(CMAKE_SKIP_RPATH ON)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
