// Small TorchScript modules as fixtures: written here, without Python, and recorded and replayed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/script.h>

#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"

namespace graphnet::testing {

// Names that TorchScript written in C++ lacks: the quantized operators, fork() and wait().
struct FixtureResolver : torch::jit::NativeResolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction& function,
                                                         const torch::jit::SourceRange& range) override {
    if (name == "quantized") return std::make_shared<torch::jit::BuiltinModule>("quantized");
    if (name == "fork") return torch::jit::SpecialFormValue::create(torch::jit::prim::fork);
    if (name == "wait") return std::make_shared<torch::jit::BuiltinFunction>(torch::jit::aten::wait, std::nullopt);
    return NativeResolver::resolveValue(name, function, range);
  }
};

// A module whose forward is this TorchScript source ("def forward(self, x): ..."). Tensors are registered as buffers.
inline torch::jit::Module make_module(const std::string& source,
                                      const std::vector<std::pair<std::string, at::Tensor>>& buffers = {}) {
  torch::jit::Module module("Fixture");
  for (const auto& [name, tensor] : buffers) module.register_buffer(name, tensor);
  module.define(source + "\n", std::make_shared<FixtureResolver>());
  return module;
}

// The tensor of each buffer, as the frontend would hand them over.
inline std::vector<KnownTensor> weights_of(const torch::jit::Module& module) {
  std::vector<KnownTensor> weights;
  for (const auto& buffer : module.named_buffers()) weights.push_back({buffer.name, buffer.value, true});
  return weights;
}

// Inputs named x0, x1, ...
inline std::vector<KnownTensor> named(const std::vector<at::Tensor>& tensors) {
  std::vector<KnownTensor> inputs;
  for (const at::Tensor& tensor : tensors) inputs.push_back({c10::str("x", inputs.size()), tensor, false});
  return inputs;
}

inline c10::IValue call_module(torch::jit::Module& module, const std::vector<at::Tensor>& inputs) {
  return module.forward(std::vector<c10::IValue>(inputs.begin(), inputs.end()));
}

// The tensors in an output, in order.
inline void append_tensors(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) tensors.push_back(value.toTensor());
  if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) append_tensors(element, tensors);
  }
  if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) append_tensors(element, tensors);
  }
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) append_tensors(entry.value(), tensors);
  }
}

inline std::vector<at::Tensor> run_module(torch::jit::Module& module, const std::vector<at::Tensor>& inputs) {
  const c10::InferenceMode without_gradients;
  std::vector<at::Tensor> copies;
  for (const at::Tensor& input : inputs) copies.push_back(input.clone());
  std::vector<at::Tensor> outputs;
  append_tensors(call_module(module, copies), outputs);
  for (at::Tensor& output : outputs) output = output.clone();
  return outputs;
}

inline Recording record_module(torch::jit::Module& module, const std::vector<at::Tensor>& inputs) {
  torch::jit::setGraphExecutorOptimize(false);
  std::vector<at::Tensor> copies;
  for (const at::Tensor& input : inputs) copies.push_back(input.clone());
  return record(named(copies), weights_of(module), c10::kCPU, [&] { return call_module(module, copies); });
}

// A replayer with the contents that the recorded weights have now.
inline Replayer make_replayer(const Recording& recording, const std::vector<KnownTensor>& weights) {
  std::vector<at::Tensor> tensors;
  for (const std::size_t source : recording.weight_sources) tensors.push_back(weights[source].tensor);
  Replayer replayer(recording.graph, c10::kCPU);
  replayer.set_weights(std::move(tensors), recording.constants);
  return replayer;
}

// Equal bit by bit, NaN included.
inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         at::equal(a.contiguous().view(-1).view(at::kByte), b.contiguous().view(-1).view(at::kByte));
}

// Names of the recorded calls' operators, such as {"aten::add.Tensor"}.
inline std::vector<std::string> operators_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Call& call : graph.calls) names.push_back(graph.operator_of(call).full_name());
  return names;
}

}  // namespace graphnet::testing
