// What a weight is for: the operator argument that first reads it, through views and casts. Decides how a weight
// without values of its own is drawn, and which weights set the scale of a call's result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphnet/graph/graph.h"

namespace graphnet {

enum class Role {
  kUnknown,
  kProjection,  // multiplies and sums: convolution, linear, matmul; see WeightUse::fan_in
  kBias,        // added to a projection's result
  kEmbedding,   // rows looked up by index
  kScale,       // multiplies elementwise: normalization weight, layer scale
  kShift,       // added after a normalization
  kRunningMean,
  kRunningVariance,
  kRecurrent,  // one of the matrices of an LSTM or GRU; fan_in is the hidden size
  kTable,      // added or looked up as it is: positions, relative biases
};

struct WeightUse {
  Role role = Role::kUnknown;
  std::int64_t fan_in = 1;       // terms in each sum of a projection
  bool rectified = false;        // the result goes through a rectifier soon, which halves its power
  bool also_projection = false;  // an embedding whose weight a projection reads too: tied weights
};

// The use of each weight of the graph, in order.
std::vector<WeightUse> weight_uses(const Graph& graph);

// Calls that are linear in a weight: scaling weight and bias scales the result.
struct ScaledCall {
  std::size_t call = 0;
  std::size_t weight = 0;           // index into graph.weights
  std::optional<std::size_t> bias;  // index into graph.weights; a bias that is no weight of the model has none
};
std::vector<ScaledCall> scaled_calls(const Graph& graph);

}  // namespace graphnet
