// Tensors from recipes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"
#include "graphnet/runtime/tiled_memory.h"
#include "graphnet/sample/safetensors.h"
#include "graphnet/sample/sample.h"

namespace graphnet {

// A tensor of this type with elements drawn from the recipe (never a view recipe), on the device. Large tensors are
// filled by all of LibTorch's intra-operator threads; the bits do not depend on how many there are. Stored recipes read
// from `weights`, which must then be given, and are checked against their SHA-256.
at::Tensor make_tensor(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id, c10::Device device,
                       const SafetensorsFile* weights = nullptr);

// Redraws an existing dense tensor of that type in place (no new memory).
void refill(at::Tensor& tensor, const Recipe& recipe, std::uint64_t seed, ValueId id);

enum class WeightStorage {
  kDense,
  kRepeated,  // for samples larger than the memory: each drawn weight repeats one tile of it (on the CPU; elsewhere one
              // element, with strides 0), stored ones as if they were drawn
};

// All tensors a graph starts from, by value id: weights and constants are made once, inputs as often as wanted.
struct GraphTensors {
  std::vector<at::Tensor> inputs;      // Graph::inputs
  std::vector<at::Tensor> weights;     // Graph::weights, views sharing their base's storage
  std::vector<at::Tensor> constants;   // Graph::constants
  std::shared_ptr<TiledMemory> tiles;  // where weights are repeated
};

GraphTensors make_tensors(const Sample& sample, std::uint64_t seed, c10::Device device,
                          WeightStorage storage = WeightStorage::kDense);
std::vector<at::Tensor> make_inputs(const Graph& graph, std::uint64_t seed, c10::Device device);

// Whether weights and constants, stored densely, or inputs still hold, bit for bit, what was drawn with that seed. Each
// is drawn again for it, one at a time, on the CPU.
bool hold_drawn_weights(const GraphTensors& tensors, const Sample& sample, std::uint64_t seed);
bool hold_drawn_inputs(const std::vector<at::Tensor>& inputs, const Graph& graph, std::uint64_t seed);

}  // namespace graphnet
