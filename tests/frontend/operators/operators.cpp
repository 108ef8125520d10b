// A library of operators as a user would bring one, for the tests of --op-library.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor twice(const at::Tensor& self) {
  return self * 2;
}

TORCH_LIBRARY(graphnet_test, library) {
  library.def("twice(Tensor self) -> Tensor", &twice);
}

}  // namespace
