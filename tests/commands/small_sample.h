// A sample made without LibTorch.
#pragma once

#include <cstddef>

#include "graphnet/sample/sample.h"

namespace graphnet::test {

// y = relu(... relu(x * scale)) on float32[2,3], with so many calls in all.
inline Sample small_sample(std::size_t calls = 2) {
  const auto value = [](std::size_t id) { return Argument{ValueReference{static_cast<ValueId>(id)}}; };
  const TensorType type = make_tensor_type(Dtype::kFloat32, {2, 3}, {3, 1});
  Sample sample;
  Graph& graph = sample.graph;
  graph.inputs = {{"x", type, NormalRecipe{}}};
  graph.weights = {{"scale", type, NormalRecipe{}}};
  graph.operators = {{"aten::mul", "Tensor", "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"},
                     {"aten::relu", "", "aten::relu(Tensor self) -> Tensor"}};
  graph.calls = {{0, {value(0), value(1)}, {TensorResult{2, type}}}};
  for (ValueId id = 3; id < 2 + calls; ++id) graph.calls.push_back({1, {value(id - 1)}, {TensorResult{id, type}}});
  graph.output = {value(1 + calls)};
  sample.metadata.name = "small";
  sample.metadata.category = "other";
  sample.metadata.framework = "torch 2.13.0";
  sample.metadata.tool = "graphnet 0.1.0";
  sample.metadata.arguments = R"({"x":"2x3"})";
  describe(sample.metadata, graph);
  return sample;
}

}  // namespace graphnet::test
