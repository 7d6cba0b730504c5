# cmake --install: what another project finds with find_package(ashlar), or, to
# do without LLVM, with find_package(ashlar COMPONENTS runtime).

# A static build changes MLIR's targets, which an installed package can't.
if(ASHLAR_STATIC)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)

foreach(part runtime compiler dsl kernels tool)
  install(DIRECTORY ${part}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS ashlar-opt ashlar-run ashlar-sim)
install(TARGETS AshlarCudaLibrary AshlarCudaRuntime12 AshlarCudaRuntime13
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ashlar-sim NAMELINK_SKIP)

set_target_properties(AshlarHarness PROPERTIES EXPORT_NAME harness)
set_target_properties(AshlarDsl PROPERTIES EXPORT_NAME dsl)
set_target_properties(AshlarKernels PROPERTIES EXPORT_NAME kernels)
set_target_properties(AshlarTool PROPERTIES EXPORT_NAME tool)
install(TARGETS AshlarRuntime AshlarSimulator AshlarHarness EXPORT ashlarRuntimeTargets)
# All that a kernel program needs: ashlar::ashlar.
add_library(AshlarAll INTERFACE)
set_target_properties(AshlarAll PROPERTIES EXPORT_NAME ashlar)
target_link_libraries(AshlarAll INTERFACE AshlarTool AshlarKernels)
install(TARGETS AshlarAll AshlarTool AshlarKernels AshlarDsl AshlarCompiler
  AshlarPasses AshlarHopper AshlarTile AshlarLayout EXPORT ashlarTargets)
install(EXPORT ashlarRuntimeTargets NAMESPACE ashlar:: DESTINATION ${folder})
install(EXPORT ashlarTargets NAMESPACE ashlar:: DESTINATION ${folder})

configure_package_config_file(cmake/ashlarConfig.cmake.in ashlarConfig.cmake
  INSTALL_DESTINATION ${folder})
write_basic_package_version_file(ashlarConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ashlarConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ashlarConfigVersion.cmake DESTINATION ${folder})
