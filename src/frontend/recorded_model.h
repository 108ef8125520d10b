// A model's recording whose weights are drawn from their recipes: what the sample will hold, bound for replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/frontend/torchscript.h"
#include "graphnet/frontend/weight_set.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"

#include "model_runner.h"

namespace graphnet {

class RecordedModel {
 public:
  struct Settings {
    std::filesystem::path file;  // of the model, for errors
    c10::Device device = c10::kCPU;
    std::uint64_t seed = 0;
    bool keep_values = false;  // of weights that have them
  };

  // Records a run with the weights as they were loaded. Keeps references to model and weights.
  RecordedModel(const TorchScriptModel& model, WeightSet& weights, ModelRunner runner, Settings settings);

  // Records again, with other inputs; the weights are as they were loaded.
  void record_with(ModelRunner runner);

  // Gives each weight its recipe and draws it. What depends on values is recorded again, with the weights drawn.
  void draw_weights();

  // As draw_weights(), for weights whose recipes were changed and that were drawn again since.
  void follow_changed_weights();

  Recording& recording() { return recording_; }
  const Recording& recording() const { return recording_; }
  Replayer& replayer() { return *replayer_; }
  ModelRunner& runner() { return runner_; }
  WeightSet& weights() { return weights_; }
  const Settings& settings() const { return settings_; }

  // What the model returned with the weights as they were loaded.
  const std::vector<at::Tensor>& loaded_output() const { return loaded_output_; }

  std::vector<at::Tensor> replay(const std::vector<at::Tensor>& inputs);

  // What the model itself returns. What it writes to its weights is undone.
  FlatOutput run_model(const std::vector<at::Tensor>& inputs);

  // The line of TorchScript that makes a call of the recording; empty where that cannot be told. Runs the model.
  std::string line_of_call(std::size_t call);

  // Throws the error for a model whose control flow depends on values, as `what` showed.
  [[noreturn]] void refuse_control_flow(const std::string& what) const;

 private:
  Recording record_once();
  bool depends_on_values() const;
  void record_again();
  void bind();

  const TorchScriptModel& model_;
  WeightSet& weights_;
  ModelRunner runner_;
  Settings settings_;
  Recording recording_;
  std::unique_ptr<Replayer> replayer_;
  std::vector<at::Tensor> loaded_output_;
};

}  // namespace graphnet
