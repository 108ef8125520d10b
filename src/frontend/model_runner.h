// A model with the arguments that it is called with: inputs drawn for it, its outputs, a recording of it.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include "graphnet/frontend/arguments.h"
#include "graphnet/frontend/model_output.h"
#include "graphnet/frontend/torchscript.h"
#include "graphnet/runtime/recorder.h"

namespace graphnet {

class ModelRunner {
 public:
  // Keeps pointers to both. Random operators of every run start from `seed`.
  ModelRunner(TorchScriptModel& model, const Arguments& arguments, c10::Device device, std::uint64_t seed)
      : model_(&model), arguments_(&arguments), device_(device), seed_(seed) {}

  std::vector<at::Tensor> draw_inputs(std::uint64_t seed) const;

  // Whether inputs drawn from another seed are other inputs.
  bool inputs_vary() const;

  // What the model returns for the inputs. Copies, since an output may be a weight that is changed later; and the model
  // runs on copies, since it may write to its inputs. What it writes to its weights stays written.
  FlatOutput output(const std::vector<at::Tensor>& inputs);

  struct Recorded {
    Recording recording;
    std::vector<at::Tensor> outputs;  // copies
  };
  enum class Places { kNone, kLines };  // what the recording tells of where its calls were made
  // Records a run on inputs of the seed. The graph's inputs have their recipes.
  Recorded record(Places places = Places::kNone);

 private:
  TorchScriptModel* model_;
  const Arguments* arguments_;
  c10::Device device_;
  std::uint64_t seed_;
};

}  // namespace graphnet
