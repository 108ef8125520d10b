#!/usr/bin/env bash
# Which Python and torch a build by hand finds. CMake, ninja and the compiler are the real ones ($CMAKE and $MAKE_PROGRAM
# name the first two, $CMAKE_GENERATOR another generator), the project is cmake/GraphnetTorch.cmake alone.
. "$(dirname "$0")/harness.sh"

CMAKE=${CMAKE:-$(command -v cmake)} || { echo "needs cmake" >&2; exit 1; }
MAKE_PROGRAM=${MAKE_PROGRAM:-$(command -v ninja)} || { echo "needs ninja" >&2; exit 1; }
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}

# configure OPTION...: again in the same build folder.
configure() {
  local project="$SANDBOX/checkout"
  mkdir -p "$project/cmake"
  cp "$source_root/cmake/GraphnetTorch.cmake" "$project/cmake/"
  cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(configure_test LANGUAGES CXX)
add_library(graphnet_options INTERFACE)
add_library(Threads::Threads INTERFACE IMPORTED)
file(WRITE "${PROJECT_SOURCE_DIR}/cmake/torch_headers.cpp" "")
include(cmake/GraphnetTorch.cmake)
END
  rm -f "$SANDBOX/bin/g++"
  call "$CMAKE" -DCMAKE_MAKE_PROGRAM="$MAKE_PROGRAM" -S . -B build "$@"
}

# has_torch_in FOLDER: as has_torch, with the headers that the configuration reads.
has_torch_in() {
  has_torch 2.13.0 "$1"
  mkdir -p "$1/torch/include/ATen"
  touch "$1/torch/include/ATen/DeviceAccelerator.h"
}

has_venv() {
  mkdir -p "$SANDBOX/checkout/.venv/bin"
  ln -s "$SANDBOX/stub" "$SANDBOX/checkout/.venv/bin/python3"
  has_torch_in "$SANDBOX/checkout/.venv/site"
}

finds() { grep -qx "$1" "$SANDBOX/checkout/build/CMakeCache.txt" || wrong "in the cache: $1"; }

test_the_torch_of_python3_is_found() {
  has_torch_in "$SANDBOX/site"
  has_venv
  configure
  ends_with 0
  finds "GRAPHNET_PYTHON:FILEPATH=$SANDBOX/bin/python3"
}

test_the_torch_of_venv_is_found_where_python3_has_none() {
  has_venv
  configure
  ends_with 0
  finds "GRAPHNET_PYTHON:FILEPATH=$SANDBOX/checkout/.venv/bin/python3"
}

test_without_torch_it_says_what_to_do_and_looks_again_next_time() {
  configure
  ends_with 1
  says 'Run scripts/setup'
  has_venv
  configure
  ends_with 0
  finds "GRAPHNET_PYTHON:FILEPATH=$SANDBOX/checkout/.venv/bin/python3"
}

test_a_python_that_is_none_is_refused_by_its_name() {
  configure -DGRAPHNET_PYTHON=/no/such/python
  ends_with 1
  says '"/no/such/python" cannot be run as a Python'
}

test_a_torch_of_no_python_is_used_with_python3() {
  has_torch_in "$SANDBOX/some/folders/down/from/here"
  configure -DGRAPHNET_TORCH_DIR="$SANDBOX/some/folders/down/from/here/torch"
  ends_with 0
  finds "GRAPHNET_PYTHON:FILEPATH=$SANDBOX/bin/python3"
}

run_tests
