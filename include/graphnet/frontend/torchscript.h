// A TorchScript model: the only door through which torch::jit is used. Everything behind it works on values and
// tensors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include "graphnet/runtime/recorder.h"

namespace graphnet {

class TorchScriptModel {
 public:
  // Loads the archive on the device, which also takes the place of accelerators that its code names, or of the CPU
  // where it names none, in evaluation mode, without gradients, without the optimizing executor and with fork() and
  // wait() taken out. Throws Error(kInput) for an archive that cannot be loaded, Error(kEnvironment) where it needs an
  // operator that is not registered, naming the operator and the flag that loads its library.
  TorchScriptModel(const std::filesystem::path& path, c10::Device device);
  ~TorchScriptModel();
  TorchScriptModel(TorchScriptModel&&) noexcept;
  TorchScriptModel& operator=(TorchScriptModel&&) noexcept;

  // The class of the model as its author wrote it, such as "ResNet".
  std::string class_name() const;

  const c10::FunctionSchema& schema() const;

  // The signature of forward and an `--input` line that this model is likely to take, for errors.
  std::string input_help() const;

  // Parameters, buffers, other tensors that modules hold, and large tensors in the code, each tensor once, under its
  // qualified name. They share storage with the model.
  const std::vector<KnownTensor>& tensors() const;

  // Puts another tensor of the same shape and dtype in the place of tensors()[index], wherever the model holds it.
  void replace(std::size_t index, const at::Tensor& tensor);

  // Runs forward. Attributes that forward changes are put back afterwards, so that every call starts from the same
  // state; tensors that it writes to are not. An exception of the model is rethrown as the Error that it amounts
  // to (error_of), with its TorchScript traceback.
  c10::IValue forward(std::vector<c10::IValue> arguments);

  // Attributes that forward assigns, such as "decoder.hidden", or whose list or dict it alters: state that lives on
  // between calls.
  std::vector<std::string> changed_attributes() const;

  // The line of TorchScript that this thread is running, such as "code/__torch__/model.py:12: x = torch.relu(h)"; empty
  // where it runs none.
  static std::string running_line();

  // Lines of TorchScript where a tensor's value decides what runs: conditions, loop counts, item(). At most `limit`.
  std::vector<std::string> value_dependent_lines(std::size_t limit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphnet
