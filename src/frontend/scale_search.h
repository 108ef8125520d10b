// Looks for scales of a model's weights at which its outputs mean something: finite, of sane scale, dependent on inputs
// and weights.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "recorded_model.h"

namespace graphnet {

class ScaleSearch {
 public:
  // Keeps a reference to the model, whose weights are drawn.
  explicit ScaleSearch(RecordedModel& model);

  // Changes recipes of weights where that helps. Returns why the outputs are degenerate all the same, or nothing.
  // Throws the error for a model whose recorded graph fails on other inputs.
  std::string run();

  // The graph's outputs, with the weights that were found, on inputs of the model's seed and of the one after it.
  const std::vector<at::Tensor>& seed_output() const { return seed_output_; }
  const std::vector<at::Tensor>& fresh_inputs() const { return fresh_inputs_; }
  const std::vector<at::Tensor>& fresh_output() const { return fresh_output_; }

 private:
  std::string judge();
  bool calibrate_weights();
  std::string try_table_scales(const std::string& reason);

  RecordedModel& model_;
  std::vector<at::Tensor> seed_inputs_;
  std::vector<at::Tensor> fresh_inputs_;
  std::vector<at::Tensor> seed_output_;  // empty while it is out of date
  std::vector<at::Tensor> fresh_output_;
};

}  // namespace graphnet
