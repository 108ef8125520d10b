#include "steering_environment.h"

#include <algorithm>
#include <string_view>
#include <unistd.h>

namespace graphnet {
namespace {

constexpr std::string_view kPrefixes[] = {"TORCH",   "PYTORCH_", "TRITON_", "AOT",  "ATEN_", "CUDA_", "CUBLAS_",
                                          "CUDNN_",  "NVIDIA_",  "OMP_",    "KMP_", "GOMP_", "MKL_",  "DNNL_",
                                          "ONEDNN_", "MALLOC_",  "GLIBC_",  "LD_",  "HIP_",  "ROCR_"};
constexpr std::string_view kNames[] = {"CC",           "CXX",       "CFLAGS", "CXXFLAGS",
                                       "CPPFLAGS",     "LDFLAGS",   "CPATH",  "CPLUS_INCLUDE_PATH",
                                       "LIBRARY_PATH", "PYTHONPATH"};

bool is_steering(std::string_view name) {
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

std::map<std::string, std::string> steering_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name(text.substr(0, equals));
    if (is_steering(name)) found[name] = text.substr(std::min(equals + 1, text.size()));
  }
  return found;
}

}  // namespace graphnet
