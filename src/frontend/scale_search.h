// Looks for scales of a model's weights at which its outputs mean something: finite, of sane scale, dependent on inputs
// and weights.
#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "degeneration.h"
#include "recorded_model.h"

namespace graphnet {

class ScaleSearch {
 public:
  // Keeps a reference to the model, whose weights are drawn.
  explicit ScaleSearch(RecordedModel& model);

  // Changes recipes of weights where that helps. Returns what is degenerate all the same. Throws the error for a model
  // whose recorded graph fails on other inputs.
  std::optional<Degeneration> run();

  // Inputs of the model's seed and of the one after it, and the graph's outputs on them with the weights that were
  // found.
  const std::vector<at::Tensor>& seed_inputs() const { return seed_inputs_; }
  const std::vector<at::Tensor>& seed_output() const { return seed_output_; }
  const std::vector<at::Tensor>& fresh_inputs() const { return fresh_inputs_; }
  const std::vector<at::Tensor>& fresh_output() const { return fresh_output_; }

 private:
  std::optional<Degeneration> judge();
  bool calibrate_weights();
  std::optional<Degeneration> try_table_scales(Degeneration found);

  RecordedModel& model_;
  std::vector<at::Tensor> seed_inputs_;
  std::vector<at::Tensor> fresh_inputs_;
  std::vector<at::Tensor> seed_output_;  // empty while it is out of date
  std::vector<at::Tensor> fresh_output_;
};

}  // namespace graphnet
