// Scales of weights at which a model with random weights neither fades nor blows up.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "graphnet/graph/graph.h"
#include "graphnet/runtime/replayer.h"

namespace graphnet {

// Runs the graph once, call by call. Where the result of a call that is linear in a weight has a standard deviation far
// from 1, the recipes of that weight and of the call's bias are rescaled so that it is about 1, the tensors are drawn
// again (by redraw, which gets the weight's index) and the result is rescaled, so that later calls see a sane scale
// already. Each weight is rescaled at most once. Weights of zeros get values; only another pass can tell their scale.
// `may_change[i]` says whether weight i may be changed. Where the graph fails once results are of another scale (shapes
// that follow from values), the run ends there, without outputs.
struct Calibration {
  std::vector<std::size_t> changed;  // weights whose recipes changed, in order
  std::vector<at::Tensor> outputs;   // of the run; with the new recipes they are others
};
Calibration calibrate(Graph& graph, Replayer& replayer, std::span<const at::Tensor> inputs,
                      const std::vector<bool>& may_change, const std::function<void(std::size_t)>& redraw);

// Rescales the recipes of tables (embeddings, positions) and of weights of unknown use, and draws their tensors again:
// what is left where a model has no calls that are linear in a weight.
void rescale_tables(Graph& graph, double factor, const std::vector<bool>& may_change,
                    const std::function<void(std::size_t)>& redraw);

}  // namespace graphnet
