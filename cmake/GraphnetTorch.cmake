# LibTorch from the torch package of a Python, as the imported target graphnet_torch.
#
# find_package(Torch) is not used: on a CUDA wheel it insists on a CUDA toolkit that nothing here needs. The package is
# found through Python's import machinery without importing it (importing torch takes seconds). libtorch_cuda is never
# linked; the worker loads it at run time, so that one binary serves CPU and CUDA wheels.
set(GRAPHNET_TORCH_DIR "" CACHE PATH "The torch package: a folder with include/ and lib/ (default: that of GRAPHNET_PYTHON)")
set(GRAPHNET_PYTHON "" CACHE FILEPATH "The Python whose torch is used (default: python3)")

if(NOT GRAPHNET_TORCH_DIR)
  if(NOT GRAPHNET_PYTHON)
    find_program(GRAPHNET_PYTHON NAMES python3 REQUIRED)
  endif()
  execute_process(
    COMMAND "${GRAPHNET_PYTHON}" -c
            "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE graphnet_torch_found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT graphnet_torch_found)
    message(FATAL_ERROR "${GRAPHNET_PYTHON} has no torch package. Run scripts/setup, or give -DGRAPHNET_TORCH_DIR=DIR.")
  endif()
  set(GRAPHNET_TORCH_DIR "${graphnet_torch_found}" CACHE PATH "" FORCE)
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
  "${graphnet_torch_lib}/libc10.so" -Wl,--pop-state -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags ${CMAKE_DL_LIBS})
list(APPEND CMAKE_INSTALL_RPATH "${graphnet_torch_lib}")
