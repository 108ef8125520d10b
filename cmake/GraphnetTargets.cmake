# The calls that every folder's CMakeLists.txt is made of: a layer's library, its tests, a program, a fuzz target.
#
# The build tree has the layout of the installed one (bin/, share/graphnet/), so that programs find what belongs to
# them relative to their own executable in both.
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# graphnet_add_library(<layer> SOURCES file.cpp... DEPENDS <layer or target>...) makes the static library
# graphnet_<layer>. DEPENDS names layers without the prefix, or any other target.
function(graphnet_add_library layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(graphnet_${layer} STATIC ${arg_SOURCES})
  target_link_libraries(graphnet_${layer} PUBLIC graphnet_options)
  graphnet_link(graphnet_${layer} PUBLIC ${arg_DEPENDS})
endfunction()

# graphnet_link(<target> PUBLIC|PRIVATE <layer or target>...)
function(graphnet_link target scope)
  foreach(dependency ${ARGN})
    if(TARGET graphnet_${dependency})
      target_link_libraries(${target} ${scope} graphnet_${dependency})
    else()
      target_link_libraries(${target} ${scope} ${dependency})
    endif()
  endforeach()
endfunction()

# graphnet_add_program(<name> SOURCES file.cpp... DEPENDS <layer or target>...) makes the executable bin/<name>,
# installs it and adds it to the target `programs`.
add_custom_target(programs)
function(graphnet_add_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  graphnet_link(${name} PRIVATE graphnet_options ${arg_DEPENDS})
  add_dependencies(programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# graphnet_add_test(<layer> SOURCES a_test.cpp... DEPENDS <layer or target>...) makes graphnet_<layer>_tests and hands
# each of its tests to ctest.
function(graphnet_add_test layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target graphnet_${layer}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE graphnet_options GTest::gtest GTest::gmock GTest::gtest_main)
  graphnet_link(${target} PRIVATE ${arg_DEPENDS})
  target_compile_definitions(${target} PRIVATE GRAPHNET_TEST_DIR="${PROJECT_SOURCE_DIR}/tests")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  gtest_discover_tests(${target} TEST_PREFIX "${layer}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# graphnet_add_fuzzer(<name> SOURCES name.cpp DEPENDS <layer or target>...), called in tests/fuzz, makes fuzz_<name>
# from a source that defines LLVMFuzzerTestOneInput. With GRAPHNET_FUZZ it is a libFuzzer program; in every other build
# it runs the inputs in tests/fuzz/corpus/<name> once, as a test.
function(graphnet_add_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target fuzz_${name})
  add_executable(${target} ${arg_SOURCES})
  graphnet_link(${target} PRIVATE graphnet_options ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if(GRAPHNET_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp")
    add_test(NAME fuzz.${name} COMMAND ${target} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
  endif()
endfunction()
