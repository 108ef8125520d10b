# The library graphnet_version: graphnet/support/version.h with project(VERSION) and, in a git checkout, the revision.
# Only the generated file changes with the revision, and it is written only when it does.
#
# Also a script: cmake -DOUTPUT=FILE -DVERSION=1.2.3 -P GraphnetVersion.cmake writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
  get_filename_component(source_dir "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
  set(GRAPHNET_REVISION "")
  if(EXISTS "${source_dir}/.git")
    execute_process(
      COMMAND git describe --always --dirty "--exclude=*" WORKING_DIRECTORY "${source_dir}"
      OUTPUT_VARIABLE GRAPHNET_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
  return()
endif()

set(graphnet_version_file "${CMAKE_BINARY_DIR}/generated/version.cpp")
add_custom_target(graphnet_revision
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${graphnet_version_file}" "-DVERSION=${PROJECT_VERSION}"
          -P "${CMAKE_CURRENT_LIST_FILE}"
  BYPRODUCTS "${graphnet_version_file}"
  COMMENT "Reading the git revision")
add_library(graphnet_version STATIC "${graphnet_version_file}")
target_link_libraries(graphnet_version PUBLIC graphnet_options)
add_dependencies(graphnet_version graphnet_revision)
