# What all targets are compiled and linked with: language level, warnings, sanitizers, compiler cache, linker.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Floating-point contraction stays off: the weight generator promises the same bits on every machine, and a fused
# multiply-add would round differently.
add_library(graphnet_options INTERFACE)
target_compile_features(graphnet_options INTERFACE cxx_std_20)
target_compile_options(graphnet_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(graphnet_options INTERFACE -Wno-restrict)  # false alarms on "x" + string (GCC bug 105329)
endif()
target_include_directories(graphnet_options INTERFACE "${PROJECT_SOURCE_DIR}/include")
if(GRAPHNET_SANITIZE)
  target_compile_options(graphnet_options INTERFACE
    -fsanitize=${GRAPHNET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(graphnet_options INTERFACE -fsanitize=${GRAPHNET_SANITIZE})
endif()
if(GRAPHNET_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GRAPHNET_FUZZ needs clang: use the preset fuzz, or -DCMAKE_CXX_COMPILER=clang++.")
  endif()
  target_compile_options(graphnet_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ccache, where it is installed. Without the sloppiness it would never cache a file that uses a precompiled header.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(GRAPHNET_CCACHE ccache)
  mark_as_advanced(GRAPHNET_CCACHE)
  if(GRAPHNET_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${GRAPHNET_CCACHE}")
  endif()
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()

# mold, where it is installed, links the test programs in a fraction of the time.
find_program(GRAPHNET_MOLD mold)
mark_as_advanced(GRAPHNET_MOLD)
if(GRAPHNET_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
