// The same graph in float64: what both sides should have computed, near enough to tell which of them is closer to it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

// float16, bfloat16 and float32 become float64 and complex numbers complex128, in every type and every dtype argument.
// The recipes stay those of the original: tensors are drawn as ever and then converted. Throws Error(kUnsupported) for
// a graph that reads tensors' bits as another dtype.
Graph in_float64(const Graph& graph);

// The same tensors, those of floating and complex dtypes converted.
std::vector<at::Tensor> in_float64(std::span<const at::Tensor> tensors);

// One run of a graph in_float64() on the tensors of the original one. Tensors that operators make without naming a
// dtype are float64, too. Throws what Replayer does, for operators that have no float64 among others.
std::vector<at::Tensor> run_in_float64(const Graph& graph, std::span<const at::Tensor> inputs,
                                       std::span<const at::Tensor> weights, std::span<const at::Tensor> constants,
                                       c10::Device device);

// How far an output is from the one in float64, over elements that are finite in both.
struct Float64Error {
  double maximum_absolute = 0;
  double relative = 0;  // norm of the difference by the norm of the float64 output; 0 where both are 0
};

// Nothing for outputs that are not floating or complex, or not of the same shape.
std::optional<Float64Error> float64_error(const at::Tensor& exact, const at::Tensor& output);

}  // namespace graphnet
