# LibTorch from the torch package of a Python, as the imported target graphnet_torch.
#
# find_package(Torch) is not used: on a CUDA wheel it insists on a CUDA toolkit that nothing here needs. The package is
# found through Python's import machinery without importing it (importing torch takes seconds). libtorch_cuda is never
# linked; the worker loads it at run time, so that one binary serves CPU and CUDA wheels.
#
# Torch's include folder brings its own fmt, of another version than the system's: files that include LibTorch must not
# include spdlog or fmt.
set(GRAPHNET_TORCH_DIR "" CACHE PATH "The torch package: a folder with include/ and lib/ (default: that of GRAPHNET_PYTHON)")
set(GRAPHNET_PYTHON "" CACHE FILEPATH
    "The Python whose torch is used (default: the one GRAPHNET_TORCH_DIR belongs to, or python3, or that of .venv)")

# Sets <result> to the folder of the torch package that <python> would import, empty if there is none.
function(graphnet_find_torch python result)
  execute_process(
    COMMAND "${python}" -c
            "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failure)
  if(failure)
    message(FATAL_ERROR "\"${python}\" cannot be run as a Python: ${failure}")
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

find_program(graphnet_python3 NAMES python3 NO_CACHE)
if(NOT GRAPHNET_PYTHON AND NOT GRAPHNET_TORCH_DIR)
  # Where scripts/setup looks, too. Nothing is kept unless torch is found: it may be installed before the next try.
  foreach(python "${graphnet_python3}" "${PROJECT_SOURCE_DIR}/.venv/bin/python3")
    if(EXISTS "${python}" AND NOT GRAPHNET_TORCH_DIR)
      graphnet_find_torch("${python}" graphnet_torch_found)
      if(graphnet_torch_found)
        set(GRAPHNET_PYTHON "${python}" CACHE FILEPATH "" FORCE)
        set(GRAPHNET_TORCH_DIR "${graphnet_torch_found}" CACHE PATH "" FORCE)
      endif()
    endif()
  endforeach()
  if(NOT GRAPHNET_TORCH_DIR)
    message(FATAL_ERROR "Neither python3 nor .venv has a torch package. Run scripts/setup, or give -DGRAPHNET_PYTHON=FILE.")
  endif()
elseif(NOT GRAPHNET_TORCH_DIR)
  graphnet_find_torch("${GRAPHNET_PYTHON}" graphnet_torch_found)
  if(NOT graphnet_torch_found)
    message(FATAL_ERROR "${GRAPHNET_PYTHON} has no torch package. Run scripts/setup, or give -DGRAPHNET_TORCH_DIR=DIR.")
  endif()
  set(GRAPHNET_TORCH_DIR "${graphnet_torch_found}" CACHE PATH "" FORCE)
elseif(NOT GRAPHNET_PYTHON)
  # ENVIRONMENT/lib/python3.N/site-packages/torch belongs to ENVIRONMENT/bin/python3.
  get_filename_component(python "${GRAPHNET_TORCH_DIR}/../../../../bin/python3" ABSOLUTE)
  if(NOT EXISTS "${python}")
    set(python "${graphnet_python3}")
  endif()
  if(NOT python)
    message(FATAL_ERROR "There is no python3 here. Give -DGRAPHNET_PYTHON=FILE.")
  endif()
  set(GRAPHNET_PYTHON "${python}" CACHE FILEPATH "" FORCE)
endif()

if(NOT EXISTS "${GRAPHNET_TORCH_DIR}/include/torch/script.h")
  message(FATAL_ERROR "${GRAPHNET_TORCH_DIR} is no torch package: include/torch/script.h is missing.")
endif()
file(READ "${GRAPHNET_TORCH_DIR}/version.py" graphnet_torch_version_text)
string(REGEX MATCH "__version__ = '([0-9]+\\.[0-9]+\\.[0-9]+[^']*)'" unused "${graphnet_torch_version_text}")
set(GRAPHNET_TORCH_VERSION "${CMAKE_MATCH_1}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" graphnet_torch_minor "${GRAPHNET_TORCH_VERSION}")
if(graphnet_torch_minor VERSION_LESS 2.11)
  message(FATAL_ERROR "torch ${GRAPHNET_TORCH_VERSION} in ${GRAPHNET_TORCH_DIR} is too old: 2.11 or newer is needed.")
endif()
message(STATUS "torch ${GRAPHNET_TORCH_VERSION} in ${GRAPHNET_TORCH_DIR}")

add_library(graphnet_torch INTERFACE)
target_include_directories(graphnet_torch SYSTEM INTERFACE
  "${GRAPHNET_TORCH_DIR}/include" "${GRAPHNET_TORCH_DIR}/include/torch/csrc/api/include")
set(graphnet_torch_lib "${GRAPHNET_TORCH_DIR}/lib")
# libtorch is kept although no symbol of it is used: its static initialisers register operators. The CUDA wheel's
# libraries find their own dependencies by their own run paths, which the linker does not follow.
target_link_libraries(graphnet_torch INTERFACE
  -Wl,--push-state,--no-as-needed "${graphnet_torch_lib}/libtorch.so" "${graphnet_torch_lib}/libtorch_cpu.so"
  "${graphnet_torch_lib}/libc10.so" -Wl,--pop-state -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags
  Threads::Threads ${CMAKE_DL_LIBS})

# Parts of LibTorch that are younger than the oldest supported version.
file(STRINGS "${GRAPHNET_TORCH_DIR}/include/ATen/DeviceAccelerator.h" graphnet_has_memory_info REGEX "getMemoryInfo\\(")
if(graphnet_has_memory_info)
  target_compile_definitions(graphnet_torch INTERFACE GRAPHNET_HAVE_ACCELERATOR_MEMORY_INFO)
endif()

# One precompiled header for all files that include LibTorch (3 s a file instead of 10 s). It holds gigabytes in some
# build types, so no compiler cache keeps it.
add_library(graphnet_torch_headers OBJECT "${PROJECT_SOURCE_DIR}/cmake/torch_headers.cpp")
target_link_libraries(graphnet_torch_headers PRIVATE graphnet_options graphnet_torch)
target_precompile_headers(graphnet_torch_headers PRIVATE
  <torch/script.h> <torch/library.h> <ATen/DeviceAccelerator.h> <ATen/Parallel.h> <ATen/core/dispatch/Dispatcher.h>
  <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string> <string_view>
  <unordered_map> <utility> <variant> <vector>)
set_target_properties(graphnet_torch_headers PROPERTIES CXX_COMPILER_LAUNCHER "")

# graphnet_use_torch(<target>...) links targets to LibTorch and lets them use the precompiled header. Every target whose
# sources include LibTorch needs it, tests too.
function(graphnet_use_torch)
  foreach(target ${ARGN})
    get_target_property(type ${target} TYPE)
    set(scope PUBLIC)
    if(type STREQUAL "EXECUTABLE")
      set(scope PRIVATE)
      set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "${GRAPHNET_TORCH_DIR}/lib")
    endif()
    target_link_libraries(${target} ${scope} graphnet_torch)
    target_precompile_headers(${target} REUSE_FROM graphnet_torch_headers)
  endforeach()
endfunction()
