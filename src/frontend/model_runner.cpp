#include "model_runner.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/runtime/tensors.h"

namespace graphnet {
namespace {

FlatOutput copied(const c10::IValue& value) {
  FlatOutput output = flatten(value);
  for (at::Tensor& tensor : output.tensors) tensor = tensor.clone();
  return output;
}

}  // namespace

std::vector<at::Tensor> ModelRunner::draw_inputs(std::uint64_t seed) const {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, spec] : arguments_->tensors()) {
    const auto id = static_cast<ValueId>(tensors.size());
    tensors.push_back(make_tensor(spec.type, spec.recipe, seed, id, device_));
  }
  return tensors;
}

bool ModelRunner::inputs_vary() const {
  return std::any_of(arguments_->tensors().begin(), arguments_->tensors().end(),
                     [](const auto& tensor) { return !is_exact(tensor.second.recipe); });
}

FlatOutput ModelRunner::output(const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& input : inputs) copies.push_back(input.clone(at::MemoryFormat::Preserve));
  at::manual_seed(seed_);
  return copied(model_->forward(arguments_->values(copies)));
}

ModelRunner::Recorded ModelRunner::record(Places places) {
  const std::vector<at::Tensor> tensors = draw_inputs(seed_);
  std::vector<KnownTensor> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    inputs.push_back({arguments_->tensors()[i].first, tensors[i], false});
  }
  at::manual_seed(seed_);
  c10::IValue output;
  Recorded recorded;
  const auto run = [&] {
    output = model_->forward(arguments_->values(tensors));
    return output;
  };
  recorded.recording = graphnet::record(inputs, model_->tensors(), device_, run,
                                        places == Places::kLines ? &TorchScriptModel::running_line : nullptr);
  recorded.outputs = copied(output).tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    recorded.recording.graph.inputs[i].recipe = arguments_->tensors()[i].second.recipe;
  }
  return recorded;
}

}  // namespace graphnet
