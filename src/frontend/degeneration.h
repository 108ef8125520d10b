// Outputs that say nothing about what computed them, and the call of the graph from which on they do not.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace graphnet {

class RecordedModel;

struct Degeneration {
  enum class Kind {
    kValues,   // none, constant, not finite, of no sane scale
    kInputs,   // the same for all inputs
    kWeights,  // the same for all weights
  };
  Kind kind = Kind::kValues;
  std::string reason;
};

// " (from call 5 aten::relu on: its result float32[2,16] is 0.0 everywhere; in TorchScript: code/..:12: ...)", or
// nothing where no single call can be named. Runs the graph on the inputs that it was judged by, and the model for the
// line.
std::string origin_text(RecordedModel& model, Degeneration::Kind kind, const std::vector<at::Tensor>& inputs,
                        const std::vector<at::Tensor>& other_inputs);

}  // namespace graphnet
