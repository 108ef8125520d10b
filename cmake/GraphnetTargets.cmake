# The two calls every folder's CMakeLists.txt is made of: a layer's library, and a layer's tests.
include(GNUInstallDirs)

# Compile options shared by all targets. Floating-point contraction stays off: the weight generator promises the same
# bits on every machine, and a fused multiply-add would round differently.
add_library(graphnet_options INTERFACE)
target_compile_features(graphnet_options INTERFACE cxx_std_20)
target_compile_options(graphnet_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
target_include_directories(graphnet_options INTERFACE "${PROJECT_SOURCE_DIR}/include")
if(GRAPHNET_SANITIZE)
  target_compile_options(graphnet_options INTERFACE
    -fsanitize=${GRAPHNET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(graphnet_options INTERFACE -fsanitize=${GRAPHNET_SANITIZE})
endif()
if(GRAPHNET_FUZZ)
  target_compile_options(graphnet_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

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

# graphnet_add_test(<layer> SOURCES a_test.cpp... DEPENDS <layer or target>...) makes graphnet_<layer>_tests and hands
# each of its tests to ctest.
function(graphnet_add_test layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target graphnet_${layer}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE graphnet_options GTest::gtest GTest::gmock GTest::gtest_main)
  graphnet_link(${target} PRIVATE ${arg_DEPENDS})
  target_compile_definitions(${target} PRIVATE GRAPHNET_TEST_DIR="${PROJECT_SOURCE_DIR}/tests")
  gtest_discover_tests(${target} TEST_PREFIX "${layer}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
